// Registers of the items that pass between the units of the TCU; see models/sim/fast/registers.h.
#pragma once

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

/// Returns an address in a page that leads to the same bursts as this one, for a request of `size`
/// + 1 consecutive vectors: 0 if no burst crosses a page.
[[nodiscard]] inline std::uint64_t place_in_page(std::uint64_t address, std::uint64_t size,
                                                 std::uint64_t vector_bytes) {
  if (!crosses_page(address * vector_bytes, (size + 1) * vector_bytes)) return 0;
  return address % (axi_page_bytes / std::gcd<std::uint64_t>(axi_page_bytes, vector_bytes));
}

}  // namespace tactus
