// The memory may be any TLM-2.0 target. The way in which it conducts a transaction does not change
// any cycle, its latencies do not change data, and its errors are reported.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "models/dram/fixed_latency_bank.h"
#include "tests/support/differential.h"
#include "tests/support/error_of.h"
#include "tests/support/phased_memory.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using Protocol = PhasedMemory::Protocol;

PhasedMemory::Config fixed_latency(const TcuSimulationConfig& config, Protocol protocol,
                                   double request_cycles = 0) {
  PhasedMemory::Config memory;
  memory.protocol = protocol;
  memory.request_cycles = request_cycles;
  memory.latency = [read = config.read_latency, write = config.write_latency](bool is_write) {
    return is_write ? write : read;
  };
  return memory;
}

/// A memory that answers in random order within a direction. Data stay the same, since the port
/// does not mix reads and writes.
PhasedMemory::Config random_latency(std::uint64_t seed, Protocol protocol, double request_cycles) {
  PhasedMemory::Config memory;
  memory.protocol = protocol;
  memory.request_cycles = request_cycles;
  memory.latency = [random = std::make_shared<Random>(seed)](bool) {
    return random->range(1, random->chance(20) ? 200 : 20);
  };
  return memory;
}

struct Variant {
  std::string name;
  TcuSimulationConfig config;
};

/// The built-in memory without DMI; every burst is a transaction.
MemoryFactory without_dmi(const TcuSimulationConfig& config) {
  return [bank = FixedLatencyBank::Config{config.read_latency, config.write_latency,
                                          clock_period(config.clock_mhz)}](unsigned port,
                                                                           AxiSlave& slave) {
    auto memory = std::make_unique<FixedLatencyBank>(port == 0 ? "bank0" : "bank1", bank);
    slave.socket.bind(memory->socket);
    return memory;
  };
}

std::vector<Variant> same_timing(const TcuSimulationConfig& base) {
  std::vector<Variant> variants;
  variants.push_back({"blocking transport", base});
  variants.back().config.transport = AxiSlave::Transport::blocking;
  variants.push_back({"non-blocking transport without DMI", base});
  variants.back().config.memory = without_dmi(base);
  variants.push_back({"blocking transport without DMI", variants.back().config});
  variants.back().config.transport = AxiSlave::Transport::blocking;
  const auto add = [&](const char* name, Protocol protocol, double request_cycles) {
    variants.push_back({name, base});
    use_phased_memory(variants.back().config, fixed_latency(base, protocol, request_cycles));
  };
  add("early completion", Protocol::completed, 0);
  add("TLM_UPDATED with BEGIN_RESP", Protocol::updated_response, 0);
  add("TLM_UPDATED with END_REQ", Protocol::updated_request, 0);
  add("four phases", Protocol::accepted, 0);
  // END_REQ is in time if it comes within half a cycle of the edge, before the next request.
  add("four phases, END_REQ a quarter of a cycle late", Protocol::accepted, 0.25);
  return variants;
}

std::string compare_protocols(const RandomProgram& program, const TcuSimulationConfig& base) {
  const RunRecord expected = record_run(program, base);
  for (const Variant& variant : same_timing(base)) {
    const std::string text = difference(expected, record_run(program, variant.config));
    if (!text.empty()) return variant.name + ": " + text + "\n" + describe(base);
  }
  return {};
}

TEST(MemorySideProperty, ProtocolsWithTheSameTimingAgreeInEveryCycle) {
  for (const std::uint64_t seed : test_seeds(7'000'000, 250)) {
    RandomOptions options;
    options.hazards = seed % 2 == 0 ? Hazards::none : Hazards::any;
    options.wrap = options.hazards == Hazards::none;
    const RandomProgram program = random_program(seed, options);
    Random random(seed ^ 0xD7A);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    // The periods are 10 ns, 3003 ps, 142.857 ns and 8 ps.
    config.clock_mhz = random.pick({100.0, 333.0, 7.0, 125000.0});
    EXPECT_EQ(shortest_failure(
                  program, [&](const RandomProgram& p) { return compare_protocols(p, config); }),
              "");
    if (HasFailure()) return;
  }
}

/// AxCACHE of each transaction is right, in order, for a program that changes it.
TEST(MemorySideProperty, TransactionsCarryTheCacheAttributes) {
  tcu::Architecture architecture;
  architecture.array_size = 4;
  architecture.dram0_depth = architecture.dram1_depth = architecture.local_depth = 64;
  architecture.accumulator_depth = 64;
  const std::vector<std::uint8_t> program =
      tcu::assemble_bytes(architecture,
                          "Configure Dram0Cache = 0xB\nDataMove Dram0(0) -> Local(0), 4\n"
                          "Configure Dram0Cache = 5\nDataMove Local(0) -> Dram0(8), 4\n"
                          "DataMove Dram1(0) -> Local(8), 4\n",
                          "t", tcu::AssemblerChecks::strict);
  for (const Protocol protocol : {Protocol::completed, Protocol::accepted}) {
    std::vector<std::pair<bool, unsigned>> seen;
    TcuSimulationConfig config;
    config.architecture = architecture;
    PhasedMemory::Config memory = fixed_latency(config, protocol);
    memory.sees = [&seen](const tlm::tlm_generic_payload& transaction) {
      const AxiCache* cache = nullptr;
      transaction.get_extension(cache);
      ASSERT_NE(cache, nullptr);
      seen.emplace_back(transaction.is_write(), cache->bits);
    };
    use_phased_memory(config, memory);
    TcuSimulation simulation(config);
    EXPECT_EQ(simulation.run(program).end, RunEnd::finished);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<std::pair<bool, unsigned>>{{false, 0}, {false, 0xB}, {true, 5}}));
  }
}

std::string compare_data(const RandomProgram& program, const TcuSimulationConfig& config,
                         const std::string& name) {
  FunctionalModel reference(program.architecture);
  load_windows(program, reference);
  reference.run(program.bytes());
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  const TcuRunResult result = simulation.run(program.bytes());
  std::string text =
      difference(program.architecture, config.axi_data_bits, result, reference.counts());
  if (text.empty()) text = difference(simulation, reference);
  return text.empty() ? text : name + ": " + text + "\n" + describe(config);
}

TEST(MemorySideProperty, LateAndReorderedAnswersNeverChangeData) {
  for (const std::uint64_t seed : test_seeds(8'000'000, 400)) {
    const RandomProgram program = random_program(seed);
    Random random(seed ^ 0xA11);
    TcuSimulationConfig base = machine_config(program);
    randomise_timing(random, base);
    const auto check = [&](const std::string& name, const PhasedMemory::Config& memory) {
      TcuSimulationConfig config = base;
      use_phased_memory(config, memory);
      EXPECT_EQ(shortest_failure(
                    program, [&](const RandomProgram& p) { return compare_data(p, config, name); }),
                "");
    };
    const double request_cycles = random.pick({0.0, 0.5, 1.0, 2.5, 30.0});
    check("random latency", random_latency(seed, Protocol::accepted, request_cycles));
    check("random latency, updated", random_latency(seed, Protocol::updated_request, 0));
    check("random latency, completed", random_latency(seed, Protocol::completed, 0));
    check("one request at a time", random_latency(seed, Protocol::response_only, 0));
    check("late END_REQ", fixed_latency(base, Protocol::accepted, request_cycles));
    if (HasFailure()) return;
  }
}

// ---- errors ------------------------------------------------------------------------------------

/// A program of two DataMoves: DRAM0 -> local, then local -> DRAM1 at byte address 0x3000.
RandomProgram two_moves() {
  RandomProgram program;
  const tcu::InstructionLayout layout(program.architecture);
  program.instructions = {
      make_data_move(layout, tcu::DataMoveKind::dram0_to_local, {0, 0}, {256, 0}, 4),
      make_data_move(layout, tcu::DataMoveKind::local_to_dram1, {0, 0}, {768, 0}, 4)};
  return program;
}

std::string error_with(const PhasedMemory::Config& memory) {
  const RandomProgram program = two_moves();
  TcuSimulationConfig config = machine_config(program);
  use_phased_memory(config, memory);
  TcuSimulation simulation(config);
  return error_of([&] { (void)simulation.run(program.bytes()); });
}

TEST(MemorySide, AnErrorResponseNamesTheAddress) {
  for (const Protocol protocol :
       {Protocol::completed, Protocol::updated_response, Protocol::updated_request,
        Protocol::accepted, Protocol::response_only}) {
    SCOPED_TRACE(static_cast<int>(protocol));
    PhasedMemory::Config memory = fixed_latency({}, protocol);
    memory.refuses = [](std::uint32_t address) { return address == 0x1000; };
    const std::string read = error_with(memory);
    EXPECT_NE(read.find("0x1000"), std::string::npos) << read;
    EXPECT_NE(read.find("read of 64 bytes"), std::string::npos) << read;
    EXPECT_NE(read.find("slave0"), std::string::npos) << read;
    EXPECT_NE(read.find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos) << read;
    memory.refuses = [](std::uint32_t address) { return address == 0x3000; };
    const std::string write = error_with(memory);
    EXPECT_NE(write.find("slave1"), std::string::npos) << write;
    EXPECT_NE(write.find("write of 64 bytes at address 0x3000"), std::string::npos) << write;
  }
}

TcuRunResult run_with(const PhasedMemory::Config& memory) {
  const RandomProgram program = two_moves();
  TcuSimulationConfig config = machine_config(program);
  use_phased_memory(config, memory);
  TcuSimulation simulation(config);
  TcuRunOptions options;
  options.max_cycles = 200'000;
  return simulation.run(program.bytes(), options);
}

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(MemorySide, AMemoryThatNeverAnswersIsAHang) {
  for (const bool ends_requests : {true, false}) {
    for (const Protocol protocol :
         {Protocol::updated_request, Protocol::accepted, Protocol::response_only}) {
      SCOPED_TRACE(static_cast<int>(protocol));
      PhasedMemory::Config memory;
      memory.protocol = protocol;
      memory.ends_requests = ends_requests;
      memory.latency = [](bool) { return 0; };
      const TcuRunResult reads = run_with(memory);
      EXPECT_EQ(reads.end, RunEnd::hang);
      EXPECT_LT(reads.cycles, 10000U);
      EXPECT_NE(all_of(reads.waits_for).find("dram0: read data of 1 burst"), std::string::npos)
          << all_of(reads.waits_for);
      memory.latency = [](bool write) { return write ? 0 : 5; };
      const TcuRunResult writes = run_with(memory);
      EXPECT_EQ(writes.end, RunEnd::hang);
      EXPECT_LT(writes.cycles, 10000U);
      EXPECT_NE(all_of(writes.waits_for).find("dram1: write responses of 1 burst"),
                std::string::npos)
          << all_of(writes.waits_for);
    }
  }
}

TEST(MemorySide, AVerySlowMemoryIsNoHang) {
  for (const Protocol protocol : {Protocol::completed, Protocol::updated_request,
                                  Protocol::accepted, Protocol::response_only}) {
    SCOPED_TRACE(static_cast<int>(protocol));
    TcuSimulationConfig slow;
    slow.read_latency = slow.write_latency = 20000;
    const TcuRunResult result = run_with(fixed_latency(slow, protocol));
    EXPECT_EQ(result.end, RunEnd::finished);
    EXPECT_GT(result.cycles, 40000U);
  }
}

}  // namespace
}  // namespace tactus
