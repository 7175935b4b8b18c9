// Packed models: the package links, and runs on the machine as the model does, at any base
// addresses.
#include <gtest/gtest.h>

#include "firmware/driver/darwinn/pack.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/tcu_package.h"
#include "isa/darwinn/verify.h"
#include "isa/tcu/instruction.h"
#include "tests/darwinn/packed_model.h"

namespace tactus::darwinn {
namespace {

struct Outcome {
  Cycle cycles = 0;
  std::vector<std::uint8_t> output;
};

Outcome run(const Model& model, const std::vector<std::uint8_t>& program,
            std::uint64_t scratch_address, std::uint64_t constants_address, Engine engine) {
  TcuSimulationConfig config;
  config.architecture = model.file.arch;
  config.read_latency = 10;
  config.write_latency = 4;
  config.engine = engine;
  TcuSimulation simulation(config);
  const std::uint64_t bytes = model.file.arch.vector_bytes();
  std::vector<std::uint8_t> input(vectors * bytes);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint8_t>(i * 7);
  simulation.write_dram(0, scratch_address + input_base * bytes, input);
  simulation.write_dram(1, constants_address, model.constants[0]);
  Outcome result;
  result.cycles = simulation.run(program).cycles;
  result.output = simulation.read_dram(0, scratch_address + output_base * bytes, input.size());
  return result;
}

/// Returns all chunks of the main executable, linked for these addresses.
std::vector<std::uint8_t> linked(const File& file, std::uint64_t scratch_address,
                                 std::uint64_t constants_address) {
  const Executable& main = file.package().main();
  Addresses addresses;
  addresses.scratch = scratch_address;
  addresses.parameters = constants_address;
  const Addresses blocks = in_blocks(addresses);
  std::vector<std::uint8_t> program;
  for (std::size_t i = 0; i < main.chunks.size(); ++i) {
    const auto chunk = link(main, i, blocks);
    program.insert(program.end(), chunk.begin(), chunk.end());
  }
  return program;
}

TEST(DarwinnPack, RunsAsTheModelDoesWhereverItIs) {
  const Model model = sample_model(3);
  const File file(pack(model, options()), "m.dwn1");
  EXPECT_TRUE(verify(file.package(), "m.dwn1").empty());
  const Executable& main = file.package().main();
  EXPECT_EQ(main.parameters.size(), model.constants[0].size());
  EXPECT_EQ(main.scratch_bytes,
            static_cast<std::int32_t>((output_base + vectors) * model.file.arch.vector_bytes()));
  for (const Engine engine : {Engine::fast, Engine::step}) {
    const Outcome direct = run(model, model.program, 0, 0, engine);
    EXPECT_NE(direct.output, std::vector<std::uint8_t>(direct.output.size()));
    for (const auto& [scratch, constants] :
         {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {0x50000, 0x1230000}}) {
      const Outcome packed =
          run(model, linked(file, scratch, constants), scratch, constants, engine);
      EXPECT_EQ(packed.output, direct.output);
      EXPECT_EQ(packed.cycles, direct.cycles + 2) << "one cycle for each Configure";
    }
  }
}

TEST(DarwinnPack, TensorsInPiecesAreOneLayer) {
  Model model = sample_model(1);
  model.file.outputs = {{"y", output_base, 10}, {"y", output_base + 10, 6}};
  const File file(pack(model, options()), "m.dwn1");
  const Executable& main = file.package().main();
  ASSERT_EQ(main.outputs.size(), 1U);
  EXPECT_EQ(main.outputs[0].x, 16);
  EXPECT_EQ(main.outputs[0].padded_bytes(),
            static_cast<std::int64_t>(vectors * model.file.arch.vector_bytes()));
}

TEST(DarwinnPack, CachedParametersAreSentAhead) {
  PackOptions cached = options();
  cached.cache_parameters = true;
  cached.estimated_cycles = 1234;
  const Model model = sample_model(1);
  const File file(pack(model, cached), "m.dwn1");
  EXPECT_TRUE(verify(file.package(), "m.dwn1").empty());
  const Executable& main = file.package().main();
  ASSERT_NE(file.package().caching(), nullptr);
  const Executable& caching = *file.package().caching();
  EXPECT_EQ(main.type, execution_only);
  EXPECT_TRUE(main.parameters.empty());
  EXPECT_EQ(main.estimated_cycles_64bit, 1234);
  EXPECT_EQ(std::vector<std::uint8_t>(caching.parameters.begin(), caching.parameters.end()),
            model.constants[0]);
  EXPECT_NE(caching.token, 0U);
  EXPECT_EQ(caching.token, main.token);
  // Equal models have equal tokens, and different models have different tokens, unless a token is
  // given.
  EXPECT_EQ(File(pack(model, cached), "m.dwn1").package().main().token, main.token);
  EXPECT_NE(File(pack(sample_model(2), cached), "m.dwn1").package().main().token, main.token);
  cached.token = 7;
  EXPECT_EQ(File(pack(model, cached), "m.dwn1").package().main().token, 7U);
}

TEST(DarwinnPack, ModelsThatCannotBeCached) {
  const auto refused = [](Model model, PackOptions how, const std::string& says) {
    try {
      (void)pack(model, how);
      ADD_FAILURE() << "packed";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  PackOptions how = options();
  how.token = 5;
  refused(sample_model(1), how, "a token has no effect without parameter caching");
  how.cache_parameters = true;
  Model model = sample_model(1);
  model.file.load_consts_to_local = true;
  refused(model, how, "token 0x5 is not allowed");
  how.token = 0;
  model.constants.clear();
  model.file.consts.clear();
  refused(model, how, "no constants");
}

TEST(DarwinnPack, LongProgramsAreSplitIntoChunks) {
  const Model model = sample_model(12000);
  const File file(pack(model, options()), "m.dwn1");
  const Executable& main = file.package().main();
  ASSERT_EQ(main.chunks.size(), 3U);
  EXPECT_EQ(main.chunks[0].code.size(), 262144U);
  const std::vector<std::uint8_t> program = linked(file, 0, 0);
  EXPECT_EQ(std::vector<std::uint8_t>(program.begin() + 16, program.end()), model.program);
}

TEST(DarwinnPack, Refusals) {
  const auto refused = [](auto change, const std::string& says) {
    Model model = sample_model(1);
    change(model);
    try {
      (void)pack(model, options());
      ADD_FAILURE() << "packed";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused([](Model& m) { m.file.arch.data_type = tcu::DataType::fp18bp10; }, "FP18BP10");
  refused([](Model& m) { m.file.load_consts_to_local = true; }, "loaded into local memory");
  refused([](Model& m) { m.file.outputs[0].base = input_base + 1; }, "overlap in DRAM0");
  refused(
      [](Model& m) {
        const tcu::InstructionLayout layout(m.file.arch);
        m.program =
            encode_program(layout, {make_configure(layout, tcu::ConfigRegister::dram0_offset, 1)});
      },
      "instruction 0 is a Configure");
}

}  // namespace
}  // namespace tactus::darwinn
