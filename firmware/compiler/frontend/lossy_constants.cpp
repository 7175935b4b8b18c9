#include "firmware/compiler/frontend/lossy_constants.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "firmware/compiler/frontend/folded_products.h"
#include "firmware/compiler/targets/tcu/memory/constants.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// How a set of constants loses in a data type.
struct Damage {
  bool saturates = false;
  /// Sum over tensors of the mean square of the relative errors of their channels, each at most 1.
  double square = 0;
};

/// Adds the damage to a tensor, whose lists of values each have an error of their own.
void add_damage(const std::vector<std::vector<float>>& channels, tcu::DataType type,
                Damage& damage) {
  double sum = 0;
  std::size_t count = 0;
  for (const std::vector<float>& channel : channels) {
    ConstantLoss loss;
    for (const float value : channel) loss.add(type, static_cast<double>(value));
    if (loss.values == 0) continue;
    damage.saturates = damage.saturates || loss.saturated != 0;
    sum += std::min(1.0, (loss.saturated_squares + loss.vanished_squares + loss.reduced_squares) /
                             loss.squares);
    ++count;
  }
  if (count != 0) damage.square += sum / static_cast<double>(count);
}

Damage damage_of(const ProductConstants& constants, tcu::DataType type) {
  Damage damage;
  add_damage(constants.weights, type, damage);
  add_damage({constants.bias}, type, damage);
  for (const std::vector<float>& summands : constants.summands) {
    add_damage({summands}, type, damage);
  }
  for (const std::vector<float>& factors : constants.factors) {
    // Each channel has a factor of its own.
    std::vector<std::vector<float>> channels;
    for (const float factor : factors) channels.push_back({factor});
    add_damage(channels, type, damage);
  }
  return damage;
}

/// A product is folded if its constants saturate or have errors above this share, and folding
/// makes these smaller by this factor.
constexpr double folded_share = 0.1, folded_gain = 2;

bool keeps_more(const ProductFold& fold, tcu::DataType type) {
  const Damage apart = damage_of(fold.apart, type);
  const bool loses = apart.saturates || apart.square > folded_share * folded_share;
  if (!loses) return false;
  const Damage together = damage_of(fold.together, type);
  return (apart.saturates || !together.saturates) &&
         together.square * folded_gain * folded_gain < apart.square;
}

/// True if one of the nodes reads values beyond the data type. The host computes such a node, which
/// a folded product could not leave to it.
bool reads_beyond(const ProductFold& fold, const std::map<std::string, double>& bounds,
                  tcu::DataType type) {
  const auto is_beyond = [&](const std::string& name) {
    const auto bound = bounds.find(name);
    return bound != bounds.end() && bound->second > tcu::to_real(type, tcu::info(type).max());
  };
  return std::any_of(fold.nodes.begin(), fold.nodes.end(), [&](const nn::Node* node) {
    return std::any_of(node->inputs.begin(), node->inputs.end(), is_beyond);
  });
}

}  // namespace

Folding fold_lossy_products(const nn::Graph& graph, const tcu::Architecture& architecture,
                            const Options& options) {
  Folding result;
  if (options.compat) return result;
  const tcu::DataType type = architecture.data_type;
  const auto wants = [&](const ProductFold& fold) {
    if (reads_beyond(fold, options.bounds, type) || !keeps_more(fold, type)) return false;
    std::vector<std::string_view> names;
    for (const nn::Node* node : fold.nodes) names.emplace_back(node->name);
    result.notes.push_back(fmt::format(
        "node {} is computed by the weights of {}: apart, {} cannot hold their constants",
        quote_list(names), quote(fold.product->name), tcu::info(type).name));
    return true;
  };
  std::optional<nn::Graph> folded = fold_products(graph, wants, options.outputs);
  if (folded) result.graph = std::make_shared<const nn::Graph>(*std::move(folded));
  return result;
}

void tell_constants(Compiled& compiled, Folding folding) {
  compiled.scaled = std::move(folding.graph);
  for (std::string& note : folding.notes) compiled.notes.push_back(std::move(note));
  for (std::string& note : loss_notes(compiled.constant_losses, compiled.architecture.data_type)) {
    compiled.notes.push_back(std::move(note));
  }
}

}  // namespace tactus::compiler
