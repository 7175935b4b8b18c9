// Lookup tables: the results of the SIMD operation Lookup, and the layout of a table in local
// memory.
//
// The public documentation describes LoadLUT and Lookup but not the keys, which are Tactus's own.
// The keys of all tables are the `depth` multiples of 2^-key_binary_point from -depth/2 on. A
// lookup uses the key nearest to the argument, the upper one for ties, the first or last one for
// arguments beyond the ends. It gives the difference argument - key, saturated, and the entry of
// that key in every table. Entry e belongs to key e - depth/2. In local memory, entry e is lane e %
// N of vector e / N of the table; lanes beyond the last entry are ignored.
//
// Source of the instructions: public documentation, "Instruction set"; hardware spec section 3.2.
#pragma once

#include <cstdint>

#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Largest number of tables of an architecture.
inline constexpr std::uint32_t most_lookup_tables = 8;
inline constexpr std::uint32_t deepest_lookup_table = 65536;

/// The entry and difference that a lookup of an argument (a mantissa of the type) gives.
struct LookupKey {
  std::uint32_t entry;      ///< 0..depth-1
  std::int64_t difference;  ///< mantissa
};
[[nodiscard]] LookupKey lookup_key(DataType type, const LookupTables& tables,
                                   std::int64_t argument);

/// Vectors per table.
[[nodiscard]] inline std::uint64_t lookup_vectors(const Architecture& architecture) {
  return (std::uint64_t{architecture.lookup_tables.depth} + architecture.array_size - 1) /
         architecture.array_size;
}

}  // namespace tactus::tcu
