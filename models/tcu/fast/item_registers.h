// Registers of the items that pass between the units of the TCU; see models/sim/fast/registers.h.
#pragma once

#include <algorithm>
#include <numeric>

#include "models/axi/axi_registers.h"
#include "models/sim/fast/registers.h"
#include "models/tcu/channels.h"
#include "models/tcu/systolic_array/weight_loads.h"

namespace tactus {

/// `loads`: null unless weights have reads of their own.
inline void item_of_array(Registers& r, ArrayControl& item, const WeightLoads* loads) {
  std::uint64_t code = item.size << 2 | (item.load ? 2U : 0U) | (item.zeroes ? 1U : 0U);
  r(code);
  if (r.loads()) {
    item.load = (code & 2) != 0;
    item.zeroes = (code & 1) != 0;
    item.size = code >> 2;
  }
  if (loads != nullptr) loads->number(r, item.loads);
}

inline void item_of_memory(Registers& r, MemoryRequest& request, std::uint64_t mask) {
  r(request.write);
  r.moving_address(request.address, mask);
}

/// Saves or loads the addresses that an access in a queue uses; all others are 0.
inline void address_registers(Registers& r, AccumulatorControl& c, std::uint64_t mask) {
  if (c.read) r.address(c.read_address, mask);
  if (c.write) r.address(c.write_address, mask);
}

/// Saves or loads an access to the accumulators or a SIMD instruction. `held`: it has not left its
/// queue.
inline void control_registers(Registers& r, AccumulatorControl& c, std::uint64_t mask, bool held) {
  r(c.alu.op);
  r(c.alu.left);
  r(c.alu.right);
  r(c.read);
  r(c.write);
  r(c.accumulate);
  // The number of the table does not affect the timing.
  bool entries = c.table != 0;
  r(entries);
  if (r.loads()) {
    c.alu.dest = 0;
    c.table = entries ? 1 : 0;
    c.read_address = c.write_address = 0;
  }
  if (!held) return;
  if (c.read) r.moving_address(c.read_address, mask);
  if (c.write) r.moving_address(c.write_address, mask);
}

/// An address in a page, and a step in vectors; see place_in_page().
struct PlaceInPage {
  std::uint64_t address = 0;
  std::uint64_t step = 0;
};

/// Returns an address and a step that lead to the same bursts as these, for a request of `size` + 1
/// vectors. With step 0 the vectors are consecutive, else each is a burst of its own. The address
/// is 0 if no burst crosses a page.
[[nodiscard]] inline PlaceInPage place_in_page(std::uint64_t address, std::uint64_t step,
                                               std::uint64_t size, std::uint64_t vector_bytes) {
  // Vectors at this distance have the same place in their pages.
  const std::uint64_t alike =
      axi_page_bytes / std::gcd<std::uint64_t>(axi_page_bytes, vector_bytes);
  if (step == 0) {
    const bool crosses = crosses_page(address * vector_bytes, (size + 1) * vector_bytes);
    return {crosses ? address % alike : 0, 0};
  }
  if (alike * vector_bytes != axi_page_bytes) {
    for (std::uint64_t i = 0; i <= std::min(size, alike); ++i) {
      if (!crosses_page((address + i * step) * vector_bytes, vector_bytes)) continue;
      return {address % alike, (step - 1) % alike + 1};
    }
  }
  return {0, alike};
}

}  // namespace tactus
