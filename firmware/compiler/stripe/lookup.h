// Functions by table: the intrinsic lookup_T(x, step), of this compiler.
//
// T is a buffer of the program's entry block with two rows of as many entries as there are keys:
// slopes, then values. Keys are the whole multiples of `step` from -entries/2 on; an argument
// belongs to the key nearest to it, halves to the upper one, arguments beyond the ends to the first
// or last key. The function is (x - key) * slope + value of that key's entry. In fixed point the
// difference, the product and the sum are rounded and saturated one by one, as the unit's lookup
// tables do it: see isa/tcu/lookup.h.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// "T" of an intrinsic lookup_T; nothing for all others.
[[nodiscard]] std::optional<std::string> table_of(const Intrinsic& intrinsic);
[[nodiscard]] inline std::string lookup_name(const std::string& table) { return "lookup_" + table; }

/// Problem of a lookup in a program with this entry block; empty if there is none.
[[nodiscard]] std::string lookup_problem(const Intrinsic& intrinsic, const Block& entry);

/// The tables of all lookups in a block and in the blocks inside.
[[nodiscard]] std::set<std::string> tables_in(const Block& block);

struct TableKey {
  std::size_t entry = 0;
  double difference = 0;  ///< argument - key
};
/// UserError for a step that is not above 0.
[[nodiscard]] TableKey table_key(double argument, double step, std::size_t entries);

}  // namespace tactus::stripe
