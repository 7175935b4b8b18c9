// The signals around a TCU at its AXI pins, a source of instructions, and what a run shows.
#pragma once

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <systemc>

#include "firmware/driver/tcu/simulation.h"
#include "models/tcu/pins/tcu_pins.h"
#include "tests/support/differential.h"

namespace tactus {

/// The signals of one DRAM port.
template <typename Data, typename Strobe>
struct AxiSignals {
  template <typename T>
  using Signal = sc_core::sc_signal<T>;
  Signal<bool> arvalid, arready, rvalid, rready, awvalid, awready, wvalid, wready, bvalid, bready;
  Signal<bool> rlast, wlast;
  Signal<std::uint32_t> araddr, awaddr, arlen, awlen, rid, rresp, bid, bresp;
  Signal<std::uint32_t> arid, awid, wid, arsize, awsize, arburst, awburst, arlock, awlock;
  Signal<std::uint32_t> arcache, awcache, arprot, awprot, arqos, awqos;
  Signal<Data> rdata, wdata;
  Signal<Strobe> wstrb;

  /// Binds them to a port of a TCU.
  void bind(TcuPins& tcu, unsigned port) {
    const std::string p = "m_axi_dram" + std::to_string(port) + "_";
    const auto all = [&tcu](const std::string& channel, auto&... signals) {
      return [&tcu, channel, &signals...](auto... names) {
        (tcu.bind(channel + names, signals), ...);
      };
    };
    all(p, arvalid, arready, rvalid, rready, awvalid, awready, wvalid, wready, bvalid, bready)(
        "arvalid", "arready", "rvalid", "rready", "awvalid", "awready", "wvalid", "wready",
        "bvalid", "bready");
    all(p, rlast, wlast, rid, rresp, bid, bresp, rdata, wdata, wstrb, wid)(
        "rlast", "wlast", "rid", "rresp", "bid", "bresp", "rdata", "wdata", "wstrb", "wid");
    all(p + "ar", arid, araddr, arlen, arsize, arburst, arlock, arcache, arprot, arqos)(
        "id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos");
    all(p + "aw", awid, awaddr, awlen, awsize, awburst, awlock, awcache, awprot, awqos)(
        "id", "addr", "len", "size", "burst", "lock", "cache", "prot", "qos");
  }
};

/// What is compared.
struct AxiSeen {
  std::vector<Cycle> responses;  ///< cycles with a response to a write at port 0
  std::array<Cycle, 2> last{};   ///< cycle of the last response of each port
  std::vector<std::uint64_t> samples;
  std::vector<std::uint8_t> windows;
};

/// A program as its words pass the instruction stream.
inline std::vector<std::uint8_t> padded(const RandomProgram& program, unsigned word_bytes) {
  std::vector<std::uint8_t> bytes = program.bytes();
  const std::size_t unit = std::lcm(
      tcu::InstructionLayout(program.architecture).instruction_bytes(), std::size_t{word_bytes});
  bytes.resize((bytes.size() + unit - 1) / unit * unit);
  return bytes;
}

/// The same of a TcuSimulation, and its cycles.
inline AxiSeen simulate(const RandomProgram& program, TcuSimulationConfig config, Cycle& cycles) {
  config.engine = Engine::step;
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  AxiSeen seen;
  simulation.system().on_sample = [&seen](const Sample& sample) {
    seen.samples.push_back(sample.word + (sample.last ? 1 : 0));
  };
  TcuRunOptions options;
  options.on_write_response = [&seen](Cycle cycle) { seen.responses.push_back(cycle); };
  cycles = simulation.run(padded(program, config.axi_data_bits / 8), options).cycles;
  for (unsigned p = 0; p < 2; ++p) {
    seen.last[p] = simulation.system().port(p).splitter().stats().last_write_response;
  }
  for (const RandomProgram::Window& w : program.windows) {
    const auto bytes = simulation.read_dram(w.port, w.address, w.bytes.size());
    seen.windows.insert(seen.windows.end(), bytes.begin(), bytes.end());
  }
  return seen;
}

inline TcuSystem::Config pins_config(const TcuSimulationConfig& config) {
  TcuSystem::Config system;
  system.tcu.architecture = config.architecture;
  system.axi_data_bits = config.axi_data_bits;
  system.sample_block_size = config.sample_block_size;
  system.sample_interval = config.sample_interval;
  return system;
}

/// A TCU at its pins with the source of its instructions and the consumer of its samples. Each
/// cycle is 10 ns; the first rising edge after the reset, which lasts for two, ends cycle 0.
template <typename Data, typename Strobe, typename Word>
struct AxiBench : sc_core::sc_module {
  using SC_CURRENT_USER_MODULE = AxiBench;  // what SC_HAS_PROCESS defines before SystemC 3
  AxiBench(const sc_core::sc_module_name& name, const TcuSystem::Config& config,
           std::vector<std::uint8_t> program_)
      : sc_module(name),
        word_bytes(config.axi_data_bits / 8),
        program(std::move(program_)),
        tcu("tcu", config) {
    tcu.clock(clock);
    tcu.reset(reset);
    for (unsigned p = 0; p < 2; ++p) ports[p].bind(tcu, p);
    tcu.bind("instruction_tvalid", tvalid);
    tcu.bind("instruction_tready", tready);
    tcu.bind("instruction_tdata", tdata);
    tcu.bind("instruction_tlast", tlast);
    if (config.sample_block_size > 0) {
      tcu.bind("sample_tvalid", sample_valid);
      tcu.bind("sample_tready", sample_ready);
      tcu.bind("sample_tdata", sample_data);
      tcu.bind("sample_tlast", sample_last);
    }
    SC_METHOD(edge);
    sensitive << clock.posedge_event();
    dont_initialize();
    SC_THREAD(drive_reset);
  }
  void drive_reset() {
    reset.write(true);
    wait(13, sc_core::SC_NS);
    reset.write(false);
  }
  void edge() {
    if (reset.read()) {
      seen.responses.clear(), seen.samples.clear();
      cycle = 0;
      position = 0;
      sample_ready.write(true);
    } else {
      if (tvalid.read() && tready.read()) position += word_bytes;
      for (unsigned p = 0; p < 2; ++p) {
        if (!ports[p].bvalid.read() || !ports[p].bready.read()) continue;
        seen.last[p] = cycle;
        if (p == 0) seen.responses.push_back(cycle);
      }
      if (sample_valid.read() && sample_ready.read()) {
        seen.samples.push_back(sample_data.read() + (sample_last.read() ? 1 : 0));
      }
      ++cycle;
    }
    tvalid.write(position < program.size());
    if (position < program.size()) tdata.write(word(position));
  }
  [[nodiscard]] Word word(std::size_t at) const {
    if constexpr (std::is_same_v<Word, PinBits>) {
      PinBits bits;
      bits.words.resize(words_for(word_bytes * 8));
      std::memcpy(bits.words.data(), program.data() + at, word_bytes);
      return bits;
    } else {
      Word bits = 0;
      std::memcpy(&bits, program.data() + at, word_bytes);
      return bits;
    }
  }

  unsigned word_bytes;
  std::vector<std::uint8_t> program;
  std::size_t position = 0;
  Cycle cycle = 0;
  AxiSeen seen;
  sc_core::sc_clock clock{"clock", sc_core::sc_time(10, sc_core::SC_NS)};
  sc_core::sc_signal<bool> reset, tvalid, tready, tlast, sample_valid, sample_ready, sample_last;
  sc_core::sc_signal<Word> tdata;
  sc_core::sc_signal<std::uint64_t> sample_data;
  std::array<AxiSignals<Data, Strobe>, 2> ports;
  TcuPins tcu;
};

}  // namespace tactus
