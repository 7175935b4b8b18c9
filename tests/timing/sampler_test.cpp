// The performance sampler. Source: hardware spec section 11.
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Register = tcu::ConfigRegister;

/// Bits of the valid/ready pairs: the given bit is valid, the next one is ready.
enum Flag : unsigned {
  array = 32,
  accumulators = 34,
  dataflow = 36,
  dram1 = 38,
  dram0 = 40,
  local_b = 42,
  local_a = 44,
  instruction = 46,
};

struct Sampling {
  std::uint32_t block = 4;
  std::function<bool(Cycle)> ready = {};
  Cycle read_latency = 1;
};

std::vector<BareTcu::TimedSample> sample(const Program& program, const Sampling& sampling) {
  BareTcu::Config config;
  config.tcu.architecture = program.architecture();
  config.sample_block_size = sampling.block;
  config.sample_ready = sampling.ready;
  config.read_latency = sampling.read_latency;
  BareTcu simulation(config);
  EXPECT_TRUE(simulation.run(program.bytes()));
  return simulation.samples();
}

std::uint64_t counter(const Sample& s) { return s.word & 0xFFFFFFFF; }
bool valid(const Sample& s, Flag flag) { return (s.word >> flag & 1) != 0; }
bool ready(const Sample& s, Flag flag) { return (s.word >> (flag + 1) & 1) != 0; }
bool fires(const Sample& s, Flag flag) { return valid(s, flag) && ready(s, flag); }

class SamplerTiming : public ArrayTiming {};
INSTANTIATE_TEST_SUITE_P(N, SamplerTiming, testing::Values(2, 8, 32),
                         testing::PrintToStringParamName());

// Configure is the first instruction: it retires in cycle 1, and the register has its value from
// cycle 2 on.
constexpr Cycle first_capture = 2;
constexpr Cycle visible = 1;  ///< cycles from capture to the output

TEST_P(SamplerTiming, IntervalZeroGivesNothing) {
  EXPECT_TRUE(sample(program().no_op(50), {}).empty());
  EXPECT_TRUE(sample(program().configure(Register::sample_interval, 0).no_op(50), {}).empty());
}

TEST_P(SamplerTiming, OneSampleAnIntervalAndLastOncePerBlock) {
  for (const std::uint32_t interval : {1U, 2U, 3U, 7U}) {
    for (const std::uint32_t block : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << "interval " << interval << ", block " << block);
      const Cycle no_ops = 60;
      const auto samples =
          sample(program().configure(Register::sample_interval, interval).no_op(no_ops), {block});
      ASSERT_GT(samples.size(), no_ops / interval - 1);
      for (std::uint64_t k = 0; k < samples.size(); ++k) {
        const auto& [taken, s] = samples[k];
        const Cycle captured = first_capture + k * interval;
        EXPECT_EQ(taken, captured + visible);
        EXPECT_EQ(s.last, k % block == block - 1);
        if (captured > no_ops + 1) continue;  // the stream has ended
        EXPECT_EQ(counter(s), captured - 1);  // instruction i retires in cycle i+1
        EXPECT_TRUE(fires(s, instruction));
        const std::uint64_t all_valid = 0x5555'5555'0000'0000;
        // no other channel is active
        EXPECT_EQ(s.word & all_valid, std::uint64_t{1} << instruction);
        EXPECT_EQ(s.word >> 48, 0U);
      }
    }
  }
}

/// The interval is 3 and the consumer is away for 5 cycles: samples that find the register full are
/// lost, the interval continues, and the block counts only the samples that were kept.
TEST_P(SamplerTiming, FullRegisterDropsSamples) {
  Sampling sampling;
  sampling.block = 2;
  const Cycle away = first_capture + visible;
  sampling.ready = [](Cycle t) { return t < away || t >= away + 5; };
  const auto samples =
      sample(program().configure(Register::sample_interval, 3).no_op(30), sampling);
  ASSERT_GE(samples.size(), 4U);
  // The sample of cycle 2 is held from 3 to 8; the sample of 5 is lost; in cycle 8 the register has
  // just been read.
  const std::pair<Cycle, Cycle> taken_and_captured[] = {{8, 2}, {9, 8}, {12, 11}, {15, 14}};
  for (std::uint64_t k = 0; k < 4; ++k) {
    EXPECT_EQ(samples[k].first, taken_and_captured[k].first);
    EXPECT_EQ(counter(samples[k].second), taken_and_captured[k].second - 1);
    EXPECT_EQ(samples[k].second.last, k % 2 == 1);
  }
}

TEST_P(SamplerTiming, ConfiguringZeroStopsAndRestartsTheCount) {
  Program p = program();
  p.configure(Register::sample_interval, 5).no_op(9);
  p.configure(Register::sample_interval, 0).no_op(9);
  p.configure(Register::sample_interval, 5).no_op(9);
  const auto samples = sample(p, {});
  // The sampler is on from cycle 2 to 11, off from 12, on from 22.
  const Cycle captures[] = {2, 7, 22, 27};
  ASSERT_GE(samples.size(), 4U);
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(samples[k].first, captures[k] + visible);
}

/// Every cycle of a MatMul, at the decoder's outputs.
TEST_P(SamplerTiming, FlagsOfAMatMul) {
  const std::uint64_t n = 6;
  const auto samples = sample(program().configure(Register::sample_interval, 1).mat_mul(n), {});
  const Cycle head = first_capture;            // head of the second instruction
  ASSERT_GE(samples.size(), 2 * n_array + n);  // up to the last write
  for (std::uint64_t k = 0; k < samples.size(); ++k) {
    SCOPED_TRACE(k);
    const Sample& s = samples[k].second;
    const Cycle t = first_capture + k;
    const bool at_head = t < head + n;
    EXPECT_EQ(valid(s, instruction), at_head);
    EXPECT_EQ(fires(s, instruction), t == head + n - 1);
    EXPECT_EQ(fires(s, local_a), at_head);
    EXPECT_EQ(valid(s, local_a), at_head);
    EXPECT_EQ(fires(s, dataflow), t == head);  // one item for the instruction
    EXPECT_EQ(valid(s, dataflow), t == head);
    EXPECT_EQ(fires(s, array), at_head);  // one item per vector, which never waits
    EXPECT_EQ(valid(s, array), at_head);
    // Two items wait in the accumulators' queue behind the one whose result is still in the array.
    // An entry becomes free one cycle after each write except the first, whose successor is at the
    // head.
    const Cycle first_write = head + 2 * n_array;
    const bool room = t < head + 3 || t > first_write;
    const bool wanted = t < first_write + n - 2;
    EXPECT_EQ(valid(s, accumulators), wanted);
    EXPECT_EQ(fires(s, accumulators), wanted && room);
    EXPECT_FALSE(valid(s, local_b) || valid(s, dram0) || valid(s, dram1));
  }
}

TEST_P(SamplerTiming, FlagsOfTransfers) {
  const std::uint64_t n = 4;
  for (const unsigned port : {0U, 1U}) {
    Sampling sampling;
    sampling.read_latency = 6;
    const auto samples = sample(
        program().configure(Register::sample_interval, 1).read_dram(port, n).write_dram(port, n),
        sampling);
    const Cycle head = first_capture;
    const Cycle write = head + sampling.read_latency + n;  // head of the second move
    ASSERT_GE(samples.size(), write + n - head);
    for (std::uint64_t k = 0; k < write + n - head; ++k) {
      const Sample& s = samples[k].second;
      const Cycle t = first_capture + k;
      EXPECT_EQ(fires(s, port == 0 ? dram0 : dram1), t == head || t == write);
      EXPECT_FALSE(valid(s, port == 0 ? dram1 : dram0));
      EXPECT_TRUE(valid(s, local_b));
      EXPECT_EQ(ready(s, local_b), t >= head + sampling.read_latency);
      EXPECT_EQ(fires(s, instruction), t == write - 1 || t == write + n - 1);
      EXPECT_FALSE(valid(s, local_a) || valid(s, array) || valid(s, accumulators));
    }
  }
}

/// In the whole design, the samples are delivered with the same timing.
TEST(SamplerOutput, InTheWholeDesign) {
  const Program p =
      Program(timing_architecture(8)).configure(Register::sample_interval, 4).no_op(40);
  const auto expected = sample(p, {3});
  TcuSimulationConfig config;
  config.architecture = p.architecture();
  config.sample_block_size = 3;
  TcuSimulation simulation(config);
  std::vector<BareTcu::TimedSample> samples;
  simulation.system().on_sample = [&](const Sample& s) {
    samples.emplace_back(simulation.now(), s);
  };
  EXPECT_EQ(simulation.run(p.bytes()).end, RunEnd::finished);
  ASSERT_EQ(samples.size(), expected.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].first, expected[i].first);
    EXPECT_EQ(samples[i].second.word, expected[i].second.word);
    EXPECT_EQ(samples[i].second.last, expected[i].second.last);
  }
}

}  // namespace
}  // namespace tactus
