#include "firmware/codesign/point.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "firmware/bench/program_cache.h"
#include "firmware/codesign/ideas.h"
#include "firmware/codesign/prediction.h"
#include "firmware/codesign/tiles.h"
#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/template.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/compiler/targets/tcu/stripe/hardware_model.h"
#include "firmware/compiler/targets/tcu/stripe/lower.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/energy/tcu.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/parameter_impl.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/instruction_kind.h"
#include "models/sim/array_figures.h"

namespace tactus::codesign {
namespace {

using Record = nlohmann::ordered_json;
using compiler::LoweredStripe;

/// A program with the values of all its buffers.
struct Workload {
  stripe::Program program;
  stripe::Tensors values;  ///< values that the machine's number format has
  std::map<std::string, std::vector<float>> constants;
  /// True if values are reals, whose sums depend slightly on their order. False if they are small
  /// integers, whose sums do not.
  bool reals = false;
};

constexpr std::string_view zoo_prefix = "zoo:";

Workload network(const PointTask& task) {
  const bool zoo = task.program.compare(0, zoo_prefix.size(), zoo_prefix) == 0;
  const nn::Graph graph =
      zoo ? nn::zoo_entry(task.program.substr(zoo_prefix.size())).build(nn::default_zoo_seed).graph
          : tf::load_model(task.program);
  compiler::StripeGraph as_stripe = compiler::stripe_graph(graph, task.architecture);
  Workload result;
  result.reals = true;
  result.program = std::move(as_stripe.program);
  result.values = stripe::sample_inputs(result.program);
  for (auto& [name, tensor] : result.values) {
    for (double& value : tensor) value /= 8;  // -7/8 to 7/8
  }
  const tcu::DataType type = task.architecture.data_type;
  for (const auto& [name, values] : as_stripe.constants) {
    stripe::Tensor& tensor = result.values[name];
    tensor.clear();
    for (const float value : values) {
      tensor.push_back(tcu::to_real(type, tcu::quantise(type, value)));
    }
    result.constants[name].assign(tensor.begin(), tensor.end());
  }
  return result;
}

/// Reads the program. Its constant buffers become the model's constants.
Workload read_workload(const PointTask& task) {
  if (task.program.compare(0, zoo_prefix.size(), zoo_prefix) == 0 ||
      tf::is_model_name(task.program)) {
    return network(task);
  }
  Workload result;
  result.program = stripe::read_program(read_text(task.program), task.program);
  stripe::verify(result.program, task.program);
  result.values = stripe::sample_inputs(result.program);
  for (const auto& [name, shape] : stripe::user_buffers(result.program)) {
    if (!shape.is_const) continue;
    const stripe::Tensor& values = result.values.at(name);
    result.constants[name].assign(values.begin(), values.end());
  }
  return result;
}

stripe::HardwareModel model_of(const PointTask& task) {
  tcu::ModelParameters parameters;
  parameters.clock_mhz = static_cast<std::uint64_t>(std::max(1.0, task.clock_mhz));
  parameters.axi_bytes = task.axi_data_bits / 8;
  parameters.pipeline_depth = task.study.pipeline_depth;
  return tcu::hardware_model(task.architecture, parameters);
}

std::vector<stripe::ConfiguredPass> passes_of(const PointTask& task,
                                              const stripe::HardwareModel& model) {
  if (task.study.passes.empty()) return {};
  stripe::TemplateValues values;
  for (const auto& [name, value] : model.params) values[name] = static_cast<double>(value);
  const std::string text = stripe::render(read_text(task.study.passes), values, task.study.passes);
  return stripe::read_passes(text, task.study.passes, &model);
}

/// The lowered program, its prediction, and the values of its buffers.
struct Built {
  stripe::HardwareModel model;
  LoweredStripe lowered;
  Prediction predicted;
  stripe::Tensors values;
};

/// Throws UserError if `found` differs from `expected`. `tolerance` is relative to the largest
/// value of a buffer. `after` names the step that computed `found`.
void require_same(const stripe::Tensors& expected, const stripe::Tensors& found,
                  const std::string& after, double tolerance = 0) {
  for (const auto& [name, tensor] : expected) {
    const auto it = found.find(name);
    if (it == found.end()) user_error("{}: output {} is lost", after, quote(name));
    double largest = 0;
    for (const double value : tensor) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      if (i < it->second.size() && std::abs(it->second[i] - tensor[i]) <= tolerance * largest) {
        continue;
      }
      user_error("{}: element {} of {} is {}, not {}", after, i, quote(name),
                 i < it->second.size() ? fmt::format("{}", it->second[i]) : "missing", tensor[i]);
    }
  }
}

Built build(const PointTask& task, bool check) {
  Built built;
  built.model = model_of(task);
  Workload workload = read_workload(task);
  stripe::Program& program = workload.program;
  const stripe::Tensors& values = workload.values;
  const double tolerance = workload.reals ? 1e-4 : 0;
  const auto passes = passes_of(task, built.model);
  const stripe::Tensors expected = check ? stripe::interpret(program, values) : stripe::Tensors();
  stripe::run_passes(program, passes);
  if (check && !passes.empty()) {
    require_same(expected, stripe::interpret(program, values), task.study.passes, tolerance);
  }
  compiler::LowerOptions options;
  options.constants = workload.constants;
  options.axi_bytes = task.axi_data_bits / 8;
  built.lowered = compiler::lower(program, task.architecture, options);
  if (check) {
    require_same(expected, stripe::interpret(built.lowered.program, values), "lowering", tolerance);
  }
  built.values = std::move(workload.values);
  const Rates rates{static_cast<double>(task.axi_data_bits) / 8, task.read_latency,
                    task.study.pipeline_depth};
  built.predicted = predict(
      task.architecture,
      decode_program(tcu::InstructionLayout(task.architecture), built.lowered.model.program),
      built.lowered.model.layers, rates);
  return built;
}

// ---- simulation ---------------------------------------------------------------------------------

/// Simulates the program. With `check`, the outputs must be those of the interpreter in the
/// machine's number format, bit for bit.
TcuRunResult simulate(const PointTask& task, const Built& built, bool check) {
  const bench::Program program = bench::to_program(built.lowered.model, "codesign");
  const TcuSimulationConfig config = tcu_config(task, task.architecture);
  const stripe::Tensors& tensors = built.values;
  TensorData inputs;
  for (const compiler::TensorLayout& layout : program.inputs) {
    const stripe::Tensor& values = tensors.at(layout.name);
    inputs[layout.name] =
        pack_tensor(layout, task.architecture, std::vector<float>(values.begin(), values.end()));
  }
  TcuRunOptions options;
  apply(task.request, options);
  for (const compiler::LayerInfo& kernel : built.lowered.model.layers) {
    if (kernel.instructions == 0) continue;
    options.regions.push_back({kernel.name, kernel.first_instruction, kernel.instructions});
  }
  ImageResult result = run_once(config, program.model, inputs, task.request, options);
  if (result.run.end != RunEnd::finished) {
    const bool hangs = result.run.end == RunEnd::hang;
    user_error("{}: {} after {}", task.program,
               hangs ? "the program hangs" : "the program met its cycle limit",
               counted(result.run.cycles, "cycle"));
  }
  if (!check) return std::move(result.run);

  stripe::InterpretOptions interpreter;
  interpreter.fixed_point = compiler::number_format(task.architecture);
  const stripe::Tensors expected = stripe::interpret(built.lowered.program, tensors, interpreter);
  stripe::Tensors wanted, found;
  for (const compiler::TensorLayout& layout : program.outputs) {
    const std::vector<float> values =
        unpack_tensor(layout, task.architecture, result.outputs.at(layout.name));
    found[layout.name].assign(values.begin(), values.end());
    wanted[layout.name] = expected.at(layout.name);
  }
  require_same(wanted, found, "the simulated machine");
  return std::move(result.run);
}

// ---- the record ---------------------------------------------------------------------------------

/// Returns part / whole, or null if whole is 0.
Record share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? Record() : Record(static_cast<double>(part) / static_cast<double>(whole));
}

double microseconds(std::uint64_t cycles, const PointTask& task) {
  return static_cast<double>(cycles) / task.clock_mhz;
}

std::uint64_t vectors_of(const TcuRunResult& run, tcu::InstructionKind kind) {
  return run.accounting.kinds.at(static_cast<std::size_t>(kind)).vectors;
}

std::uint64_t count_of(const TcuRunResult& run, tcu::InstructionKind kind) {
  return run.accounting.kinds.at(static_cast<std::size_t>(kind)).count;
}

Record units_of(const TcuRunResult& run) {
  using tcu::InstructionKind;
  const std::uint64_t moved = vectors_of(run, InstructionKind::accumulator_to_local) +
                              vectors_of(run, InstructionKind::local_to_accumulator) +
                              vectors_of(run, InstructionKind::local_to_accumulator_accumulate);
  const auto busy = [&run](std::string_view unit) {
    return share(run.accounting.unit(unit).of(StateKind::busy), run.accounting.cycles);
  };
  Record units;
  units["ARRAY"] = share(run.array_runs, run.cycles);
  units["WLOAD"] = share(run.array_loads, run.cycles);
  units["SIMD"] = busy("alus");
  units["DMA0"] = busy("dram0");
  units["DMA1"] = busy("dram1");
  units["ACCMOVE"] = share(moved, run.cycles);
  return units;
}

Record buses_of(const TcuRunResult& run, const PointTask& task) {
  using tcu::InstructionKind;
  const std::uint64_t beat = task.axi_data_bits / 8;
  const InstructionKind kinds[2][2] = {
      {InstructionKind::dram0_to_local, InstructionKind::local_to_dram0},
      {InstructionKind::dram1_to_local, InstructionKind::local_to_dram1}};
  Record buses;
  for (unsigned port = 0; port < 2; ++port) {
    const std::uint64_t beats = run.read_beats[port] + run.write_beats[port];
    buses[fmt::format("DMA{}", port)] = {
        {"bytes", beats * beat},
        {"moves", count_of(run, kinds[port][0]) + count_of(run, kinds[port][1])},
        {"use", share(beats, run.cycles)}};
  }
  return buses;
}

Record paths_of(const Paths& paths) {
  return {{"DMA0", paths.dma0},   {"DMA1", paths.dma1},     {"WLOAD", paths.weights},
          {"ARRAY", paths.array}, {"ACCMOVE", paths.moves}, {"SIMD", paths.simd},
          {"other", paths.other}};
}

/// Number of multiply-accumulates that the kernel's blocks need.
std::uint64_t points_of(const LoweredStripe& lowered, const std::string& kernel) {
  // The name of a fused kernel is "a+b+...", with the names of its parts.
  const std::string names = "+" + kernel + "+";
  std::uint64_t points = 0;
  for (const compiler::BlockCounts& block : lowered.counts) {
    const bool of_kernel = names.find("+" + block.name + "+") != std::string::npos;
    if (block.device == "ARRAY" && of_kernel) points += block.points;
  }
  return points;
}

Record kernels_of(const TcuRunResult& run, const PointTask& task, const Built& built) {
  const std::uint64_t n = task.architecture.array_size;
  const std::vector<Tiles> tiles = tiles_of(built.lowered.program);
  Record kernels = Record::array();
  std::size_t region = 0;
  for (std::size_t i = 0; i < built.predicted.kernels.size(); ++i) {
    const KernelPrediction& predicted = built.predicted.kernels[i];
    Record kernel;
    kernel["name"] = predicted.name;
    kernel["instructions"] = predicted.instructions;
    std::optional<Cycle> start;  // a kernel without instructions has none
    std::uint64_t cycles = 0, runs = 0;
    if (predicted.instructions != 0) {
      const RegionFigures& figures = run.accounting.regions.at(region);
      cycles = figures.counters.cycles();
      runs = figures.counters.of("array_runs");
      for (const RegionSpan& span : run.accounting.spans) {
        if (span.region != region) continue;
        start = span.from;
        break;
      }
      ++region;
    }
    kernel["start"] = start ? Record(*start) : Record();
    kernel["cycles"] = cycles;
    kernel["us"] = microseconds(cycles, task);
    kernel["predicted_cycles"] = predicted.cycles;
    kernel["ratio"] = share(cycles, predicted.cycles);
    kernel["paths"] = paths_of(predicted.paths);
    kernel["mac_points"] = points_of(built.lowered, predicted.name);
    kernel["mac_slots"] = runs * n * n;
    const auto found = std::find_if(tiles.begin(), tiles.end(), [&predicted](const Tiles& one) {
      return one.kernel == predicted.name;
    });
    if (found != tiles.end()) {
      Record& tile = kernel["tiles"];
      tile["count"] = found->count;
      const std::uint64_t scalar = info(task.architecture.data_type).storage_bytes;
      const std::uint64_t vector = task.architecture.vector_bytes();
      tile["ACC"] = {{"used_bytes", found->accumulator_elements * scalar},
                     {"limit_bytes",
                      task.architecture.accumulator_depth * vector / task.study.pipeline_depth}};
      tile["LOCAL"] = {
          {"used_bytes", found->local_elements * scalar},
          {"limit_bytes", task.architecture.local_depth * vector / task.study.pipeline_depth}};
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// Simulates a changed point and predicts its time by the formula. With several tiles in flight the
/// formula describes a machine that overlaps them, which the simulator does not have.
Record changed(const PointTask& task) {
  Record result = Record::object();
  try {
    const Built built = build(task, false);
    result["predicted_cycles"] = built.predicted.cycles;
    result["predicted_us"] = microseconds(built.predicted.cycles, task);
    check_axi_width(task.architecture, task.axi_data_bits);
    const TcuRunResult run = simulate(task, built, false);
    result["cycles"] = run.cycles;
    result["us"] = microseconds(run.cycles, task);
  } catch (const UserError& error) {
    result["error"] = error.what();
  }
  return result;
}

/// Times of the point with each parameter doubled, one at a time.
Record doubled(const PointTask& task) {
  using Change = std::function<void(PointTask&)>;
  const std::pair<const char*, Change> changes[] = {
      {"ARRAY_SIZE", [](PointTask& t) { t.architecture.array_size *= 2; }},
      {"LOCAL_DEPTH", [](PointTask& t) { t.architecture.local_depth *= 2; }},
      {"ACC_DEPTH", [](PointTask& t) { t.architecture.accumulator_depth *= 2; }},
      {"AXI_BYTES", [](PointTask& t) { t.axi_data_bits *= 2; }},
      {"CLOCK_MHZ", [](PointTask& t) { t.clock_mhz *= 2; }},
      {"PIPELINE_DEPTH", [](PointTask& t) { t.study.pipeline_depth *= 2; }},
  };
  Record result;
  for (const auto& [name, change] : changes) {
    PointTask other = task;
    change(other);
    result[name] = changed(other);
  }
  return result;
}

/// Times of the point with hardware added. At present this is only shadow weights, if it has none.
Record extended(const PointTask& task) {
  Record result = Record::object();
  if (task.architecture.shadow_weights == tcu::ShadowWeights::off) {
    PointTask other = task;
    other.architecture.shadow_weights = tcu::ShadowWeights::on;
    result["shadow_weights"] = changed(other);
  }
  return result;
}

Record list_of(const std::vector<Idea>& ideas) {
  Record list = Record::array();
  for (const Idea& idea : ideas) list.push_back({{"rule", idea.rule}, {"text", idea.text}});
  return list;
}

}  // namespace

const ParameterTable<Study>& study_parameters() {
  static const ParameterTable<Study> table(
      "codesign", "How a Stripe program is rewritten and judged.",
      {text("passes", &Study::passes, "",
            "template of the passes, rendered for each point; empty: the passes of the lowering")
           .without_option(),
       text("energy", &Study::energy, "",
            "energy table: a name of configs/energy or a file; empty: none")
           .without_option(),
       whole("pipeline_depth", &Study::pipeline_depth, {1, 8}, "tiles",
             "in flight at once; each tile may take its share of the memories"),
       boolean("check", &Study::check, "interpret the program before and after the passes"),
       boolean("doubling", &Study::doubling,
               "simulate the point again with each machine parameter doubled, and with "
               "shadow_weights if it has none")});
  return table;
}

void check_files(const PointTask& task) {
  (void)read_workload(task);
  (void)energy::meter_of(task.study.energy, task.architecture);
  if (!task.study.passes.empty()) (void)read_text(task.study.passes);
}

Record evaluate(const PointTask& task) {
  check_axi_width(task.architecture, task.axi_data_bits);
  const Built built = build(task, task.study.check);
  const TcuRunResult run = simulate(task, built, true);
  const std::uint64_t n = task.architecture.array_size;
  Record record;
  record["cycles"] = run.cycles;
  record["latency_ms"] = cycles_in_ms(run.cycles, task.clock_mhz);
  record["frames_per_second"] =
      run.cycles == 0 ? Record() : Record(1e6 / microseconds(run.cycles, task));
  record["instructions"] = run.instructions;
  record[std::string(array_figures::busy_name)] = share(run.array_runs, run.cycles);
  const std::uint64_t beat = task.axi_data_bits / 8;
  record["dram_read_bytes"] = (run.read_beats[0] + run.read_beats[1]) * beat;
  record["dram_write_bytes"] = (run.write_beats[0] + run.write_beats[1]) * beat;
  record["units"] = units_of(run);
  record["buses"] = buses_of(run, task);
  record["kernels"] = kernels_of(run, task, built);
  std::uint64_t points = 0, in_kernels = 0;
  Paths paths;
  for (const KernelPrediction& kernel : built.predicted.kernels) {
    paths.dma0 += kernel.paths.dma0;
    paths.dma1 += kernel.paths.dma1;
    paths.weights += kernel.paths.weights;
    paths.array += kernel.paths.array;
    paths.moves += kernel.paths.moves;
    paths.simd += kernel.paths.simd;
    paths.other += kernel.paths.other;
  }
  for (const Record& kernel : record["kernels"]) {
    points += kernel["mac_points"].get<std::uint64_t>();
    in_kernels += kernel["cycles"].get<std::uint64_t>();
  }
  record["cycles_outside_kernels"] = run.accounting.cycles - in_kernels;
  record["mac_points"] = points;
  record["mac_slots"] = run.array_runs * n * n;
  if (const auto meter = energy::meter_of(task.study.energy, task.architecture)) {
    record["energy"] = energy::energy_of(*meter, run, task.architecture, task);
  }
  record["predicted"] = {{"cycles", built.predicted.cycles},
                         {"us", microseconds(built.predicted.cycles, task)},
                         {"ratio", share(run.cycles, built.predicted.cycles)},
                         {"paths", paths_of(paths)}};
  if (task.study.doubling) {
    record["doubled"] = doubled(task);
    record["extended"] = extended(task);
  }
  record["ideas"] = list_of(ideas(record));
  record["hypothetical"] = list_of(hypothetical_ideas(record));
  return record;
}

}  // namespace tactus::codesign
