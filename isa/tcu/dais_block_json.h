// Reads the "dais_blocks" of an architecture from JSON.
#pragma once

#include <string>
#include <vector>

#include "isa/support/json.h"
#include "isa/tcu/dais_block.h"

namespace tactus::tcu {

/// Reads the elements and their programs, relative to the folder of `file`. An entry whose program
/// cannot be read has none.
[[nodiscard]] std::vector<DaisBlockEntry> decode_dais_blocks(const ArrayReader& blocks,
                                                             const std::string& file,
                                                             Problems& problems);

}  // namespace tactus::tcu
