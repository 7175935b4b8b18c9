// Runs of equal cycles in the accumulators: successive plain and accumulating writes to the same
// and to adjacent vectors, at starts and ends of runs. There is no observer, because runs are
// skipped only then. Memories, retire cycles and counters are compared.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

constexpr std::uint64_t small_depth = 128;

std::string compare_engines(const RandomProgram& program, TcuSimulationConfig config) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, 0, false, observed_of(program));
  config.engine = Engine::fast;
  std::string text = difference(step, record_run(program, config, 0, false, observed_of(program)));
  config.engine = Engine::check;
  config.check_every = 1;
  try {
    if (text.empty())
      text = difference(step, record_run(program, config, 0, false, observed_of(program)));
  } catch (const InternalError& error) {
    text = error.what();
  }
  return text.empty() ? text : text + "\n" + describe(config);
}

/// A machine whose local memory is filled from DRAM0 with small numbers, so that most sums differ.
RandomProgram machine_with_data(Random& random, unsigned array_size, std::uint64_t accumulators) {
  RandomProgram program;
  tcu::Architecture& a = program.architecture;
  a.array_size = array_size;
  a.local_depth = small_depth;
  a.accumulator_depth = accumulators;
  // The data width is the largest for the array, so that instructions arrive as fast as possible.
  program.axi_data_bits = std::min(128U, array_size * 16);
  for (unsigned port = 0; port < 2; ++port) {
    RandomProgram::Window window{port, 0,
                                 std::vector<std::uint8_t>(small_depth * a.vector_bytes())};
    for (std::size_t i = 0; i < window.bytes.size(); ++i) {
      window.bytes[i] = static_cast<std::uint8_t>(random.below(i % 2 == 0 ? 256 : 2));
    }
    program.windows.push_back(window);
  }
  return program;
}

TcuSimulationConfig quick_machine(const RandomProgram& program) {
  TcuSimulationConfig config = machine_config(program);
  config.read_latency = 1;
  config.write_latency = 1;
  return config;
}

/// Fills local memory and the array, so that the following products have different results.
const std::string prologue =
    "DataMove DRAM0(0) -> Local(0), 128\n"
    "LoadWeights Local(90), ARRAY_SIZE + 1\n";

std::string check_text(unsigned array_size, const std::string& text) {
  Random random(array_size);
  RandomProgram program = machine_with_data(random, array_size, 64);
  program.instructions = tcu::assemble(program.architecture, prologue + text, "accumulators");
  return compare_engines(program, quick_machine(program));
}

std::string repeated(unsigned count, const std::string& line) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += line + "\n";
  return text;
}

const std::vector<unsigned> sizes{2, 4, 8, 16, 32};

/// Several plain writes to one vector release the lock while one of them is still pending. A long
/// stream to adjacent vectors follows in the same rhythm.
TEST(EngineHazards, EqualPlainWritesBeforeALongStream) {
  for (const unsigned n : sizes) {
    for (const char* kind : {"MatMul", "DataMove"}) {
      for (unsigned equal = 1; equal <= 5; ++equal) {
        for (unsigned start = 19; start <= 21; ++start) {
          const std::string text =
              fmt::format("{0} Local(0) -> Acc(0), 20\n", kind) +
              repeated(equal, fmt::format("{0} Local(3) -> Acc(20), 1", kind)) +
              fmt::format("{0} Local(1) -> Acc({1}), 40\n", kind, start) +
              fmt::format("{0}.acc Local(9) -> Acc({1}), 40\n", kind, start);
          ASSERT_EQ(check_text(n, text), "") << n << "\n" << text;
        }
      }
    }
  }
}

/// Accumulating writes follow plain and accumulating writes; the streams overlap or are up to one
/// vector apart.
TEST(EngineHazards, AdjacentAndOverlappingStreams) {
  for (const unsigned n : sizes) {
    for (const char* first : {"MatMul", "MatMul.acc", "DataMove", "DataMove.acc"}) {
      for (const char* second : {"MatMul", "MatMul.acc", "DataMove", "DataMove.acc"}) {
        for (unsigned start = 27; start <= 31; ++start) {
          const std::string text = fmt::format(
              "{0} Local(0) -> Acc(10), 20\n"
              "{1} Local(30) -> Acc({2}), 30\n"
              "{0} Local(7) -> Acc({2}), 1\n"
              "{1} Local(8) -> Acc({2}), 1\n"
              "{0} Local(60) -> Acc({2})@2, 12\n"
              "DataMove Acc({2}) -> Local(64), 25\n"
              "{1} Local(64) -> Acc({2}), 25\n",
              first, second, start);
          ASSERT_EQ(check_text(n, text), "") << n << "\n" << text;
        }
      }
    }
  }
}

/// Every kind of stream follows every other, without and with a SIMD instruction in between.
TEST(EngineHazards, LongStreamsBackToBack) {
  const std::vector<std::string> streams{
      "MatMul Local(0) -> Acc(2), 50",
      "MatMul.acc Local(5) -> Acc(1), 50",
      "MatMul.zeroes Acc(4), 30",
      "DataMove Local(3) -> Acc(0), 60",
      "DataMove.acc Local(9)@2 -> Acc(3), 50",
      "DataMove Acc(0) -> Local(20), 60",
      "DataMove Acc(1)@2 -> Local(70)@2, 25",
      "LoadWeights Local(40), ARRAY_SIZE + 1",
      "SIMD O = Add(I, R1), read Acc(5), write Acc(6), accumulate",
  };
  for (const unsigned n : sizes) {
    for (const std::string& one : streams) {
      for (const std::string& other : streams) {
        const std::string text = repeated(3, one + "\n" + other) + repeated(2, other) + one + "\n";
        ASSERT_EQ(check_text(n, text), "") << n << "\n" << text;
      }
    }
  }
}

/// Draws instructions for the accumulators. Most start at or next to the vectors of the previous
/// instruction.
class Streams {
 public:
  Streams(Random& random, const tcu::Architecture& architecture)
      : random_(random), a_(architecture), layout_(architecture) {}

  tcu::Instruction next() {
    const unsigned kind = static_cast<unsigned>(random_.below(20));
    if (kind == 0) return make_load_weights(layout_, {local(), 0}, a_.array_size + 1);
    if (kind == 1) return simd();
    const std::uint64_t most = std::min(a_.accumulator_depth, small_depth);
    const std::uint64_t count = random_.chance(40) ? random_.range(1, 3) : random_.range(1, most);
    const auto stride = static_cast<unsigned>(random_.chance(70) ? 0 : random_.below(4));
    const tcu::Operand to{accumulator(count), stride};
    const tcu::Operand from{local(), static_cast<unsigned>(random_.below(2))};
    if (kind < 12) return make_mat_mul(layout_, from, to, count, random_.chance(50), kind == 2);
    const auto move = random_.pick({tcu::DataMoveKind::accumulator_to_local,
                                    tcu::DataMoveKind::local_to_accumulator,
                                    tcu::DataMoveKind::local_to_accumulator_accumulate});
    return make_data_move(layout_, move, from, to, count);
  }

 private:
  std::uint64_t local() { return random_.below(small_depth); }
  /// Returns an address near the beginning or end of the previous stream, or any. Streams may go
  /// past the last accumulator.
  std::uint64_t accumulator(std::uint64_t count) {
    const std::uint64_t depth = a_.accumulator_depth;
    std::uint64_t at = random_.below(depth);
    if (random_.chance(40)) at = first_ % depth;
    if (random_.chance(40)) at = (first_ + count_ + depth - random_.below(3)) % depth;
    first_ = at;
    count_ = count;
    return at;
  }
  tcu::Instruction simd() {
    const bool reads = random_.chance(60);
    const tcu::SimdFields fields{tcu::SimdOp::add, reads ? 0U : 1U, 1,
                                 random_.chance(50) ? 1U : 0U};
    return make_simd(layout_, fields, accumulator(1), accumulator(1), reads, random_.chance(60),
                     random_.chance(50));
  }

  Random& random_;
  const tcu::Architecture& a_;
  tcu::InstructionLayout layout_;
  std::uint64_t first_ = 0, count_ = 0;
};

RandomProgram random_streams(std::uint64_t seed) {
  Random random(seed);
  const auto array_size = random.pick<unsigned>({2, 4, 8, 16, 32});
  // Strides wrap early, and the depth is not a power of two.
  const std::uint64_t accumulators =
      random.chance(50) ? random.range(3, 40) : random.range(41, 300);
  RandomProgram program = machine_with_data(random, array_size, accumulators);
  const tcu::Architecture& a = program.architecture;
  program.instructions = tcu::assemble(a, prologue, "prologue");
  Streams streams(random, a);
  while (program.instructions.size() < 30) {
    const tcu::Instruction instruction = streams.next();
    const std::uint64_t times = random.chance(75) ? 1 : random.range(2, 4);
    program.instructions.insert(program.instructions.end(), times, instruction);
  }
  return program;
}

TEST(EngineHazards, RandomStreams) {
  for (const std::uint64_t seed : test_seeds(16'000'000, 400)) {
    const RandomProgram program = random_streams(seed);
    TcuSimulationConfig config = quick_machine(program);
    Random random(seed ^ 0xACC);
    if (random.chance(25)) config.feed_gap = random.below(12);
    ASSERT_EQ(shortest_failure(program,
                               [&](const RandomProgram& p) { return compare_engines(p, config); }),
              "")
        << seed;
  }
}

/// Stream sizes are truncated to the accumulators' depth, so the accumulators take only part of a
/// stream and the program hangs. The first cycle without activity follows skipped cycles; the hang
/// is reported after the same number of cycles as without skipping.
TEST(EngineHazards, HangsThatFollowARun) {
  for (const unsigned n : {2U, 4U, 8U}) {
    for (const std::uint64_t depth : {2U, 4U, 64U}) {
      Random random(n);
      RandomProgram program = machine_with_data(random, n, depth);
      const tcu::InstructionLayout layout(program.architecture);
      for (const std::uint64_t vectors : {1U, 2U, 3U, 5U, 17U, 33U, 64U}) {
        for (const bool accumulate : {false, true}) {
          program.instructions = {make_mat_mul(layout, {0, 0}, {0, 0}, vectors, accumulate, false)};
          ASSERT_EQ(compare_engines(program, quick_machine(program)), "")
              << n << " " << depth << " " << vectors;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactus
