// Identifies the build of Tactus, since programs compiled by one build must not be used by another.
#pragma once

#include <string>

namespace tactus::bench {

/// The build id that the linker has stored in the program's file (usually 40 hexadecimal digits),
/// or the SHA-256 of the file if it has none. Throws UserError if the file cannot be read.
[[nodiscard]] const std::string& build_hash();

}  // namespace tactus::bench
