// Speed of decoding in instructions, and of whole machines in simulated cycles.
//
// Machines run with both engines: machine/WHAT/ENGINE. The golden programs are in the folder
// TACTUS_SHARED; they are left out if they do not exist.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "firmware/driver/tcu/host.h"
#include "firmware/selftest/tcu/gemm_measurement.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/vectors_file.h"
#include "tests/support/shared.h"

namespace tactus {
namespace {

/// A kind of traffic. The program is long enough that its start does not matter.
struct Traffic {
  const char* name;
  const char* source;
};
constexpr Traffic traffics[] = {
    {"no_op", ".repeat 20000\nNoOp\n.end\n"},
    {"mat_mul", ".repeat 100\nMatMul.acc Local(0) -> Acc(0), 512\n.end\n"},
    {"weights_mat_mul",
     ".repeat 1000\nLoadWeights Local(600), ARRAY_SIZE + 1\nMatMul.acc Local(0) -> Acc(0), "
     "32\n.end\n"},
    {"local_to_accumulators", ".repeat 100\nDataMove Local(0) -> Acc(0), 512\n.end\n"},
    {"accumulators_to_local", ".repeat 100\nDataMove Acc(0) -> Local(0), 512\n.end\n"},
    {"dram_to_local", ".repeat 50\nDataMove DRAM0(0) -> Local(0), 1024\n.end\n"},
    {"dram_to_local_strided", ".repeat 50\nDataMove DRAM1(0)@2 -> Local(0), 1024\n.end\n"},
    {"local_to_dram", ".repeat 50\nDataMove Local(0) -> DRAM0(0), 1024\n.end\n"},
    {"simd", ".repeat 10000\nSIMD O = Move(I), read Acc(0), write Acc(1)\n.end\n"},
};

const char* name_of(Engine engine) { return engine == Engine::step ? "step" : "fast"; }

void count_cycles(benchmark::State& state, Cycle cycles) {
  state.SetItemsProcessed(static_cast<std::int64_t>(cycles));
  state.counters["cycles"] = static_cast<double>(cycles) / static_cast<double>(state.iterations());
}

void decode(benchmark::State& state) {
  const tcu::Architecture architecture;
  const tcu::InstructionLayout layout(architecture);
  const std::vector<std::uint8_t> program =
      tcu::assemble_bytes(architecture,
                          "LoadWeights Local(600), 9\nMatMul.acc Local(0) -> Acc(0), 32\n"
                          "DataMove DRAM0(0) -> Local(0), 64\nDataMove Acc(0) -> Local(0), 8\n",
                          "bench");
  const std::size_t count = program.size() / layout.instruction_bytes();
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) {
      benchmark::DoNotOptimize(tcu::decode(layout, &program[i * layout.instruction_bytes()]));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

void traffic(benchmark::State& state, const Traffic& what, Engine engine) {
  TcuSimulationConfig config;
  config.engine = engine;
  const std::vector<std::uint8_t> program =
      tcu::assemble_bytes(config.architecture, what.source, what.name);
  TcuSimulation simulation(config);
  for (auto _ : state) benchmark::DoNotOptimize(simulation.run(program));
  count_cycles(state, simulation.now());
}

void gemm(benchmark::State& state, std::uint32_t array_size, Engine engine) {
  TcuSimulationConfig config;
  config.engine = engine;
  config.architecture.array_size = array_size;
  TcuSimulation simulation(config);
  const GemmShape shape = gemm_shape(config.architecture);
  double seconds = 0;
  for (auto _ : state) {
    const GemmResult result = run_gemm(simulation, shape);
    if (!result.wrong.empty()) state.SkipWithError(result.wrong.c_str());
    seconds = result.host_seconds;
    state.SetIterationTime(seconds);
  }
  count_cycles(state, simulation.now());
}

struct Golden {
  const char* name;
  const char* model;
  const char* input;
  Cycle read_latency, write_latency;
};
constexpr Golden goldens[] = {
    {"speech", "speech_commands/speech_commands_onnx_speech_robot.tmodel",
     "speech_commands/input.csv", 1, 1},
    {"resnet20", "resnet20v2_zcu104/resnet20v2_cifar_onnx_zcu104.tmodel",
     "resnet20v2_zcu104/inputs.csv", 20, 5},
};

void golden(benchmark::State& state, const Golden& what, Engine engine) {
  const std::string folder = shared_folder() + "/golden/tcu/programs/";
  const Model model = read_model(folder + what.model, ProgramChecks::strict);
  const tcu::Architecture& architecture = model.file.arch;
  const std::vector<std::uint8_t> vectors = tcu::read_vectors(folder + what.input, architecture);
  const tcu::TensorEntry& tensor = model.file.inputs.at(0);
  const auto bytes = static_cast<std::ptrdiff_t>(tensor.size * architecture.vector_bytes());
  TcuSimulationConfig config;
  config.architecture = architecture;
  config.axi_data_bits = 128;
  config.read_latency = what.read_latency;
  config.write_latency = what.write_latency;
  config.engine = engine;
  TcuSimulation simulation(config);
  Host host(simulation, model, HostMode::plain);
  benchmark::DoNotOptimize(host.prepare());
  const TensorData image{{tensor.name, {vectors.begin(), vectors.begin() + bytes}}};
  for (auto _ : state) benchmark::DoNotOptimize(host.run_image(image, {}));
  count_cycles(state, simulation.now());
}

void register_all() {
  benchmark::RegisterBenchmark("decode", decode);
  const auto add = [](const std::string& name, auto function, const auto& what) {
    for (const Engine engine : {Engine::step, Engine::fast}) {
      auto* bench = benchmark::RegisterBenchmark(
          ("machine/" + name + "/" + name_of(engine)).c_str(), function, what, engine);
      bench->Unit(benchmark::kMillisecond);
      if (name.rfind("gemm", 0) == 0) bench->UseManualTime();
    }
  };
  for (const Traffic& what : traffics) add(what.name, traffic, what);
  for (const std::uint32_t size : {8U, 32U}) add("gemm" + std::to_string(size), gemm, size);
  for (const Golden& what : goldens) {
    if (shared_file_exists(std::string("golden/tcu/programs/") + what.model)) {
      add(what.name, golden, what);
    }
  }
}

}  // namespace
}  // namespace tactus

int main(int argc, char** argv) {
  tactus::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
