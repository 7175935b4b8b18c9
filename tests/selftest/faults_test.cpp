// Machines with one fault each, and the self-tests that detect the fault: every self-test can fail.
#include <gtest/gtest.h>

#include "firmware/selftest/tcu/gemm_measurement.h"
#include "firmware/selftest/tcu/target.h"
#include "models/tcu/events.h"
#include "tests/selftest/machines.h"

namespace tactus {
namespace {

/// All self-tests that depend on data; the other self-tests check cycles or the sampler.
constexpr const char* data_tests =
    "memory_address_lines memory_whole memory_strides_dram0 memory_strides_dram1 "
    "memory_offsets_dram0 memory_offsets_dram1 accumulate array array_strides array_rounding gemm "
    "simd simd_operations xor classifier";

std::string failed_names(const TcuSimulationConfig& config, const SelftestOptions& options = {}) {
  return names(run_selftests(config, options), SelftestStatus::failed);
}

TcuSimulationConfig with_fault(unsigned port, const Fault& fault) {
  TcuSimulationConfig config = preset("pynqz1");
  config.memory = faulty_memory(port, fault);
  return config;
}

TEST(Faults, LegacyRoundingWhereTheSumShouldBeRounded) {
  TcuSimulationConfig config = preset("pynqz1");
  config.rounding = tcu::MacRounding::legacy;
  SelftestOptions options;
  options.expected_rounding = tcu::MacRounding::sum;
  const auto results = run_selftests(config, options);
  EXPECT_EQ(names(results, SelftestStatus::failed), "array array_strides array_rounding");
  // The test's own value: 0.5 + 1 is 1.5, rounded to 2. Legacy rounds 0.5 to 0 first, so it gives
  // 1.
  const std::string text = failures(results);
  EXPECT_NE(text.find("array_rounding: 128 * 1 + 1 in mantissas, sum rounded: DRAM0 from vector 1: "
                      "8 of 8 lanes are wrong, first vector 0 lane 0: expected 2, found 1"),
            std::string::npos)
      << text;
}

TEST(Faults, SumRoundingWhereLegacyIsExpected) {
  SelftestOptions options;
  options.expected_rounding = tcu::MacRounding::legacy;
  EXPECT_EQ(failed_names(preset("pynqz1"), options), "array array_strides array_rounding");
}

TEST(Faults, OneBitOfWhatDram0Reads) {
  Fault fault;
  fault.on_read = [](std::uint8_t* data, unsigned) { data[1] ^= 0x10; };
  const auto results = run_selftests(with_fault(0, fault));
  for (const SelftestResult& result : results) {
    const bool reads = std::string(data_tests).find(result.name) != std::string::npos &&
                       result.name != "memory_whole" && result.name != "memory_strides_dram1" &&
                       result.name != "memory_offsets_dram1";
    EXPECT_EQ(result.status == SelftestStatus::failed, reads) << result.name << result.detail;
  }
}

TEST(Faults, OneBitOfWhatDram0Writes) {
  Fault fault;
  fault.on_write = [](std::uint8_t* data, unsigned) { data[0] ^= 0x01; };
  EXPECT_EQ(failed_names(with_fault(0, fault)), data_tests);
}

TEST(Faults, OneBitOfWhatDram1Reads) {
  Fault fault;
  fault.on_read = [](std::uint8_t* data, unsigned length) { data[length - 1] ^= 0x40; };
  EXPECT_EQ(failed_names(with_fault(1, fault)),
            "memory_address_lines memory_whole memory_strides_dram1 memory_offsets_dram1 array "
            "array_strides array_rounding gemm simd simd_operations xor classifier");
}

TEST(Faults, OneBitOfWhatDram1Writes) {
  Fault fault;
  fault.on_write = [](std::uint8_t* data, unsigned) { data[0] ^= 0x80; };
  EXPECT_EQ(failed_names(with_fault(1, fault)), "memory_address_lines memory_whole");
}

/// Each address line of both ports is stuck at 0.
TEST(Faults, AddressLinesOfDram) {
  SelftestOptions options;
  options.filter = "memory_address_lines";
  for (unsigned port = 0; port < 2; ++port) {
    for (unsigned line = 4; line < 24; ++line) {  // lines of 2^20 vectors of 16 bytes
      Fault fault;
      fault.address_and = ~(1U << line);
      EXPECT_EQ(failed_names(with_fault(port, fault), options), "memory_address_lines")
          << "port " << port << " line " << line;
    }
  }
}

TEST(Faults, AMemoryThatNeverAnswers) {
  Fault fault;
  fault.silent = true;
  const auto results = run_selftests(with_fault(0, fault));
  // The store of timing_mat_mul also gets no response.
  EXPECT_EQ(names(results, SelftestStatus::failed), std::string(data_tests) + " timing_mat_mul");
  EXPECT_NE(results.front().detail.find("did not finish within"), std::string::npos)
      << results.front().detail;
  EXPECT_NE(results.front().detail.find("dram0"), std::string::npos) << results.front().detail;
}

TEST(Faults, AProgramThatTakesTooLong) {
  SelftestOptions options;
  options.filter = "sampling";
  options.max_cycles = 5000;
  const auto results = run_selftests(preset("pynqz1"), options);
  EXPECT_NE(failures(results).find("did not finish within 5000 cycles"), std::string::npos)
      << failures(results);
}

/// Flips a bit of a local vector or an accumulator after each write of the machine.
class FlipWrites final : public EventSink {
 public:
  FlipWrites(TcuSimulation& simulation, EventKind kind, DualPortMemory& memory)
      : kind_(kind), memory_(memory) {
    simulation.observe(this);
  }
  void event(const Event& event) override {
    if (event.kind == kind_) written_.push_back(event.a);
  }
  void end_of_cycle(Cycle) override {
    for (const std::uint64_t address : written_) *memory_.vector(address) ^= 1;
    written_.clear();
  }

 private:
  EventKind kind_;
  DualPortMemory& memory_;
  std::vector<std::uint64_t> written_;
};

template <typename Test>
bool fails(Test test, EventKind kind) {
  const SelftestOptions options;
  selftest::Target target(preset("pynqz1"), options);
  Tcu& tcu = target.simulation().system().tcu();
  DualPortMemory& memory = kind == TcuEvent::accumulator_write_a
                               ? tcu.accumulators().accumulator().memory()
                               : tcu.local();
  const FlipWrites flip(target.simulation(), kind, memory);
  try {
    (void)test(target);
  } catch (const selftest::Failure&) {
    return true;
  }
  return false;
}

TEST(Faults, OneBitOfLocalMemoryAndAccumulators) {
  const std::vector<std::function<std::string(selftest::Target&)>> tests = {
      selftest::memory_address_lines,
      selftest::memory_whole,
      [](selftest::Target& target) { return selftest::memory_strides(target, 0); },
      [](selftest::Target& target) { return selftest::memory_offsets(target, 1); },
      selftest::accumulate,
      selftest::array_affine,
      selftest::array_strides,
      selftest::array_rounding,
      selftest::gemm,
      selftest::simd_affine,
      selftest::simd_operations,
      selftest::xor_network};
  for (std::size_t i = 0; i < tests.size(); ++i) {
    EXPECT_TRUE(fails(tests[i], TcuEvent::accumulator_write_a)) << "test " << i;
    EXPECT_TRUE(fails(tests[i], TcuEvent::local_write_b)) << "test " << i;
    EXPECT_TRUE(fails(tests[i], TcuEvent::local_write_a)) << "test " << i;
  }
}

TEST(Faults, TheBenchmarkChecksItsResult) {
  TcuSimulationConfig config = preset("pynqz1");
  Fault fault;
  unsigned writes = 0;
  fault.on_write = [&writes](std::uint8_t* data, unsigned) {
    if (++writes == 2) data[777] ^= 1;  // flips one bit of the second tile of the result
  };
  config.memory = faulty_memory(0, fault);
  TcuSimulation simulation(config);
  EXPECT_NE(run_gemm(simulation, {64, 3, 2}).wrong, "");
}

}  // namespace
}  // namespace tactus
