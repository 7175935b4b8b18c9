// Encoding of constants as bytes, and what rounding to the data type does to them.
//
// Source: toolchain spec section 1.4.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// What the data type keeps of constants. Each value is of one kind at most. Zeros are not counted,
/// and neither are infinities, which stand for the end of the range (limits, masks).
struct ConstantLoss {
  std::uint64_t values = 0;
  std::uint64_t saturated = 0;  ///< beyond the range, by more than 1 % of the value
  std::uint64_t vanished = 0;   ///< became 0
  std::uint64_t reduced = 0;    ///< others that lose more than 1 %
  double largest = 0;           ///< largest loss relative to the value, of those that are not 0
  /// Sums of squares: of all values, and of the errors of each kind.
  double squares = 0, saturated_squares = 0, vanished_squares = 0, reduced_squares = 0;

  void add(tcu::DataType type, double value);
  void add(const ConstantLoss& other);
  /// Counts what is stored in `copies` equal places as one.
  void divide(std::uint64_t copies);
  [[nodiscard]] std::uint64_t lost() const { return saturated + vanished + reduced; }
  [[nodiscard]] double largest_loss() const { return vanished != 0 ? 1 : largest; }
};

/// By the name of the model's tensor or, for constants that the compiler makes, "node NAME" with
/// the model's node, "layer NAME" if they belong to several nodes.
using ConstantLosses = std::map<std::string, ConstantLoss>;

[[nodiscard]] ConstantLoss total(const ConstantLosses& losses);

/// One sentence for each kind of loss that matters: some values saturate, or the values that became
/// 0, or all that lose more than 1 %, make an error of more than 1 % of the RMS of their tensor. It
/// names the tensors that lose most.
[[nodiscard]] std::vector<std::string> loss_notes(const ConstantLosses& losses, tcu::DataType type);

/// Appends the DRAM image of `values`, rounded and saturated to the data type.
void encode_constants(tcu::DataType type, const std::vector<float>& values,
                      std::vector<std::uint8_t>& bytes);

}  // namespace tactus::compiler
