// Compiled networks: figures that follow from the program and from recordings of the RTL.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/host.h"
#include "isa/tcu/accesses.h"
#include "isa/tcu/vectors_file.h"
#include "tests/support/shared.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;
const char* const manifest_path = "golden/tcu/programs/manifest.json";

void check(const std::string& name) {
  std::ifstream stream(shared_folder() + "/" + manifest_path);
  const Json manifest = Json::parse(stream);
  for (const Json& entry : manifest.at("programs")) {
    if (entry.at("name") != name) continue;
    const std::string folder =
        shared_folder() + "/golden/tcu/programs/" + entry.at("dir").get<std::string>() + "/";
    const Model model =
        read_model(folder + entry.at("model").get<std::string>(), ProgramChecks::strict);
    const char* key = entry.contains("inputs_csv") ? "inputs_csv" : "input_csv";
    std::vector<std::uint8_t> image =
        tcu::read_vectors(folder + entry.at(key).get<std::string>(), model.file.arch);
    image.resize(model.file.inputs.at(0).size * model.file.arch.vector_bytes());

    const Json& rtl = entry.at("rtl")[1];
    TcuSimulationConfig config;
    config.architecture = model.file.arch;
    config.axi_data_bits = entry.at("axi_data_bits");
    config.read_latency = rtl.at("read_latency");
    config.write_latency = rtl.at("write_latency");
    TcuSimulation simulation(config);
    Host host(simulation, model, HostMode::plain);
    ASSERT_FALSE(host.prepare());
    TcuRunOptions options;
    const tcu::InstructionLayout layout(model.file.arch);
    const std::vector<tcu::Instruction> program = decode_program(layout, model.program);
    const std::uint64_t slices = 13;
    for (std::uint64_t i = 0; i < slices; ++i) {
      const std::uint64_t first = program.size() * i / slices;
      options.regions.push_back(
          {std::to_string(i), first, program.size() * (i + 1) / slices - first});
    }
    const ImageResult result = host.run_image({{model.file.inputs.at(0).name, image}}, options);
    const Accounting& a = result.run.accounting;
    // The last response is the last event. One cycle later every unit is idle.
    EXPECT_GE(a.cycles, rtl.at("last_b0").get<Cycle>() + 2);
    EXPECT_LE(a.cycles, rtl.at("last_b0").get<Cycle>() + 4);

    std::array<KindFigures, tcu::instruction_kinds> expected{};
    for (const tcu::Instruction& i : program) {
      KindFigures& kind = expected[static_cast<std::size_t>(kind_of(layout, i))];
      ++kind.count;
      kind.vectors += vector_count(model.file.arch, layout, i);
    }
    expected[0].count += result.run.retired - result.run.instructions;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(a.kinds[k].count, expected[k].count) << tcu::instruction_kind_infos[k].name;
      EXPECT_EQ(a.kinds[k].vectors, expected[k].vectors) << tcu::instruction_kind_infos[k].name;
    }
    for (const unsigned p : {0U, 1U}) {
      EXPECT_EQ(a.totals.of("read_beats", p), rtl.at("read_beats")[p].get<std::uint64_t>());
      EXPECT_EQ(a.totals.of("write_beats", p), rtl.at("write_beats")[p].get<std::uint64_t>());
    }
    Counters sum(tcu_machine_info());
    for (const RegionFigures& region : a.regions) sum += region.counters;
    EXPECT_EQ(sum.cycles(), a.cycles);
    EXPECT_EQ(sum.time, a.totals.time);
    EXPECT_EQ(sum.values, a.totals.values);
  }
}

TEST(GoldenAccounting, SpeechCommands) {
  TACTUS_NEEDS_SHARED(manifest_path);
  check("speech_commands");
}

TEST(GoldenAccounting, ResNet20) {
  TACTUS_NEEDS_SHARED(manifest_path);
  check("resnet20v2_zcu104");
}

}  // namespace
}  // namespace tactus
