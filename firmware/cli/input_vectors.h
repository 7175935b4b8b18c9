// Vectors that the user gives as an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus {

/// As tcu::read_vectors. Numbers that the data type's range does not hold are told on standard
/// error, for they saturate.
[[nodiscard]] std::vector<std::uint8_t> read_input_vectors(
    const std::string& path, const tcu::Architecture& architecture,
    std::optional<std::uint64_t> expected = std::nullopt);

}  // namespace tactus
