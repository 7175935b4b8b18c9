#include "firmware/compiler/frontend/bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "firmware/compiler/frontend/expansion.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// How an operator's results follow from its operands.
enum class Rule : std::uint8_t {
  one,      ///< results are from -1 to 1
  first,    ///< results are no larger than those of input 0
  largest,  ///< results are no larger than those of any input
  sum,      ///< results are no larger than the sum of all inputs
  product,
  clip,
  window_sum,
};

const std::unordered_map<std::string, Rule>& rules() {
  static const std::unordered_map<std::string, Rule> all{{"Sigmoid", Rule::one},
                                                         {"HardSigmoid", Rule::one},
                                                         {"Tanh", Rule::one},
                                                         {"Erf", Rule::one},
                                                         {"Softsign", Rule::one},
                                                         {"Sin", Rule::one},
                                                         {"Cos", Rule::one},
                                                         {"Softmax", Rule::one},
                                                         {"Abs", Rule::first},
                                                         {"AveragePool", Rule::first},
                                                         {"Cast", Rule::first},
                                                         {"DepthToSpace", Rule::first},
                                                         {"Dropout", Rule::first},
                                                         {"Expand", Rule::first},
                                                         {"Flatten", Rule::first},
                                                         {"Gather", Rule::first},
                                                         {"GlobalAveragePool", Rule::first},
                                                         {"GlobalMaxPool", Rule::first},
                                                         {"HardSwish", Rule::first},
                                                         {"Identity", Rule::first},
                                                         {"MaxPool", Rule::first},
                                                         {"Neg", Rule::first},
                                                         {"ReduceMax", Rule::first},
                                                         {"ReduceMean", Rule::first},
                                                         {"ReduceMin", Rule::first},
                                                         {"Relu", Rule::first},
                                                         {"Reshape", Rule::first},
                                                         {"Slice", Rule::first},
                                                         {"SpaceToDepth", Rule::first},
                                                         {"Split", Rule::first},
                                                         {"Squeeze", Rule::first},
                                                         {"Tile", Rule::first},
                                                         {"Transpose", Rule::first},
                                                         {"Unsqueeze", Rule::first},
                                                         {relayout, Rule::first},
                                                         {"Concat", Rule::largest},
                                                         {"Max", Rule::largest},
                                                         {"Mean", Rule::largest},
                                                         {"Min", Rule::largest},
                                                         {"Add", Rule::sum},
                                                         {"Sub", Rule::sum},
                                                         {"Sum", Rule::sum},
                                                         {"Mul", Rule::product},
                                                         {"Clip", Rule::clip},
                                                         {sum_pool, Rule::window_sum}};
  return all;
}

double largest_of(const nn::Tensor& tensor) {
  double largest = 0;
  for (const double value : tensor.reals()) largest = std::max(largest, std::abs(value));
  return largest;
}

std::optional<double> bound_of(const Model& model, const std::string& name) {
  const auto known = model.bounds.find(name);
  if (known != model.bounds.end()) return known->second;
  const auto value = model.values.find(name);
  if (value == model.values.end() || value->second.constant == nullptr) return std::nullopt;
  return largest_of(*value->second.constant);
}

/// The bound of a Clip: its limits if there are two, else the operand's.
std::optional<double> clip_bound(const Model& model, const nn::Node& node) {
  std::optional<double> low, high;
  const auto limit = [&](const char* attribute, std::size_t input) -> std::optional<double> {
    if (node.has(attribute)) return double{node.real(attribute)};
    const std::string name(node.input(input));
    const auto value = model.values.find(name);
    if (name.empty() || value == model.values.end() || value->second.constant == nullptr ||
        value->second.constant->size() != 1) {
      return std::nullopt;
    }
    return value->second.constant->reals().front();
  };
  low = limit("min", 1);
  high = limit("max", 2);
  if (low && high) return std::max(std::abs(*low), std::abs(*high));
  return std::nullopt;
}

std::optional<double> result_bound(const Model& model, const nn::Node& node, Rule rule) {
  if (rule == Rule::one) return 1;
  if (rule == Rule::clip) return clip_bound(model, node);
  double bound = rule == Rule::product ? 1 : 0;
  for (const std::string& input : node.inputs) {
    if (input.empty()) continue;
    const std::optional<double> own = bound_of(model, input);
    if (!own) return std::nullopt;
    bound = rule == Rule::product ? bound * *own
            : rule == Rule::sum   ? bound + *own
                                  : std::max(bound, *own);
    if (rule == Rule::first || rule == Rule::window_sum) break;
  }
  if (rule == Rule::window_sum) {
    for (const std::int64_t size : node.integers("kernel_shape")) {
      bound *= static_cast<double>(size);
    }
    bound *= double{node.real("weight", 1)};
    if (node.has("factors")) return std::nullopt;
  }
  return bound;
}

}  // namespace

void derive_bounds(Model& model, const nn::Node& node) {
  if (!node.domain.empty()) return;
  const auto rule = rules().find(node.op_type);
  if (rule == rules().end()) return;
  const std::optional<double> bound = result_bound(model, node, rule->second);
  if (!bound) return;
  const tcu::DataType type = model.architecture.data_type;
  const double held = std::min(*bound, tcu::to_real(type, tcu::info(type).max()));
  for (const std::string& output : node.outputs) {
    const auto [found, is_new] = model.bounds.emplace(output, held);
    if (!is_new) found->second = std::min(found->second, held);
  }
}

}  // namespace tactus::compiler
