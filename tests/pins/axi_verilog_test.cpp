// A TCU at its AXI pins with memories in Verilog takes the cycles of a run.
#include <gtest/gtest.h>

#include "Vaxi_memory.h"
#include "models/sim/kernel_scope.h"
#include "tests/pins/axi_bench.h"

namespace tactus {
namespace {

using Bench = AxiBench<std::uint64_t, std::uint32_t, std::uint64_t>;
using Signals = AxiSignals<std::uint64_t, std::uint32_t>;

/// A memory in Verilog with its signals for loading and peeking.
struct VerilogMemory {
  VerilogMemory(const std::string& name, Bench& bench, Signals& s) : memory(name.c_str()) {
    memory.clock(bench.clock);
    memory.reset(bench.reset);
    memory.arvalid(s.arvalid), memory.arready(s.arready);
    memory.araddr(s.araddr), memory.arlen(s.arlen);
    memory.rvalid(s.rvalid), memory.rready(s.rready), memory.rlast(s.rlast);
    memory.rid(s.rid), memory.rdata(s.rdata), memory.rresp(s.rresp);
    memory.awvalid(s.awvalid), memory.awready(s.awready), memory.awaddr(s.awaddr);
    memory.wvalid(s.wvalid), memory.wready(s.wready), memory.wdata(s.wdata);
    memory.wstrb(s.wstrb), memory.wlast(s.wlast);
    memory.bvalid(s.bvalid), memory.bready(s.bready), memory.bid(s.bid), memory.bresp(s.bresp);
    memory.load(load), memory.load_address(load_address), memory.load_data(load_data);
    memory.peek_address(peek_address), memory.peek_data(peek_data);
  }
  Vaxi_memory memory;
  sc_core::sc_signal<bool> load;
  sc_core::sc_signal<std::uint32_t> load_address, peek_address;
  sc_core::sc_signal<std::uint64_t> load_data, peek_data;
};

AxiSeen run_at_pins(const RandomProgram& program, const TcuSimulationConfig& config, Cycle cycles) {
  KernelScope kernel;
  Bench bench("bench", pins_config(config), padded(program, config.axi_data_bits / 8));
  VerilogMemory memory0("memory0", bench, bench.ports[0]),
      memory1("memory1", bench, bench.ports[1]);
  const sc_core::sc_time period(10, sc_core::SC_NS);
  // The reset is over when the memories have their words.
  sc_core::sc_start(15, sc_core::SC_NS);
  bench.reset.write(true);
  for (const RandomProgram::Window& w : program.windows) {
    VerilogMemory& memory = w.port == 0 ? memory0 : memory1;
    memory.load.write(true);
    for (std::size_t i = 0; i + 8 <= w.bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, w.bytes.data() + i, 8);
      memory.load_address.write(static_cast<std::uint32_t>(w.address + i));
      memory.load_data.write(word);
      sc_core::sc_start(period);
    }
    memory.load.write(false);
  }
  bench.reset.write(false);
  sc_core::sc_start(period * static_cast<double>(cycles));
  AxiSeen seen = bench.seen;
  for (const RandomProgram::Window& w : program.windows) {
    VerilogMemory& memory = w.port == 0 ? memory0 : memory1;
    for (std::size_t i = 0; i + 8 <= w.bytes.size(); i += 8) {
      memory.peek_address.write(static_cast<std::uint32_t>(w.address + i));
      sc_core::sc_start(period);
      const std::uint64_t word = memory.peek_data.read();
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&word);
      seen.windows.insert(seen.windows.end(), bytes, bytes + 8);
    }
  }
  kernel.end_threads();
  return seen;
}

/// True if windows of a program share words of the memory, which has 512 KB and wraps.
bool overlaps(const RandomProgram& program) {
  constexpr std::uint32_t bytes = 65536 * 8;
  for (const RandomProgram::Window& a : program.windows) {
    for (const RandomProgram::Window& b : program.windows) {
      if (&a != &b && a.port == b.port && (b.address - a.address) % bytes < a.bytes.size()) {
        return true;
      }
    }
  }
  return false;
}

TEST(AxiVerilog, AMemoryInVerilogTakesTheCyclesOfARun) {
  std::size_t responses = 0;
  unsigned programs = 0;
  for (std::uint64_t seed = 1; programs < 6; ++seed) {
    RandomOptions drawn;
    drawn.instructions = 40;
    const RandomProgram program = random_program(seed, drawn);
    if (program.axi_data_bits != 64 || overlaps(program)) continue;
    ++programs;
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = 4;
    config.write_latency = 2;
    Cycle cycles = 0;
    const AxiSeen expected = simulate(program, config, cycles);
    const AxiSeen seen = run_at_pins(program, config, cycles + 20);
    EXPECT_EQ(seen.responses, expected.responses) << "seed " << seed;
    EXPECT_EQ(seen.last, expected.last) << "seed " << seed;
    EXPECT_EQ(seen.windows.size(), expected.windows.size());
    EXPECT_TRUE(seen.windows == expected.windows) << "seed " << seed;
    responses += expected.responses.size();
  }
  EXPECT_GT(responses, 10U);
}

}  // namespace
}  // namespace tactus
