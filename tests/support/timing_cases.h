// Designs and sizes for tests of timing formulas, and functions that run a program on them.
#pragma once

#include <algorithm>
#include <ostream>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/simulation.h"
#include "tests/support/bare_machine.h"
#include "tests/support/program.h"
#include "tests/support/recorder.h"

namespace tactus {

inline constexpr unsigned array_sizes[] = {2, 4, 8, 16, 32};

/// Makes an architecture whose instructions have 64 bits at every array size.
inline tcu::Architecture timing_architecture(unsigned n_array) {
  tcu::Architecture architecture;
  architecture.array_size = n_array;
  architecture.local_depth = 4096;
  architecture.accumulator_depth = 1024;
  architecture.dram0_depth = architecture.dram1_depth = std::uint64_t{1} << 20;
  return architecture;
}

/// Numbers of vectors near the depths of the read buffers (3), of the array (N) and of the array's
/// queues (2N).
inline std::set<std::uint64_t> vector_counts(unsigned n_array) {
  return {1, 2, 3, 4, 5, n_array, n_array + 1, 2 * n_array - 1, 2 * n_array, 3 * n_array + 5};
}

/// Base of tests of the TCU without DRAM ports at one array size.
class ArrayTiming : public testing::TestWithParam<unsigned> {
 protected:
  /// First cycle of the first instruction at the decoder's head; it is accepted in cycle 0.
  static constexpr Cycle h = 1;
  const Cycle n_array = GetParam();

  [[nodiscard]] static Program program() { return Program(timing_architecture(GetParam())); }
  [[nodiscard]] static std::set<std::uint64_t> counts() { return vector_counts(GetParam()); }
};

/// Runs a program on the TCU alone to its end. The first instruction is accepted in cycle 0.
inline Recorder run_bare(const Program& program, Cycle read_latency = 1) {
  BareTcu::Config config;
  config.tcu.architecture = program.architecture();
  config.read_latency = read_latency;
  BareTcu simulation(config);
  EXPECT_TRUE(simulation.run(program.bytes()));
  return simulation.events();
}

/// A design with DRAM ports and data type FP16 (2 bytes per scalar).
struct AxiCase {
  unsigned n_array;
  unsigned data_bits;
  [[nodiscard]] unsigned beat_bytes() const { return data_bits / 8; }
  /// Beats per vector, m in the specification.
  [[nodiscard]] unsigned beats() const { return n_array * 16 / data_bits; }
  [[nodiscard]] std::uint64_t vector_bytes() const { return 2 * std::uint64_t{n_array}; }
  /// Largest number of vectors in a burst, Vmax in the specification.
  [[nodiscard]] std::uint64_t burst_vectors() const { return 256 / beats(); }
  /// Number of pieces, each of at most 4096 bytes, of a largest burst that starts at a page.
  [[nodiscard]] std::uint64_t burst_pieces() const {
    return std::max<std::uint64_t>(1, burst_vectors() * vector_bytes() / 4096);
  }
};

inline std::ostream& operator<<(std::ostream& out, const AxiCase& c) {
  return out << "N" << c.n_array << "_axi" << c.data_bits << "_m" << c.beats();
}

/// Covers every number of beats per vector from 1 to 16 that is a power of two, most with several
/// array sizes.
inline constexpr AxiCase axi_cases[] = {
    {2, 32},  {4, 32},   {4, 64},   {8, 32},  {8, 64},   {8, 128},
    {16, 64}, {16, 128}, {16, 256}, {32, 64}, {32, 128}, {32, 32},
};

struct Latencies {
  Cycle read = 1;   ///< cycles from address to first beat, L in the specification
  Cycle write = 1;  ///< cycles from last beat to response, L_b in the specification
};

/// Runs a program to its end on the design with DRAM ports and memories of fixed latency.
inline Recorder run_axi(const Program& program, unsigned data_bits, Latencies latencies = {}) {
  TcuSimulationConfig config;
  config.architecture = program.architecture();
  config.axi_data_bits = data_bits;
  config.read_latency = latencies.read;
  config.write_latency = latencies.write;
  TcuSimulation simulation(config);
  Recorder events;
  simulation.observe(&events);
  EXPECT_EQ(simulation.run(program.bytes()).end, RunEnd::finished);
  return events;
}

}  // namespace tactus
