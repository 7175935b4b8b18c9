// Packages whose inputs and outputs have bases of their own (profile B): accesses are split at
// borders of tensors, and no Configure overtakes a pending write.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/driver/darwinn/package_device.h"
#include "firmware/driver/darwinn/relocate.h"
#include "isa/darwinn/json.h"
#include "isa/darwinn/tcu_package.h"
#include "isa/darwinn/verify.h"
#include "isa/darwinn/writer.h"
#include "tests/darwinn/packed_model.h"

namespace tactus::darwinn {
namespace {

using Kind = tcu::DataMoveKind;

constexpr std::uint64_t variables = 100;  // address in DRAM0
constexpr Cycle read_latency = 10, write_latency = 4;

TcuSimulationConfig machine(const Model& model, Engine engine, Cycle latency = read_latency) {
  TcuSimulationConfig config;
  config.architecture = model.file.arch;
  config.read_latency = latency;
  config.write_latency = write_latency;
  config.engine = engine;
  return config;
}

/// A model with input x (16 vectors at 3), output y (16 vectors at 40) and this program.
Model with_program(const std::vector<tcu::Instruction>& program) {
  Model model = sample_model(1);
  model.program = encode_program(tcu::InstructionLayout(model.file.arch), program);
  return model;
}

/// A model that only copies: `count` times it moves the first 8 vectors of x to every second vector
/// of y.
Model copies(std::size_t count) {
  Model model = sample_model(1);
  const tcu::InstructionLayout layout(model.file.arch);
  std::vector<tcu::Instruction> program;
  for (std::size_t i = 0; i < count; ++i) {
    program.push_back(make_data_move(layout, Kind::dram0_to_local, {16, 0}, {input_base, 0}, 8));
    program.push_back(make_data_move(layout, Kind::local_to_dram0, {16, 0}, {output_base, 1}, 8));
  }
  return with_program(program);
}

/// A model with all kinds of access: a layer, a store of its result to a variable, a load of the
/// variable, and a store to the output.
Model layers(std::size_t count) {
  Model model = sample_model(count);
  const tcu::InstructionLayout layout(model.file.arch);
  std::vector<tcu::Instruction> program;
  for (const tcu::Instruction& one : decode_program(layout, model.program)) {
    if (one == make_data_move(layout, Kind::local_to_dram0, {64, 0}, {output_base, 0}, vectors)) {
      program.push_back(make_data_move(layout, Kind::local_to_dram0, {64, 0}, {variables, 0}, 16));
      program.push_back(make_data_move(layout, Kind::dram0_to_local, {96, 0}, {variables, 0}, 16));
      program.push_back(
          make_data_move(layout, Kind::local_to_dram0, {96, 0}, {output_base, 0}, 16));
    } else {
      program.push_back(one);
    }
  }
  model.program = encode_program(layout, program);
  return model;
}

PackOptions profile_b() {
  PackOptions how = options();
  how.profile = PackProfile::b;
  return how;
}

TensorData image(const Model& model, unsigned number) {
  std::vector<std::uint8_t> bytes(vectors * model.file.arch.vector_bytes());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 7 + number * 31 + 1);
  }
  return {{"x", bytes}};
}

ImageResult direct(const Model& model, Engine engine, unsigned number,
                   Cycle latency = read_latency) {
  TcuSimulation simulation(machine(model, engine, latency));
  Host host(simulation, model, HostMode::plain);
  EXPECT_FALSE(host.prepare());
  return host.run_image(image(model, number), {});
}

ImageResult packed(const Model& model, const std::vector<std::uint8_t>& bytes, Engine engine,
                   unsigned number, Cycle latency = read_latency) {
  const File file(bytes, "m.dwn1");
  TcuSimulation simulation(machine(model, engine, latency));
  PackageDevice device(simulation, {&file.package()}, 1);
  return device.run(0, 0, image(model, number), {});
}

/// Returns the package with NoOps in place of the instructions that read writes back.
std::vector<std::uint8_t> without_read_backs(const Model& model,
                                             const std::vector<std::uint8_t>& bytes) {
  const tcu::InstructionLayout layout(model.file.arch);
  const File file(bytes, "m.dwn1");
  Package package = file.package();
  Chunk& chunk = package.executables[0].chunks[0];
  std::vector<tcu::Instruction> program =
      decode_program(layout, {chunk.code.begin(), chunk.code.end()});
  for (std::size_t i = 2; i + 1 < program.size(); ++i) {
    if (program[i + 1].opcode == static_cast<std::uint8_t>(tcu::Opcode::configure) &&
        program[i].operand2 == 0 && program[i].opcode == program[i - 1].opcode) {
      program[i] = tcu::make_no_op();
    }
  }
  const std::vector<std::uint8_t> code = encode_program(layout, program);
  chunk.code = {code.data(), code.size()};
  return write_package(package);
}

TEST(DarwinnRelocate, BaseRegistersAreSetWhereTheTensorChanges) {
  const RelocatableProgram one = relocatable(layers(2), true);
  std::vector<std::int16_t> bases;
  for (const RelocatableProgram::Base& base : one.bases) bases.push_back(base.desc);
  EXPECT_EQ(bases, (std::vector<std::int16_t>{scratch, parameter, input, scratch, output, input,
                                              scratch, output}));
  EXPECT_EQ(one.ahead, 3U);
  EXPECT_EQ(one.read_backs, 1U) << "between y of the first and x of the second";
  EXPECT_EQ(one.scratch_size, variables + 16);
  EXPECT_EQ(one.places.front(), 3U);
  EXPECT_EQ(one.places.back(), one.instructions.size());
  EXPECT_EQ(one.instructions.size(), 2 * 8 + one.bases.size() + one.read_backs);
  const RelocatableProgram a = relocatable(layers(2), false);
  EXPECT_EQ(a.bases.size(), 2U);
  EXPECT_EQ(a.read_backs, 0U);
}

/// A DataMove of vectors 0..63 with step 2. x is at 3..18; y has two pieces in reverse order, at
/// 40..49 and 50..55.
TEST(DarwinnRelocate, ADataMoveAcrossTensorsIsSplit) {
  Model model = sample_model(1);
  const tcu::InstructionLayout layout(model.file.arch);
  model = with_program({make_data_move(layout, Kind::dram0_to_local, {0, 1}, {0, 1}, 32)});
  model.file.outputs = {{"y", 50, 6}, {"y", 40, 10}};
  const RelocatableProgram one = relocatable(model, true);
  const std::vector<tcu::Instruction> moves{
      make_data_move(layout, Kind::dram0_to_local, {0, 1}, {0, 1}, 2),     // 0, 2
      make_data_move(layout, Kind::dram0_to_local, {4, 1}, {1, 1}, 8),     // 4..18 of x
      make_data_move(layout, Kind::dram0_to_local, {20, 1}, {20, 1}, 10),  // 20..38
      make_data_move(layout, Kind::dram0_to_local, {40, 1}, {6, 1}, 5),    // 40..48 of y
      make_data_move(layout, Kind::dram0_to_local, {50, 1}, {0, 1}, 3),    // 50..54 of y
      make_data_move(layout, Kind::dram0_to_local, {56, 1}, {56, 1}, 4)};  // 56..62
  std::vector<tcu::Instruction> found;
  for (const tcu::Instruction& i : one.instructions) {
    if (i.opcode == static_cast<std::uint8_t>(tcu::Opcode::data_move)) found.push_back(i);
  }
  EXPECT_EQ(found, moves);
  EXPECT_EQ(one.bases.size(), 2 + 4U) << "y is followed by y";
  EXPECT_EQ(one.scratch_size, 63U);
}

TEST(DarwinnRelocate, RunsAsTheModelDoesWhereverItsTensorsAre) {
  const Model model = layers(3);
  const std::vector<std::uint8_t> bytes = pack(model, profile_b());
  const File file(bytes, "m.dwn1");
  EXPECT_TRUE(verify(file.package(), "m.dwn1").empty());
  for (const Engine engine : {Engine::fast, Engine::step, Engine::check}) {
    TcuSimulation simulation(machine(model, engine));
    PackageDevice device(simulation, {&file.package(), &file.package()}, 2);
    std::set<std::uint64_t> places;
    Cycle cycles = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const Addresses addresses = device.addresses(i / 2, i % 2);
      for (const std::uint64_t one :
           {*addresses.scratch, addresses.inputs[0][0], addresses.outputs[0][0]}) {
        EXPECT_EQ(one % tcu_block_bytes, 0U);
        EXPECT_TRUE(places.insert(one).second) << one;
      }
      const ImageResult found = device.run(i / 2, i % 2, image(model, i), {});
      EXPECT_EQ(found.outputs, direct(model, engine, i).outputs);
      EXPECT_NE(found.outputs.at("y"), std::vector<std::uint8_t>(found.outputs.at("y").size()));
      EXPECT_TRUE(cycles == 0 || cycles == found.run.cycles) << "wherever it is";
      cycles = found.run.cycles;
    }
  }
}

TEST(DarwinnRelocate, ParametersAreCached) {
  const Model model = layers(2);
  PackOptions how = profile_b();
  how.cache_parameters = true;
  const File file(pack(model, how), "m.dwn1");
  EXPECT_TRUE(verify(file.package(), "m.dwn1").empty());
  TcuSimulation simulation(machine(model, Engine::fast));
  PackageDevice device(simulation, {&file.package()}, 1);
  EXPECT_EQ(device.cache_parameters(0, {}).end, RunEnd::finished);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(device.run(0, 0, image(model, i), {}).outputs,
              direct(model, Engine::fast, i).outputs);
  }
}

TEST(DarwinnRelocate, TensorsInPieces) {
  Model model = layers(2);
  model.file.inputs = {{"x", input_base + 10, 6}, {"x", input_base, 10}};
  model.file.outputs = {{"y", output_base, 9}, {"z", output_base + 9, 7}};
  const File file(pack(model, profile_b()), "m.dwn1");
  TcuSimulation simulation(machine(model, Engine::fast));
  PackageDevice device(simulation, {&file.package()}, 1);
  const ImageResult found = device.run(0, 0, image(model, 1), {});
  EXPECT_EQ(found.outputs, direct(model, Engine::fast, 1).outputs);
  EXPECT_EQ(found.outputs.size(), 2U);
}

/// A Configure takes one cycle. If it follows a write, a read-back precedes it. The read-back
/// begins when the write's response has arrived, as the next read of the model would, and takes the
/// time of a read: the memory's latency, and 7 cycles through the port, its queues and into local
/// memory.
TEST(DarwinnRelocate, CyclesAreThoseOfTheModelAndOfItsConfigures) {
  for (const Engine engine : {Engine::fast, Engine::step, Engine::check}) {
    for (const Cycle latency : {1U, 10U, 25U}) {
      for (const std::size_t count : {1U, 2U, 5U}) {
        SCOPED_TRACE(std::to_string(latency) + " " + std::to_string(count));
        const Model model = copies(count);
        const RelocatableProgram program = relocatable(model, true);
        // Configures at the start: DRAM0 of scratch memory, DRAM1, DRAM0 of x. Then y in every
        // copy, and x in all copies but the first.
        EXPECT_EQ(program.bases.size(), 3 + count + (count - 1));
        EXPECT_EQ(program.read_backs, count - 1);
        const Cycle configures = program.bases.size();
        const Cycle read_backs = program.read_backs * (latency + 7);
        EXPECT_EQ(packed(model, pack(model, profile_b()), engine, 1, latency).run.cycles,
                  direct(model, engine, 1, latency).run.cycles + configures + read_backs);
      }
    }
  }
}

TEST(DarwinnRelocate, AReadBackPrecedesAConfigureThatWouldOvertakeAWrite) {
  // The last vectors of y are still in the port when the base changes to that of x.
  Model model = copies(1);
  const tcu::InstructionLayout layout(model.file.arch);
  std::vector<tcu::Instruction> program = decode_program(layout, model.program);
  program.push_back(make_data_move(layout, Kind::dram0_to_local, {16, 0}, {input_base, 0}, 8));
  model.program = encode_program(layout, program);
  const std::vector<std::uint8_t> bytes = pack(model, profile_b());
  const std::vector<std::uint8_t> unsafe = without_read_backs(model, bytes);
  ASSERT_NE(unsafe, bytes);
  for (const Engine engine : {Engine::fast, Engine::step}) {
    const ImageResult expected = direct(model, engine, 1);
    EXPECT_EQ(packed(model, bytes, engine, 1).outputs, expected.outputs);
    EXPECT_NE(packed(model, unsafe, engine, 1).outputs, expected.outputs)
        << "the rest of the write goes to x";
  }
  const File file(unsafe, "m.dwn1");
  try {
    (void)verify(file.package(), "m.dwn1");
    ADD_FAILURE() << "accepted";
  } catch (const PackageError& error) {
    EXPECT_EQ(error.code(), Code::field_units);
    EXPECT_NE(std::string(error.what()).find("write of instruction 5 may be under way"),
              std::string::npos)
        << error.what();
  }
}

TEST(DarwinnRelocate, InfoHasTheModelAndTheLayouts) {
  const Model model = layers(1);
  const File file(pack(model, profile_b()), "m.dwn1");
  const auto info = nlohmann::json::parse(to_json(file));
  const auto& main = info.at("package").at("executables").at(0);
  EXPECT_EQ(main.at("serialized_model").get<std::string>(), to_json(model.file));
  const auto& layout = main.at("output_layers").at(0).at("output_layout");
  ASSERT_EQ(layout.at("x_local").size(), vectors);
  EXPECT_EQ(layout.at("x_local").at(1), 8);
  EXPECT_EQ(layout.at("y_local"), nlohmann::json::array({0}));
  EXPECT_EQ(layout.at("x_row_size_rle"),
            nlohmann::json::array({nlohmann::json::array({8 * vectors, vectors})}));
}

TEST(DarwinnRelocate, Refusals) {
  const tcu::InstructionLayout layout(sample_model(1).file.arch);
  const auto refused = [](const Model& model, const std::string& says) {
    try {
      (void)relocatable(model, true);
      ADD_FAILURE() << "relocated";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  const std::uint64_t depth = sample_model(1).file.arch.dram0_depth;
  refused(with_program({make_data_move(layout, Kind::dram0_to_local, {0, 0}, {depth - 3, 1}, 3)}),
          "instruction 0 leaves DRAM0");
  refused(with_program(
              {tcu::make_no_op(), make_configure(layout, tcu::ConfigRegister::dram0_offset, 1)}),
          "instruction 1 is a Configure");
}

}  // namespace
}  // namespace tactus::darwinn
