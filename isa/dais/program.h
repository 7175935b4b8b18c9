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

/// The three forms of the binary file, each with its rules of computation (dais.md section 2):
/// v0 adds lookup tables and cuts the result of a mux to its type; v1 adds bit operations and lets
/// a sum drop fraction bits.
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

/// Signed or not, integer bits without the sign, fraction bits. Bit counts may be negative as long
/// as the width is not. Fields hold what the file says; check_program() confines them.
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

/// The real numbers min, min + step, ... max that a value can take; step is a power of two.
struct Interval {
  double min = 0;
  double max = 0;
  double step = 1;

  friend bool operator==(const Interval& a, const Interval& b) {
    return a.min == b.min && a.max == b.max && a.step == b.step;
  }
};

/// The smallest type that contains the interval; nothing unless min <= max are finite, step is a
/// power of two and the widths are numbers. An interval of only 0 has the type (0, 0, 0).
[[nodiscard]] std::optional<DataType> type_of(const Interval& interval);
/// All values of the type, as doubles: the ends of types above 53 bits are rounded.
[[nodiscard]] Interval interval_of(const DataType& type);

struct Op {
  std::int32_t opcode = 0;
  std::int32_t id0 = -1;
  std::int32_t id1 = -1;
  std::int64_t data = 0;
  DataType type;
  Interval range;      ///< from the JSON form, else all values of the type; for estimates only
  double latency = 0;  ///< as stored in the JSON form; not used
  double cost = 0;     ///< likewise

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

/// What the opcode does, or nothing if no dialect has it. Opcode -2 is relu of the negated operand,
/// and so on: see negates().
[[nodiscard]] std::optional<OpKind> kind_of(std::int32_t opcode);
/// True for opcodes -2, -3, -6 and -9.
[[nodiscard]] inline bool negates(std::int32_t opcode) { return opcode < -1; }
/// The first dialect that has the operation.
[[nodiscard]] Dialect first_dialect(OpKind kind);
/// How many of id0 and id1 name earlier values (a copy's id0 names an input: 0).
[[nodiscard]] unsigned operand_count(OpKind kind);

struct Output {
  std::int32_t index = -1;  ///< of the value; -1: the constant zero
  std::int32_t shift = 0;
  bool negative = false;
};

struct Table {
  std::vector<std::int32_t> entries;  ///< mantissas of the lookup's type, smallest input first
  Interval range;                     ///< of the entries, as the JSON form states it
  std::string hash;                   ///< as in the JSON form; empty: none
  std::int32_t input_width = 0;       ///< likewise; 0: none
};

struct Program {
  Dialect dialect = Dialect::v1;
  std::int32_t firmware = 0;  ///< a header word without meaning, kept for writing
  std::vector<std::int32_t> input_shifts;
  std::vector<Output> outputs;
  std::vector<Op> ops;
  std::vector<Table> tables;
  std::int32_t carry_size = -1;  ///< JSON form: bits an adder takes in one unit of latency
  std::int32_t adder_size = -1;  ///< JSON form: bits an adder takes in one unit of cost

  [[nodiscard]] std::size_t input_count() const { return input_shifts.size(); }
  [[nodiscard]] std::size_t output_count() const { return outputs.size(); }
};

/// Programs run one after the other: the outputs of a stage are the inputs of the next. Never
/// empty.
struct Pipeline {
  std::vector<Program> stages;

  [[nodiscard]] std::size_t input_count() const { return stages.front().input_count(); }
  [[nodiscard]] std::size_t output_count() const { return stages.back().output_count(); }
};

/// True if both compute the same by the same rules: everything agrees but what only serves
/// estimates (ranges, latencies, costs, sizes) or has no meaning (firmware word, hashes).
[[nodiscard]] bool same_logic(const Pipeline& a, const Pipeline& b);

}  // namespace tactus::dais
