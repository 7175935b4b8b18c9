// A DAIS program: combinational fixed-point logic in SSA form, as da4ml writes it.
//
// Operation i computes value i from inputs and earlier values. A value is a 64-bit mantissa m that
// stands for m * 2^-fraction_bits. Inputs and outputs are real numbers:
//   copy operation:  floor(x * 2^(input_shift + fraction_bits)), cut to the type
//   output:          (negative ? -m : m) * 2^(shift - fraction_bits)
// Source: DAIS document; dais.md sections 1 and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::dais {

/// The three dialects of the binary file, each with its own rules of computation (dais.md section
/// 2). v0 adds lookup tables and cuts the result of a mux to its type. v1 adds bit operations and
/// lets a sum drop fraction bits.
enum class Dialect : std::uint8_t { seed, v0, v1 };

[[nodiscard]] std::string_view name(Dialect dialect);

enum class OpKind : std::uint8_t {
  copy,
  add,
  subtract,
  relu,
  quantise,
  add_constant,
  constant,
  mux,
  multiply,
  lookup,
  bit_unary,
  bit_binary,
};

/// A type: signed or not, integer bits without the sign, fraction bits. Bit counts may be negative
/// if the width is not. The members hold what the file says; check_program() checks their ranges.
struct DataType {
  std::int32_t is_signed = 0;
  std::int32_t integer_bits = 0;
  std::int32_t fraction_bits = 0;

  [[nodiscard]] std::int64_t width() const {
    return std::int64_t{is_signed} + integer_bits + fraction_bits;
  }
  friend bool operator==(const DataType& a, const DataType& b) {
    return a.is_signed == b.is_signed && a.integer_bits == b.integer_bits &&
           a.fraction_bits == b.fraction_bits;
  }
};

/// The real numbers min, min + step, ... max that a value can have; step is a power of two.
struct Interval {
  double min = 0;
  double max = 0;
  double step = 1;

  friend bool operator==(const Interval& a, const Interval& b) {
    return a.min == b.min && a.max == b.max && a.step == b.step;
  }
};

/// The smallest type that contains the interval. Empty unless min <= max are finite, step is a
/// power of two, and the widths can be represented. An interval that is only 0 has the type (0, 0,
/// 0).
[[nodiscard]] std::optional<DataType> type_of(const Interval& interval);
/// All values of the type, as doubles; the ends of types above 53 bits are rounded.
[[nodiscard]] Interval interval_of(const DataType& type);

struct Op {
  std::int32_t opcode = 0;
  std::int32_t id0 = -1;
  std::int32_t id1 = -1;
  std::int64_t data = 0;
  DataType type;
  Interval range;      ///< from the JSON form, else all values of the type; only for estimates
  double latency = 0;  ///< as in the JSON form; not used
  double cost = 0;     ///< as in the JSON form; not used

  [[nodiscard]] std::int32_t data_low() const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(data)));
  }
  [[nodiscard]] std::int32_t data_high() const {
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(data) >> 32));
  }
};

[[nodiscard]] inline std::int64_t join_words(std::int32_t low, std::int32_t high) {
  return static_cast<std::int64_t>((std::uint64_t{static_cast<std::uint32_t>(high)} << 32) |
                                   static_cast<std::uint32_t>(low));
}

/// Kind of operation that the opcode encodes; empty if no dialect has it. The opcodes for which
/// negates() is true are variants with a negated operand: -2 is relu(-x).
[[nodiscard]] std::optional<OpKind> kind_of(std::int32_t opcode);
/// True for opcodes -2, -3, -6 and -9.
[[nodiscard]] inline bool negates(std::int32_t opcode) { return opcode < -1; }
/// The first dialect that has this kind of operation.
[[nodiscard]] Dialect first_dialect(OpKind kind);
/// Number of ids (id0, id1) that name earlier values. 0 for a copy, whose id0 names an input.
[[nodiscard]] unsigned operand_count(OpKind kind);

struct Output {
  std::int32_t index = -1;  ///< number of the value; -1: the constant zero
  std::int32_t shift = 0;
  bool negative = false;
};

struct Table {
  std::vector<std::int32_t> entries;  ///< mantissas of the lookup's type, smallest input first
  Interval range;                     ///< range of the entries, as in the JSON form
  std::string hash;                   ///< as in the JSON form; empty: none
  std::int32_t input_width = 0;       ///< as in the JSON form; 0: none
};

struct Program {
  Dialect dialect = Dialect::v1;
  std::int32_t firmware = 0;  ///< a header word without meaning, kept for writing the file again
  std::vector<std::int32_t> input_shifts;
  std::vector<Output> outputs;
  std::vector<Op> ops;
  std::vector<Table> tables;
  std::int32_t carry_size = -1;  ///< JSON form: adder bits per unit of latency
  std::int32_t adder_size = -1;  ///< JSON form: adder bits per unit of cost

  [[nodiscard]] std::size_t input_count() const { return input_shifts.size(); }
  [[nodiscard]] std::size_t output_count() const { return outputs.size(); }
};

/// Programs in series: the outputs of a stage are the inputs of the next. Never empty.
struct Pipeline {
  std::vector<Program> stages;

  [[nodiscard]] std::size_t input_count() const { return stages.front().input_count(); }
  [[nodiscard]] std::size_t output_count() const { return stages.back().output_count(); }
};

/// True if both compute the same by the same rules. Ignores members that serve only estimates
/// (ranges, latencies, costs, sizes) or have no meaning (firmware word, hashes).
[[nodiscard]] bool same_logic(const Pipeline& a, const Pipeline& b);

}  // namespace tactus::dais
