// Scales of tensors: the machine holds a tensor times a power of two, so that its values use the
// range of the data type.
//
// A scaled network is a graph of its own that computes the same as the model in real numbers. A
// tensor of the model that it scales keeps its name there; its values are the model's times
// 2^exponent. Inputs and outputs of the model are not scaled.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tactus::compiler {

/// The machine holds the tensor's values times 2^exponent.
struct TensorScale {
  /// One exponent for the whole tensor, or one for each index of dimension `axis`.
  std::vector<int> exponents;
  std::size_t axis = 0;  ///< dimension in the model's order
};

/// Scales by the tensor's name. A tensor that is absent is held as it is (exponent 0).
using TensorScales = std::map<std::string, TensorScale>;

}  // namespace tactus::compiler
