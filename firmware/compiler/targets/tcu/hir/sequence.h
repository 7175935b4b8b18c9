// SIMD instructions for operations on vectors: the sequence that both schedulers emit for one
// vector.
//
// Operands and result are in the accumulators. Register 1 keeps the intermediate result from one
// instruction to the next. Source: toolchain spec section 3.8.
#pragma once

#include <cstddef>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler::hir {

/// One SIMD instruction: reads an operand, or only registers, and, as the last of its sequence,
/// writes the result.
struct SimdStep {
  std::size_t operand = 0;
  tcu::SimdFields fields{};
  bool writes = false;
  bool reads = true;
};

/// Returns the instructions for one result of an operation with this many operands. Empty for
/// operations that are not computed in this way: load, save, add, relu, interpolate. A lookup needs
/// its tables to be loaded.
[[nodiscard]] std::vector<SimdStep> simd_sequence(Kind kind, std::size_t operands);

}  // namespace tactus::compiler::hir
