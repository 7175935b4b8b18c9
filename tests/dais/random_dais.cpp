#include "tests/dais/random_dais.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus::dais {
namespace {

constexpr std::int64_t farthest_fraction = 20;  // keeps all shifts far below 63 bits
constexpr unsigned widest_table_source = 8;

}  // namespace

DataType RandomProgram::type_with(std::int64_t fraction) {
  const std::int64_t is_signed = chance(60) ? 1 : 0;
  const std::int64_t width = chance(3) ? 0 : number(is_signed, shape_.widest);
  return {static_cast<std::int32_t>(is_signed),
          static_cast<std::int32_t>(width - is_signed - fraction),
          static_cast<std::int32_t>(fraction)};
}

void RandomProgram::add_copy() {
  Op op;
  op.opcode = -1;
  op.id0 =
      static_cast<std::int32_t>(number(0, static_cast<std::int64_t>(program_.input_count()) - 1));
  op.type = type_with(number(-6, 10));
  program_.ops.push_back(op);
}

bool RandomProgram::fill_sum(Op& op, bool bits) {
  op.id0 = earlier(), op.id1 = earlier();
  const auto shift = static_cast<std::int32_t>(number(-4, 4));
  const auto flags = static_cast<std::int32_t>((number(0, 2) << 24) | number(0, 3));
  op.data = bits ? join_words(shift, flags) : std::int64_t{shift};
  std::int64_t fraction =
      std::max<std::int64_t>(type(op.id0).fraction_bits, type(op.id1).fraction_bits - shift);
  if (!bits && shape_.dialect == Dialect::v1 && chance(20)) fraction -= number(0, 8);
  op.type = type_with(fraction);
  return std::abs(fraction) <= farthest_fraction;
}

bool RandomProgram::fill_mux(Op& op) {
  op.id0 = earlier(), op.id1 = earlier();
  const auto shift = static_cast<std::int32_t>(number(-4, 4));
  op.data = join_words(earlier(), shift);
  const std::int64_t fraction =
      std::max<std::int64_t>(type(op.id0).fraction_bits, type(op.id1).fraction_bits - shift);
  op.type = type_with(fraction);
  return std::abs(fraction) <= farthest_fraction;
}

bool RandomProgram::fill_product(Op& op) {
  op.id0 = earlier(), op.id1 = earlier();
  const std::int64_t fraction =
      std::int64_t{type(op.id0).fraction_bits} + type(op.id1).fraction_bits;
  op.type = type_with(fraction);
  return std::abs(fraction) <= farthest_fraction;
}

bool RandomProgram::fill_lookup(Op& op) {
  op.id0 = earlier();
  const Op& source = program_.ops[static_cast<std::size_t>(op.id0)];
  // Only the results of these operations are limited to their type, so that a table can have an
  // entry for each value.
  const bool cut = source.opcode == -1 || source.opcode == 3 || source.opcode == -3;
  if (!cut || source.type.width() > widest_table_source) return false;
  std::int64_t entries = std::int64_t{1} << source.type.width(), pad = 0;
  if (shape_.short_tables) {
    pad = number(0, entries / 2);
    entries = number(1, entries - pad);
  }
  op.data =
      join_words(static_cast<std::int32_t>(program_.tables.size()), static_cast<std::int32_t>(pad));
  Table& table = program_.tables.emplace_back();
  const std::int64_t largest = shape_.widest > 32 ? std::numeric_limits<std::int32_t>::max() : 30;
  for (std::int64_t i = 0; i < entries; ++i) {
    table.entries.push_back(static_cast<std::int32_t>(number(-largest, largest)));
  }
  op.type = type_with(number(-6, 10));
  return true;
}

bool RandomProgram::fill(Op& op, std::int32_t opcode) {
  op.opcode = opcode;
  const bool may_negate = opcode == 2 || opcode == 3 || opcode == 6 || opcode == 9;
  if (may_negate && chance(40)) op.opcode = -opcode;
  switch (opcode) {
    case 0:
    case 1:
      return fill_sum(op, false);
    case 2:
    case 3:
      op.id0 = earlier();
      op.type = type_with(type(op.id0).fraction_bits - number(0, 10));
      return op.type.fraction_bits >= -farthest_fraction;
    case 4:
      op.id0 = earlier();
      op.data = shape_.widest > 32 ? static_cast<std::int64_t>(engine_()) : number(-99, 99);
      op.type = type_with(type(op.id0).fraction_bits + number(0, 4));
      return op.type.fraction_bits <= farthest_fraction;
    case 5:
      op.data = shape_.widest > 32 ? static_cast<std::int64_t>(engine_()) : number(-99, 99);
      op.type = type_with(number(-6, 10));
      return true;
    case 6:
      return fill_mux(op);
    case 7:
      return fill_product(op);
    case 8:
      return fill_lookup(op);
    case 9:
      op.id0 = earlier();
      op.data = number(0, 2);
      op.type = type_with(op.data == 0 ? type(op.id0).fraction_bits : 0);
      return true;
    default:
      return fill_sum(op, true);
  }
}

void RandomProgram::add_outputs() {
  const std::int64_t count = number(1, 8);
  for (std::int64_t i = 0; i < count; ++i) {
    Output& output = program_.outputs.emplace_back();
    output.index = chance(5) ? -1 : earlier();
    output.shift = static_cast<std::int32_t>(number(-5, 5));
    output.negative = chance(30);
  }
}

Program RandomProgram::make() {
  program_ = Program{};
  program_.dialect = shape_.dialect;
  program_.firmware = static_cast<std::int32_t>(number(0, 3));
  const std::int64_t inputs = number(1, 6);
  for (std::int64_t i = 0; i < inputs; ++i) {
    program_.input_shifts.push_back(static_cast<std::int32_t>(number(-3, 3)));
  }
  for (std::int64_t i = 0; i < inputs; ++i) add_copy();
  const std::int64_t last = shape_.dialect == Dialect::v1   ? 10
                            : shape_.dialect == Dialect::v0 ? 8
                                                            : 7;
  while (program_.ops.size() < shape_.ops) {
    if (chance(5)) {
      add_copy();
      continue;
    }
    Op op;
    if (fill(op, static_cast<std::int32_t>(number(0, last)))) program_.ops.push_back(op);
  }
  for (Op& op : program_.ops) op.range = interval_of(op.type);
  add_outputs();
  return program_;
}

std::vector<double> RandomProgram::samples(const Program& program, std::size_t count) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double corners[] = {0.0,    -0.0,    infinity, -infinity, std::nan(""), 1e300,
                            -1e300, 5e-324,  -5e-324,  0x1p51,    -0x1p51,      0x1p51 - 0.25,
                            0x1p63, -0x1p63, 0x1p62,   0.999999,  -0.000001};
  std::vector<double> result(count * program.input_count());
  // the executor treats blocks of samples without special values differently
  const bool tame = chance(50);
  for (double& value : result) {
    if (!tame && chance(5)) {
      value = corners[static_cast<std::size_t>(number(0, std::size(corners) - 1))];
    } else {
      value =
          std::ldexp(static_cast<double>(number(-4096, 4096)), static_cast<int>(number(-12, 2)));
    }
  }
  return result;
}

}  // namespace tactus::dais
