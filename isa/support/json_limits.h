// Limits of JSON files.
#pragma once

#include <cstddef>

namespace tactus {

/// Largest number of keys of an object: the time to read an object rises with their square.
inline constexpr std::size_t most_json_keys = 10000;

}  // namespace tactus
