// Assignment of buffers' copies to memory units.
//
// Units matter where the location of copies uses the name `unit` in one of its units: each value of
// it is a memory of its own. Without an assignment a buffer's unit is the one that its views ask
// for (cache[...]), or 0. What the two assignments mean is told nowhere; here:
//   color_io_unique  buffers of one statement get different units of the list, so that they can be
//                    read and written at the same time
//   numa_map         a buffer goes to the units of the first node whose pattern matches the place
//   of
//                    a block that uses it, in turn
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/stripe/passes/options.h"

namespace tactus::stripe {

/// True if the location has a unit that is to be chosen. Throws UserError for units with any other
/// name.
[[nodiscard]] bool chooses_unit(const Location& location);
/// The location with the unit put in.
[[nodiscard]] Location with_unit(Location location, std::int64_t unit);

/// Chooses the unit of each buffer that the block's statements use. Throws UserError with block and
/// buffer.
[[nodiscard]] std::map<std::string, std::int64_t> choose_units(const Block& block,
                                                               const UnitAssignment& assignment);

}  // namespace tactus::stripe
