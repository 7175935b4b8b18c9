// Speed of the DRAM controller's core in accesses.
//
// stream: bursts of four consecutive accesses, as a DRAM port of 128 bits sends them; random: one
// access to a random address every 20 clocks; full: all accesses at once. The core is advanced from
// event to event.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "models/dram/ddr_core.h"

namespace tactus {
namespace {

struct Access {
  DdrClock arrival;
  std::uint64_t address;
  bool write;
};

/// Returns the ZCU104's DRAM.
DdrConfig memory() {
  DdrConfig c;
  c.bank_groups = 2;
  c.banks = 4;
  c.rows = 32768;
  c.tck_ps = 952;
  c.cl = c.t_rcd = c.t_rp = 15;
  c.cwl = 14;
  c.t_ras = 35;
  c.t_rc = 50;
  c.t_faw = 32;
  c.t_rrd_s = 6;
  c.t_rrd_l = c.t_wtr_l = c.t_rtp = 8;
  c.t_ccd_l = 6;
  c.t_wr = 16;
  c.t_wtr_s = 3;
  c.t_rfc = 278;
  c.t_refi = 8256;
  c.xpi_interval = 8;
  return c;
}

std::vector<Access> traffic(bool stream, unsigned gap) {
  std::mt19937 random(1);
  std::vector<Access> accesses;
  DdrClock now = 0;
  std::uint64_t block = 0;
  for (unsigned i = 0; i < 10000; ++i) {
    block = stream ? block + 1 : random() % (1U << 25);
    if (i % 4 == 0 || !stream) now += gap;
    accesses.push_back({now, block * 64, stream ? i / 64 % 3 == 2 : random() % 3 == 0});
  }
  return accesses;
}

void run(benchmark::State& state, bool stream, unsigned gap) {
  const std::vector<Access> accesses = traffic(stream, gap);
  for (auto _ : state) {
    DdrCore core(memory(), 1);
    DdrClock now = 0;
    for (std::size_t next = 0; next < accesses.size() || core.next_event() != never;) {
      const DdrClock arrival = next < accesses.size() ? accesses[next].arrival : never;
      now = std::max(now, std::min(arrival, core.next_event()));
      core.advance(now);
      core.done.clear();
      core.admitted.clear();
      core.taken.clear();
      for (; next < accesses.size() && accesses[next].arrival <= now; ++next) {
        (void)core.submit(0, now, accesses[next].address, accesses[next].write,
                          static_cast<std::uint32_t>(next));
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(accesses.size()));
}

BENCHMARK_CAPTURE(run, stream, true, 170);
BENCHMARK_CAPTURE(run, random, false, 20);
BENCHMARK_CAPTURE(run, full, false, 0);

}  // namespace
}  // namespace tactus

BENCHMARK_MAIN();
