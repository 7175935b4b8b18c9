// Random layers through the optimiser. The program computes, bit for bit, what the interpreter of
// the optimised network gives, and what the HIR layers define where the order of operations has no
// effect.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/compiler/targets/tcu/optimise/optimise.h"
#include "isa/support/error.h"
#include "tests/compiler/interpreters/jobs.h"
#include "tests/compiler/scheduler/random_layers.h"
#include "tests/support/test_scale.h"

namespace tactus::compiler::optimise {
namespace {

struct ProgramTally {
  unsigned programs = 0, exact = 0;
};

MemoryManager ample_memory(const tcu::Architecture& a) {
  tcu::Architecture ample = a;
  ample.dram0_depth = ample.dram1_depth = std::uint64_t{1} << Address::raw_bits;
  MemoryOptions options;
  options.keep_values = true;
  return {ample, options};
}

tcu::Architecture random_machine(Random& random, bool plain) {
  tcu::Architecture a = random_architecture(random);
  if (plain) a.data_type = tcu::DataType::fp32bp16;
  a.array_size = static_cast<std::uint32_t>(random.pick({2, 3, 4, 5, 8}));
  a.local_depth = random.range(100, 1000);
  a.dram1_depth = 4000;
  a.activation_unit = random.chance(25);
  return a;
}

std::vector<std::uint8_t> bytes_of(const std::vector<hir::Lanes>& vectors,
                                   const tcu::Architecture& a) {
  std::vector<std::uint8_t> bytes;
  for (const hir::Lanes& vector : vectors) append(bytes, tcu::info(a.data_type), vector);
  return bytes;
}

/// Allowed error in units of the last place: a leaky ReLU may be off by one unit, which later
/// products may multiply. Wrong results differ by thousands.
constexpr std::int64_t most_units = 256;

void expect_near(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& wanted,
                 std::uint64_t seed, const std::string& name) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); i += 4) {
    std::int32_t is = 0, should = 0;
    std::memcpy(&is, got.data() + i, 4);
    std::memcpy(&should, wanted.data() + i, 4);
    ASSERT_LE(std::abs(std::int64_t{is} - should), most_units)
        << "seed " << seed << ", output " << name << ", scalar " << i / 4 << ": " << is << ", not "
        << should;
  }
}

void check_seed(std::uint64_t seed, bool plain, ProgramTally& tally) {
  Random random(seed);
  const tcu::Architecture a = random_machine(random, plain);
  MemoryManager memory = ample_memory(a);
  memory.begin_pass(false);
  GraphBuilder builder(a, memory);
  const auto sink = [&](const hir::Layer& layer) {
    if (layer.operations.empty()) {
      for (const char* name : {"x", "y"}) {
        const Addresses& addresses = memory.get(name).addresses;
        builder.add_input(name, addresses, 1,
                          std::vector<std::uint32_t>(addresses.size(), a.array_size));
      }
      return;
    }
    if (std::getenv("TACTUS_TEST_SEED") != nullptr) hir::dump(layer, std::cout);
    builder.add_step(layer, {layer.name, 1, a.array_size, 0});
  };
  RandomLayers layers(memory, a, seed, sink, plain);
  layers.emit();
  for (const std::string& name : layers.outputs()) {
    builder.add_output(name, memory.get(name).addresses, 1);
  }
  Machine machine;
  machine.array_size = a.array_size;
  std::map<std::string, std::vector<hir::Lanes>> interpreted;
  Optimised optimised;
  try {
    const auto inspect = [&](const Network& network, Blocks& blocks, const Schedule& schedule) {
      std::vector<hir::Lanes> values(network.graph.constants.size());
      for (const Tensor& input : network.graph.inputs) {
        for (std::size_t i = 0; i < input.vectors.size(); ++i) {
          values[input.vectors[i]] = layers.inputs_by_name().at(input.name)[i];
        }
      }
      interpret(network, blocks, schedule, a, values);
      for (const Tensor& output : network.graph.outputs) {
        for (const Vector v : output.vectors) interpreted[output.name].push_back(values[v]);
      }
    };
    optimised = optimise(builder.take(), a, machine, {random.pick<std::uint64_t>({1, 40}), false},
                         std::nullopt, inspect);
  } catch (const UserError&) {
    return;  // the machine is too small
  }
  const CompiledProgram& program = optimised.program;
  FunctionalModel model(a);
  for (const tcu::TensorEntry& entry : program.inputs) {
    model.dram(0).write(static_cast<std::uint32_t>(entry.base * a.vector_bytes()),
                        bytes_of(layers.inputs_by_name().at(entry.name), a));
  }
  model.dram(1).write(0, program.constants);
  model.run(program.program);
  ++tally.programs;
  if (plain && layers.exact()) ++tally.exact;
  for (const std::string& name : layers.outputs()) {
    const std::vector<std::uint8_t> got = read(model, a, program.outputs, name);
    EXPECT_EQ(got, bytes_of(interpreted.at(name), a)) << "seed " << seed << ", output " << name;
    if (!plain || !layers.exact()) continue;
    expect_near(got, bytes_of(layers.result(name), a), seed, name);
  }
}

TEST(RandomNetworks, ProgramComputesWhatTheNetworkMeans) {
  ProgramTally tally;
  for (const std::uint64_t seed : test_seeds(1, 400)) {
    check_seed(seed, false, tally);
    if (HasFailure()) return;
  }
  EXPECT_GT(tally.programs, 0U);
}

TEST(RandomNetworks, ProgramComputesWhatTheLayersMean) {
  ProgramTally tally;
  const std::vector<std::uint64_t> seeds = test_seeds(1000, 800);
  for (const std::uint64_t seed : seeds) {
    check_seed(seed, true, tally);
    if (HasFailure()) return;
  }
  if (seeds.size() >= 400) {
    EXPECT_GT(tally.exact, seeds.size() / 4);
  }
  std::printf("%u programs, %u of them exact\n", tally.programs, tally.exact);
}

}  // namespace
}  // namespace tactus::compiler::optimise
