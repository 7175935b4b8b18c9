#include "firmware/compiler/targets/tcu/optimise/fusion.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/optimise/fuser.h"
#include "isa/support/error.h"

namespace tactus::compiler::optimise {
namespace {

/// Smallest scale of a normalisation that is multiplied into the weights before it: they then
/// lose at most one bit.
constexpr float least_folded_scale = 0.5F;

}  // namespace

Fuser::Fuser(Network& network, std::uint64_t accumulators)
    : network_(network),
      graph_(network.graph),
      accumulators_(accumulators),
      producers_(graph_.constants.size(), no_group) {
  count_readers();
}

std::vector<Group> Fuser::run() {
  for (const Op& op : graph_.ops) take(op);
  std::vector<Group> kept;
  for (Group& group : groups_) {
    if (group.pixels != 0) kept.push_back(std::move(group));
  }
  return kept;
}

void Fuser::count_readers() {
  readers_.assign(graph_.constants.size(), 0);
  std::vector<const Op*> last(graph_.constants.size(), nullptr);
  const auto count = [&](const std::vector<Vector>& vectors, const Op* op) {
    for (const Vector v : vectors) {
      if (v == no_vector || last[v] == op) continue;
      last[v] = op;
      ++readers_[v];
    }
  };
  for (const Op& op : graph_.ops) {
    for (const auto& operand : op.inputs) count(operand, &op);
    for (const Tap& tap : op.taps) {
      count(tap.inputs, &op);
      count(tap.rows, &op);
    }
    count(op.tables, &op);
  }
  for (const Tensor& output : graph_.outputs) {
    for (const Vector v : output.vectors) {
      if (v != no_vector) readers_[v] += 2;
    }
  }
}

const float* Fuser::keep(const std::vector<float>& values) {
  auto copy = std::make_unique<float[]>(values.size());
  std::copy(values.begin(), values.end(), copy.get());
  network_.owned.push_back(std::move(copy));
  return network_.owned.back().get();
}

std::size_t Fuser::own_group(const std::vector<Vector>& vectors) const {
  if (vectors.empty() || vectors.front() == no_vector) return no_group;
  const std::size_t group = producers_[vectors.front()];
  if (group == no_group || groups_[group].results != vectors) return no_group;
  const bool own =
      std::all_of(vectors.begin(), vectors.end(), [&](Vector v) { return readers_[v] <= 1; });
  return own ? group : no_group;
}

bool Fuser::all_constant(const std::vector<Vector>& vectors) const {
  return std::all_of(vectors.begin(), vectors.end(),
                     [&](Vector v) { return v == no_vector || graph_.constants[v] != nullptr; });
}

std::optional<std::vector<float>> Fuser::row_of(const std::vector<Vector>& vectors,
                                                std::uint32_t blocks) const {
  if (!all_constant(vectors)) return std::nullopt;
  std::vector<float> row(std::size_t{blocks} * graph_.n);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::size_t b = i % blocks;
    for (std::uint32_t lane = 0; lane < graph_.n; ++lane) {
      const float value = vectors[i] == no_vector ? 0.0F : graph_.constants[vectors[i]][lane];
      if (i < blocks) row[b * graph_.n + lane] = value;
      if (row[b * graph_.n + lane] != value) return std::nullopt;
    }
  }
  return row;
}

/// Makes a vector that one operation reads.
Vector Fuser::new_vector(std::uint32_t lanes) {
  readers_.push_back(1);
  producers_.push_back(no_group);
  return graph_.add_vector(lanes);
}

Group& Fuser::start(const Op& op) {
  Group group;
  group.blocks = op.blocks;
  group.pixels = static_cast<std::uint32_t>(op.outputs.size() / op.blocks);
  groups_.push_back(std::move(group));
  return groups_.back();
}

void Fuser::finish(Group& group, const Op& op) {
  if (group.nodes.empty() || group.nodes.back() != op.name) {
    group.name += (group.name.empty() ? "" : "+") + op.name;
    group.nodes.push_back(op.name);
  }
  group.results = op.outputs;
  group.macs += op.macs;
  const auto number = static_cast<std::size_t>(&group - groups_.data());
  for (const Vector v : op.outputs) producers_[v] = number;
}

void Fuser::take(const Op& op) {
  if (op.is_product) return take_product(op);
  if (hir::info(op.kind).known == hir::Known::every_second) return take_terms(op);
  switch (op.kind) {
    case hir::Kind::add:
    case hir::Kind::subtract:
      return take_sum(op);
    case hir::Kind::multiply:
      return take_multiply(op);
    case hir::Kind::norm:
      return take_norm(op);
    case hir::Kind::lookup:
      return take_lookup(op);
    case hir::Kind::relu:
    case hir::Kind::clip:
    case hir::Kind::leaky_relu:
      return take_activation(op);
    case hir::Kind::average_pool:
      return take_average(op);
    case hir::Kind::max_pool:
    case hir::Kind::minimum:
      return take_extreme(op);
    default:
      return take_by_simd(op);
  }
}

void Fuser::take_by_simd(const Op& op) {
  Group& group = start(op);
  group.kind = GroupKind::simd;
  group.operation = op.kind;
  group.windows.resize(op.outputs.size());
  group.tables = op.tables;
  for (const auto& operand : op.inputs) {
    for (std::size_t i = 0; i < operand.size(); ++i) group.windows[i].push_back(operand[i]);
  }
  finish(group, op);
}

/// Adds a bias. A bias of only some pixels is a vector that is added to these.
void Fuser::add_bias(Group& group, const Tap& tap) {
  std::vector<std::uint32_t> pixels(tap.pixels);
  std::sort(pixels.begin(), pixels.end());
  std::vector<Weighted> terms;
  for (std::uint32_t b = 0; b < group.blocks; ++b) {
    const Vector row = new_vector(graph_.n);
    graph_.constants[row] = tap.bias + std::size_t{b} * graph_.n;
    for (const std::uint32_t p : pixels) terms.push_back({row, p * group.blocks + b, 1, nullptr});
  }
  add_diagonals(group, terms);
}

void Fuser::take_product(const Op& op) {
  Group& group = start(op);
  for (const Tap& tap : op.taps) {
    std::vector<std::size_t> order(tap.pixels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return tap.pixels[a] < tap.pixels[b]; });
    const bool everywhere = tap.pixels.size() == group.pixels;
    if (tap.bias != nullptr && everywhere) {
      group.bias.resize(std::size_t{op.blocks} * graph_.n);
      for (std::size_t i = 0; i < group.bias.size(); ++i) group.bias[i] += tap.bias[i];
    } else if (tap.bias != nullptr) {
      add_bias(group, tap);
    }
    for (std::uint32_t i = 0; i < tap.input_blocks; ++i) {
      Part part;
      part.dense = true;
      for (const std::size_t p : order) {
        const Vector vector = tap.inputs[p * tap.input_blocks + i];
        if (vector == no_vector || (graph_.constants[vector] != nullptr && !graph_.lanes[vector])) {
          continue;
        }
        part.inputs.push_back(vector);
        part.pixels.push_back(tap.pixels[p]);
        part.rows = std::max<std::uint32_t>(part.rows, graph_.lanes[vector]);
      }
      for (std::uint32_t b = 0; b < op.blocks; ++b) {
        Column column;
        column.block = b;
        for (std::uint32_t j = 0; j < part.rows && !tap.rows.empty(); ++j) {
          column.rows.push_back(tap.rows[(std::size_t{i} * graph_.n + j) * op.blocks + b]);
        }
        if (tap.rows.empty()) {
          const Matrix& matrix = tap.matrices[std::size_t{i} * op.blocks + b];
          column.weights = matrix.weights;
          column.row = matrix.row;
        }
        const bool is_zero = std::all_of(column.rows.begin(), column.rows.end(),
                                         [](Vector v) { return v == no_vector; });
        if (column.weights != nullptr || !is_zero) part.columns.push_back(std::move(column));
      }
      if (!part.inputs.empty() && !part.columns.empty()) group.parts.push_back(std::move(part));
    }
  }
  finish(group, op);
}

void Fuser::add_diagonals(Group& group, const std::vector<Weighted>& terms) const {
  struct Key {
    std::uint32_t block, term;
    float factor;
    const float* diagonal;
    bool operator<(const Key& o) const {
      // Blocks with equal factors are adjacent, so that they share weights.
      return std::tie(factor, diagonal, term, block) <
             std::tie(o.factor, o.diagonal, o.term, o.block);
    }
  };
  std::map<Key, Part> parts;
  for (const Weighted& term : terms) {
    if (term.vector == no_vector) continue;
    const std::uint32_t pixel = term.output / group.blocks;
    Key key{term.output % group.blocks, 0, term.factor, term.diagonal};
    // A pixel may have the same factor several times; terms are in the order of pixels.
    while (!parts[key].pixels.empty() && parts[key].pixels.back() == pixel) ++key.term;
    Part& part = parts[key];
    part.inputs.push_back(term.vector);
    part.pixels.push_back(pixel);
    part.rows = std::max<std::uint32_t>(part.rows, graph_.lanes[term.vector]);
  }
  for (auto& [key, part] : parts) {
    Column column;
    column.block = key.block;
    column.factor = key.factor;
    column.diagonal = key.diagonal;
    part.columns.push_back(column);
    group.parts.push_back(std::move(part));
  }
}

void Fuser::add_operand(Group& group, const std::vector<Vector>& operand, float factor) {
  std::vector<Weighted> terms;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    terms.push_back({operand[i], static_cast<std::uint32_t>(i), factor, nullptr});
  }
  add_diagonals(group, terms);
}

void Fuser::take_sum(const Op& op) {
  const float second_factor = op.kind == hir::Kind::subtract ? -1.0F : 1.0F;
  const std::size_t owners[2] = {own_group(op.inputs[0]), own_group(op.inputs[1])};
  Group group;
  group.blocks = op.blocks;
  group.pixels = static_cast<std::uint32_t>(op.outputs.size() / op.blocks);
  const bool same = owners[0] == owners[1];
  for (std::size_t k = 0; k < 2; ++k) {
    const float factor = k == 0 ? 1.0F : second_factor;
    if (is_open(owners[k]) && !same && groups_[owners[k]].blocks == op.blocks &&
        groups_[owners[k]].scale.empty() && factor == 1.0F) {
      Group& taken = groups_[owners[k]];
      group.name += (group.name.empty() ? "" : "+") + taken.name;
      group.nodes.insert(group.nodes.end(), taken.nodes.begin(), taken.nodes.end());
      group.macs += taken.macs;
      for (Part& part : taken.parts) group.parts.push_back(std::move(part));
      if (group.bias.empty()) group.bias.resize(taken.bias.size());
      for (std::size_t i = 0; i < taken.bias.size(); ++i) group.bias[i] += taken.bias[i];
      taken = Group();
      continue;
    }
    if (const auto row = row_of(op.inputs[k], op.blocks)) {
      group.bias.resize(row->size());
      for (std::size_t i = 0; i < row->size(); ++i) group.bias[i] += factor * (*row)[i];
      continue;
    }
    add_operand(group, op.inputs[k], factor);
  }
  groups_.push_back(std::move(group));
  finish(groups_.back(), op);
}

void Fuser::take_norm(const Op& op) {
  const auto scale = row_of(op.inputs[1], op.blocks), offset = row_of(op.inputs[2], op.blocks);
  if (!scale || !offset) return take_by_simd(op);
  const std::size_t owner = own_group(op.inputs[0]);
  const bool precise = std::all_of(scale->begin(), scale->end(), [](float s) {
    return s == 0.0F || std::fabs(s) >= least_folded_scale;
  });
  if (is_open(owner) && groups_[owner].scale.empty() && groups_[owner].blocks == op.blocks &&
      precise && !has_computed_weights(groups_[owner])) {
    Group& group = groups_[owner];
    group.scale = *scale;
    group.bias.resize(scale->size());
    for (std::size_t i = 0; i < scale->size(); ++i) {
      group.bias[i] = group.bias[i] * (*scale)[i] + (*offset)[i];
    }
    return finish(group, op);
  }
  const float* kept = keep(*scale);
  Group& group = start(op);
  std::vector<Weighted> terms;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    terms.push_back(
        {op.inputs[0][i], static_cast<std::uint32_t>(i), 1.0F, kept + i % op.blocks * graph_.n});
  }
  add_diagonals(group, terms);
  group.bias = *offset;
  finish(group, op);
}

Group& Fuser::sum_for_activation(const Op& op, const std::vector<Vector>& operand) {
  const std::size_t owner = own_group(operand);
  const bool negates = op.kind == hir::Kind::relu || op.kind == hir::Kind::leaky_relu;
  if (is_open(owner) && (op.kind == hir::Kind::relu || groups_[owner].blocks == op.blocks) &&
      !(negates && has_computed_weights(groups_[owner]))) {
    return groups_[owner];
  }
  Group& made = start(op);
  add_operand(made, operand, 1.0F);
  return made;
}

void Fuser::take_activation(const Op& op) {
  if (op.kind == hir::Kind::relu) {
    Group& group = sum_for_activation(op, op.inputs[0]);
    group.activation = Activation::relu;
    return finish(group, op);
  }
  const auto first = row_of(op.inputs[1], op.blocks);
  const auto second = op.kind == hir::Kind::clip ? row_of(op.inputs[2], op.blocks) : first;
  if (!first || !second) return take_by_simd(op);
  Group& group = sum_for_activation(op, op.inputs[0]);
  if (op.kind == hir::Kind::leaky_relu) {
    group.activation = Activation::leaky_relu;
    group.slope = *first;
  } else {
    group.activation = Activation::clip;
    group.low = *first;
    group.high = *second;
  }
  finish(group, op);
}

void Fuser::take_lookup(const Op& op) {
  if (op.inputs.size() != 1) return take_by_simd(op);
  Group& group = sum_for_activation(op, op.inputs[0]);
  group.activation = Activation::lookup;
  group.tables = op.tables;
  finish(group, op);
}

std::optional<Fuser::Factor> Fuser::factor_of(Vector vector) const {
  if (vector == no_vector) return Factor{0, nullptr};
  const float* values = graph_.constants[vector];
  if (values == nullptr) return std::nullopt;
  const bool splat = std::all_of(values, values + graph_.n, [&](float v) { return v == *values; });
  return splat ? Factor{*values, nullptr} : Factor{1, values};
}

void Fuser::take_terms(const Op& op) {
  Group& group = start(op);
  std::vector<Weighted> terms;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    for (std::size_t k = 0; k < op.inputs.size(); k += 2) {
      const auto factor = factor_of(op.inputs[k + 1][i]);
      if (!factor) internal_error("{}: the factor of a term is computed", op.name);
      terms.push_back(
          {op.inputs[k][i], static_cast<std::uint32_t>(i), factor->value, factor->diagonal});
    }
  }
  add_diagonals(group, terms);
  finish(group, op);
}

void Fuser::take_multiply(const Op& op) {
  for (std::size_t k = 0; k < 2; ++k) {
    const auto row = row_of(op.inputs[k], op.blocks);
    if (!row) continue;
    const float* kept = keep(*row);
    Group& group = start(op);
    std::vector<Weighted> terms;
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      terms.push_back({op.inputs[1 - k][i], static_cast<std::uint32_t>(i), 1.0F,
                       kept + i % op.blocks * graph_.n});
    }
    add_diagonals(group, terms);
    return finish(group, op);
  }
  take_by_simd(op);
}

std::vector<Group> fuse(Network& network, std::uint64_t accumulators) {
  return Fuser(network, accumulators).run();
}

}  // namespace tactus::compiler::optimise
