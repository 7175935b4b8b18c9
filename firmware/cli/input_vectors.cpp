#include "firmware/cli/input_vectors.h"

#include <fmt/core.h>

#include "isa/tcu/vectors_file.h"

namespace tactus {

std::vector<std::uint8_t> read_input_vectors(const std::string& path,
                                             const tcu::Architecture& architecture,
                                             std::optional<std::uint64_t> expected) {
  tcu::Saturated saturated;
  std::vector<std::uint8_t> vectors = tcu::read_vectors(path, architecture, expected, &saturated);
  if (saturated.count > 0) {
    fmt::print(stderr, "tactus: warning: {}: {}\n", path, saturated.text(architecture.data_type));
  }
  return vectors;
}

}  // namespace tactus
