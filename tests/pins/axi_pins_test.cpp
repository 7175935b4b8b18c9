// A TCU at its AXI pins with a memory in SystemC takes the cycles of a run.
#include <deque>

#include <gtest/gtest.h>

#include "models/dram/sparse_memory.h"
#include "models/sim/kernel_scope.h"
#include "tests/pins/axi_bench.h"
#include "tests/support/error_of.h"

namespace tactus {
namespace {

using Bench = AxiBench<PinBits, PinBits, PinBits>;
using Signals = AxiSignals<PinBits, PinBits>;

/// A memory of fixed latency at the pins of both ports, with random stalls as AxiSlave has them.
struct PinMemory : sc_core::sc_module {
  using SC_CURRENT_USER_MODULE = PinMemory;  // what SC_HAS_PROCESS defines before SystemC 3
  PinMemory(const sc_core::sc_module_name& name, Bench& bench_, const TcuSimulationConfig& config_)
      : sc_module(name),
        bench(bench_),
        config(config_),
        beat_bytes(config_.axi_data_bits / 8),
        stalls(config_.stalls) {
    SC_METHOD(edge);
    sensitive << bench.clock.posedge_event();
    dont_initialize();
  }
  struct Burst {
    std::uint32_t address = 0, beats = 0, next = 0;
    Cycle available = 0;
  };
  struct Port {
    SparseMemory memory;
    std::deque<Burst> reads, addresses;
    std::deque<Cycle> responses;
  };

  void edge() {
    if (bench.reset.read()) {
      for (Port& port : ports) port.reads.clear(), port.addresses.clear(), port.responses.clear();
      cycle = 0;
      stalls = config.stalls;
    } else {
      for (unsigned p = 0; p < 2; ++p) take(ports[p], bench.ports[p]);
      ++cycle;
    }
    for (unsigned p = 0; p < 2; ++p) offer(ports[p], bench.ports[p]);
  }
  /// The handshakes of the cycle that ends.
  void take(Port& port, Signals& s) {
    if (s.rvalid.read() && s.rready.read() &&
        ++port.reads.front().next == port.reads.front().beats) {
      port.reads.pop_front();
    }
    if (s.bvalid.read() && s.bready.read()) port.responses.pop_front();
    if (s.arvalid.read() && s.arready.read()) {
      EXPECT_EQ(1U << s.arsize.read(), beat_bytes);
      EXPECT_EQ(s.arburst.read(), 1U);
      EXPECT_EQ(s.arid.read() + s.arlock.read() + s.arprot.read() + s.arqos.read(), 0U);
      port.reads.push_back({s.araddr.read(), s.arlen.read() + 1, 0, cycle + config.read_latency});
    }
    if (s.awvalid.read() && s.awready.read()) {
      EXPECT_EQ(s.awburst.read(), 1U);
      port.addresses.push_back({s.awaddr.read(), s.awlen.read() + 1, 0, 0});
    }
    if (s.wvalid.read() && s.wready.read()) {
      std::vector<std::uint8_t> strobes(words_for(beat_bytes) * 8);
      std::memcpy(strobes.data(), s.wstrb.read().words.data(), strobes.size());
      for (unsigned i = 0; i < beat_bytes; ++i) EXPECT_NE(strobes[i / 8] >> (i % 8) & 1, 0);
      data.push_back(s.wdata.read().words);
      lasts.push_back(s.wlast.read());
      ports_of.push_back(&port);
    }
    // Data whose address is stalled waits for it.
    for (std::size_t i = 0; i < data.size();) {
      if (ports_of[i] != &port || port.addresses.empty()) {
        ++i;
        continue;
      }
      Burst& burst = port.addresses.front();
      port.memory.write(burst.address + burst.next * beat_bytes,
                        reinterpret_cast<const std::uint8_t*>(data[i].data()), beat_bytes);
      ++burst.next;
      EXPECT_EQ(lasts[i], burst.next == burst.beats);
      if (lasts[i]) {
        port.responses.push_back(cycle + config.write_latency);
        port.addresses.pop_front();
      }
      const auto at = static_cast<std::ptrdiff_t>(i);
      data.erase(data.begin() + at);
      lasts.erase(lasts.begin() + at);
      ports_of.erase(ports_of.begin() + at);
    }
  }
  /// The wires of the cycle that begins.
  void offer(Port& port, Signals& s) {
    AxiStalls stall;
    stall.draw(stalls);
    s.arready.write(!stall.ar);
    s.awready.write(!stall.aw);
    s.wready.write(!stall.w);
    const bool reads = !stall.r && !port.reads.empty() && port.reads.front().available <= cycle;
    s.rvalid.write(reads);
    if (reads) {
      const Burst& burst = port.reads.front();
      PinBits bits;
      bits.words.resize(words_for(beat_bytes * 8));
      port.memory.read(burst.address + burst.next * beat_bytes,
                       reinterpret_cast<std::uint8_t*>(bits.words.data()), beat_bytes);
      s.rdata.write(bits);
      s.rlast.write(burst.next + 1 == burst.beats);
    }
    s.bvalid.write(!stall.b && !port.responses.empty() && port.responses.front() <= cycle);
  }

  Bench& bench;
  TcuSimulationConfig config;
  unsigned beat_bytes;
  StallGenerator stalls;
  Cycle cycle = 0;
  std::array<Port, 2> ports;
  std::deque<std::vector<std::uint64_t>> data;
  std::deque<bool> lasts;
  std::deque<Port*> ports_of;
};

/// The same at the pins, for `cycles` cycles; with `resets` after a reset in the middle of a run.
AxiSeen run_at_pins(const RandomProgram& program, const TcuSimulationConfig& config, Cycle cycles,
                    bool resets) {
  KernelScope kernel;
  Bench bench("bench", pins_config(config), padded(program, config.axi_data_bits / 8));
  PinMemory memory("memory", bench, config);
  const auto load = [&] {
    for (const RandomProgram::Window& w : program.windows) {
      memory.ports[w.port].memory.write(static_cast<std::uint32_t>(w.address), w.bytes.data(),
                                        w.bytes.size());
    }
  };
  load();
  if (resets) {
    sc_core::sc_start(10.0 * static_cast<double>(cycles / 3) + 5, sc_core::SC_NS);
    bench.reset.write(true);
    sc_core::sc_start(20, sc_core::SC_NS);
    bench.reset.write(false);
    load();
  }
  sc_core::sc_start(10.0 * static_cast<double>(cycles) + 25, sc_core::SC_NS);
  EXPECT_LE(bench.cycle, cycles + 3);  // counted from the last reset
  AxiSeen seen = bench.seen;
  for (const RandomProgram::Window& w : program.windows) {
    std::vector<std::uint8_t> bytes(w.bytes.size());
    memory.ports[w.port].memory.read(static_cast<std::uint32_t>(w.address), bytes.data(),
                                     bytes.size());
    seen.windows.insert(seen.windows.end(), bytes.begin(), bytes.end());
  }
  kernel.end_threads();
  return seen;
}

void expect_equal(const AxiSeen& pins, const AxiSeen& run, const std::string& what) {
  EXPECT_EQ(pins.responses, run.responses) << what;
  EXPECT_EQ(pins.last, run.last) << what;
  EXPECT_TRUE(pins.windows == run.windows) << what;
  // Both go on for a while behind the end.
  const std::size_t samples = std::min(pins.samples.size(), run.samples.size());
  EXPECT_TRUE(std::equal(run.samples.begin(),
                         run.samples.begin() + static_cast<std::ptrdiff_t>(samples),
                         pins.samples.begin()))
      << what;
}

TEST(AxiPins, ATcuAtItsPinsTakesTheCyclesOfARun) {
  std::size_t responses = 0, samples = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    RandomOptions drawn;
    drawn.exactly = static_cast<unsigned>(seed * 11);
    drawn.instructions = 40;
    const RandomProgram program = random_program(seed, drawn);
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = random.range(1, 20);
    config.write_latency = random.range(1, 20);
    if (seed % 2 == 0) config.stalls = StallGenerator(static_cast<std::uint32_t>(seed * 977), 30);
    config.sample_block_size = 4;
    config.sample_interval = 3;
    Cycle cycles = 0;
    const AxiSeen expected = simulate(program, config, cycles);
    const AxiSeen seen = run_at_pins(program, config, cycles + 20, false);
    expect_equal(seen, expected, "seed " + std::to_string(seed));
    responses += expected.responses.size();
    samples += std::min(seen.samples.size(), expected.samples.size());
  }
  EXPECT_GT(responses, 20U);
  EXPECT_GT(samples, 500U);
}

TEST(AxiPins, AResetEndsARun) {
  RandomOptions drawn;
  drawn.exactly = 0;
  const RandomProgram program = random_program(3, drawn);
  TcuSimulationConfig config = machine_config(program);
  config.read_latency = 9;
  Cycle cycles = 0;
  const AxiSeen expected = simulate(program, config, cycles);
  const AxiSeen seen = run_at_pins(program, config, cycles + 20, true);
  EXPECT_EQ(seen.responses, expected.responses);
  EXPECT_EQ(seen.last, expected.last);
}

TEST(AxiPins, ErrorsNameThePin) {
  KernelScope kernel;
  TcuPins tcu("tcu", {});
  sc_core::sc_signal<std::uint32_t> narrow;
  EXPECT_EQ(error_of([&] { tcu.bind("m_axi_dram0_wdata", narrow); }),
            "TCU: pin m_axi_dram0_wdata has 64 bits, which do not fit an integer of 32 bits; "
            "allowed sc_uint<64>, sc_bv<64> or a wider unsigned integer");
  EXPECT_NE(error_of([&] {
              tcu.bind("m_axi_dram2_wdata", narrow);
            }).find("there is no pin m_axi_dram2_wdata; allowed clock, reset, instruction_tvalid"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus
