// The TCU alone with a clock: without AXI and stream adapter, with ideal memories.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "firmware/driver/tcu/program_stream.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "models/tcu/dram_port/bare_dram.h"
#include "models/tcu/sampler/sampler.h"
#include "models/tcu/tcu.h"
#include "tests/support/recorder.h"

namespace tactus {

/// A TCU that is offered one instruction in every cycle from 0 on. Its DRAM requests are always
/// accepted; read data arrive `read_latency` cycles after their request, one vector per cycle.
class BareTcu {
 public:
  struct Config {
    Tcu::Config tcu;
    Cycle read_latency = 1;               ///< cycles, 1 or more
    std::uint32_t sample_block_size = 0;  ///< 0: no sampler
    /// Returns true if the consumer of samples is ready in a cycle; empty: it always is.
    std::function<bool(Cycle)> sample_ready;
  };
  /// A sample and the cycle in which it was taken.
  using TimedSample = std::pair<Cycle, Sample>;

  explicit BareTcu(const Config& config);

  /// Runs a program until the unit is idle. Returns false if that takes more than `limit` cycles.
  bool run(const std::vector<std::uint8_t>& program, Cycle limit = 100000);

  [[nodiscard]] const Recorder& events() const { return events_; }
  [[nodiscard]] const std::vector<TimedSample>& samples() const { return taken_samples_; }
  [[nodiscard]] const Tcu& tcu() const { return tcu_; }

 private:
  void cycle();
  [[nodiscard]] bool idle() const;

  const Config config_;
  KernelScope kernel_;  // declared before every module
  Clock clock_;
  Recorder events_;
  ProgramStream source_;
  Link<const std::uint8_t*> instruction_;
  std::array<DramLinks, 2> links_;
  Tcu tcu_;
  std::array<std::unique_ptr<BareDram>, 2> drams_;
  Link<Sample> samples_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<TimedSample> taken_samples_;
  std::unique_ptr<ClockDriver> driver_;
  Cycle last_cycle_ = 0;  ///< limit of the current run
  std::uint64_t seen_progress_ = 0;
};

}  // namespace tactus
