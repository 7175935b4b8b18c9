// Operations that are computed in stages: extremes of many operands, and averages.
#include <algorithm>

#include "firmware/compiler/targets/tcu/optimise/fuser.h"
#include "isa/support/error.h"

namespace tactus::compiler::optimise {

/// Returns an operation like `op` that has `parts` results for each result of `op`; see
/// partial().
Op Fuser::parts_of(const Op& op, std::size_t parts) {
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
std::vector<std::vector<Vector>> Fuser::partial(const Op& op, const Op& made, std::size_t parts) {
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
void Fuser::take_large_extreme(const Op& op) {
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
void Fuser::take_extreme(const Op& op) {
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

/// True if the operands of each result are neighbours in one block of one tensor.
bool Fuser::are_neighbours(const Op& op, std::size_t operands) const {
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
Fuser::Summing Fuser::best_summing(const Op& op) const {
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

void Fuser::take_average(const Op& op) {
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
void Fuser::take_average_by_moves(const Op& op) {
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

}  // namespace tactus::compiler::optimise
