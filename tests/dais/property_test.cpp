// Random programs: the fast executor equals the plain one, and every form can be read back.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/dais/binary.h"
#include "isa/dais/check.h"
#include "isa/dais/executor.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/json.h"
#include "isa/support/error.h"
#include "tests/dais/random_dais.h"
#include "tests/support/test_scale.h"

namespace tactus::dais {
namespace {

struct Outcome {
  std::vector<double> outputs;
  std::string error;
};

Outcome run_plain(const Program& program, const std::vector<double>& inputs, MuxCompare mux) {
  Outcome run;
  const std::size_t samples = inputs.size() / program.input_count();
  run.outputs.resize(samples * program.output_count());
  ExecutorOptions options;
  options.mux = mux;
  try {
    Executor(program, options).run(inputs.data(), run.outputs.data(), samples);
  } catch (const UserError& error) {
    run.error = error.what();
  }
  return run;
}

Outcome run_fast(const Program& program, const std::vector<double>& inputs,
                 const FastOptions& options, unsigned& lane_bits) {
  Outcome run;
  const std::size_t samples = inputs.size() / program.input_count();
  run.outputs.assign(samples * program.output_count(), -1);
  const FastExecutor executor(program, options);
  lane_bits = executor.lane_bits();
  try {
    executor.run(inputs.data(), run.outputs.data(), samples);
  } catch (const UserError& error) {
    run.error = error.what();
  }
  return run;
}

bool same(const Outcome& a, const Outcome& b) {
  if (a.error != b.error) return false;
  return !a.error.empty() ||
         std::memcmp(a.outputs.data(), b.outputs.data(), a.outputs.size() * sizeof(double)) == 0;
}

RandomShape shape_of(std::uint64_t seed) {
  constexpr unsigned widths[] = {3, 5, 8, 12, 20, 31, 33, 64};
  RandomShape shape;
  shape.dialect = static_cast<Dialect>(seed % 3);
  shape.widest = widths[seed / 3 % 8];
  shape.ops = 8 + seed % 57;
  shape.short_tables = seed % 5 == 0;
  return shape;
}

TEST(DaisRandom, FastEqualsPlain) {
  constexpr std::size_t counts[] = {1, 63, 64, 65, 200, 333};
  std::size_t lanes16 = 0, lanes32 = 0, lanes64 = 0, errors = 0;
  for (const std::uint64_t seed : test_seeds(1, 3000)) {
    RandomProgram random(seed, shape_of(seed));
    const Program program = random.make();
    ASSERT_NO_THROW(check_program(program, "random")) << "seed " << seed;
    const std::vector<double> inputs = random.samples(program, counts[seed % 6]);
    const auto mux = static_cast<MuxCompare>(seed / 7 % 3);
    const Outcome plain = run_plain(program, inputs, mux);
    errors += plain.error.empty() ? 0 : 1;
    for (const HostIsa host : {HostIsa::portable, HostIsa::avx2, HostIsa::avx512}) {
      if (!supported(host)) continue;
      FastOptions options;
      options.mux = mux;
      options.host = host;
      options.block = seed % 4 * 64;
      unsigned lane_bits = 0;
      const Outcome fast = run_fast(program, inputs, options, lane_bits);
      (lane_bits == 16 ? lanes16 : lane_bits == 32 ? lanes32 : lanes64) += 1;
      ASSERT_TRUE(same(plain, fast)) << "seed " << seed << ", machine " << static_cast<int>(host)
                                     << ": " << plain.error << " / " << fast.error;
    }
  }
  if (test_seeds(1, 3000).size() < 300) return;
  EXPECT_GT(lanes16, 20U);
  EXPECT_GT(lanes32, 20U);
  EXPECT_GT(lanes64, 20U);
  EXPECT_GT(errors, 2U);
}

/// Cases in which an intermediate value decides the width of the fast executor's lanes: values that
/// fit only after a shift to the right, and shifts by many bits.
TEST(DaisLanes, IntermediateValuesDecideTheWidthOfTheLanes) {
  for (const std::int32_t width : {16, 32}) {
    const double smallest = -std::ldexp(1.0, width - 1), largest = -smallest - 1;
    const auto lane_of = [&](const Op& op, double input) {
      Program program;
      program.input_shifts = {0};
      Op copy;
      copy.opcode = -1, copy.id0 = 0, copy.type = {1, width - 1, 0};
      Op zero;
      zero.opcode = 5, zero.type = {0, 0, 0};
      program.ops = {copy, zero, op};
      program.outputs = {{2, 0, false}, {2, 0, true}};
      const std::vector<double> inputs(70, input);
      unsigned lane_bits = 0;
      const Outcome fast = run_fast(program, inputs, {}, lane_bits);
      EXPECT_TRUE(same(run_plain(program, inputs, MuxCompare::documented), fast));
      return lane_bits;
    };
    Op op;
    op.id0 = 0, op.type = {1, width, -1};
    const auto wider = static_cast<unsigned>(2 * width), same_lane = static_cast<unsigned>(width);
    op.opcode = 3;
    EXPECT_EQ(lane_of(op, smallest), same_lane);
    op.opcode = -3;  // before its shift, -smallest needs one more bit
    EXPECT_EQ(lane_of(op, smallest), wider);
    op.opcode = -2;
    EXPECT_EQ(lane_of(op, smallest), wider);
    op.opcode = 0, op.id1 = 0;  // the sum is shifted to the right in version 1
    EXPECT_EQ(lane_of(op, largest), wider);
    // A zero shifted to the left by 40 bits; narrower lanes have no such shift.
    op.id1 = 1, op.data = 40, op.type = {1, width - 1, 0};
    EXPECT_EQ(lane_of(op, largest), 64U);
  }
}

TEST(DaisRandom, RangesContainEveryValue) {
  for (const std::uint64_t seed : test_seeds(1, 1000)) {
    RandomProgram random(seed, shape_of(seed));
    const Program program = random.make();
    const std::vector<OpRange> ranges = value_ranges(decode_steps(program));
    const std::vector<double> inputs = random.samples(program, 50);
    Executor plain(program);
    std::vector<double> row(program.output_count());
    for (std::size_t s = 0; s < 50; ++s) {
      try {
        plain.run(inputs.data() + s * program.input_count(), row.data(), 1);
      } catch (const UserError&) {
        continue;  // a lookup outside a short table
      }
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const Mantissa m = plain.values()[i];
        ASSERT_TRUE(m >= ranges[i].value.low && m <= ranges[i].value.high)
            << "seed " << seed << ", operation " << i;
      }
    }
  }
}

TEST(DaisRandom, BinaryFormsReadBack) {
  std::size_t refused = 0;
  for (const std::uint64_t seed : test_seeds(1, 2000)) {
    const Program program = RandomProgram(seed, shape_of(seed)).make();
    for (const Dialect dialect : {Dialect::seed, Dialect::v0, Dialect::v1}) {
      Bytes bytes;
      try {
        bytes = encode_binary(program, dialect, "program");
      } catch (const UserError&) {
        ASSERT_LT(dialect, program.dialect) << "seed " << seed;
        ++refused;
        continue;
      }
      const Program again = decode_binary(bytes, dialect, "again");
      Program expected = program;
      if (dialect == Dialect::seed) expected.firmware = 0;  // the dialect does not store it
      ASSERT_EQ(encode_binary(again, Dialect::v1, ""), encode_binary(expected, Dialect::v1, ""))
          << "seed " << seed;
      const Program found = decode_binary(bytes, "found");
      ASSERT_EQ(found.dialect, dialect) << "seed " << seed;
    }
  }
  if (test_seeds(1, 2000).size() < 200) return;
  EXPECT_GT(refused, 10U);
}

TEST(DaisRandom, JsonReadsBack) {
  std::size_t written = 0, refused = 0;
  for (const std::uint64_t seed : test_seeds(1, 2000)) {
    Program program = RandomProgram(seed, shape_of(seed)).make();
    program.firmware = 0;  // the form does not store it
    std::string text;
    try {
      text = encode_json(program, "program");
    } catch (const UserError& error) {
      ASSERT_NE(std::string(error.what()).find("the JSON form cannot express"), std::string::npos);
      ++refused;
      continue;
    }
    const Pipeline again = decode_json(text, program.dialect, "again");
    ASSERT_EQ(again.stages.size(), 1U);
    ASSERT_EQ(encode_binary(again.stages[0], Dialect::v1, ""),
              encode_binary(program, Dialect::v1, ""))
        << "seed " << seed << "\n"
        << text;
    ASSERT_EQ(encode_json(again.stages[0], ""), text) << "seed " << seed;
    ++written;
  }
  if (written + refused < 100) return;
  EXPECT_GT(written, (written + refused) / 10);
  EXPECT_GT(refused, (written + refused) / 10);
}

}  // namespace
}  // namespace tactus::dais
