// Real models with known facts and results of the vendor's runtime, in the folder TACTUS_SHARED.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/files.h"
#include "tests/support/shared.h"

namespace tactus::darwinn {

inline std::string golden_file(const std::string& name) {
  return shared_folder() + "/golden/darwinn/" + name;
}

inline nlohmann::json golden_json(const std::string& name) {
  return nlohmann::json::parse(read_text(golden_file(name)));
}

/// Byte `i` of the data that the device returned when the golden data were made.
inline std::uint8_t pattern_byte(std::uint64_t i) {
  return static_cast<std::uint8_t>(131 * i + 17 * (i >> 8) + 29 * (i >> 16) + 7);
}

inline std::vector<std::uint8_t> pattern(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = pattern_byte(i);
  return bytes;
}

}  // namespace tactus::darwinn

#define DARWINN_NEEDS_GOLDEN(name) TACTUS_NEEDS_SHARED(std::string("golden/darwinn/") + (name))
