#include "firmware/cli/network/compile_summary.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "firmware/bench/estimator.h"
#include "firmware/bench/evaluation.h"
#include "firmware/cli/table.h"
#include "firmware/compiler/host_work.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/report/run_figures.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/model_file.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using compiler::Compiled;

/// Limits for a simulation that counts as quick. The estimate is 1 to 3 times too low on the
/// boards, and lower on slow memories.
constexpr std::uint64_t quick_cycles = 500'000, quick_limit = 4 * quick_cycles;

constexpr const char* formula = "formula, without memory and instruction delivery";

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::uint64_t peak_macs(const Compiled& compiled) {
  return std::uint64_t{compiled.architecture.array_size} * compiled.architecture.array_size;
}

std::vector<tcu::Instruction> instructions_of(const Compiled& compiled) {
  return decode_program(tcu::InstructionLayout(compiled.architecture), compiled.program);
}

bench::Estimate estimate_of(const Compiled& compiled) {
  return bench::estimate(compiled.architecture, instructions_of(compiled));
}

std::uint64_t sum_of(const Compiled& compiled, std::uint64_t compiler::LayerStatistics::*member) {
  std::uint64_t sum = 0;
  for (const compiler::LayerInfo& layer : compiled.layers) sum += layer.*member;
  return sum;
}

/// "24 tensors, 20 of them by channel, by 2^-3 .. 2^6".
std::string scales_text(const compiler::TensorScales& scales) {
  std::size_t by_channel = 0;
  int low = 0, high = 0;
  for (const auto& [name, scale] : scales) {
    if (scale.exponents.size() > 1) ++by_channel;
    for (const int exponent : scale.exponents) {
      low = std::min(low, exponent);
      high = std::max(high, exponent);
    }
  }
  return fmt::format("{} tensors, {} of them by channel, by 2^{} .. 2^{}", scales.size(),
                     by_channel, low, high);
}

void line(const char* name, const std::string& value) { fmt::print("{:<26}{}\n", name, value); }

/// Prints a line such as "78573 cycles = 785.73 us at 100 MHz (how)".
void latency(const char* name, std::uint64_t cycles, double clock_mhz, const std::string& how) {
  line(name, fmt::format("{} ({})", cycles_text(cycles, clock_mhz), how));
}

void print_latencies(const Compiled& compiled, const TcuSimulationConfig& config,
                     const std::optional<ImageResult>& run) {
  const bench::Estimate estimate = estimate_of(compiled);
  const double mhz = config.clock_mhz;
  if (compiled.predicted_cycles != 0) {
    line("plans tried", fmt::format("{}", compiled.plans));
    line("DRAM traffic",
         fmt::format("{} vectors of values, {} of weights", compiled.displaced, compiled.fetched));
    latency("predicted latency", compiled.predicted_cycles, mhz,
            "cost model, memory of fixed latency");
  }
  latency("estimated latency", estimate.execution.cycles, mhz, formula);
  if (run) {
    latency("simulated latency", run->run.cycles, mhz, memory_text(config));
    if (run->constants != 0) {
      latency("constants, once", run->constants, mhz,
              "simulated, before the first image; in no latency");
    }
  } else {
    line("simulated latency", "not simulated, since it takes a while: see tactus run --model");
  }
  const std::uint64_t cycles = run ? run->run.cycles : estimate.execution.cycles;
  if (cycles != 0) {
    const std::uint64_t busy = sum_of(compiled, &compiler::LayerInfo::mat_mul_vectors);
    line(
        "array busy, useful MAC",
        fmt::format("{} %, {} % of the {} latency", percent(array_figures::busy(busy, cycles)),
                    percent(array_figures::useful(compiled.true_macs, cycles, peak_macs(compiled))),
                    run ? "simulated" : "estimated"));
  }
  line("estimated energy",
       fmt::format("{:.3f} M units", static_cast<double>(estimate.execution.energy) / 1e6));
}

void print_host_work(const Compiled& compiled) {
  const compiler::HostWork work = compiler::host_work(compiled);
  if (!work.before.empty()) line("host, before", compiler::text_of(work.before));
  if (!work.behind.empty()) line("host, behind", compiler::text_of(work.behind));
  line("host, in all",
       fmt::format("{} packed, {} unpacked; {:.3f} ms an image, measured on this computer",
                   counted(work.packed, "byte"), counted(work.unpacked, "byte"),
                   1e3 * work.seconds));
}

/// Cycles by layer that the last columns of a table are about, and how they came about.
struct LayerCycles {
  std::string title, how;
  std::vector<std::uint64_t> cycles;
};

LayerCycles simulated_layers(const Compiled& compiled, const TcuRunResult& run) {
  LayerCycles layers{"cycles", "simulated cycles", {}};
  for (std::size_t i = 0; i < compiled.layers.size(); ++i) {
    const bool has = i < run.accounting.regions.size();
    layers.cycles.push_back(has ? run.accounting.regions[i].counters.cycles() : 0);
  }
  return layers;
}

LayerCycles estimated_layers(const Compiled& compiled) {
  LayerCycles layers{"est. cycles", fmt::format("est. cycles ({})", formula), {}};
  std::vector<tcu::LayerEntry> spans;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    spans.push_back({{layer.name, layer.first_instruction, layer.instructions}});
  }
  for (const bench::Estimate& estimate :
       bench::estimate_layers(compiled.architecture, instructions_of(compiled), spans)) {
    layers.cycles.push_back(estimate.aggregate.cycles);
  }
  return layers;
}

LayerCycles predicted_layers(const Compiled& compiled) {
  LayerCycles layers{
      "predicted cycles", "predicted cycles (cost model, memory of fixed latency)", {}};
  for (const compiler::LayerInfo& layer : compiled.layers) {
    layers.cycles.push_back(layer.predicted_cycles);
  }
  return layers;
}

/// Last columns of both tables: the compiler's cycles, simulated cycles if known, and the array's
/// two figures for the latter (or else the former).
class CycleColumns {
 public:
  CycleColumns(const Compiled& compiled, LayerCycles expected,
               const std::optional<ImageResult>& run)
      : compiled_(compiled) {
    lists_.push_back(std::move(expected));
    if (!run) return;
    lists_.push_back(simulated_layers(compiled, run->run));
    constants_ = run->constants;
  }

  void add_titles(std::vector<Table::Column>& columns) const {
    for (const LayerCycles& list : lists_) columns.push_back({list.title});
    columns.push_back({array_figures::busy_title});
    columns.push_back({array_figures::useful_title});
  }
  void add_cells(std::size_t layer, std::vector<std::string>& cells) const {
    for (const LayerCycles& list : lists_) cells.push_back(fmt::format("{}", list.cycles[layer]));
    const compiler::LayerInfo& info = compiled_.layers[layer];
    const std::uint64_t cycles = lists_.back().cycles[layer];
    cells.push_back(percent(array_figures::busy(info.mat_mul_vectors, cycles)));
    cells.push_back(percent(array_figures::useful(info.true_macs, cycles, peak_macs(compiled_))));
  }
  [[nodiscard]] std::string note() const {
    return fmt::format(
        "array busy and useful MAC: over the {}\n{}", lists_.back().how,
        constants_ == 0
            ? ""
            : fmt::format("constants, once: {} cycles before the first image, which are "
                          "no layer's\n",
                          constants_));
  }

 private:
  const Compiled& compiled_;
  std::vector<LayerCycles> lists_;
  Cycle constants_ = 0;
};

std::string millions(std::uint64_t macs) {
  return fmt::format("{:.3f}", static_cast<double>(macs) / 1e6);
}

/// Prints the optimiser's choice for each layer, its cost by the cost model, and where the cycles
/// go. There are two bounds: the array's, multiply-accumulates / (N * N), and that of the chosen
/// form (OptimisedLayer).
void print_optimised_layers(const Compiled& compiled, const std::optional<ImageResult>& run) {
  const CycleColumns cycles(compiled, predicted_layers(compiled), run);
  std::vector<Table::Column> columns{{"layer", true}, {"instructions"}, {"jobs"}, {"acc"},
                                     {"MMAC"},        {"MAC / N^2"},    {"bound"}};
  cycles.add_titles(columns);
  columns.push_back({"form", true});
  const std::uint64_t peak = peak_macs(compiled);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < compiled.layers.size(); ++i) {
    const compiler::LayerInfo& layer = compiled.layers[i];
    rows.push_back({fmt::format("{} {}", i, layer.name), fmt::format("{}", layer.instructions),
                    fmt::format("{}", layer.partitions),
                    fmt::format("{}", layer.accumulators.maximum), millions(layer.true_macs),
                    fmt::format("{}", (layer.true_macs + peak - 1) / peak),
                    fmt::format("{}", layer.bound_cycles)});
    cycles.add_cells(i, rows.back());
    rows.back().push_back(layer.form);
  }
  fmt::print("{}{}", Table(columns).text(rows), cycles.note());
}

void print_plain_layers(const Compiled& compiled, const std::optional<ImageResult>& run) {
  const CycleColumns cycles(compiled, estimated_layers(compiled), run);
  std::vector<Table::Column> columns{{"layer", true},    {"instructions"}, {"stages"},
                                     {"partitions"},     {"local"},        {"acc"},
                                     {"matmul vectors"}, {"of zeroes"},    {"MMAC"}};
  cycles.add_titles(columns);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < compiled.layers.size(); ++i) {
    const compiler::LayerInfo& layer = compiled.layers[i];
    rows.push_back({fmt::format("{} {}", i, layer.name), fmt::format("{}", layer.instructions),
                    fmt::format("{}", layer.stages), fmt::format("{}", layer.partitions),
                    fmt::format("{}", layer.local.maximum),
                    fmt::format("{}", layer.accumulators.maximum),
                    fmt::format("{}", layer.mat_mul_vectors),
                    fmt::format("{}", layer.zeroes_vectors), millions(layer.true_macs)});
    cycles.add_cells(i, rows.back());
  }
  fmt::print("{}{}", Table(columns).text(rows), cycles.note());
}

/// Compares the optimising compiler's program with the one that was compiled: cycles of an image,
/// and for how many images the comparison holds if constants are copied once.
std::string optimised_text(const ImageResult& run, const ImageResult& optimised) {
  const auto change = [](std::uint64_t now, std::uint64_t before) {
    const double percent = 100 - share(now, before);
    return fmt::format("{:.1f} % {}", std::abs(percent), percent < 0 ? "more" : "fewer");
  };
  const Cycle now = optimised.run.cycles, before = run.run.cycles;
  const std::string text =
      fmt::format("{} simulated, {}", counted(now, "cycle"), change(now, before));
  if (run.constants == 0 && optimised.constants == 0) return text + " for any number of images";
  return fmt::format("{} for many images; {} with constants, once ({} and {} cycles), for 1 image",
                     text, change(now + optimised.constants, before + run.constants),
                     optimised.constants, run.constants);
}

/// Prints the errors that the ways of computing nodes, such as means and tables, have by
/// themselves.
void print_expected_errors(const Compiled& compiled) {
  const double step = tcu::to_real(compiled.architecture.data_type, 1);
  for (const auto& [node, error] : compiled.expected_errors) {
    std::string text = fmt::format("expected error of {}: up to {:.3g}, {:.1f} steps", quote(node),
                                   error.absolute, error.absolute / step);
    if (error.relative != 0) text += fmt::format(", and {:.3g} of the value", error.relative);
    fmt::print("{}\n", text);
  }
}

}  // namespace

ImageResult simulate_once(const Compiled& compiled, const TcuSimulationConfig& config,
                          const TensorData& inputs, Cycle max_cycles) {
  const bench::Program program = bench::to_program(compiled, "compiled");
  TcuRunOptions options;
  options.max_cycles = max_cycles;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    options.regions.push_back({layer.name, layer.first_instruction, layer.instructions});
  }
  return run_once(config, program.model, inputs.empty() ? bench::seeded_inputs(program, 1) : inputs,
                  {}, options);
}

std::optional<ImageResult> simulate_if_quick(const Compiled& compiled,
                                             const TcuSimulationConfig& config) {
  if (estimate_of(compiled).execution.cycles > quick_cycles) return std::nullopt;
  ImageResult image = simulate_once(compiled, config, {}, quick_limit);
  if (image.run.end != RunEnd::finished) return std::nullopt;
  return image;
}

void print_summary(const Compiled& compiled, const TcuSimulationConfig& config,
                   const std::optional<ImageResult>& run,
                   const std::optional<ImageResult>& optimised) {
  const tcu::Architecture& a = compiled.architecture;
  const auto memory = [&](const char* name, const compiler::SpaceUse& use, std::uint64_t depth) {
    line(name, fmt::format("{} of {} vectors ({:.1f} %) at most, {} in sum", use.maximum, depth,
                           share(use.maximum, depth), use.aggregate));
  };
  line("array", fmt::format("{0}x{0} {1}", a.array_size, info(a.data_type).name));
  line("layers", fmt::format("{}", compiled.layers.size()));
  line("instructions", fmt::format("{}, {} bytes", compiled.instructions, compiled.program.size()));
  line("constants",
       fmt::format("{} vectors, {} scalars, {} bytes", compiled.constant_vectors,
                   compiled.constant_vectors * a.array_size, compiled.constants.size()));
  const compiler::ConstantLoss lost = compiler::total(compiled.constant_losses);
  line("constants lost",
       fmt::format("of {}: {} saturated, {} became 0, {} lost more than 1 %",
                   counted(lost.values, "value"), lost.saturated, lost.vanished, lost.reduced));
  memory("DRAM0", compiled.memory.dram0, a.dram0_depth);
  memory("DRAM1", compiled.memory.dram1, a.dram1_depth);
  memory("local memory", compiled.memory.local, a.local_depth);
  memory("accumulators", compiled.memory.accumulators, a.accumulator_depth);
  line("stages, partitions", fmt::format("{}, {}", sum_of(compiled, &compiler::LayerInfo::stages),
                                         sum_of(compiled, &compiler::LayerInfo::partitions)));
  line("multiply-accumulates",
       compiled.macs_with_padding == compiled.true_macs
           ? fmt::format("{} M", millions(compiled.true_macs))
           : fmt::format("{} M with padding, as papers count; {} M without",
                         millions(compiled.macs_with_padding), millions(compiled.true_macs)));
  if (compiled.scaled) line("scales", scales_text(compiled.scales));
  print_host_work(compiled);
  print_latencies(compiled, config, run);
  if (run && optimised && optimised->run.cycles < run->run.cycles) {
    line("with --optimise", optimised_text(*run, *optimised));
  }
}

void print_layers(const Compiled& compiled, const std::optional<ImageResult>& run) {
  (compiled.predicted_cycles != 0 ? print_optimised_layers : print_plain_layers)(compiled, run);
  print_expected_errors(compiled);
}

}  // namespace tactus
