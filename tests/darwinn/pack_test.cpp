// Packed models: the package links, and runs on the machine as the model does, wherever its memory
// is put.
#include <gtest/gtest.h>

#include "firmware/driver/darwinn/pack.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/tcu_package.h"
#include "isa/darwinn/verify.h"
#include "isa/tcu/instruction.h"

namespace tactus::darwinn {
namespace {

constexpr std::uint64_t input_base = 3, output_base = 40, vectors = 16;

/// y = W x + b on an array of 8: constants b and W at 0 of DRAM1, `count` times the same work.
Model sample_model(std::size_t count) {
  Model model;
  model.path = "m.tmodel";
  model.file.name = "m";
  model.file.inputs = {{"x", input_base, vectors}};
  model.file.outputs = {{"y", output_base, vectors}};
  model.file.consts = {{"m.tdata", 0, 9}};
  model.file.prog = {"m.tprog", std::nullopt};
  const tcu::Architecture& arch = model.file.arch;
  model.constants.emplace_back();
  for (std::uint64_t i = 0; i < 9 * arch.vector_bytes(); ++i) {
    model.constants[0].push_back(static_cast<std::uint8_t>(i % 3 == 0 ? i * 5 : 0));
  }
  const tcu::InstructionLayout layout(arch);
  using Kind = tcu::DataMoveKind;
  std::vector<tcu::Instruction> program;
  for (std::size_t i = 0; i < count; ++i) {
    for (const tcu::Instruction& one :
         {make_data_move(layout, Kind::dram1_to_local, {0, 0}, {0, 0}, 9),
          make_data_move(layout, Kind::dram0_to_local, {16, 0}, {input_base, 0}, vectors),
          make_load_weights(layout, {0, 0}, 9), make_mat_mul(layout, {16, 0}, {0, 0}, vectors),
          make_data_move(layout, Kind::accumulator_to_local, {64, 0}, {0, 0}, vectors),
          make_data_move(layout, Kind::local_to_dram0, {64, 0}, {output_base, 0}, vectors)}) {
      program.push_back(one);
    }
  }
  model.program = encode_program(layout, program);
  return model;
}

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

/// All chunks of the main executable, linked for these addresses.
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
  const File file(pack(model, {"test", "0"}), "m.dwn1");
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

TEST(DarwinnPack, LongProgramsAreCut) {
  const Model model = sample_model(12000);
  const File file(pack(model, {"test", "0"}), "m.dwn1");
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
      (void)pack(model, {"test", "0"});
      ADD_FAILURE() << "packed";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused([](Model& m) { m.file.arch.data_type = tcu::DataType::fp18bp10; }, "FP18BP10");
  refused([](Model& m) { m.file.load_consts_to_local = true; }, "loaded into local memory");
  refused([](Model& m) { m.file.outputs.push_back({"y", 80, 1}); }, "in 2 pieces");
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
