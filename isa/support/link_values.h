// A host link: how fast it carries data to a device and back, and what it costs beside that.
#pragma once

#include <cstdint>

#include "isa/support/parameter.h"

namespace tactus {

struct LinkValues {
  std::uint64_t out_bytes_per_second = 300000000;  ///< to the device
  std::uint64_t in_bytes_per_second = 300000000;   ///< from it
  std::uint64_t fixed_ps = 430000000;              ///< of each request, on the host
  bool outfeed_blocks_infeed = true;
  bool needs_hints = true;
  std::uint64_t core_hz = 500000000;
};

[[nodiscard]] const ParameterTable<LinkValues>& link_parameters();

}  // namespace tactus
