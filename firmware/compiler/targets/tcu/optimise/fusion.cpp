#include "firmware/compiler/targets/tcu/optimise/fusion.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "isa/support/error.h"

namespace tactus::compiler::optimise {
namespace {

constexpr std::size_t no_group = ~std::size_t{0};
/// Smallest scale of a normalisation that is multiplied into the weights before it: they then
/// lose at most one bit.
constexpr float least_folded_scale = 0.5F;

class Fusion {
 public:
  Fusion(Network& network, std::uint64_t accumulators)
      : network_(network), graph_(network.graph), accumulators_(accumulators) {
    producers_.assign(graph_.constants.size(), no_group);
    count_readers();
  }

  std::vector<Group> run() {
    for (const Op& op : graph_.ops) take(op);
    std::vector<Group> kept;
    for (Group& group : groups_) {
      if (group.pixels != 0) kept.push_back(std::move(group));
    }
    return kept;
  }

 private:
  void count_readers();
  void take(const Op& op);
  void take_product(const Op& op);
  void add_bias(Group& group, const Tap& tap);
  void take_sum(const Op& op);
  void take_norm(const Op& op);
  void take_activation(const Op& op);
  void take_extreme(const Op& op);
  void take_large_extreme(const Op& op);
  void take_average(const Op& op);
  void take_average_by_moves(const Op& op);
  void take_terms(const Op& op);
  void take_multiply(const Op& op);
  void take_lookup(const Op& op);
  void take_by_simd(const Op& op);

  /// The group whose results are exactly these vectors, if the current op is their only reader.
  [[nodiscard]] std::size_t own_group(const std::vector<Vector>& vectors) const;
  [[nodiscard]] bool is_open(std::size_t group) const {
    return group != no_group && groups_[group].kind == GroupKind::sum &&
           groups_[group].activation == Activation::none;
  }
  [[nodiscard]] Vector new_vector(std::uint32_t lanes);
  Group& start(const Op& op);
  void finish(Group& group, const Op& op);
  /// Vectors, each with one factor and one diagonal, that become parts of a block.
  struct Weighted {
    Vector vector;
    std::uint32_t output;
    float factor;
    const float* diagonal;
  };
  void add_diagonals(Group& group, const std::vector<Weighted>& terms) const;
  void add_operand(Group& group, const std::vector<Vector>& operand, float factor);
  [[nodiscard]] bool all_constant(const std::vector<Vector>& vectors) const;
  /// Returns one row of lanes for each block, if all pixels have equal rows.
  [[nodiscard]] std::optional<std::vector<float>> row_of(const std::vector<Vector>& vectors,
                                                         std::uint32_t blocks) const;
  [[nodiscard]] const float* keep(const std::vector<float>& values);
  /// A constant vector as a factor of another vector.
  struct Factor {
    float value = 1;
    const float* diagonal = nullptr;
  };
  [[nodiscard]] std::optional<Factor> factor_of(Vector vector) const;
  /// The way to compute a sum, and its cycles. `parts`: number of partial sums for each result,
  /// which SIMD instructions then add; 1: SIMD instructions alone; 0: DataMoves that accumulate.
  struct Summing {
    std::uint64_t parts = 1, cycles = 0;
  };
  [[nodiscard]] Summing best_summing(const Op& op) const;
  [[nodiscard]] bool are_neighbours(const Op& op, std::size_t operands) const;
  [[nodiscard]] Op parts_of(const Op& op, std::size_t parts);
  [[nodiscard]] static std::vector<std::vector<Vector>> partial(const Op& op, const Op& made,
                                                                std::size_t parts);
  /// The sum to which an activation of the operand is added; a copy of the operand if it is not a
  /// sum with this op as its only reader.
  [[nodiscard]] Group& sum_for_activation(const Op& op, const std::vector<Vector>& operand);

  Network& network_;
  Graph& graph_;
  std::uint64_t accumulators_;
  std::vector<Group> groups_;
  std::vector<std::size_t> producers_;
  std::vector<std::uint32_t> readers_;  ///< number of ops that read each vector, outputs included
};

void Fusion::count_readers() {
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

const float* Fusion::keep(const std::vector<float>& values) {
  auto copy = std::make_unique<float[]>(values.size());
  std::copy(values.begin(), values.end(), copy.get());
  network_.owned.push_back(std::move(copy));
  return network_.owned.back().get();
}

std::size_t Fusion::own_group(const std::vector<Vector>& vectors) const {
  if (vectors.empty() || vectors.front() == no_vector) return no_group;
  const std::size_t group = producers_[vectors.front()];
  if (group == no_group || groups_[group].results != vectors) return no_group;
  const bool own =
      std::all_of(vectors.begin(), vectors.end(), [&](Vector v) { return readers_[v] <= 1; });
  return own ? group : no_group;
}

bool Fusion::all_constant(const std::vector<Vector>& vectors) const {
  return std::all_of(vectors.begin(), vectors.end(),
                     [&](Vector v) { return v == no_vector || graph_.constants[v] != nullptr; });
}

std::optional<std::vector<float>> Fusion::row_of(const std::vector<Vector>& vectors,
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
Vector Fusion::new_vector(std::uint32_t lanes) {
  readers_.push_back(1);
  producers_.push_back(no_group);
  return graph_.add_vector(lanes);
}

Group& Fusion::start(const Op& op) {
  Group group;
  group.blocks = op.blocks;
  group.pixels = static_cast<std::uint32_t>(op.outputs.size() / op.blocks);
  groups_.push_back(std::move(group));
  return groups_.back();
}

void Fusion::finish(Group& group, const Op& op) {
  if (group.nodes.empty() || group.nodes.back() != op.name) {
    group.name += (group.name.empty() ? "" : "+") + op.name;
    group.nodes.push_back(op.name);
  }
  group.results = op.outputs;
  group.macs += op.macs;
  const auto number = static_cast<std::size_t>(&group - groups_.data());
  for (const Vector v : op.outputs) producers_[v] = number;
}

void Fusion::take(const Op& op) {
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

void Fusion::take_by_simd(const Op& op) {
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

/// Returns an operation like `op` that has `parts` results for each result of `op`; see
/// partial().
Op Fusion::parts_of(const Op& op, std::size_t parts) {
  Op made;
  made.kind = op.kind;
  made.name = op.name;
  made.blocks = op.blocks;
  for (std::size_t i = 0; i < op.outputs.size(); i += op.blocks) {
    for (std::size_t s = 0; s < parts; ++s) {
      for (std::size_t b = 0; b < op.blocks; ++b) {
        made.outputs.push_back(new_vector(graph_.lanes[op.outputs[i + b]]));
      }
    }
  }
  return made;
}

/// Returns the results of `made` = parts_of(op, parts), as operands for each result of `op`.
std::vector<std::vector<Vector>> Fusion::partial(const Op& op, const Op& made, std::size_t parts) {
  std::vector<std::vector<Vector>> operands(parts);
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const std::size_t pixel = i / op.blocks, block = i % op.blocks;
    for (std::size_t s = 0; s < parts; ++s) {
      operands[s].push_back(made.outputs[(pixel * parts + s) * op.blocks + block]);
    }
  }
  return operands;
}

/// Maximum or minimum of more operands than there are accumulators: first of some at a time, then
/// of these results.
void Fusion::take_large_extreme(const Op& op) {
  const std::size_t count = op.inputs.size();
  const std::size_t each = std::max<std::size_t>(2, accumulators_ / 2);
  const std::size_t parts = (count + each - 1) / each;
  Op some = parts_of(op, parts);
  some.inputs.resize(each);
  for (std::size_t i = 0; i < some.outputs.size(); ++i) {
    const std::size_t part = i / op.blocks % parts;
    const std::size_t result = i / op.blocks / parts * op.blocks + i % op.blocks;
    for (std::size_t k = 0; k < each; ++k) {
      some.inputs[k].push_back(op.inputs[std::min(part * each + k, count - 1)][result]);
    }
  }
  take_by_simd(some);
  Op last = op;
  last.inputs = partial(op, some, parts);
  take_extreme(last);
}

/// Maximum or minimum of several vectors. With one vector and a row of constants it is a clip.
void Fusion::take_extreme(const Op& op) {
  for (std::size_t k = 0; k < 2 && op.inputs.size() == 2; ++k) {
    const auto bound = row_of(op.inputs[k], op.blocks);
    if (!bound || all_constant(op.inputs[1 - k])) continue;
    Group& group = sum_for_activation(op, op.inputs[1 - k]);
    group.activation = Activation::clip;
    (op.kind == hir::Kind::max_pool ? group.low : group.high) = *bound;
    return finish(group, op);
  }
  if (op.inputs.size() > 2 && op.inputs.size() >= accumulators_) return take_large_extreme(op);
  take_by_simd(op);
}

/// Adds a bias. A bias of only some pixels is a vector that is added to these.
void Fusion::add_bias(Group& group, const Tap& tap) {
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

void Fusion::take_product(const Op& op) {
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

void Fusion::add_diagonals(Group& group, const std::vector<Weighted>& terms) const {
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

void Fusion::add_operand(Group& group, const std::vector<Vector>& operand, float factor) {
  std::vector<Weighted> terms;
  for (std::size_t i = 0; i < operand.size(); ++i) {
    terms.push_back({operand[i], static_cast<std::uint32_t>(i), factor, nullptr});
  }
  add_diagonals(group, terms);
}

void Fusion::take_sum(const Op& op) {
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

void Fusion::take_norm(const Op& op) {
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

Group& Fusion::sum_for_activation(const Op& op, const std::vector<Vector>& operand) {
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

void Fusion::take_activation(const Op& op) {
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

void Fusion::take_lookup(const Op& op) {
  if (op.inputs.size() != 1) return take_by_simd(op);
  Group& group = sum_for_activation(op, op.inputs[0]);
  group.activation = Activation::lookup;
  group.tables = op.tables;
  finish(group, op);
}

std::optional<Fusion::Factor> Fusion::factor_of(Vector vector) const {
  if (vector == no_vector) return Factor{0, nullptr};
  const float* values = graph_.constants[vector];
  if (values == nullptr) return std::nullopt;
  const bool splat = std::all_of(values, values + graph_.n, [&](float v) { return v == *values; });
  return splat ? Factor{*values, nullptr} : Factor{1, values};
}

/// True if the operands of each result are neighbours in one block of one tensor.
bool Fusion::are_neighbours(const Op& op, std::size_t operands) const {
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    for (std::size_t k = 2; k < operands; ++k) {
      const Vector before = op.inputs[k - 1][i];
      if (before == no_vector || op.inputs[k][i] == no_vector) return false;
      if (op.inputs[k][i] - before != op.inputs[1][i] - op.inputs[0][i]) return false;
    }
  }
  return true;
}

/// Chooses the way to compute a sum of several vectors in the fewest cycles. All ways copy each
/// operand into the accumulators; only further cycles are counted here.
Fusion::Summing Fusion::best_summing(const Op& op) const {
  const std::uint64_t n = graph_.n;
  const std::uint64_t count = op.inputs.size() - 1, results = op.outputs.size();
  constexpr std::uint64_t never = ~std::uint64_t{0};
  const std::uint64_t drain = 3 * n + 1;
  // One SIMD instruction for each operand; the factor of an average counts as an operand.
  const auto by_simd = [&](std::uint64_t operands) {
    return operands + 1 >= accumulators_ ? never : (2 * operands + 6) * results;
  };
  Summing best{1, by_simd(count)};
  // A sum of its own, multiplied by a diagonal. Consecutive sums into one accumulator are kept
  // apart (Emission::keep_apart).
  const std::uint64_t apart = results == 1 || n < 4 ? 4 * n + 12 : 0;
  const std::uint64_t moved = count * (2 * op.blocks + apart) + 3 * results + drain;
  if (moved < best.cycles) best = {0, moved};
  // Several partial sums for each result, and the sum of these.
  if (n < 4 || !are_neighbours(op, count)) return best;
  for (std::uint64_t parts = 2; 2 * parts <= count && parts <= 64; parts *= 2) {
    const std::uint64_t last = by_simd(parts);
    if (last == never) break;
    const std::uint64_t cycles =
        2 * ((count + parts - 1) / parts) * results + 2 * parts * results + drain + last;
    if (cycles < best.cycles) best = {parts, cycles};
  }
  return best;
}

void Fusion::take_average(const Op& op) {
  const std::uint64_t parts = best_summing(op).parts;
  if (parts == 0) return take_average_by_moves(op);
  if (parts == 1) return take_by_simd(op);
  const std::size_t count = op.inputs.size() - 1;
  Op sums = parts_of(op, parts);
  sums.name = op.name;
  Group& group = start(sums);
  for (std::size_t first = 0; first < count; first += parts) {
    std::vector<Weighted> terms;
    for (std::size_t i = 0; i < sums.outputs.size(); ++i) {
      const std::size_t operand = first + i / op.blocks % parts;
      const std::size_t result = i / op.blocks / parts * op.blocks + i % op.blocks;
      if (operand >= count) continue;
      terms.push_back({op.inputs[operand][result], static_cast<std::uint32_t>(i), 1.0F, nullptr});
    }
    add_diagonals(group, terms);
  }
  finish(group, sums);
  Op last = op;
  last.inputs = partial(op, sums, parts);
  last.inputs.push_back(op.inputs[count]);
  take_by_simd(last);
}

/// Computes an average: sums first, then multiplies, so that the factor's rounding error counts
/// once.
void Fusion::take_average_by_moves(const Op& op) {
  const std::size_t count = op.inputs.size() - 1;
  Op sum = parts_of(op, 1);
  Group& group = start(sum);
  for (std::size_t k = 0; k < count; ++k) add_operand(group, op.inputs[k], 1.0F);
  finish(group, sum);
  Group& average = start(op);
  std::vector<Weighted> terms;
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const auto factor = factor_of(op.inputs[count][i]);
    if (!factor) internal_error("{}: the multiplier of an average is computed", op.name);
    terms.push_back(
        {sum.outputs[i], static_cast<std::uint32_t>(i), factor->value, factor->diagonal});
  }
  add_diagonals(average, terms);
  finish(average, op);
}

void Fusion::take_terms(const Op& op) {
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

void Fusion::take_multiply(const Op& op) {
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

// ---- what nobody reads
// --------------------------------------------------------------------------

/// Results of a group that are live, with new numbers for old pixels and blocks.
struct Survivors {
  std::vector<std::uint32_t> pixels, blocks;  ///< new number, or no_vector
  std::uint32_t pixel_count = 0, block_count = 0;
};

Survivors survivors(const Group& group, const std::vector<bool>& live) {
  Survivors s;
  s.pixels.assign(group.pixels, no_vector);
  s.blocks.assign(group.blocks, no_vector);
  for (std::uint32_t p = 0; p < group.pixels; ++p) {
    for (std::uint32_t b = 0; b < group.blocks; ++b) {
      if (!live[group.results[p * group.blocks + b]]) continue;
      s.pixels[p] = s.blocks[b] = 0;
    }
  }
  for (std::uint32_t& p : s.pixels) {
    if (p == 0) p = s.pixel_count++;
  }
  for (std::uint32_t& b : s.blocks) {
    if (b == 0) b = s.block_count++;
  }
  return s;
}

std::vector<float> kept_rows(const std::vector<float>& rows, const Survivors& s, std::uint32_t n) {
  std::vector<float> kept;
  for (std::size_t b = 0; b < s.blocks.size() && !rows.empty(); ++b) {
    if (s.blocks[b] == no_vector) continue;
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(b * n);
    kept.insert(kept.end(), first, first + n);
  }
  return kept;
}

void shrink(Group& group, const Survivors& s, std::uint32_t n) {
  if (s.pixel_count == group.pixels && s.block_count == group.blocks) return;
  std::vector<Vector> results;
  std::vector<std::vector<Vector>> windows;
  for (std::uint32_t p = 0; p < group.pixels; ++p) {
    for (std::uint32_t b = 0; b < group.blocks; ++b) {
      if (s.pixels[p] == no_vector || s.blocks[b] == no_vector) continue;
      const std::size_t at = p * group.blocks + b;
      results.push_back(group.results[at]);
      if (!group.windows.empty()) windows.push_back(std::move(group.windows[at]));
    }
  }
  renumber(group, s.pixels, s.blocks);
  for_rows(group, [&](std::vector<float>& row) { row = kept_rows(row, s, n); });
  group.results = std::move(results);
  group.windows = std::move(windows);
  group.pixels = s.pixel_count;
  group.blocks = s.block_count;
}

}  // namespace

void drop_dead(Group& group, const std::vector<bool>& live, std::uint32_t n) {
  const Survivors left = survivors(group, live);
  if (group.blocks != 0) group.macs = group.macs / group.blocks * left.block_count;
  shrink(group, left, n);
}

void renumber(Group& group, const std::vector<std::uint32_t>& pixels,
              const std::vector<std::uint32_t>& blocks) {
  std::vector<std::pair<std::uint32_t, Vector>> entries;
  for (Part& part : group.parts) {
    entries.clear();
    for (std::size_t i = 0; i < part.pixels.size(); ++i) {
      const std::uint32_t pixel = pixels[part.pixels[i]];
      if (pixel != no_vector) entries.emplace_back(pixel, part.inputs[i]);
    }
    std::sort(entries.begin(), entries.end());
    part.inputs.clear();
    part.pixels.clear();
    for (const auto& [pixel, input] : entries) {
      part.pixels.push_back(pixel);
      part.inputs.push_back(input);
    }
    std::vector<Column> columns;
    for (Column column : part.columns) {
      column.block = blocks[column.block];
      if (column.block != no_vector) columns.push_back(column);
    }
    part.columns = std::move(columns);
  }
  group.parts.erase(
      std::remove_if(group.parts.begin(), group.parts.end(),
                     [](const Part& part) { return part.inputs.empty() || part.columns.empty(); }),
      group.parts.end());
}

std::vector<Group> fuse(Network& network, std::uint64_t accumulators) {
  return Fusion(network, accumulators).run();
}

void drop_unread(Network& network) {
  std::vector<bool> live(network.graph.constants.size(), false);
  const auto mark = [&](const std::vector<Vector>& vectors) {
    for (const Vector v : vectors) {
      if (v != no_vector) live[v] = true;
    }
  };
  for (const Tensor& output : network.graph.outputs) mark(output.vectors);
  for (std::size_t g = network.groups.size(); g-- > 0;) {
    Group& group = network.groups[g];
    shrink(group, survivors(group, live), network.graph.n);
    for (const Part& part : group.parts) {
      mark(part.inputs);
      for (const Column& column : part.columns) mark(column.rows);
    }
    for (const auto& window : group.windows) mark(window);
  }
  network.groups.erase(std::remove_if(network.groups.begin(), network.groups.end(),
                                      [](const Group& g) { return g.pixels == 0; }),
                       network.groups.end());
}

}  // namespace tactus::compiler::optimise
