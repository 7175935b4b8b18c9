// The order in which units are evaluated does not matter: with a new random order in every cycle
// all events are the same, even if the hardware's hazards make data depend on single cycles.
#include <string>

#include <gtest/gtest.h>

#include "tests/support/differential.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

std::string compare_orders(const RandomProgram& program, TcuSimulationConfig config,
                           std::uint32_t shuffle_seed) {
  const RunRecord fixed = record_run(program, config);
  config.shuffle_seed = shuffle_seed;
  const std::string text = difference(fixed, record_run(program, config));
  return text.empty() ? text : text + "\n" + describe(config);
}

void check_seeds(std::uint64_t first, std::uint64_t count, Hazards hazards, bool sampler) {
  for (const std::uint64_t seed : test_seeds(first, count)) {
    RandomOptions options;
    options.hazards = hazards;
    options.wrap = hazards == Hazards::none;
    options.instructions = 40;
    RandomProgram program = random_program(seed, options);
    Random random(seed ^ 0x0DE);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    if (sampler) {
      const tcu::InstructionLayout layout(program.architecture);
      config.sample_block_size = static_cast<std::uint32_t>(random.range(1, 5));
      program.instructions.insert(program.instructions.begin(),
                                  make_configure(layout, tcu::ConfigRegister::sample_interval,
                                                 static_cast<std::uint32_t>(random.range(1, 7))));
    }
    const auto shuffle_seed = static_cast<std::uint32_t>(random.below(1U << 31));
    EXPECT_EQ(shortest_failure(
                  program,
                  [&](const RandomProgram& p) { return compare_orders(p, config, shuffle_seed); }),
              "");
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ShuffleProperty, WithoutHazards) { check_seeds(4'000'000, 100, Hazards::none, false); }
TEST(ShuffleProperty, WithHazards) { check_seeds(5'000'000, 150, Hazards::any, false); }
TEST(ShuffleProperty, WithSampler) { check_seeds(6'000'000, 60, Hazards::any, true); }

}  // namespace
}  // namespace tactus
