// One network on one machine: compiled (or taken from the cache), simulated cycle by cycle,
// counted.
//
// Benchmark rows and sweep points are evaluations. Everything an evaluation needs is in a Task,
// which travels as JSON to a process of its own; its figures come back as JSON.
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
  onnx,     ///< the path of an ONNX file or of a layer topology
  model,    ///< the path of a compiled .tmodel
};

/// Which compiler makes the program.
enum class Via {
  layers,  ///< compiler::compile()
  stripe,  ///< compiler::compile_via_stripe()
};

/// The board's values are the base.
struct Task : BoardValues {
  Source source = Source::network;
  std::string workload = "resnet20v2";  ///< name or path
  std::uint64_t seed = 1;               ///< of a zoo network's weights and of the inputs
  compiler::Strategy strategy = compiler::Strategy::local_isolated;  ///< not for a model
  bool compat = false;                                               ///< not for a model
  Via via = Via::layers;                                             ///< not for a model
  bool optimise = false;                                             ///< not for a model
  std::uint64_t effort = 200;                                        ///< of the optimiser
  bool resident = false;                                             ///< of the optimiser
  std::uint64_t batch = 1;                                           ///< images, of the optimiser
  tcu::Architecture architecture;
  std::uint64_t images = 1;      ///< one after the other, for the throughput
  std::string energy;            ///< a table of configs/energy or its path; empty: none
  std::uint64_t max_cycles = 0;  ///< 0: no limit
};

/// The compiler's entry that `via` names.
[[nodiscard]] compiler::Compiled compile_via(Via via, const nn::Graph& graph,
                                             const tcu::Architecture& architecture,
                                             const compiler::Options& options);

/// What a compiler is told of a task: how to compile, and the figures of the memory.
[[nodiscard]] compiler::Options compiler_options(const Task& task);

/// What is run: the task's workload under the key "network", and its seed.
[[nodiscard]] const ParameterTable<Task>& workload_parameters();
/// What is measured of it beside the figures that every point has.
[[nodiscard]] const ParameterTable<Task>& measure_parameters();
/// How it is compiled.
[[nodiscard]] const ParameterTable<Task>& compiler_parameters();

/// One line; parse_task(to_json(t)) is t. parse_task is strict; `where` stands for the file name.
[[nodiscard]] std::string to_json(const Task& task);
[[nodiscard]] Task parse_task(std::string_view json_text, const std::string& where);

/// A figure that is none is null in JSON: a program of no cycles has no rates.
struct Figures {
  std::uint64_t instructions = 0;
  std::uint64_t program_bytes = 0, constant_bytes = 0;
  /// Those with padding pixels left out; none: not known (a model compiled elsewhere).
  std::optional<std::uint64_t> macs;
  std::uint64_t macs_with_padding = 0;  ///< as publications count; 0: unknown
  std::uint64_t cycles = 0;
  double latency_ms = 0;                         ///< of a run; it may have several images
  std::optional<double> frames_per_second;       ///< none without cycles
  std::uint64_t predicted_cycles = 0;            ///< by the optimiser; 0: it did not compile this
  std::uint64_t bound_cycles = 0;                ///< likewise, see optimise::OptimisedLayer
  std::optional<double> array_busy, useful_mac;  ///< see models/sim/array_figures.h
  std::uint64_t dram_read_bytes = 0, dram_write_bytes = 0;  ///< both banks, at the pins
  std::uint64_t estimated_cycles = 0;                       ///< execution latency, current formula
  std::uint64_t estimated_cycles_2022 = 0;                  ///< aggregate, formula of March 2022
  /// Cycles in which the array multiplies nothing, by the reasons of MachineInfo::time.
  std::map<std::string, std::uint64_t> lost_cycles;
  nlohmann::ordered_json throughput;  ///< see Throughput; null for one image
  nlohmann::ordered_json energy;      ///< see energy::Meter; null without a table
  bool from_cache = false;
  double compile_seconds = 0;   ///< of the host, or for reading the cache
  double simulate_seconds = 0;  ///< of the host
};

/// Names as in JSON, units, meanings.
[[nodiscard]] std::vector<Figure> figure_columns();

[[nodiscard]] std::string to_json(const Figures& figures);
[[nodiscard]] Figures parse_figures(std::string_view json_text, const std::string& where);

/// The task's program: from the cache, else compiled and stored there.
struct Prepared {
  Program program;
  bool from_cache = false;
};
[[nodiscard]] Prepared prepare(const Task& task, const ProgramCache& cache,
                               const std::function<void(const compiler::Progress&)>& progress = {});

/// A machine as the task describes it.
[[nodiscard]] TcuSimulationConfig machine_config(const Task& task);

/// One image of every input: the zoo's seeded values where the layout is known, else seeded
/// vectors.
[[nodiscard]] TensorData seeded_inputs(const Program& program, std::uint64_t seed);

/// Runs the task's images; figures are those of the first. Throws UserError for what cannot be
/// compiled or run, and for a program that hangs or meets the cycle limit. One machine a process at
/// a time, as everywhere.
[[nodiscard]] Figures evaluate(const Task& task, const ProgramCache& cache);

}  // namespace tactus::bench
