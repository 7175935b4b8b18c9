// Saves the part of a burst's address that determines timing: its offset in the page, if the burst
// crosses the end of the page.
#pragma once

#include "models/axi/axi.h"
#include "models/sim/fast/registers.h"

namespace tactus {

inline constexpr unsigned axi_page_bytes = 4096;

/// True if `bytes` from the address on cross the end of a page of 4096 bytes.
[[nodiscard]] inline bool crosses_page(std::uint64_t address, std::uint64_t bytes) {
  return address % axi_page_bytes + bytes > axi_page_bytes;
}

/// Saves or loads the length of a burst and its offset in the page; the offset counts as 0 if the
/// burst stays in the page.
inline void axi_registers(Registers& r, AxiAddress& a, unsigned beat_bytes) {
  std::uint32_t in_page = crosses_page(a.address, (a.length + std::uint64_t{1}) * beat_bytes)
                              ? a.address % axi_page_bytes
                              : 0;
  r(in_page);
  r(a.length);
  if (r.loads()) a.address = in_page;
}

}  // namespace tactus
