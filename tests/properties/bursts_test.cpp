// Every address at the AXI pins: transfers are split into bursts as hardware spec 10.1 and 10.3
// say.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/tcu/events.h"
#include "tests/support/differential.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// Text of a burst such as "read 0x1000 4": direction, byte address, beats.
std::string burst(bool write, std::uint32_t address, std::uint64_t beats) {
  return fmt::format("{} 0x{:x} {}", write ? "write" : "read", address, beats);
}

/// Bursts by port, in order.
using Bursts = std::array<std::vector<std::string>, 2>;

/// Splits a burst at 4096-byte boundaries. A burst is not split if only its last beat is beyond the
/// first boundary.
void add_pieces(std::vector<std::string>& list, bool write, std::uint32_t address,
                std::uint64_t beats, std::uint64_t beat_bytes) {
  const std::uint64_t in_page = address % 4096;
  const std::uint64_t without_last = (beats - 1) * beat_bytes;
  if (without_last <= 4096 && in_page + without_last <= 4097) {
    return list.push_back(burst(write, address, beats));
  }
  while (beats > 0) {
    const std::uint64_t piece = std::min(beats, (4096 - address % 4096) / beat_bytes);
    list.push_back(burst(write, address, piece));
    address += static_cast<std::uint32_t>(piece * beat_bytes);
    beats -= piece;
  }
}

Bursts expected_bursts(const RandomProgram& program) {
  FunctionalModel reference(program.architecture);
  reference.run(program.bytes());
  const std::uint64_t beat_bytes = program.axi_data_bits / 8;
  const std::uint64_t vector_bytes = program.architecture.vector_bytes();
  const std::uint64_t most = 256 * beat_bytes / vector_bytes;  // vectors per burst
  Bursts bursts;
  for (FunctionalModel::DramRequest request : reference.dram_requests()) {
    while (request.vectors > 0) {
      const std::uint64_t vectors = std::min(request.vectors, most);
      add_pieces(bursts[request.port], request.write, request.address,
                 vectors * vector_bytes / beat_bytes, beat_bytes);
      request.address += static_cast<std::uint32_t>(vectors * vector_bytes);
      request.vectors -= vectors;
    }
  }
  return bursts;
}

class BurstRecorder final : public EventSink {
 public:
  void event(const Event& e) override {
    const bool write = e.kind == TcuEvent::axi_write_address;
    if (!write && e.kind != TcuEvent::axi_read_address) return;
    bursts[e.port].push_back(burst(write, static_cast<std::uint32_t>(e.a), e.b + 1));
  }
  void end_of_cycle(Cycle /*cycle*/) override {}

  Bursts bursts;
};

std::string compare_bursts(const RandomProgram& program, const TcuSimulationConfig& config) {
  const Bursts expected = expected_bursts(program);
  TcuSimulation simulation(config);
  BurstRecorder recorder;
  simulation.observe(&recorder);
  if (simulation.run(program.bytes()).end != RunEnd::finished) return "the run did not finish";
  for (unsigned port = 0; port < 2; ++port) {
    const std::vector<std::string>& found = recorder.bursts[port];
    if (found.size() != expected[port].size()) {
      return fmt::format("{} bursts on port {} instead of {}", found.size(), port,
                         expected[port].size());
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == expected[port][i]) continue;
      return fmt::format("burst {} on port {} is \"{}\" instead of \"{}\"", i, port, found[i],
                         expected[port][i]);
    }
  }
  return {};
}

TEST(BurstProperty, TransfersAreSplitAsTheSpecificationSays) {
  for (const std::uint64_t seed : test_seeds(9'000'000, 1000)) {
    RandomOptions options;
    options.instructions = 40;
    const RandomProgram program = random_program(seed, options);
    Random random(seed ^ 0xB0B);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    EXPECT_EQ(shortest_failure(program,
                               [&](const RandomProgram& p) { return compare_bursts(p, config); }),
              "");
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tactus
