// Interpreter of Stripe programs, and the definition of what they compute.
//
//  - A block's positions are all combinations of its indexes that satisfy its constraints. They
//    have no order.
//  - At a position a view is the enclosing view shifted by its access, an allocation a fresh
//  buffer.
//  - Writes of several positions to an element are combined by the refinement's agg_op. What a
//  block
//    so makes of an element is one write to the enclosing block's refinement, subject to that one's
//    agg_op: aggregation nests.
//  - `out` starts from the operation's identity; `inout` takes the old contents as one more
//  operand,
//    once, at the outermost level of the same operation.
//
// Scalars and buffers are doubles and 64-bit integers, cast to a type where a statement or a buffer
// has one; fp32 and fp16 are rounded to their precision.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// A tensor of the program's entry block: elements in row-major order of the sizes, independent of
/// strides.
using Tensor = std::vector<double>;
using Tensors = std::map<std::string, Tensor>;

/// Fixed point: two's complement, rounded half to even, saturated. All types of numbers have this
/// format, also integer types, since the unit has only one format. Every function rounds its inputs
/// and its result, with one exception: in a block whose device is `fused_at`, results of `mul` are
/// exact, and an aggregation by add rounds its sum only. Such a block adds its positions in a sum
/// of its own, from 0 on, which it then passes to the enclosing block.
struct FixedPoint {
  unsigned width_bits = 16;
  unsigned binary_point = 8;
  std::string fused_at = "ARRAY";
};

struct InterpretOptions {
  std::optional<FixedPoint> fixed_point;
  /// Runs positions in an order drawn from this seed instead of counting; results must not change.
  std::optional<std::uint64_t> shuffle_seed;
  /// Throws UserError if two positions of a block write an element without aggregation, or if one
  /// reads what another writes. Costs memory and time for every element.
  bool check_conflicts = false;
  /// Throws UserError after this many positions, summed over all blocks.
  std::uint64_t max_positions = std::uint64_t{1} << 34;
};

/// Contents of all user buffers after the run (tag "user", or all allocations of the entry block if
/// none has it). Missing inputs are zero; a tensor of another size or name is a UserError.
///
/// UserError names the block for: access outside a buffer, division of an integer by zero, an
/// operation the interpreter does not have, conflicts. The program must have been verified.
[[nodiscard]] Tensors interpret(const Program& program, const Tensors& inputs,
                                const InterpretOptions& options = {});

/// Whole numbers from -7 to 7 for every buffer that the program only reads, drawn from a hash of
/// its name; zeros for the others. They are those of PlaidML's golden results.
[[nodiscard]] Tensors sample_inputs(const Program& program);

/// User buffers of the program and their sizes.
[[nodiscard]] std::map<std::string, TensorShape> user_buffers(const Program& program);

}  // namespace tactus::stripe
