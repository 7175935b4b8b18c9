// The high-level representation: what a layer computes, as data.
//
// A layer is an ordered list of operations on vectors. The frontend fills it, the scheduler lowers
// it. Operands are lists of addresses (../memory/address.h): temps are results inside the layer;
// variables and constants come from the memory manager. Each temp is the output of one
// operation (MatMul alone may be repeated on the same outputs: the products add up), and is written
// before operations that read it in the list. The order of operations of one kind does not matter:
// the scheduler sorts by address.
//
// Give one operation many vectors rather than many operations one vector each; it is the same
// program, compiled faster.
//
// Source: toolchain spec section 3.6.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "firmware/compiler/targets/tcu/memory/address.h"

namespace tactus::compiler::hir {

/// output[p] += weights * input[p] (+ bias) for each pair p. A convolution has one MatMul for each
/// tap, in the order kh, kw; the bias comes with tap (0,0). Weights may be results of earlier
/// layers.
struct MatMul {
  /// Sizes of one pair. Weights have input_blocks * N rows of output_blocks vectors each; pairs
  /// have input_blocks and output_blocks vectors.
  std::uint32_t input_blocks = 0, output_blocks = 0;
  Addresses weights;  ///< in memory, or Zeroes; [row * output_blocks + block], as in spec 1.4
  Addresses bias;     ///< output_blocks constants, or empty
  /// Flat: pair p has inputs [p * input_blocks ...) and outputs [p * output_blocks ...). Inputs are
  /// variables, constants, or Address::zeroes() (padding); outputs are temps.
  Addresses inputs, outputs;
  /// Multiply-accumulates of the model for each pair whose input is no padding (Ci * Co of the
  /// tap). For statistics only.
  std::uint64_t true_macs = 0;

  [[nodiscard]] std::size_t pairs() const { return outputs.size() / output_blocks; }
  /// True if all weights from an input block to an output block are zeroes; they are then neither
  /// stored nor multiplied.
  [[nodiscard]] bool is_zero(std::size_t input_block, std::size_t output_block,
                             std::size_t array_size) const;
  /// The input block whose product includes the bias: the last one with weights that are not zero
  /// or, if there is none, the last one.
  [[nodiscard]] std::size_t block_with_bias(std::size_t output_block, std::size_t array_size) const;
};

/// Kinds of operations, with their operands in order. T: temp, V: variable, C: constant.
///
/// Lanes are computed one by one, left to right; each product and each sum rounds and saturates as
/// the SIMD ALU does (tcu::alu). An operand may be any vector: one value in all lanes, a value a
/// lane, or computed. The exceptions are marked K: the operand must be known at compile time.
/// hir::Interpreter (tests/compiler/interpreters/hir.h) is the definition as a program.
enum class Kind : std::uint8_t {
  load,          ///< V|C                   -> T
  add,           ///< T, V|C                -> T
  subtract,      ///< T, T                  -> T   first - second
  multiply,      ///< T, T                  -> T
  relu,          ///< T                     -> T   max(x, 0)
  softmax,       ///< T                     -> T   a copy, for compatibility
  clip,          ///< x T, min T, max T     -> T   min(max(x, min), max)
  leaky_relu,    ///< x T, alpha T          -> T   max(alpha * x, x), alpha at most 1
  max_pool,      ///< T...                  -> T   greatest of 1 or more
  minimum,       ///< T...                  -> T   smallest of 1 or more
  average_pool,  ///< T..., multiplier K    -> T   sum of the first ones, times the last
  norm,          ///< x T, scale T, offset T -> T  x * scale + offset
  interpolate,   ///< x0 T, s0 K, x1 T, s1 K... -> T  sum of x * s
  /// x T (, scale T) -> T: with the key nearest to x (times scale), its difference from that key
  /// times the key's entry in table 0, and its entry in table 1 added. See isa/tcu/lookup.h.
  lookup,
  save,  ///< T, or V|C in local memory -> V (address in DRAM0 or local)
};

struct VectorOperation {
  Kind kind = Kind::load;
  /// inputs[k][i] is operand k of output vector i; every list is as long as `outputs`.
  std::vector<Addresses> inputs;
  Addresses outputs;
  /// The constants of a lookup: vectors of table 0, then of table 1.
  Addresses tables = {};
};

using Operation = std::variant<MatMul, VectorOperation>;

struct Layer {
  std::string name;  ///< name in messages and reports, such as the names of the fused nodes
  std::vector<Operation> operations;

  /// Appends an operation; a short form for emitters.
  void add(Kind kind, std::vector<Addresses> inputs, Addresses outputs) {
    operations.emplace_back(VectorOperation{kind, std::move(inputs), std::move(outputs)});
  }
  void add_lookup(std::vector<Addresses> inputs, Addresses tables, Addresses outputs) {
    operations.emplace_back(
        VectorOperation{Kind::lookup, std::move(inputs), std::move(outputs), std::move(tables)});
  }
  void add(MatMul mat_mul) { operations.emplace_back(std::move(mat_mul)); }
};

[[nodiscard]] std::string_view to_string(Kind kind);

/// True if the operation can have that many operands.
[[nodiscard]] bool takes(Kind kind, std::size_t operands);

/// Checks numbers of operands, lengths and tags. Throws InternalError, since only a mistake of a
/// frontend can break these rules. The time is proportional to the number of addresses.
void check(const Layer& layer, std::uint32_t array_size);

/// One operation a line, operands as runs of addresses.
void dump(const Layer& layer, std::ostream& out);

}  // namespace tactus::compiler::hir
