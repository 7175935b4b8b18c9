#include "firmware/compiler/targets/tcu/optimise/rewrites.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tactus::compiler::optimise {
namespace {

constexpr std::size_t none = ~std::size_t{0};

class Normalisations {
 public:
  explicit Normalisations(Network& network)
      : network_(network),
        makers_(network.graph.constants.size(), none),
        readers_(network.graph.constants.size(), 0) {
    for (std::size_t g = 0; g < network.groups.size(); ++g) {
      for (const Vector v : network.groups[g].results) makers_[v] = g;
      for_inputs(network.groups[g], [&](Vector v, std::uint32_t) { ++readers_[v]; });
    }
    for (const Tensor& output : network.graph.outputs) {
      for (const Vector v : output.vectors) {
        if (v != no_vector) ++readers_[v];
      }
    }
  }

  void run() {
    for (Group& group : network_.groups) {
      const std::size_t maker = maker_of(group);
      if (maker == none) continue;
      auto normalised = normalised_by(group);
      if (!normalised) continue;
      Group& taken = network_.groups[maker];
      taken.normalised = std::move(*normalised);
      taken.name += "+" + group.name;
      taken.nodes.insert(taken.nodes.end(), group.nodes.begin(), group.nodes.end());
      taken.macs += group.macs;
      group.pixels = 0;
    }
    network_.groups.erase(std::remove_if(network_.groups.begin(), network_.groups.end(),
                                         [](const Group& group) { return group.pixels == 0; }),
                          network_.groups.end());
  }

 private:
  [[nodiscard]] bool is_plain(const std::vector<Vector>& vectors) const {
    return std::all_of(vectors.begin(), vectors.end(), [&](Vector v) {
      return network_.signs[v] == 1 && network_.shifts[v] == nullptr;
    });
  }
  [[nodiscard]] std::size_t maker_of(const Group& group) const;
  [[nodiscard]] std::optional<Normalised> normalised_by(const Group& group) const;

  Network& network_;
  std::vector<std::size_t> makers_;
  std::vector<std::uint32_t> readers_;
};

/// The group whose sums this one reads, each once and in their order, and others read too.
std::size_t Normalisations::maker_of(const Group& group) const {
  if (group.kind != GroupKind::sum || group.window != 1 || group.parts.size() != group.blocks) {
    return none;
  }
  const std::size_t maker = makers_[group.parts[0].inputs[0]];
  if (maker == none) return none;
  const Group& made = network_.groups[maker];
  const bool fits = made.kind == GroupKind::sum && made.activation == Activation::none &&
                    made.window == 1 && made.normalised.results.empty() &&
                    made.pixels == group.pixels && made.blocks == group.blocks;
  if (!fits || !is_plain(made.results) || !is_plain(group.results)) return none;
  for (const Part& part : group.parts) {
    if (part.dense || part.inputs.size() != group.pixels) return none;
    for (std::uint32_t p = 0; p < group.pixels; ++p) {
      const Vector read = made.results[p * made.blocks + part.columns[0].block];
      if (part.pixels[p] != p || part.inputs[p] != read) return none;
    }
  }
  // Sums that nobody else reads would leave the accumulators for nothing.
  const bool read_elsewhere = std::any_of(made.results.begin(), made.results.end(),
                                          [&](Vector v) { return readers_[v] > 1; });
  return read_elsewhere ? maker : none;
}

std::optional<Normalised> Normalisations::normalised_by(const Group& group) const {
  const std::uint32_t n = network_.graph.n;
  Normalised result;
  if (!group.scale.empty()) return std::nullopt;
  switch (group.activation) {
    case Activation::none:
      result.slope.assign(std::size_t{group.blocks} * n, 1.0F);
      break;
    case Activation::leaky_relu:
      result.slope = group.slope;
      break;
    case Activation::clip:
      result.limit = group.high;
      break;
    case Activation::relu:
    case Activation::lookup:
      break;
  }
  if (group.activation != Activation::none && !group.by_unit) return std::nullopt;
  result.results = group.results;
  result.scale.resize(std::size_t{group.blocks} * n);
  for (const Part& part : group.parts) {
    const Column& column = part.columns[0];
    for (std::uint32_t lane = 0; lane < n; ++lane) {
      result.scale[std::size_t{column.block} * n + lane] =
          column.factor * (column.diagonal == nullptr ? 1.0F : column.diagonal[lane]);
    }
  }
  result.offset = group.bias;
  result.offset.resize(result.scale.size());
  return result;
}

}  // namespace

void take_in_normalisations(Network& network) { Normalisations(network).run(); }

}  // namespace tactus::compiler::optimise
