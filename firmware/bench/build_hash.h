// Which build of Tactus this is: what one build has compiled is of no use to another.
#pragma once

#include <string>

namespace tactus::bench {

/// The build id that the linker has left in the program's file (40 hexadecimal digits as a rule),
/// or the SHA-256 of the whole file where there is none.
/// Throws UserError where the program's file cannot be read.
[[nodiscard]] const std::string& build_hash();

}  // namespace tactus::bench
