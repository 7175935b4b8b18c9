#include "isa/dais/program.h"

#include <algorithm>
#include <cmath>

#include "isa/support/error.h"

namespace tactus::dais {

std::string_view name(Dialect dialect) {
  switch (dialect) {
    case Dialect::seed:
      return "seed";
    case Dialect::v0:
      return "v0";
    case Dialect::v1:
      return "v1";
  }
  internal_error("dialect {}", static_cast<int>(dialect));
}

std::optional<OpKind> kind_of(std::int32_t opcode) {
  switch (opcode) {
    case -1:
      return OpKind::copy;
    case 0:
      return OpKind::add;
    case 1:
      return OpKind::subtract;
    case 2:
    case -2:
      return OpKind::relu;
    case 3:
    case -3:
      return OpKind::quantise;
    case 4:
      return OpKind::add_constant;
    case 5:
      return OpKind::constant;
    case 6:
    case -6:
      return OpKind::mux;
    case 7:
      return OpKind::multiply;
    case 8:
      return OpKind::lookup;
    case 9:
    case -9:
      return OpKind::bit_unary;
    case 10:
      return OpKind::bit_binary;
    default:
      return std::nullopt;
  }
}

Dialect first_dialect(OpKind kind) {
  switch (kind) {
    case OpKind::lookup:
      return Dialect::v0;
    case OpKind::bit_unary:
    case OpKind::bit_binary:
      return Dialect::v1;
    default:
      return Dialect::seed;
  }
}

unsigned operand_count(OpKind kind) {
  switch (kind) {
    case OpKind::copy:
    case OpKind::constant:
      return 0;
    case OpKind::relu:
    case OpKind::quantise:
    case OpKind::add_constant:
    case OpKind::lookup:
    case OpKind::bit_unary:
      return 1;
    case OpKind::add:
    case OpKind::subtract:
    case OpKind::mux:
    case OpKind::multiply:
    case OpKind::bit_binary:
      return 2;
  }
  internal_error("operation of kind {}", static_cast<int>(kind));
}

std::optional<DataType> type_of(const Interval& interval) {
  const auto [min, max, step] = interval;
  if (!std::isfinite(min) || !std::isfinite(max) || !std::isfinite(step)) return std::nullopt;
  int exponent = 0;
  if (step <= 0 || std::frexp(step, &exponent) != 0.5 || min > max) return std::nullopt;
  if (min == 0 && max == 0) return DataType{};
  // Widths are computed in doubles, as da4ml does. Above 2^53 exact integers would give one bit
  // more, because the interval cannot hold the last value of the type.
  const double low = std::abs(std::nearbyint(min / step));
  const double high = std::nearbyint(max / step) + 1;
  const double bits = std::ceil(std::log2(std::max(low, high)));
  if (!std::isfinite(bits)) return std::nullopt;
  const int fraction = 1 - exponent;
  return DataType{min < 0 ? 1 : 0, static_cast<int>(bits) - fraction, fraction};
}

namespace {

bool same(const Op& a, const Op& b) {
  return a.opcode == b.opcode && a.id0 == b.id0 && a.id1 == b.id1 && a.data == b.data &&
         a.type == b.type;
}

bool same(const Output& a, const Output& b) {
  return a.index == b.index && a.shift == b.shift && a.negative == b.negative;
}

bool same(const Table& a, const Table& b) { return a.entries == b.entries; }

bool same(const Program& a, const Program& b);

template <typename List>
bool same_lists(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const Program& a, const Program& b) {
  return a.dialect == b.dialect && a.input_shifts == b.input_shifts &&
         same_lists(a.outputs, b.outputs) && same_lists(a.ops, b.ops) &&
         same_lists(a.tables, b.tables);
}

}  // namespace

bool same_logic(const Pipeline& a, const Pipeline& b) { return same_lists(a.stages, b.stages); }

Interval interval_of(const DataType& type) {
  // Exponents beyond those of double give 0 or infinity; files may hold any 32-bit exponent.
  const auto power = [](std::int64_t exponent) {
    return std::ldexp(1.0, static_cast<int>(std::clamp<std::int64_t>(exponent, -4096, 4096)));
  };
  const double step = power(-std::int64_t{type.fraction_bits});
  const double end = power(type.integer_bits);
  if (type.width() <= 0) return {0, 0, step};
  return {type.is_signed != 0 ? -end : 0, end - step, step};
}

}  // namespace tactus::dais
