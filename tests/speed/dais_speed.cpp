// Speed of the DAIS executors in samples per second, on two golden programs of 62 and 2526
// operations.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "isa/dais/executor.h"
#include "isa/dais/fast_executor.h"
#include "isa/dais/file.h"
#include "tests/dais/golden.h"

namespace tactus::dais {
namespace {

constexpr std::size_t samples = 8192;

struct Workload {
  Program program;
  std::vector<double> inputs, outputs;
};

/// Repeats the golden samples.
Workload load(const std::string& name) {
  Workload work;
  const std::string folder = "prog/" + name;
  work.program =
      read_file(golden_path(folder + "/prog.seed.bin"), Dialect::seed).pipeline.stages.front();
  const auto rows = read_words<double>(golden_path(folder + "/in.f64"));
  work.inputs.resize(samples * work.program.input_count());
  for (std::size_t i = 0; i < work.inputs.size(); ++i) work.inputs[i] = rows[i % rows.size()];
  work.outputs.resize(samples * work.program.output_count());
  return work;
}

void plain(benchmark::State& state, const std::string& name) {
  Workload work = load(name);
  Executor executor(work.program);
  for (auto _ : state) {
    executor.run(work.inputs.data(), work.outputs.data(), samples);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples));
}

void fast(benchmark::State& state, const std::string& name) {
  Workload work = load(name);
  FastOptions options;
  options.lane_bits = static_cast<unsigned>(state.range(0));
  options.block = static_cast<std::size_t>(state.range(1));
  options.host = static_cast<HostIsa>(state.range(2));
  if (!supported(options.host)) return state.SkipWithError("not on this machine");
  const FastExecutor executor(work.program, options);
  for (auto _ : state) {
    executor.run(work.inputs.data(), work.outputs.data(), samples);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(samples));
  state.SetLabel(std::to_string(executor.lane_bits()) + "-bit lanes, " +
                 std::to_string(executor.block()) + " a block, " +
                 std::to_string(executor.slots()) + " slots");
}

void register_all() {
  for (const char* name : {"c01_cmvm8x8_w4", "c08_cmvm32x64_w8"}) {
    const std::string suffix = std::string("/") + name;
    benchmark::RegisterBenchmark(("plain" + suffix).c_str(), plain, name);
    auto* bench = benchmark::RegisterBenchmark(("fast" + suffix).c_str(), fast, name);
    bench->ArgNames({"lanes", "block", "machine"})->Args({0, 0, 0})->Args({0, 0, 1});
    bench->Args({0, 0, 2})->Args({0, 0, 3});
    bench->Args({64, 0, 0});
    for (const std::int64_t block : {64, 128, 256, 512}) bench->Args({0, block, 0});
  }
}

}  // namespace
}  // namespace tactus::dais

int main(int argc, char** argv) {
  tactus::dais::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
