// Compiled networks with both engines: every retire cycle, every counter and all memories agree.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/host.h"
#include "isa/tcu/vectors_file.h"
#include "tests/support/shared.h"

namespace tactus {
namespace {

struct Outcome {
  std::vector<std::uint32_t> retires;
  std::vector<std::uint64_t> counters;
  std::vector<std::uint8_t> memory;
  std::uint64_t evaluations = 0, most = 0;
};

Outcome run(const Model& model, const TensorData& image, TcuSimulationConfig config,
            Engine engine) {
  config.engine = engine;
  TcuSimulation simulation(config);
  Host host(simulation, model, HostMode::plain);
  EXPECT_FALSE(host.prepare());
  Outcome outcome;
  TcuRunOptions options;
  options.retire_log = &outcome.retires;
  const TcuRunResult r = host.run_image(image, options).run;
  EXPECT_EQ(r.end, RunEnd::finished);
  outcome.counters = {
      r.cycles,         r.retired,        r.last_retire,     r.last_b[0].value_or(0),
      r.read_beats[0],  r.read_beats[1],  r.write_beats[0],  r.write_beats[1],
      r.read_bursts[0], r.read_bursts[1], r.write_bursts[0], r.write_bursts[1],
      r.array_runs,     r.array_loads,    r.alu_operations,  simulation.now()};
  outcome.memory = simulation.read_dram(0, 0, 16 << 20);
  outcome.evaluations = simulation.system().evaluations();
  outcome.most = simulation.system().units() * simulation.now();
  return outcome;
}

void compare(const std::string& folder, const std::string& name, const std::string& input,
             Cycle read_latency, Cycle write_latency) {
  const std::string base = shared_folder() + "/golden/tcu/programs/" + folder + "/";
  const Model model = read_model(base + name, ProgramChecks::strict);
  const std::vector<std::uint8_t> vectors = tcu::read_vectors(base + input, model.file.arch);
  const tcu::TensorEntry& tensor = model.file.inputs.at(0);
  const auto bytes = static_cast<std::ptrdiff_t>(tensor.size * model.file.arch.vector_bytes());
  const TensorData image{{tensor.name, {vectors.begin(), vectors.begin() + bytes}}};
  TcuSimulationConfig config;
  config.architecture = model.file.arch;
  config.axi_data_bits = 128;
  config.read_latency = read_latency;
  config.write_latency = write_latency;
  const Outcome step = run(model, image, config, Engine::step);
  const Outcome fast = run(model, image, config, Engine::fast);
  EXPECT_EQ(step.retires, fast.retires);
  EXPECT_EQ(step.counters, fast.counters);
  EXPECT_TRUE(step.memory == fast.memory);
  EXPECT_LT(step.evaluations * 2, step.most);
  const Outcome check = run(model, image, config, Engine::check);
  EXPECT_EQ(step.retires, check.retires);
  EXPECT_EQ(step.counters, check.counters);
  EXPECT_TRUE(step.memory == check.memory);
  EXPECT_LT(fast.evaluations * 10, fast.most);
}

TEST(EnginePrograms, SpeechCommands) {
  TACTUS_NEEDS_SHARED("golden/tcu/programs/manifest.json");
  for (const Cycle latency : {1U, 20U}) {
    compare("speech_commands", "speech_commands_onnx_speech_robot.tmodel", "input.csv", latency,
            latency == 1 ? 1 : 5);
  }
}

TEST(EnginePrograms, ResNet20) {
  TACTUS_NEEDS_SHARED("golden/tcu/programs/manifest.json");
  compare("resnet20v2_zcu104", "resnet20v2_cifar_onnx_zcu104.tmodel", "inputs.csv", 20, 5);
}

}  // namespace
}  // namespace tactus
