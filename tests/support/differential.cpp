#include "tests/support/differential.h"

#include <fmt/format.h>

namespace tactus {
namespace {

std::string join(const FunctionalModel::Vector& vector) {
  return fmt::format("{}", fmt::join(vector, ","));
}

std::string memory_difference(const char* name, const tcu::Architecture& architecture,
                              const DualPortMemory& memory,
                              const std::vector<FunctionalModel::Vector>& reference) {
  for (std::uint64_t address = 0; address < reference.size(); ++address) {
    FunctionalModel::Vector found;
    for (std::size_t i = 0; i < architecture.array_size; ++i) {
      found.push_back(lane(architecture.data_type, memory.vector(address), i));
    }
    if (found == reference[address]) continue;
    return fmt::format("{} {} holds {} instead of {}", name, address, join(found),
                       join(reference[address]));
  }
  return {};
}

std::string dram_difference(TcuSimulation& simulation, unsigned port,
                            const FunctionalDram& reference) {
  for (const auto& [address, page] : reference.pages()) {
    const std::vector<std::uint8_t> found = simulation.read_dram(port, address, page.size());
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (found[i] == page[i]) continue;
      return fmt::format("DRAM{} byte 0x{:x} holds 0x{:02x} instead of 0x{:02x}", port, address + i,
                         found[i], page[i]);
    }
  }
  return {};
}

}  // namespace

TcuSimulationConfig machine_config(const RandomProgram& program) {
  TcuSimulationConfig config;
  config.architecture = program.architecture;
  config.axi_data_bits = program.axi_data_bits;
  return config;
}

void randomise_timing(Random& random, TcuSimulationConfig& config) {
  const auto latency = [&] { return random.chance(50) ? random.range(1, 5) : random.range(1, 60); };
  config.read_latency = latency();
  config.write_latency = latency();
  if (random.chance(70)) {
    config.stalls = StallGenerator(static_cast<std::uint32_t>(random.below(1U << 31)),
                                   static_cast<unsigned>(random.pick({5, 20, 50, 80})));
  }
  if (random.chance(50)) config.feed_gap = random.range(0, random.chance(20) ? 100 : 6);
}

std::string describe(const TcuSimulationConfig& config) {
  return fmt::format("AXI {} bits, latencies {}/{}, stalls {}% from {}, feed gap {}",
                     config.axi_data_bits, config.read_latency, config.write_latency,
                     config.stalls.percent(), config.stalls.seed(), config.feed_gap);
}

void load_windows(const RandomProgram& program, TcuSimulation& simulation) {
  for (const RandomProgram::Window& window : program.windows) {
    simulation.write_dram(window.port, window.address, window.bytes);
  }
}

void load_windows(const RandomProgram& program, FunctionalModel& model) {
  for (const RandomProgram::Window& window : program.windows) {
    model.dram(window.port).write(window.address, window.bytes);
  }
}

std::vector<std::uint8_t> contents(TcuSimulation& simulation, const RandomProgram& program) {
  std::vector<std::uint8_t> bytes;
  const auto append = [&](const DualPortMemory& memory) {
    bytes.insert(bytes.end(), memory.vector(0),
                 memory.vector(0) + memory.depth() * memory.vector_bytes());
  };
  append(simulation.system().tcu().local());
  append(simulation.system().tcu().accumulators().accumulator().memory());
  for (const RandomProgram::Window& window : program.windows) {
    const auto dram = simulation.read_dram(window.port, window.address, window.bytes.size());
    bytes.insert(bytes.end(), dram.begin(), dram.end());
  }
  return bytes;
}

std::string difference(TcuSimulation& simulation, const FunctionalModel& reference) {
  const tcu::Architecture& architecture = simulation.config().architecture;
  const Tcu& tcu = simulation.system().tcu();
  std::string text = memory_difference("local", architecture, tcu.local(), reference.local());
  if (!text.empty()) return text;
  text = memory_difference("accumulator", architecture, tcu.accumulators().accumulator().memory(),
                           reference.accumulators());
  if (!text.empty()) return text;
  for (unsigned port = 0; port < 2; ++port) {
    text = dram_difference(simulation, port, reference.dram(port));
    if (!text.empty()) return text;
  }
  return {};
}

std::string difference(const tcu::Architecture& architecture, unsigned axi_data_bits,
                       const TcuRunResult& result, const FunctionalModel::Counts& counts) {
  if (result.end != RunEnd::finished) {
    return fmt::format("the run did not finish: {}", fmt::join(result.waits_for, "; "));
  }
  std::string text;
  const auto compare = [&](const char* name, std::uint64_t found, std::uint64_t expected) {
    if (found != expected) text += fmt::format("{}: {} instead of {}; ", name, found, expected);
  };
  const std::uint64_t beats = architecture.vector_bytes() * 8 / axi_data_bits;
  compare("instructions", result.instructions, counts.instructions);
  compare("DRAM0 beats read", result.read_beats[0], counts.vectors_read[0] * beats);
  compare("DRAM1 beats read", result.read_beats[1], counts.vectors_read[1] * beats);
  compare("DRAM0 beats written", result.write_beats[0], counts.vectors_written[0] * beats);
  compare("DRAM1 beats written", result.write_beats[1], counts.vectors_written[1] * beats);
  compare("array runs", result.array_runs, counts.array_runs);
  compare("array loads", result.array_loads, counts.array_loads);
  compare("ALU operations", result.alu_operations, counts.alu_operations);
  for (std::size_t i = 0; i < result.dais.size(); ++i) {
    compare("DAIS instructions", result.dais[i].instructions, counts.dais_instructions[i]);
    compare("DAIS samples", result.dais[i].samples, counts.dais_samples[i]);
  }
  return text;
}

std::string shortest_failure(const RandomProgram& program,
                             const std::function<std::string(const RandomProgram&)>& failure) {
  std::string text = failure(program);
  if (text.empty()) return {};
  std::size_t length = program.instructions.size();
  for (std::size_t shorter = 0; shorter < program.instructions.size(); ++shorter) {
    std::string earlier = failure(program.prefix(shorter));
    if (earlier.empty()) continue;
    text = std::move(earlier);
    length = shorter;
    break;
  }
  return fmt::format("{}\nTACTUS_TEST_SEED={} repeats it; shortest failing prefix:\n{}", text,
                     program.seed, program.prefix(length).describe());
}

}  // namespace tactus
