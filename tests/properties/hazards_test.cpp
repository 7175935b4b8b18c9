// Hazards of the accumulators (hardware spec 8.1), one by one, each with a similar program that is
// safe. The right result is that of the in-order reference.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/driver/tcu/simulation.h"
#include "isa/tcu/assembler.h"
#include "tests/support/functional_model.h"

namespace tactus {
namespace {

/// Instructions have 8 bytes on a 64-bit stream: one per cycle.
tcu::Architecture architecture(unsigned array_size) {
  tcu::Architecture a;
  a.array_size = array_size;
  return a;
}

/// Local memory holds weights at 0..N, so that each lane of a product is element 0 of its input,
/// and at DATA + k the vector of k + 1. Accumulators are zero.
const std::string prologue =
    ".equ DATA ARRAY_SIZE + 1\n"
    "DataMove DRAM0(0) -> Local(0), DATA + 16\n"
    "LoadWeights Local(0), DATA\n";

std::vector<std::uint8_t> dram(const tcu::Architecture& a) {
  std::vector<std::uint8_t> bytes((a.array_size + 17) * a.vector_bytes());
  const auto fill = [&](std::uint64_t vector, std::int64_t value) {
    std::uint8_t* at = bytes.data() + vector * a.vector_bytes();
    for (std::size_t i = 0; i < a.array_size; ++i) set_lane(a.data_type, at, i, value * 256);
  };
  fill(1, 1);  // weights of input 0; the bias and other weights stay zero
  for (unsigned k = 0; k < 16; ++k) fill(a.array_size + 1 + k, k + 1);
  return bytes;
}

struct Outcome {
  std::vector<std::int64_t> actual, right;  ///< lane 0 of the first accumulators, as whole numbers
};

Outcome run(const std::string& text, unsigned array_size = 8) {
  const tcu::Architecture a = architecture(array_size);
  const auto program = tcu::assemble_bytes(a, prologue + text, "hazard");
  TcuSimulationConfig config;
  config.architecture = a;
  TcuSimulation simulation(config);
  simulation.write_dram(0, 0, dram(a));
  EXPECT_EQ(simulation.run(program).end, RunEnd::finished);
  FunctionalModel reference(a);
  reference.dram(0).write(0, dram(a));
  reference.run(program);
  Outcome outcome;
  for (std::uint64_t k = 0; k < 10; ++k) {
    const DualPortMemory& memory = simulation.system().tcu().accumulators().accumulator().memory();
    outcome.actual.push_back(lane(a.data_type, memory.vector(k), 0) / 256);
    outcome.right.push_back(reference.accumulators()[k][0] / 256);
  }
  return outcome;
}

std::string repeated(unsigned count, const std::string& line) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += line + "\n";
  return text;
}

const std::vector<unsigned> sizes{4, 8, 16, 32};

TEST(Hazards, AccumulatingMovesToOneVectorLoseAnUpdate) {
  for (const unsigned n : sizes) {
    const Outcome outcome = run("DataMove Local(DATA + 6) -> Acc(0), 1\n" +
                                    repeated(3, "DataMove.acc Local(DATA + 6) -> Acc(0), 1"),
                                n);
    EXPECT_EQ(outcome.right[0], 4 * 7);
    EXPECT_EQ(outcome.actual[0], 3 * 7) << n;
  }
}

TEST(Hazards, AccumulatesAtDistanceTwoAreSafe) {
  for (const unsigned n : sizes) {
    const Outcome moves = run(repeated(4,
                                       "DataMove.acc Local(DATA + 6) -> Acc(0), 1\n"
                                       "DataMove.acc Local(DATA + 2) -> Acc(1), 1"),
                              n);
    EXPECT_EQ(moves.actual[0], 4 * 7) << n;
    EXPECT_EQ(moves.actual[1], 4 * 3) << n;
    const Outcome products = run(repeated(5, "MatMul.acc Local(DATA + 3) -> Acc(4), 2"), n);
    EXPECT_EQ(products.actual[4], 5 * 4) << n;
    EXPECT_EQ(products.actual[5], 5 * 5) << n;
  }
}

TEST(Hazards, AReadBetweenAccumulatesMakesThemSafe) {
  const Outcome outcome = run(repeated(4,
                                       "MatMul.acc Local(DATA) -> Acc(0), 1\n"
                                       "SIMD O = Move(I), read Acc(9)"));
  EXPECT_EQ(outcome.actual[0], 4);
}

TEST(Hazards, NoOpsBetweenMatMulsAreSafeFromTwiceTheArraySize) {
  for (const unsigned n : sizes) {
    const auto with_no_ops = [n](unsigned count) {
      return run("MatMul.acc Local(DATA + 1) -> Acc(0), 1\n" + repeated(count, "NoOp") +
                     "MatMul.acc Local(DATA + 4) -> Acc(0), 1\n",
                 n)
          .actual[0];
    };
    for (unsigned count = 0; count < 2 * n; ++count) {
      EXPECT_EQ(with_no_ops(count), 5) << n << ", " << count << " NoOps";
    }
    EXPECT_EQ(with_no_ops(2 * n), 2 + 5) << n;
    EXPECT_EQ(with_no_ops(2 * n + 1), 2 + 5) << n;
  }
}

TEST(Hazards, AMatMulThatBeginsAtTheLastVectorOfTheOneBeforeLosesAnUpdate) {
  for (const unsigned n : sizes) {
    const Outcome touching =
        run("MatMul.acc Local(DATA) -> Acc(0), 3\n"
            "MatMul.acc Local(DATA + 8) -> Acc(2), 3\n",
            n);
    EXPECT_EQ(touching.right[2], 3 + 9);
    EXPECT_EQ(touching.actual[2], 9) << n;
    EXPECT_EQ(touching.actual[1], 2);
    EXPECT_EQ(touching.actual[3], 10);
    const Outcome overlapping =
        run("MatMul.acc Local(DATA) -> Acc(0), 3\n"
            "MatMul.acc Local(DATA + 8) -> Acc(1), 3\n",
            n);
    EXPECT_EQ(overlapping.actual, overlapping.right) << n;
  }
}

TEST(Hazards, SimdWriteOnlyAccumulates) {
  const std::string load =
      "DataMove Local(DATA + 4) -> Acc(8), 1\nSIMD R1 = Move(I), read Acc(8)\n";
  const Outcome chain = run(load + repeated(4, "SIMD O = Move(R1), write Acc(0), accumulate"));
  EXPECT_EQ(chain.right[0], 4 * 5);
  EXPECT_LT(chain.actual[0], 4 * 5);
  EXPECT_GE(chain.actual[0], 5);
  const Outcome reading =
      run(load + repeated(4, "SIMD O = Move(I), read Acc(8), write Acc(0), accumulate"));
  EXPECT_EQ(reading.actual[0], 4 * 5);
  const Outcome alternating = run(load + repeated(4,
                                                  "SIMD O = Move(R1), write Acc(0), accumulate\n"
                                                  "SIMD O = Move(R1), write Acc(1), accumulate"));
  EXPECT_EQ(alternating.actual[0], 4 * 5);
  EXPECT_EQ(alternating.actual[1], 4 * 5);
}

TEST(Hazards, TheFirstOfTwoEqualPendingWritesReleasesTheLock) {
  for (const unsigned n : sizes) {
    const Outcome outcome =
        run("MatMul Local(DATA + 1) -> Acc(0), 1\n"
            "MatMul Local(DATA + 4) -> Acc(0), 1\n"
            "MatMul.acc Local(DATA + 9) -> Acc(0), 1\n",
            n);
    EXPECT_EQ(outcome.right[0], 5 + 10);
    EXPECT_EQ(outcome.actual[0], 2 + 10) << n;
    const Outcome apart =
        run("MatMul Local(DATA + 1) -> Acc(0), 1\n"
            "MatMul Local(DATA + 2) -> Acc(1), 1\n"
            "MatMul Local(DATA + 4) -> Acc(0), 1\n"
            "MatMul.acc Local(DATA + 9) -> Acc(0), 1\n",
            n);
    EXPECT_EQ(apart.actual[0], 5 + 10) << n;
    const Outcome once =
        run("MatMul Local(DATA + 1) -> Acc(1), 1\n"
            "MatMul Local(DATA + 4) -> Acc(0), 1\n"
            "MatMul.acc Local(DATA + 9) -> Acc(0), 1\n",
            n);
    EXPECT_EQ(once.actual[0], 5 + 10) << n;
  }
}

/// The lock is released by any write of the vector, so a pending accumulating write releases it as
/// well.
TEST(Hazards, AnAccumulateBeforeAPlainWriteReleasesTheLockToo) {
  const Outcome outcome =
      run("MatMul.acc Local(DATA + 1) -> Acc(0), 1\n"
          "MatMul Local(DATA + 4) -> Acc(0), 1\n"
          "MatMul.acc Local(DATA + 9) -> Acc(0), 1\n");
  EXPECT_EQ(outcome.right[0], 5 + 10);
  EXPECT_EQ(outcome.actual[0], 2 + 10);
}

TEST(Hazards, LoadWeightsBetweenMatMulsAreSafeFromFourVectors) {
  for (const unsigned n : sizes) {
    const auto with_weights = [n](const std::string& load) {
      return run("MatMul.acc Local(DATA + 1) -> Acc(0), 1\n" + load +
                     "\nMatMul.acc Local(DATA + 4) -> Acc(0), 1\n",
                 n);
    };
    // The second MatMul adds to the old value, so the first one's result is lost.
    for (unsigned count = 1; count <= 3; ++count) {
      const Outcome outcome = with_weights(fmt::format("LoadWeights Local(0), {}", count));
      EXPECT_EQ(outcome.actual[0], outcome.right[0] - 2) << n << ", " << count << " vectors";
    }
    for (unsigned count = 4; count <= 6; ++count) {
      const Outcome outcome = with_weights(fmt::format("LoadWeights Local(0), {}", count));
      EXPECT_EQ(outcome.actual[0], outcome.right[0]) << n << ", " << count << " vectors";
    }
    for (const unsigned count : {1U, 4U, 9U}) {
      const Outcome outcome = with_weights(fmt::format("LoadWeights.zeroes {}", count));
      EXPECT_EQ(outcome.actual[0], outcome.right[0] - 2) << n << ", " << count << " zeroes";
    }
  }
}

}  // namespace
}  // namespace tactus
