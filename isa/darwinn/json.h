// Prints the whole content of a package file as JSON.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "isa/darwinn/file.h"

namespace tactus::darwinn {

/// Bytes that the hints transfer, by kind.
struct Traffic {
  std::int64_t instructions = 0, inputs = 0, parameters = 0, scratch_in = 0;
  std::int64_t outputs = 0, scratch_out = 0;
  [[nodiscard]] std::int64_t in() const { return instructions + inputs + parameters + scratch_in; }
  [[nodiscard]] std::int64_t out() const { return outputs + scratch_out; }
};
[[nodiscard]] Traffic traffic_of(const Executable& executable);
[[nodiscard]] nlohmann::ordered_json to_json(const Traffic& traffic);
/// Bytes that a hint transfers.
[[nodiscard]] std::int64_t hint_bytes(const Executable& executable, const Hint& hint);

/// JSON with container, package, executables, chunks with their fields, hints and layers. Sizes are
/// in bytes. A layout's tables are summarised by their lengths and runs of equal values.
[[nodiscard]] std::string to_json(const File& file);

}  // namespace tactus::darwinn
