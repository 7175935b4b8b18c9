#include "firmware/compiler/targets/tcu/hir/sequence.h"

namespace tactus::compiler::hir {
namespace {

using tcu::SimdOp;

/// SIMD selectors: 0 is the vector that is read or written, 1 the register that compiled code uses.
/// A lookup writes its results to the registers behind it.
constexpr unsigned port = 0, r1 = 1, r2 = 2, r3 = 3;

/// Combines operands one after the other. The first instruction is max(x, x) in place of a copy, as
/// in the reference's pools.
std::vector<SimdStep> fold(SimdOp combine, SimdOp last, std::size_t operands) {
  std::vector<SimdStep> steps{{0, {SimdOp::max, port, port, r1}, false}};
  for (std::size_t k = 1; k + 1 < operands; ++k) {
    steps.push_back({k, {combine, port, r1, r1}, false});
  }
  steps.push_back({operands - 1, {last, port, r1, port}, true});
  return steps;
}

/// A key's difference and the entries of both tables are in three registers behind the lookup.
std::vector<SimdStep> look_up(std::size_t operands) {
  std::vector<SimdStep> steps;
  if (operands == 1) {
    steps.push_back({0, {SimdOp::lookup, port, port, r1}, false});
  } else {
    steps.push_back({0, {SimdOp::move, port, port, r1}, false});
    steps.push_back({1, {SimdOp::multiply, port, r1, r1}, false});
    steps.push_back({0, {SimdOp::lookup, r1, r1, r1}, false, false});
  }
  steps.push_back({0, {SimdOp::multiply, r1, r2, r1}, false, false});
  steps.push_back({0, {SimdOp::add, r1, r3, port}, true, false});
  return steps;
}

std::vector<SimdStep> copy() { return {{0, {SimdOp::move, port, port, port}, true}}; }

}  // namespace

std::vector<SimdStep> simd_sequence(Kind kind, std::size_t operands) {
  const auto move = [](std::size_t operand) {
    return SimdStep{operand, {SimdOp::move, port, port, r1}, false};
  };
  const auto step = [](std::size_t operand, SimdOp op) {
    return SimdStep{operand, {op, port, r1, r1}, false};
  };
  const auto last = [](std::size_t operand, SimdOp op) {
    return SimdStep{operand, {op, port, r1, port}, true};
  };
  switch (kind) {
    case Kind::subtract:
      return {move(0), {1, {SimdOp::subtract, r1, port, port}, true}};
    case Kind::multiply:
      return {move(0), {1, {SimdOp::multiply, r1, port, port}, true}};
    case Kind::norm:
      return {move(0), step(1, SimdOp::multiply), last(2, SimdOp::add)};
    case Kind::clip:
      return {move(0), step(1, SimdOp::max), last(2, SimdOp::min)};
    case Kind::leaky_relu:
      return {move(1), step(0, SimdOp::multiply), last(0, SimdOp::max)};
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
    case Kind::interpolate:
    case Kind::save:
      break;
  }
  return {};
}

}  // namespace tactus::compiler::hir
