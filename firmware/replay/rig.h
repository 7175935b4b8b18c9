// Models of the test rigs on which the golden logs were recorded: everything around the design.
// Source: hardware spec section 17.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "firmware/driver/tcu/program_stream.h"
#include "firmware/replay/golden_log.h"
#include "models/sim/events.h"
#include "models/tcu/dram_port/bare_dram.h"
#include "models/tcu/system.h"

namespace tactus {

/// A design under a golden log's conditions, simulated cycle by cycle.
class ReplayRig {
 public:
  virtual ~ReplayRig() = default;
  virtual void cycle() = 0;
  [[nodiscard]] virtual const Tcu& tcu() const = 0;
  /// Shows signals of the design in the scope "top".
  virtual void describe(const trace::Scope& top) const = 0;
  /// Number of instructions that the stream has delivered.
  [[nodiscard]] virtual std::uint64_t delivered() const = 0;
};

/// Memory at the AXI pins of the whole top. Its contents are fixed: the word at byte address a of
/// port p reads as (a * 0x9E3779B97F4A7C15 + p) mod 2^64, whatever is written. A write's response
/// follows the last data beat of its burst by the write latency. It does so even if the burst's
/// address comes later, since the rig ignored write addresses.
class PatternSlave final : public AxiTarget {
 public:
  PatternSlave(Clock& clock, unsigned port, Cycle read_latency, Cycle write_latency,
               AxiLinks& pins);

  void draw_stalls(StallGenerator& stalls) override { stalls_.draw(stalls); }
  void drive() override;
  void commit() override;
  [[nodiscard]] bool idle() const override { return reads_.empty() && responses_.empty(); }
  [[nodiscard]] bool waits_for_memory() const override { return !idle(); }

 private:
  struct Read {
    std::uint64_t address;
    unsigned left;    ///< beats not yet transferred
    Cycle available;  ///< first cycle in which data is offered
  };
  Clock& clock_;
  unsigned port_;
  Cycle read_latency_, write_latency_;
  AxiLinks& pins_;
  AxiStalls stalls_;
  std::deque<Read> reads_;
  std::deque<Cycle> responses_;  ///< first cycles in which responses are offered
  std::array<std::uint8_t, 8> word_{};
};

[[nodiscard]] std::unique_ptr<ReplayRig> make_rig(Clock& clock, const GoldenLog& log,
                                                  const tcu::Architecture& architecture,
                                                  Engine engine,
                                                  std::optional<std::uint32_t> shuffle_seed,
                                                  const std::vector<OwnUnit>& own_units = {});

}  // namespace tactus
