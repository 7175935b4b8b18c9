#include "isa/dpas/precision.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tactus::dpas {
namespace {

using Kind = PrecisionClass;

constexpr std::array<PrecisionInfo, precision_codes> precisions{{
    {"", 0, false, Kind::reserved},
    {"u1", 1, false, Kind::reserved},
    {"s1", 1, true, Kind::reserved},
    {"u2", 2, false, Kind::integer},
    {"s2", 2, true, Kind::integer},
    {"u4", 4, false, Kind::integer},
    {"s4", 4, true, Kind::integer},
    {"u8", 8, false, Kind::integer},
    {"s8", 8, true, Kind::integer},
    {"bf", 16, true, Kind::bf},
    {"hf", 16, true, Kind::hf},
    {"bf8", 8, true, Kind::fp8},
    {"tf32", 32, true, Kind::tf32},
    {"", 0, false, Kind::reserved},
    {"hf8", 8, true, Kind::fp8},
    {"e2m1", 4, true, Kind::fp4},
}};

constexpr std::array<TypeInfo, type_codes> types{{
    {"ud", 4, false, false},
    {"d", 4, false, true},
    {"uw", 2, false, false},
    {"w", 2, false, true},
    {"ub", 1, false, false},
    {"b", 1, false, true},
    {"df", 8, true, true},
    {"f", 4, true, true},
    {"v", 4, false, true},
    {"vf", 4, true, true},
    {"bool", 1, false, false},
    {"uq", 8, false, false},
    {"uv", 4, false, false},
    {"q", 8, false, true},
    {"hf", 2, true, true},
    {"bf", 2, true, true},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Index of the entry with this name, or the size of the table if there is none.
template <typename Table>
std::size_t find_name(const Table& table, std::string_view name) {
  if (name.empty()) return table.size();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const auto& entry) { return entry.name == name; });
  return static_cast<std::size_t>(found - table.begin());
}

}  // namespace

const PrecisionInfo& info(Precision precision) {
  const auto code = static_cast<std::size_t>(precision);
  return precisions[code < precisions.size() ? code : 0];
}

std::optional<Precision> find_precision(std::string_view name) {
  std::size_t code = find_name(precisions, name);
  if (code == precisions.size()) {
    code = find_name(precisions, lower(name));
    if (code == precisions.size()) return std::nullopt;
    // tf32 and e2m1 are written only in small letters.
    const auto found = static_cast<Precision>(code);
    if (found == Precision::tf32 || found == Precision::e2m1) return std::nullopt;
  }
  return static_cast<Precision>(code);
}

MacKind mac_kind(Precision precision) {
  switch (info(precision).kind) {
    case Kind::tf32:
      return MacKind::float32;
    case Kind::bf:
    case Kind::hf:
      return MacKind::float16;
    case Kind::fp8:
    case Kind::fp4:
      return MacKind::float8;
    case Kind::integer:
    case Kind::reserved:
      break;
  }
  return MacKind::integer;
}

unsigned ops_per_channel(Precision w, Precision a) {
  const PrecisionInfo& b = info(w);
  const PrecisionInfo& c = info(a);
  if (b.kind == Kind::reserved || b.kind != c.kind) return 0;
  switch (b.kind) {
    case Kind::tf32:
      return 1;
    case Kind::bf:
    case Kind::hf:
      return 2;
    case Kind::fp8:
      return 4;
    case Kind::fp4:
      return 8;
    case Kind::integer:
      return b.bits == 8 || c.bits == 8 ? 4 : 8;
    case Kind::reserved:
      break;
  }
  return 0;
}

const TypeInfo& info(Type type) { return types[static_cast<std::size_t>(type) % types.size()]; }

std::optional<Type> find_type(std::string_view name) {
  const std::size_t code = find_name(types, lower(name));
  if (code == types.size()) return std::nullopt;
  return static_cast<Type>(code);
}

}  // namespace tactus::dpas
