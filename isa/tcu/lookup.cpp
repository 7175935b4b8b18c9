#include "isa/tcu/lookup.h"

#include <algorithm>

namespace tactus::tcu {

LookupKey lookup_key(DataType type, const LookupTables& tables, std::int64_t argument) {
  const DataTypeInfo& t = info(type);
  const unsigned shift = t.binary_point - tables.key_binary_point;
  const std::int64_t half = shift == 0 ? 0 : std::int64_t{1} << (shift - 1);
  const std::int64_t half_depth = tables.depth / 2;
  const std::int64_t nearest = (argument + half) >> shift;
  const std::int64_t key = std::clamp(nearest, -half_depth, half_depth - 1);
  const std::int64_t difference = argument - key * (std::int64_t{1} << shift);
  return {static_cast<std::uint32_t>(key + half_depth), std::clamp(difference, t.min(), t.max())};
}

}  // namespace tactus::tcu
