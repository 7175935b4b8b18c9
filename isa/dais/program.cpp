#include "isa/dais/program.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "isa/support/error.h"

namespace tactus::dais {

std::string_view name(Dialect dialect) {
  constexpr std::string_view names[] = {"seed", "v0", "v1"};
  const auto index = static_cast<std::size_t>(dialect);
  if (index >= std::size(names)) internal_error("dialect {}", index);
  return names[index];
}

namespace {

/// A kind of operations; the table is indexed by OpKind.
struct KindInfo {
  std::int32_t opcode;
  bool has_negative;  ///< the negative opcode is of this kind, too
  unsigned operands;
  Dialect first = Dialect::seed;
};
constexpr KindInfo kinds[] = {
    {-1, false, 0},               // copy
    {0, false, 2},                // add
    {1, false, 2},                // subtract
    {2, true, 1},                 // relu
    {3, true, 1},                 // quantise
    {4, false, 1},                // add_constant
    {5, false, 0},                // constant
    {6, true, 2},                 // mux
    {7, false, 2},                // multiply
    {8, false, 1, Dialect::v0},   // lookup
    {9, true, 1, Dialect::v1},    // bit_unary
    {10, false, 2, Dialect::v1},  // bit_binary
};

const KindInfo& info(OpKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  if (index >= std::size(kinds)) internal_error("operation of kind {}", index);
  return kinds[index];
}

}  // namespace

std::optional<OpKind> kind_of(std::int32_t opcode) {
  for (std::size_t k = 0; k < std::size(kinds); ++k) {
    if (kinds[k].opcode == opcode || (kinds[k].has_negative && -kinds[k].opcode == opcode)) {
      return static_cast<OpKind>(k);
    }
  }
  return std::nullopt;
}

Dialect first_dialect(OpKind kind) { return info(kind).first; }

unsigned operand_count(OpKind kind) { return info(kind).operands; }

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
