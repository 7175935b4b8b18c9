// What is known of each kind of operation: a row a kind, and the SIMD instructions that compute it.
//
// Checks, both schedulers, the optimiser and the translation to Stripe read it; a new kind is a row
// and a sequence. Source of the sequences: toolchain spec section 3.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler::hir {

/// When the scheduler of the strategies emits an operation; within a phase, in the order of Kind.
enum class Phase : std::uint8_t {
  own_code,     ///< loads, sums, saves and ReLU, for which the scheduler has code of their own
  arithmetic,   ///< behind loads and sums
  activations,  ///< behind the arithmetic
  lookups,      ///< behind the activations, table by table
  pools,        ///< last, in the order of the nodes
};

/// Which operands have to be constants.
enum class Known : std::uint8_t {
  none,
  last,          ///< the factor of a sum
  every_second,  ///< the factors of terms: operands 1, 3, ...
};

/// Which operands decide that a lane of the result is 0.
enum class Zero : std::uint8_t {
  all,     ///< it is 0 if it is 0 in all operands that may be computed
  first,   ///< it is 0 if it is 0 in operand 0
  either,  ///< it is 0 if it is 0 in operand 0 or operand 1
  affine,  ///< as for `either`, and it is 0 in operand 2
  limits,  ///< it is 0 if it is 0 in operand 0, and the limits 1 and 2 do not exclude 0
  tables,  ///< as for `all` if the tables map 0 to 0; else no lane is known to be 0
};

struct KindInfo {
  Kind kind;
  std::string_view name;
  /// Numbers of operands: `least`, `least + step`, ... up to `most`.
  std::size_t least, most, step;
  Phase phase;
  Known known = Known::none;
  Zero zero = Zero::all;
};

[[nodiscard]] const KindInfo& info(Kind kind);

/// The kinds of a phase, in the order of Kind.
[[nodiscard]] const std::vector<Kind>& kinds_of(Phase phase);

/// True if operand `k` of `operands` has to be a constant.
[[nodiscard]] bool is_known(Kind kind, std::size_t k, std::size_t operands);

/// One SIMD instruction: reads an operand, or only registers, and may write or add to the result.
struct SimdStep {
  std::size_t operand = 0;
  tcu::SimdFields fields{};
  bool writes = false;
  bool reads = true;
  bool accumulates = false;  ///< adds what it writes to the result
};

/// SIMD selectors: 0 is the vector that is read or written, 1 the register that keeps intermediate
/// results from one instruction to the next.
inline constexpr unsigned simd_port = 0, simd_register = 1;

/// Returns the instructions for one result of an operation with this many operands. Operands and
/// result are in the accumulators. Empty for operations that are not computed in this way: load,
/// save, add, relu. A lookup needs its tables to be loaded.
[[nodiscard]] std::vector<SimdStep> simd_sequence(Kind kind, std::size_t operands);

}  // namespace tactus::compiler::hir
