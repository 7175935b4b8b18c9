// Lookup tables: what the SIMD operation Lookup finds, and how a table lies in local memory.
//
// The public documentation describes LoadLUT and Lookup and leaves the form of keys open; these are
// Tactus's own: the keys of all tables are the `depth` whole multiples of 2^-key_binary_point from
// -depth/2 on. An argument belongs to the key nearest to it, halves to the upper one, arguments
// beyond the ends to the first or last key. A lookup gives the difference argument - key,
// saturated, and the entry of that key in every table. Entry e belongs to key e - depth/2. In local
// memory, entry e is lane e % N of vector e / N of the table; lanes beyond the last entry are
// ignored.
//
// Source of the instructions: public documentation, "Instruction set"; hardware spec section 3.2.
#pragma once

#include <cstdint>

#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// The most tables an architecture may have.
inline constexpr std::uint32_t most_lookup_tables = 8;
inline constexpr std::uint32_t deepest_lookup_table = 65536;

/// Where a lookup of an argument, a mantissa of the type, leads.
struct LookupKey {
  std::uint32_t entry;      ///< 0..depth-1
  std::int64_t difference;  ///< mantissa
};
[[nodiscard]] LookupKey lookup_key(DataType type, const LookupTables& tables,
                                   std::int64_t argument);

/// Vectors of one table.
[[nodiscard]] inline std::uint64_t lookup_vectors(const Architecture& architecture) {
  return (std::uint64_t{architecture.lookup_tables.depth} + architecture.array_size - 1) /
         architecture.array_size;
}

}  // namespace tactus::tcu
