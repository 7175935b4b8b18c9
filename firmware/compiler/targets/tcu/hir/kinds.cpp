#include "firmware/compiler/targets/tcu/hir/kinds.h"

#include <array>

namespace tactus::compiler::hir {
namespace {

using tcu::SimdOp;

constexpr std::size_t any = ~std::size_t{0};

/// In the order of Kind.
constexpr std::array<KindInfo, 15> rows = {{
    {Kind::load, "load", 1, 1, 1, Phase::own_code},
    {Kind::add, "add", 2, 2, 1, Phase::own_code},
    {Kind::subtract, "subtract", 2, 2, 1, Phase::arithmetic},
    {Kind::multiply, "multiply", 2, 2, 1, Phase::arithmetic, Known::none, Zero::either},
    {Kind::relu, "relu", 1, 1, 1, Phase::own_code},
    {Kind::softmax, "softmax", 1, 1, 1, Phase::activations},
    {Kind::clip, "clip", 3, 3, 1, Phase::activations, Known::none, Zero::limits},
    {Kind::leaky_relu, "leaky_relu", 2, 2, 1, Phase::activations, Known::none, Zero::first},
    {Kind::max_pool, "max_pool", 1, any, 1, Phase::pools},
    {Kind::minimum, "minimum", 1, any, 1, Phase::pools},
    {Kind::average_pool, "average_pool", 2, any, 1, Phase::pools, Known::last},
    {Kind::norm, "norm", 3, 3, 1, Phase::arithmetic, Known::none, Zero::affine},
    {Kind::interpolate, "interpolate", 2, any, 2, Phase::arithmetic, Known::every_second},
    {Kind::lookup, "lookup", 1, 2, 1, Phase::lookups, Known::none, Zero::tables},
    {Kind::save, "save", 1, 1, 1, Phase::own_code},
}};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind != static_cast<Kind>(i)) return false;
  }
  return true;
}
static_assert(are_in_order());

constexpr unsigned port = simd_port, r1 = simd_register;
constexpr unsigned r2 = 2, r3 = 3;  ///< a lookup writes its results to the registers behind its own

SimdStep move(std::size_t operand) { return {operand, {SimdOp::move, port, port, r1}}; }

/// Combines an operand with the register.
SimdStep combine(std::size_t operand, SimdOp op) { return {operand, {op, port, r1, r1}}; }

SimdStep last(std::size_t operand, SimdOp op) { return {operand, {op, port, r1, port}, true}; }

/// Combines operands one after the other. The first instruction is max(x, x) in place of a copy, as
/// in the reference's pools.
std::vector<SimdStep> fold(SimdOp each, SimdOp end, std::size_t operands) {
  std::vector<SimdStep> steps{{0, {SimdOp::max, port, port, r1}}};
  for (std::size_t k = 1; k + 1 < operands; ++k) steps.push_back(combine(k, each));
  steps.push_back(last(operands - 1, end));
  return steps;
}

/// Adds terms with a factor each to the result.
std::vector<SimdStep> terms(std::size_t operands) {
  std::vector<SimdStep> steps;
  for (std::size_t k = 0; k < operands; k += 2) {
    steps.push_back(move(k));
    steps.push_back(last(k + 1, SimdOp::multiply));
    steps.back().accumulates = k > 0;
  }
  return steps;
}

/// A key's difference and the entries of both tables are in three registers behind the lookup.
std::vector<SimdStep> look_up(std::size_t operands) {
  std::vector<SimdStep> steps;
  if (operands == 1) {
    steps.push_back({0, {SimdOp::lookup, port, port, r1}});
  } else {
    steps.push_back(move(0));
    steps.push_back(combine(1, SimdOp::multiply));
    steps.push_back({0, {SimdOp::lookup, r1, r1, r1}, false, false});
  }
  steps.push_back({0, {SimdOp::multiply, r1, r2, r1}, false, false});
  steps.push_back({0, {SimdOp::add, r1, r3, port}, true, false});
  return steps;
}

std::vector<SimdStep> copy() { return {{0, {SimdOp::move, port, port, port}, true}}; }

}  // namespace

const KindInfo& info(Kind kind) { return rows[static_cast<std::size_t>(kind)]; }

const std::vector<Kind>& kinds_of(Phase phase) {
  static const auto phases = [] {
    std::array<std::vector<Kind>, static_cast<std::size_t>(Phase::pools) + 1> all;
    for (const KindInfo& row : rows) all[static_cast<std::size_t>(row.phase)].push_back(row.kind);
    return all;
  }();
  return phases[static_cast<std::size_t>(phase)];
}

bool is_known(Kind kind, std::size_t k, std::size_t operands) {
  const Known known = info(kind).known;
  return (known == Known::last && k + 1 == operands) ||
         (known == Known::every_second && k % 2 == 1);
}

std::vector<SimdStep> simd_sequence(Kind kind, std::size_t operands) {
  switch (kind) {
    case Kind::subtract:
      return {move(0), {1, {SimdOp::subtract, r1, port, port}, true}};
    case Kind::multiply:
      return {move(0), {1, {SimdOp::multiply, r1, port, port}, true}};
    case Kind::norm:
      return {move(0), combine(1, SimdOp::multiply), last(2, SimdOp::add)};
    case Kind::interpolate:
      return terms(operands);
    case Kind::clip:
      return {move(0), combine(1, SimdOp::max), last(2, SimdOp::min)};
    case Kind::leaky_relu:
      return {move(1), combine(0, SimdOp::multiply), last(0, SimdOp::max)};
    case Kind::softmax:
      return copy();
    case Kind::max_pool:
      return operands == 1 ? copy() : fold(SimdOp::max, SimdOp::max, operands);
    case Kind::minimum:
      return operands == 1 ? copy() : fold(SimdOp::min, SimdOp::min, operands);
    case Kind::average_pool:
      return fold(SimdOp::add, SimdOp::multiply, operands);
    case Kind::lookup:
      return look_up(operands);
    case Kind::load:
    case Kind::add:
    case Kind::relu:
    case Kind::save:
      break;
  }
  return {};
}

}  // namespace tactus::compiler::hir
