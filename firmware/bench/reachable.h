// What a data type can reach: the user's graph in real numbers, with each constant and each tensor
// rounded and saturated once (firmware/bench/held_tensors.h).
//
// Nothing of the program enters: nodes are computed by the reference executor. A
// BatchNormalization behind a product is folded into its constants; a division by a constant is a
// product with its reciprocal; a mean is one operation. Products of quantised numbers are computed
// in the real numbers that these stand for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firmware/bench/held_tensors.h"
#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::bench {

/// Errors that lowerings state, by the node's name; see Compiled::expected_errors.
using StatedErrors = std::map<std::string, compiler::ExpectedError>;

/// Random numbers that are the same on all platforms.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  /// Uniform from -1 to 1, without 1.
  [[nodiscard]] double draw();

 private:
  std::uint64_t state_;
};

/// How stated errors are added to a node's results.
enum class Disturbance {
  each,   ///< real numbers: to each element a random error up to the stated one
  alike,  ///< real numbers: to all elements the stated error, of one random sign
  /// Whole numbers: each moves by 1, up or down. The effect times `rounding_deviation` is that of
  /// not rounding to whole numbers.
  whole,
};
inline constexpr double rounding_deviation = 0.28867513459481287;  ///< 1 / sqrt(12)

/// Adds errors to a node's results, as the machine holds them.
void disturb(std::vector<nn::Tensor>& results, const nn::Node& node, const HeldTensors& held,
             const compiler::ExpectedError& error, Noise& noise, Disturbance how);

/// True if one of the nodes that state errors makes whole numbers.
[[nodiscard]] bool states_whole(const nn::Graph& graph, const StatedErrors& errors);

/// Root mean square of the differences of two lists of one length, computed in double.
[[nodiscard]] double rms_difference(const std::vector<float>& a, const std::vector<float>& b);

/// Computes nodes as a machine could that rounds each tensor once. The model must outlive it.
class RoundedNodes {
 public:
  struct Choice {
    bool rounds_constants = true;
    const StatedErrors* errors = nullptr;  ///< errors that are added to results; null: none
    Disturbance how = Disturbance::each;
    std::uint64_t seed = 1;
  };
  /// `separate`: tensors into which no BatchNormalization is folded, since they are compared.
  RoundedNodes(const nn::Graph& graph, const HeldTensors& held,
               const std::vector<std::string>& separate);

  /// Values of the tensors named.
  [[nodiscard]] nn::Values compute(const nn::Values& inputs,
                                   const std::vector<std::string>& tensors,
                                   const Choice& choice) const;

 private:
  struct Folded {
    const nn::Node* product = nullptr;
    const nn::Node* normalization = nullptr;
  };
  [[nodiscard]] std::vector<nn::Tensor> execute(const nn::Node& node, std::int64_t opset,
                                                std::vector<const nn::Tensor*> operands,
                                                const nn::Values& inputs, const Choice& choice,
                                                Noise& noise) const;
  [[nodiscard]] std::vector<nn::Tensor> folded(const Folded& pair, std::int64_t opset,
                                               std::vector<const nn::Tensor*> operands,
                                               const Choice& choice) const;

  const nn::Graph& graph_;
  const HeldTensors& held_;
  std::map<std::string, Folded> by_product_;     ///< by the product's output
  std::map<std::string, Folded> by_normalized_;  ///< by the normalization's output
};

}  // namespace tactus::bench
