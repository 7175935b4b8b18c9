#include "firmware/bench/evaluation.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "firmware/bench/calibration.h"
#include "firmware/bench/scaled_network.h"
#include "firmware/bench/seeded_input.h"
#include "firmware/bench/tenants.h"
#include "firmware/compiler/measured.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/config/memory.h"
#include "firmware/driver/common/throughput.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/energy/tcu.h"
#include "firmware/onnx/writer.h"
#include "firmware/zoo/network_file.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_json.h"
#include "models/sim/array_figures.h"

namespace tactus::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

const std::vector<std::string_view> source_names{"network", "onnx", "model", "program"};

using Member =
    std::variant<std::uint64_t Figures::*, double Figures::*, bool Figures::*,
                 std::optional<std::uint64_t> Figures::*, std::optional<double> Figures::*,
                 std::map<std::string, std::uint64_t> Figures::*, Json Figures::*>;
struct FigureMember {
  std::string_view name, unit;  ///< name and unit in JSON
  std::string_view meaning;
  Member member;
};
constexpr FigureMember figure_members[] = {
    {"instructions", "count", "instructions of the program", &Figures::instructions},
    {"program_bytes", "bytes", "of the program", &Figures::program_bytes},
    {"constant_bytes", "bytes", "bytes of weights and other constants", &Figures::constant_bytes},
    {"constants_saturated", "count", "values of constants beyond the data type's range",
     &Figures::constants_saturated},
    {"constants_became_0", "count", "values of constants that the data type rounds to 0",
     &Figures::constants_vanished},
    {"constants_lost_1_percent", "count",
     "values of constants that otherwise lose more than 1 % by rounding to the data type",
     &Figures::constants_reduced},
    {array_figures::macs_name, "count", array_figures::macs_meaning, &Figures::macs},
    {"macs_with_padding", "count",
     "macs and those of padding pixels, as publications count; null: not known",
     &Figures::macs_with_padding},
    {"batch", "count", "images that a run computes", &Figures::batch},
    {"cycles", "cycles", "cycles of a run, simulated cycle by cycle", &Figures::cycles},
    {"constants_cycles", "cycles",
     "constants, once: cycles before the first image in which constants are copied to local "
     "memory; they are in no latency",
     &Figures::constants_cycles},
    {"latency_ms", "ms", "cycles at the board's clock, without the host", &Figures::latency_ms},
    {"frames_per_second", "1/s",
     "images of a run / latency; for several units, all images / time; null without cycles",
     &Figures::frames_per_second},
    {"predicted_cycles", "cycles",
     "cycles by the optimising compiler's cost model, with memory of fixed latency; null: not "
     "optimised",
     &Figures::predicted_cycles},
    {"bound_cycles", "cycles",
     "lower bound: cycles of the optimised layers' matrices, weight changes and DataMoves of "
     "accumulators alone; null: not optimised",
     &Figures::bound_cycles},
    {array_figures::busy_name, "0..1", array_figures::busy_meaning, &Figures::array_busy},
    {array_figures::useful_name, "0..1", array_figures::useful_meaning, &Figures::useful_mac},
    {"dram_read_bytes", "bytes", "bytes read at both DRAM ports", &Figures::dram_read_bytes},
    {"dram_write_bytes", "bytes", "bytes written at both DRAM ports", &Figures::dram_write_bytes},
    {"estimated_cycles", "cycles", "cycles by the formula of tactus estimate: execution latency",
     &Figures::estimated_cycles},
    {"estimated_cycles_2022", "cycles", "cycles by the formula of March 2022: aggregate latency",
     &Figures::estimated_cycles_2022},
    {"lost_cycles", "cycles",
     "cycles in which the array multiplies nothing, by reason; see accounting.lost_cycles.reasons",
     &Figures::lost_cycles},
    {"throughput", "",
     "throughput of several images, one after the other; see throughput of statistics",
     &Figures::throughput},
    {"energy", "",
     "energy of the events of a run by an energy table, of several units those of all runs; see "
     "energy of statistics",
     &Figures::energy},
    {"serving", "",
     "by network, of requests that arrive: arrived, latency_ms and so on; see serving.models of "
     "statistics",
     &Figures::serving},
    {"from_cache", "true or false", "the program was compiled by an earlier run",
     &Figures::from_cache},
    {"compile_seconds", "s", "time of the host for compiling, or for reading the cache",
     &Figures::compile_seconds},
    {"simulate_seconds", "s", "time of the host for simulating", &Figures::simulate_seconds},
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Key of a task's compiled program: text with everything that determines the program. Name and
/// seed identify a zoo network. A model read from files is identified by the hash of its graph,
/// since it may be spread over several files.
std::string cache_key(const Task& task, const std::optional<nn::Graph>& graph) {
  Json key;
  if (graph) {
    key["onnx"] = sha256(nn::write_graph(*graph));
  } else {
    key["network"] = task.workload;
    key["seed"] = task.seed;
  }
  key["architecture"] = json_of_text(to_json(task.architecture, -1));
  compiler_parameters().write(key["compiler"], task);
  if (!task.calibrate.empty()) key["calibration"] = calibration_hash(task.calibrate);
  // The Stripe compiler's choice of tiles depends on the cost of transfers.
  if (task.via != compiler::Via::layers) key["memory"] = task.axi_data_bits;
  // The optimising compiler adapts the program to the memory, and measures programs with it.
  if (task.optimise) board_parameters().write(key["memory"], task);
  return text_of_json(key);
}

Program compile_task(const Task& task, const nn::Graph& graph,
                     const std::function<void(const compiler::Progress&)>& progress) {
  compiler::Options options;
  static_cast<compiler::Choices&>(options) = task;
  fit_to(task, options);
  options.progress = progress;
  const std::string name = std::filesystem::path(task.workload).filename().string();
  return to_program(compile_network(graph, machine_config(task), options), name);
}

Program read_compiled(const Task& task) {
  Program program;
  program.model = read_model(task.workload, ProgramChecks::strict);
  const std::string differences =
      architecture_differences(program.model.file.arch, task.architecture);
  if (!differences.empty()) {
    user_error(
        "{}: compiled for another architecture than the board's; (model, board) differ in: {}",
        task.workload, differences);
  }
  return program;
}

Program read_bare_program(const Task& task) {
  Program program;
  program.model.path = task.workload;
  program.model.file.arch = task.architecture;
  program.model.program = read_file(task.workload);
  check_program(task.architecture, program.model.program, task.workload, ProgramChecks::strict);
  return program;
}

/// Converts figures to JSON and back; an absent figure is null.
template <typename T>
Json json_of(const std::optional<T>& figure) {
  return figure ? Json(*figure) : Json();
}
template <typename T>
const T& json_of(const T& figure) {
  return figure;
}

template <typename T>
void read(const Json& json, std::optional<T>& figure) {
  figure = json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}
template <typename T>
void read(const Json& json, T& figure) {
  json.get_to(figure);
}

void require_finished(const Task& task, const TcuRunResult& run) {
  if (run.end == RunEnd::finished) return;
  user_error("{}: {} after {} cycles", task.workload,
             run.end == RunEnd::hang ? "the program hangs" : "the program met its cycle limit",
             run.cycles);
}

}  // namespace

void fit_to(const BoardValues& board, compiler::Options& options) {
  options.axi_data_bits = static_cast<unsigned>(board.axi_data_bits);
  options.read_latency = static_cast<std::uint32_t>(board.read_latency);
  options.write_latency = static_cast<std::uint32_t>(board.write_latency);
}

compiler::Compiled compile_network(const nn::Graph& graph, const TcuSimulationConfig& config,
                                   const compiler::Options& options,
                                   const WithKernel& with_kernel) {
  if (options.scales != compiler::Scales::none) {
    return compile_scaled(graph, config, options, with_kernel);
  }
  if (options.via != compiler::Via::layers) {
    return compile_via_stripe(graph, config.architecture, options).model;
  }
  const auto cycles = [&](const compiler::Compiled& compiled) -> std::optional<std::uint64_t> {
    // Some seconds of simulation. With a board's memory short programs take up to 5 times the
    // predicted cycles.
    constexpr std::uint64_t most_predicted = 10'000'000, limit = 5 * most_predicted;
    if (compiled.predicted_cycles > most_predicted) return std::nullopt;
    const Program program = to_program(compiled, "compiled");
    TcuRunOptions run;
    run.max_cycles = limit;
    std::optional<TcuRunResult> result;
    const auto simulate = [&] {
      result = run_once(config, program.model, seeded_inputs(program, 1), {}, run).run;
    };
    with_kernel ? with_kernel(simulate) : simulate();
    return result->end == RunEnd::finished ? std::optional(result->cycles) : std::nullopt;
  };
  return compile_for(graph, config.architecture, options, {memory_text(config), cycles});
}

const ParameterTable<Task>& workload_parameters() {
  static const ParameterTable<Task> table(
      "workload", "What a point of a sweep runs.",
      {text("network", &Task::workload, "",
            "a network of tactus zoo, or an .onnx, .pb, .tflite, .tmodel, .tprog or topology "
            "(.csv) file")
           .without_option(),
       whole("seed", &Task::seed, {}, "", "seed of a zoo network's weights and of the inputs")
           .without_option()});
  return table;
}

std::optional<ChoicesProblem> choices_problem(
    const compiler::Choices& choices, const std::function<bool(std::string)>& given,
    bool separate_outputs, const std::function<std::string(std::string)>& named) {
  if (choices.compat && separate_outputs) {
    return ChoicesProblem{
        "separate_outputs",
        fmt::format("and {} exclude each other, for the reference reuses the place of an input",
                    named("compat"))};
  }
  if (choices.compat && choices.scales != compiler::Scales::none) {
    return ChoicesProblem{"scales",
                          fmt::format("and {} exclude each other, for the reference scales nothing",
                                      named("compat"))};
  }
  if (!choices.calibrate.empty() && choices.scales == compiler::Scales::none) {
    return ChoicesProblem{
        "calibrate", fmt::format("needs {} weights or {} auto", named("scales"), named("scales"))};
  }
  if (choices.compat && choices.value_bound != 0) {
    return ChoicesProblem{
        "value_bound",
        fmt::format("and {} exclude each other, for the reference takes none", named("compat"))};
  }
  if (!choices.optimise && (choices.batch > 1 || choices.resident || given("effort"))) {
    return ChoicesProblem{choices.resident    ? "resident"
                          : choices.batch > 1 ? "batch"
                                              : "effort",
                          "needs " + named("optimise")};
  }
  if (choices.optimise && (choices.compat || given("strategy") || separate_outputs ||
                           choices.via != compiler::Via::layers)) {
    return ChoicesProblem{"optimise",
                          fmt::format("goes with none of {}, {}, {}, {}", named("strategy"),
                                      named("compat"), named("via"), named("separate_outputs"))};
  }
  return std::nullopt;
}

const ParameterTable<compiler::Choices>& compiler_parameters() {
  using compiler::Strategy;
  using C = compiler::Choices;
  std::vector<std::string_view> strategies;
  for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                  Strategy::local_consts, Strategy::local_vars_and_consts}) {
    strategies.push_back(compiler::to_string(strategy));
  }
  static const ParameterTable<C> table(
      "compiler", "How a network is compiled.",
      {choice("strategy", &C::strategy, strategies,
              "what stays in local memory from layer to layer: nothing, variables, constants, or "
              "both"),
       boolean("compat", &C::compat,
               "compile byte for byte as the reference's compiler does, its mistakes included"),
       boolean("optimise", &C::optimise,
               "compile for the fewest cycles, instead of by a strategy: values stay in local "
               "memory, weights are fetched ahead"),
       whole("effort", &C::effort, {1, 100000}, "plans",
             "plans that the optimiser may try before it takes the cheapest"),
       whole("batch", &C::batch, {1, tcu::most_batch}, "images",
             "images that one run of the optimiser's program computes together, so that they share "
             "weights"),
       boolean("resident", &C::resident,
               "with optimise: constants stay in local memory from image to image, as far as there "
               "is room"),
       choice("via", &C::via, {"layers", "stripe"},
              "layers: the compiler of layers; stripe: Stripe's passes and lowering"),
       choice("scales", &C::scales, {"none", "weights", "auto"},
              "multiply tensors by powers of two, so that rounding loses less; weights: in weights "
              "and biases, which takes no time unless a mean needs more stages; auto: also behind "
              "sums, where it saves enough")
           .which_old_files_lack(),
       text("calibrate", &C::calibrate, "drawn",
            "images of yours from which scales are chosen: .npy, .npz, .pb or a folder of them; "
            "without it images are drawn")
           .with_value_name("F")
           .which_old_files_lack(),
       real("value_bound", &C::value_bound, {0, 1e9}, "",
            "largest absolute value inside the network, if you know it (0: unknown); means of "
            "values below 32 then take fewer cycles, and those above it saturate")
           .which_old_files_lack()});
  return table;
}

std::string to_json(const Task& task) {
  Json json;
  json["source"] = source_names.at(static_cast<std::size_t>(task.source));
  json["workload"] = task.workload;
  json["seed"] = task.seed;
  compiler_parameters().write(json, task);
  json["architecture"] = json_of_text(to_json(task.architecture, -1));
  for (std::size_t i = 0; i < task.architecture.dais_blocks.size(); ++i) {
    // The path is made absolute, since a reader of the task does not know the architecture's
    // folder.
    json["architecture"]["dais_blocks"][i]["program"] =
        std::filesystem::absolute(task.architecture.dais_blocks[i].path).string();
  }
  board_parameters().write(json, task);
  request_parameters(Asker::points).write(json, task);
  json["max_cycles"] = task.max_cycles.value_or(0);
  return text_of_json(json);
}

Task parse_task(std::string_view json_text, const std::string& where) {
  JsonDocument document(json_text, where);
  ObjectReader root = document.root();
  Task task;
  task.source = static_cast<Source>(root.get_enum("source", source_names));
  task.workload = root.get_string("workload");
  task.seed = root.get_u64("seed");
  compiler_parameters().read(root, task);
  task.architecture = tcu::decode_architecture(root.get_object("architecture"));
  board_parameters().read(root, task);
  request_parameters(Asker::points).read(root, task, MissingKeys::allowed);
  if (const auto limit = root.get_u64("max_cycles"); limit != 0) task.max_cycles = limit;
  root.finish();
  document.problems().throw_if_any();
  return task;
}

std::vector<Figure> figure_columns() {
  std::vector<Figure> columns;
  for (const FigureMember& figure : figure_members) {
    std::string name(figure.name);
    // An object of figures is one column NAME.* without a unit.
    const bool group =
        std::holds_alternative<Json Figures::*>(figure.member) ||
        std::holds_alternative<std::map<std::string, std::uint64_t> Figures::*>(figure.member);
    if (group) name += ".*";
    columns.push_back({name, group ? "" : std::string(figure.unit), std::string(figure.meaning)});
  }
  return columns;
}

std::string to_json(const Figures& figures) {
  Json json;
  for (const FigureMember& figure : figure_members) {
    const std::string name(figure.name);
    std::visit([&](auto member) { json[name] = json_of(figures.*member); }, figure.member);
    // A section that the task did not ask for, such as the energy, is left out.
    const bool optional = std::holds_alternative<Json Figures::*>(figure.member);
    if (optional && json[name].is_null()) json.erase(name);
  }
  return text_of_json(json);
}

Figures parse_figures(std::string_view json_text, const std::string& where) {
  Figures figures;
  try {
    const Json json = json_of_text(json_text);
    for (const FigureMember& figure : figure_members) {
      const std::string name(figure.name);
      const bool optional = std::holds_alternative<Json Figures::*>(figure.member);
      if (optional && !json.contains(name)) continue;
      std::visit([&](auto member) { read(json.at(name), figures.*member); }, figure.member);
    }
  } catch (const nlohmann::json::exception& error) {
    internal_error("{}: no figures: {}", where, error.what());
  }
  return figures;
}

Prepared prepare(const Task& task, const ProgramCache& cache,
                 const std::function<void(const compiler::Progress&)>& progress) {
  if (task.source == Source::model) return {read_compiled(task), false};
  if (task.source == Source::program) return {read_bare_program(task), false};
  std::optional<nn::Graph> graph;
  if (task.source == Source::onnx) graph = nn::load_network(task.workload);
  const std::string key = cache_key(task, graph);
  if (auto found = cache.find(key)) return {std::move(*found), true};
  if (!graph) graph = nn::zoo_entry(task.workload).build(task.seed).graph;
  Prepared prepared{compile_task(task, *graph, progress), false};
  cache.store(key, prepared.program);
  return prepared;
}

TcuSimulationConfig machine_config(const Task& task) { return tcu_config(task, task.architecture); }

TensorData seeded_inputs(const Program& program, std::uint64_t seed) {
  TensorData data;
  for (const Tensor& tensor : tensors(program.model.file.inputs)) {
    const auto layout = std::find_if(program.inputs.begin(), program.inputs.end(),
                                     [&](const auto& one) { return one.name == tensor.name; });
    data[tensor.name] = seeded_input(program.model.file.arch, tensor,
                                     layout == program.inputs.end() ? nullptr : &*layout, seed++);
  }
  return data;
}

namespace {

/// Runs the program `runs` times, dealing the runs out to the task's units, and returns the results
/// without outputs.
std::vector<ImageResult> run_images(const Task& task, const Program& program,
                                    const TensorData& inputs, std::size_t runs) {
  TcuRunOptions options;
  apply(task, options);
  std::vector<ImageResult> results(runs);
  const auto run_image = [&](unsigned, Host& host, std::size_t i) {
    results[i] = host.run_image(inputs, options);
    results[i].outputs.clear();
    require_finished(task, results[i].run);
    return true;
  };
  const TcuSimulationConfig config = machine_config(task);
  TcuUnits::check_deal(config, task.tcus, runs, program.model);
  TcuMachines machines(config, task, program.model.program.size());
  const auto stuck = machines.deal(program.model, task, runs, run_image);
  if (stuck) require_finished(task, *stuck);
  return results;
}

/// Sum over the layers of a figure that is 0 where it is unknown; empty if no layer has it.
std::optional<std::uint64_t> sum_of(const std::vector<tcu::LayerEntry>& layers,
                                    std::uint64_t tcu::LayerEntry::*figure) {
  std::uint64_t sum = 0;
  for (const tcu::LayerEntry& layer : layers) sum += layer.*figure;
  return sum == 0 ? std::nullopt : std::optional(sum);
}

}  // namespace

void check_runs(const Task& task) {
  TcuUnits::check_ports(machine_config(task), task.tcus);
  if (is_served(task)) return check_serving(task);
  if (task.tcus == 1) return;
  const bool compiled = task.source == Source::model;
  const std::uint64_t batch = compiled ? tcu::read_model_file(task.workload).batch
                              : task.source == Source::program ? 1
                                                               : task.batch;
  TcuUnits::check_runs(task.memory_model, task.tcus, runs_of(task.images(), batch), batch);
}

namespace {

/// Figures of the task's images, without requests that arrive.
Figures evaluate_images(const Task& task, const ProgramCache& cache) {
  const Clock::time_point begin = Clock::now();
  const Prepared prepared = prepare(task, cache);
  const Program& program = prepared.program;
  Figures figures;
  figures.from_cache = prepared.from_cache;
  figures.compile_seconds = seconds_since(begin);

  const Estimates estimates = estimate_file(task.architecture, program.model.program);
  figures.estimated_cycles = estimates.current.execution.cycles;
  figures.estimated_cycles_2022 = estimates.march_2022.aggregate.cycles;

  const std::optional<energy::Meter> meter = energy::meter_of(task.energy, task.architecture);
  const TensorData inputs = seeded_inputs(program, task.seed);
  const Clock::time_point start = Clock::now();
  const std::uint64_t batch = program.model.file.batch;
  const std::vector<ImageResult> results =
      run_images(task, program, inputs, runs_of(task.images(), batch));
  const TcuRunResult& run = results.front().run;
  std::vector<std::uint64_t> latencies;
  std::vector<const RunResult*> runs;
  for (const ImageResult& result : results) {
    latencies.push_back(result.run.cycles);
    runs.push_back(&result.run);
    figures.constants_cycles = std::max(figures.constants_cycles, result.constants);
  }
  figures.simulate_seconds = seconds_since(start);
  const auto rate = [&](double host_us) {
    return throughput(latencies, task.clock_mhz, host_us, batch, static_cast<unsigned>(task.tcus));
  };
  if (task.images() > 1) figures.throughput = tactus::to_json(rate(task.host_us));
  if (meter) {
    figures.energy = task.tcus > 1 ? energy::energy_of_units(*meter, runs, task.tcus,
                                                             task.architecture, task, batch)
                                   : energy::energy_of(*meter, run, task.architecture, task, batch);
  }

  figures.instructions = run.instructions;
  figures.program_bytes = program.model.program.size();
  for (const auto& constants : program.model.constants) figures.constant_bytes += constants.size();
  if (const auto& lost = program.lost_constants; !lost.empty()) {
    figures.constants_saturated = lost.at(0);
    figures.constants_vanished = lost.at(1);
    figures.constants_reduced = lost.at(2);
  }
  // A compiled model may state the multiply-accumulates of its layers.
  const bool compiled_here = task.source == Source::network || task.source == Source::onnx;
  figures.macs =
      compiled_here ? std::optional(program.true_macs) : macs_of(program.model.file.layers);
  if (program.macs_with_padding != 0) figures.macs_with_padding = program.macs_with_padding;
  figures.batch = batch;
  figures.cycles = run.cycles;
  figures.latency_ms = cycles_in_ms(run.cycles, task.clock_mhz);
  if (run.cycles != 0) {
    const double ms = static_cast<double>(run.cycles) / task.clock_mhz / 1e3;
    const double of_one = static_cast<double>(batch) * 1e3 / ms;
    figures.frames_per_second = task.tcus > 1 ? rate(0).frames_per_second : of_one;
    const std::uint64_t n = task.architecture.array_size;
    figures.array_busy = array_figures::busy(run.array_runs, run.cycles);
    figures.useful_mac = array_figures::useful(figures.macs, run.cycles, n * n);
  }
  figures.predicted_cycles = sum_of(program.model.file.layers, &tcu::LayerEntry::predicted_cycles);
  figures.bound_cycles = sum_of(program.model.file.layers, &tcu::LayerEntry::bound_cycles);
  const Counters& totals = run.accounting.totals;
  for (std::size_t i = 0; i < totals.time.size(); ++i) {
    const UnitState& reason = totals.info->time.states[i];
    if (reason.kind == StateKind::busy) continue;
    figures.lost_cycles[std::string(reason.name)] = totals.time[i];
  }
  const std::uint64_t beat = task.axi_data_bits / 8;
  figures.dram_read_bytes = (run.read_beats[0] + run.read_beats[1]) * beat;
  figures.dram_write_bytes = (run.write_beats[0] + run.write_beats[1]) * beat;
  return figures;
}

}  // namespace

Figures evaluate(const Task& task, const ProgramCache& cache) {
  check_axi_width(task.architecture, task.axi_data_bits);
  TcuUnits::check_ports(machine_config(task), task.tcus);
  if (!is_served(task)) return evaluate_images(task, cache);
  Figures figures = evaluate_images(alone(task), cache);
  figures.serving = serve_task(task, cache);
  return figures;
}

}  // namespace tactus::bench
