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
#include "firmware/driver/tcu/run_request.h"
#include "firmware/report/figures.h"
#include "isa/support/board_values.h"

namespace tactus::bench {

enum class Source {
  network,  ///< a name of the zoo
  onnx,     ///< path of an ONNX file or of a layer topology
  model,    ///< path of a compiled .tmodel
  program,  ///< path of a .tprog for the task's architecture; memories are zeroes
};

/// Everything that an evaluation needs. A compiled model ignores the compiler's choices.
struct Task : BoardValues, compiler::Choices, RunRequest {
  Source source = Source::network;
  std::string workload = "resnet20v2";  ///< name or path
  std::uint64_t seed = 1;               ///< seed of a zoo network's weights and of the inputs
  tcu::Architecture architecture;

  /// Number of images that are run one after the other. All have the same inputs.
  [[nodiscard]] std::uint64_t images() const { return images_wanted.value_or(1); }
};

/// Calls its argument, a simulation, when it may use SystemC. Empty: at once.
using WithKernel = std::function<void(const std::function<void()>& simulate)>;

/// Compiles a network for a machine with the compiler that the options name; fit_to() must have set
/// them. With options.optimise, programs that the cost model takes for about equally fast are
/// simulated with the machine's memory. Precondition: resolve_memory() has been called for
/// `config`.
[[nodiscard]] compiler::Compiled compile_network(const nn::Graph& graph,
                                                 const TcuSimulationConfig& config,
                                                 const compiler::Options& options,
                                                 const WithKernel& with_kernel = {});

/// Sets the compiler's options that describe the board's memory.
void fit_to(const BoardValues& board, compiler::Options& options);

/// Parameters of the workload: the network, under the key "network", and its seed.
[[nodiscard]] const ParameterTable<Task>& workload_parameters();
/// Parameters of the compiler.
[[nodiscard]] const ParameterTable<compiler::Choices>& compiler_parameters();
/// An option that needs or excludes others, and what it does.
struct ChoicesProblem {
  std::string key, text;
};
/// The first such problem; empty: none. `given`: whether the user names a key; `named` gives the
/// text of a key, such as "--optimise".
[[nodiscard]] std::optional<ChoicesProblem> choices_problem(
    const compiler::Choices& choices, const std::function<bool(std::string)>& given,
    bool separate_outputs, const std::function<std::string(std::string)>& named);

/// Writes a task as one line of JSON; parse_task(to_json(t)) equals t.
[[nodiscard]] std::string to_json(const Task& task);
/// Reads a task strictly. `where` stands for the file name in errors.
[[nodiscard]] Task parse_task(std::string_view json_text, const std::string& where);

/// Figures of an evaluation. An absent figure is null in JSON; a program of 0 cycles has no rates,
/// for example.
struct Figures {
  std::uint64_t instructions = 0;
  std::uint64_t program_bytes = 0, constant_bytes = 0;
  /// See compiler::ConstantLoss; empty: not known.
  std::optional<std::uint64_t> constants_saturated, constants_vanished, constants_reduced;
  /// Multiply-accumulates of the network without those of padding pixels; empty: unknown, as for a
  /// model that does not state them.
  std::optional<std::uint64_t> macs;
  /// With padding pixels, as publications count; empty: unknown.
  std::optional<std::uint64_t> macs_with_padding;
  std::uint64_t batch = 1;  ///< images that a run computes
  std::uint64_t cycles = 0;
  /// Cycles of the copy of constants, see ImageResult::constants; of several units the most.
  std::uint64_t constants_cycles = 0;
  /// Latency of the first run, which computes a batch; with several units it runs on unit 0.
  double latency_ms = 0;
  std::optional<double> frames_per_second;  ///< empty for 0 cycles
  /// Cycles that the optimising compiler predicts; empty: another compiler made the program.
  std::optional<std::uint64_t> predicted_cycles;
  /// Lower bound on the cycles, see optimise::OptimisedLayer; empty: not optimised.
  std::optional<std::uint64_t> bound_cycles;
  std::optional<double> array_busy, useful_mac;             ///< see models/sim/array_figures.h
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;  ///< both banks, at the pins
  std::uint64_t estimated_cycles = 0;       ///< Estimate::execution by the current formula
  std::uint64_t estimated_cycles_2022 = 0;  ///< Estimate::aggregate by the formula of March 2022
  /// Cycles in which the array is not busy, by the reasons of MachineInfo::time.
  std::map<std::string, std::uint64_t> lost_cycles;
  nlohmann::ordered_json throughput;  ///< see Throughput; null for one image
  nlohmann::ordered_json energy;      ///< result of energy::Meter; null without a table
  nlohmann::ordered_json serving;     ///< by network, see serve_task(); null: not served
  bool from_cache = false;
  double compile_seconds = 0;   ///< host time of compiling or of reading the cache
  double simulate_seconds = 0;  ///< host time
};

/// Names (as in JSON), units and meanings of the figures.
[[nodiscard]] std::vector<Figure> figure_columns();

[[nodiscard]] std::string to_json(const Figures& figures);
[[nodiscard]] Figures parse_figures(std::string_view json_text, const std::string& where);

struct Prepared {
  Program program;
  bool from_cache = false;
};
/// Takes the task's program from the cache, or compiles it and stores it there. A compiled model
/// and a program are read from their files.
[[nodiscard]] Prepared prepare(const Task& task, const ProgramCache& cache,
                               const std::function<void(const compiler::Progress&)>& progress = {});

/// Configuration of the machine that the task describes.
[[nodiscard]] TcuSimulationConfig machine_config(const Task& task);

/// Makes one image of every input, see seeded_input(). Every input has a seed of its own.
[[nodiscard]] TensorData seeded_inputs(const Program& program, std::uint64_t seed);

/// Checks a task with several units: each needs a run, and the memory must be the board's. Throws
/// UserError.
void check_runs(const Task& task);

/// Runs the task's images and returns the figures of the first run; with several units, unit 0
/// executes it. Throws UserError if the task cannot be compiled or run, or if the program hangs or
/// reaches the cycle limit. A process can run one machine at a time.
[[nodiscard]] Figures evaluate(const Task& task, const ProgramCache& cache);

}  // namespace tactus::bench
