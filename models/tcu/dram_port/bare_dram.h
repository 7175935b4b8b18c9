// A DRAM of vectors at the TCU's own DRAM links, without AXI: the rig of the bare-TCU logs.
//
// Control and output data are always accepted. Read data is offered from `read_latency` cycles (1
// or more) after its control on, one vector a cycle, in order. Source: hardware spec sections 12.4,
// 17.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include <systemc>

#include "models/sim/clock.h"
#include "models/sim/stalls.h"
#include "models/tcu/tcu.h"

namespace tactus {

class BareDram final : public sc_core::sc_module {
 public:
  struct Config {
    unsigned port = 0;  ///< names events only
    std::uint64_t vector_bytes = 16;
    Cycle read_latency = 1;   ///< cycles, 1 or more
    bool keep_writes = true;  ///< false: writes are taken and forgotten
    /// Initial lanes of the vector at an address.
    std::function<void(std::uint64_t address, std::uint8_t* lanes)> fill;
  };

  BareDram(const sc_core::sc_module_name& name, Clock& clock, Config config, DramLinks& links);

  /// Draws this cycle's stalls of control, data in and data out, in this order. Before drive().
  void draw_stalls(StallGenerator& stalls);
  void drive();
  void commit();
  [[nodiscard]] bool idle() const { return reads_.empty() && writes_.empty() && written_.empty(); }

 private:
  struct Range {
    std::uint64_t address;
    std::uint64_t left;  ///< vectors still to move
    Cycle available;
  };
  static void advance(std::deque<Range>& ranges);
  void write();
  std::vector<std::uint8_t>& vector(std::uint64_t address);

  Clock& clock_;
  Config config_;
  DramLinks& links_;
  std::unordered_map<std::uint64_t, std::vector<std::uint8_t>> vectors_;
  std::deque<Range> reads_, writes_;
  std::deque<std::vector<std::uint8_t>> written_;  ///< data whose control has not come yet
  bool stall_control_ = false, stall_in_ = false, stall_out_ = false;
};

}  // namespace tactus
