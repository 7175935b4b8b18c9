// Evaluates a network on a machine: compiles it (or takes the program from the cache), simulates it
// cycle by cycle, and returns figures.
//
// Benchmark rows and sweep points are evaluations. A Task contains everything that an evaluation
// needs; it is sent as JSON to a process of its own, which returns the figures as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "firmware/bench/estimator.h"
#include "firmware/bench/program_cache.h"
#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/report/figures.h"
#include "isa/support/board_values.h"

namespace tactus::bench {

enum class Source {
  network,  ///< a name of the zoo
  onnx,     ///< path of an ONNX file or of a layer topology
  model,    ///< path of a compiled .tmodel
};

/// The compiler that makes the program.
enum class Via {
  layers,  ///< compiler::compile()
  stripe,  ///< compiler::compile_via_stripe()
};

/// Defaults are the board's values.
struct Task : BoardValues {
  Source source = Source::network;
  std::string workload = "resnet20v2";  ///< name or path
  std::uint64_t seed = 1;               ///< seed of a zoo network's weights and of the inputs
  compiler::Strategy strategy = compiler::Strategy::local_isolated;  ///< not for a model
  bool compat = false;                                               ///< not for a model
  Via via = Via::layers;                                             ///< not for a model
  bool optimise = false;                                             ///< not for a model
  std::uint64_t effort = 200;                                        ///< effort of the optimiser
  bool resident = false;                                             ///< option of the optimiser
  std::uint64_t batch = 1;  ///< images per run; option of the optimiser
  tcu::Architecture architecture;
  std::uint64_t images = 1;      ///< images run in succession, for the throughput
  std::uint64_t tcus = 1;        ///< units behind one memory, to which the images are dealt out
  std::string energy;            ///< name in configs/energy or path; empty: none
  std::uint64_t max_cycles = 0;  ///< 0: no limit
};

/// Compiles with the compiler that `via` names.
[[nodiscard]] compiler::Compiled compile_via(Via via, const nn::Graph& graph,
                                             const tcu::Architecture& architecture,
                                             const compiler::Options& options);

/// Compiler options of a task: how to compile, and the properties of the memory.
[[nodiscard]] compiler::Options compiler_options(const Task& task);

/// Parameters of the workload: the network, under the key "network", and its seed.
[[nodiscard]] const ParameterTable<Task>& workload_parameters();
/// Parameters of additional measurements.
[[nodiscard]] const ParameterTable<Task>& measure_parameters();
/// Parameters of the compiler.
[[nodiscard]] const ParameterTable<Task>& compiler_parameters();

/// The task on one line; parse_task(to_json(t)) equals t. parse_task() is strict; `where` stands
/// for the file name.
[[nodiscard]] std::string to_json(const Task& task);
[[nodiscard]] Task parse_task(std::string_view json_text, const std::string& where);

/// Figures of an evaluation. An absent figure is null in JSON: a program of 0 cycles has no rates.
struct Figures {
  std::uint64_t instructions = 0;
  std::uint64_t program_bytes = 0, constant_bytes = 0;
  /// Without those of padding pixels; empty: unknown (a model compiled elsewhere).
  std::optional<std::uint64_t> macs;
  std::uint64_t macs_with_padding = 0;  ///< as counted in publications; 0: unknown
  std::uint64_t cycles = 0;
  double latency_ms = 0;  ///< latency of a run, which may have several images; of units the first's
  std::optional<double> frames_per_second;  ///< empty for 0 cycles
  /// prediction of the optimiser; 0: it did not compile the program
  std::uint64_t predicted_cycles = 0;
  std::uint64_t bound_cycles = 0;                ///< see optimise::OptimisedLayer; 0: as above
  std::optional<double> array_busy, useful_mac;  ///< see models/sim/array_figures.h
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;  ///< both banks, at the pins
  std::uint64_t estimated_cycles = 0;                       ///< execution latency, current formula
  std::uint64_t estimated_cycles_2022 = 0;                  ///< aggregate, formula of March 2022
  /// Cycles in which the array is not busy, by the reasons of MachineInfo::time.
  std::map<std::string, std::uint64_t> lost_cycles;
  nlohmann::ordered_json throughput;  ///< see Throughput; null for one image
  nlohmann::ordered_json energy;      ///< see energy::Meter; null without a table
  bool from_cache = false;
  double compile_seconds = 0;   ///< host time of compiling or of reading the cache
  double simulate_seconds = 0;  ///< host time
};

/// Names (as in JSON), units and meanings.
[[nodiscard]] std::vector<Figure> figure_columns();

[[nodiscard]] std::string to_json(const Figures& figures);
[[nodiscard]] Figures parse_figures(std::string_view json_text, const std::string& where);

/// The task's program: taken from the cache, or compiled and stored there.
struct Prepared {
  Program program;
  bool from_cache = false;
};
[[nodiscard]] Prepared prepare(const Task& task, const ProgramCache& cache,
                               const std::function<void(const compiler::Progress&)>& progress = {});

/// The machine that the task describes.
[[nodiscard]] TcuSimulationConfig machine_config(const Task& task);

/// One image of every input: the zoo's seeded values if the layout is known, else seeded vectors.
[[nodiscard]] TensorData seeded_inputs(const Program& program, std::uint64_t seed);

/// Throws UserError unless each of the task's units has an image and the memory is the board's.
void check_runs(const Task& task);

/// Runs the task's images; figures are those of the first, which of several units is one of unit 0.
/// Throws UserError if the task cannot be compiled or run, and if the program hangs or reaches the
/// cycle limit. A process can run one machine at a time.
[[nodiscard]] Figures evaluate(const Task& task, const ProgramCache& cache);

}  // namespace tactus::bench
