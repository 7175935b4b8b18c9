// SHA-256 (FIPS 180-4), for comparing memories with hashes measured elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(const std::vector<std::uint8_t>& bytes);

}  // namespace tactus
