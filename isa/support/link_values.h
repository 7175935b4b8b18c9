// A host link: its rates to and from the device, and its other costs.
#pragma once

#include <cstdint>

#include "isa/support/parameter.h"

namespace tactus {

struct LinkValues {
  std::uint64_t out_bytes_per_second = 300000000;  ///< host to device
  std::uint64_t in_bytes_per_second = 300000000;   ///< device to host
  std::uint64_t fixed_ps = 430000000;              ///< time on the host for each request
  bool outfeed_blocks_infeed = true;
  bool needs_hints = true;
  std::uint64_t core_hz = 500000000;
  // A link described by its parts, each of which takes its time. 0: no limit, or no such part.
  std::uint64_t wire_bytes_per_second = 300000000;  ///< in each direction
  std::uint64_t packet_bytes = 0;
  std::uint64_t packet_overhead_bytes = 0;
  bool device_fetches = false;
  std::uint64_t header_bytes = 0;
  std::uint64_t ring_descriptors = 0;
  std::uint64_t status_bytes = 0;
  std::uint64_t page_bytes = 0;
  std::uint64_t pages = 0;
  std::uint64_t translations = 0;
  std::uint64_t translation_bytes = 0;
  std::uint64_t transfer_bytes = 0;
  std::uint64_t transfers_outstanding = 0;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t chunks_queued = 0;
  std::uint64_t event_bytes = 0;
  std::uint64_t device_bus_hz = 0;
  std::uint64_t device_bus_bytes = 8;
};

[[nodiscard]] const ParameterTable<LinkValues>& link_parameters();

}  // namespace tactus
