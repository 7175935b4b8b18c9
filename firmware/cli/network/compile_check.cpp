#include "firmware/cli/network/compile_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "firmware/bench/accuracy.h"
#include "firmware/bench/evaluation.h"
#include "firmware/cli/network/compile_summary.h"
#include "firmware/cli/table.h"
#include "firmware/report/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/located.h"

namespace tactus {
namespace {

using compiler::Compiled;

/// The program for --beside, with its compiler options; empty if it does not fit the machine, which
/// is printed.
struct Beside {
  compiler::Options options;
  Compiled compiled;
};

std::optional<Beside> compile_beside(const Args& args, const nn::Graph& graph,
                                     const compiler::Options& options,
                                     const TcuSimulationConfig& config) {
  const auto name = args.text("beside");
  if (!name) return std::nullopt;
  Beside beside;
  beside.options = options;
  beside.options.optimise = false;
  beside.options.strategy = compiler::parse_strategy(*name);
  try {
    beside.compiled = bench::compile_network(graph, config, beside.options);
    return beside;
  } catch (const UserError& error) {
    fmt::print("no program of strategy {} to compare with: {}\n", *name, error.what());
    return std::nullopt;
  }
}

/// Adds the columns of --beside; they are empty for tensors that the other program does not have.
void add_beside(const bench::TensorError& error, const bench::Accuracy& beside,
                std::vector<std::string>& row) {
  const auto found =
      std::find_if(beside.tensors.begin(), beside.tensors.end(),
                   [&](const bench::TensorError& other) { return other.name == error.name; });
  if (found == beside.tensors.end()) {
    row.insert(row.end() - 1, {"", ""});
    return;
  }
  row.insert(row.end() - 1,
             {fmt::format("{:.5f}", found->rms_error), fmt::format("{}", found->saturated)});
}

/// Prints a row for each tensor. `other`: errors of the program for --beside.
void print_table(const Args& args, const bench::Accuracy& accuracy,
                 const std::optional<bench::Accuracy>& other,
                 const std::optional<double>& tolerance) {
  std::vector<Table::Column> columns{
      {"tensor", true}, {"scalars"}, {"largest value"}, {"largest error"}, {"RMS error"},
      {"R2"},           {"R1"},      {"allowed"},       {"layer"},         {"law"},
      {"saturated"},    {"inside"}};
  if (other) {
    columns.push_back({fmt::format("RMS error {}", *args.text("beside"))});
    columns.push_back({"saturated"});
  }
  columns.push_back({"", true});
  const auto number = [](double value) { return fmt::format("{:.5f}", value); };
  std::vector<std::vector<std::string>> rows;
  for (const bench::TensorError& error : accuracy.tensors) {
    const double allowed = tolerance ? *tolerance * error.relative_range() : error.usual_error();
    rows.push_back(
        {error.name, fmt::format("{}", error.scalars), fmt::format("{:.4f}", error.largest_value),
         number(error.largest_error), number(error.rms_error), number(error.reachable),
         number(error.reachable_exact), error.output ? number(allowed) : "",
         error.layer ? number(error.layer->rms) : "", error.layer ? number(error.layer->law) : "",
         fmt::format("{}", error.saturated), fmt::format("{}", error.saturated_inside),
         std::string(error.output ? "output" : "") + (error.is_right(tolerance) ? ""
                                                      : error.output ? ", BEYOND THE TOLERANCE"
                                                                     : "BEYOND THE TOLERANCE")});
    if (other) add_beside(error, *other, rows.back());
  }
  fmt::print("{}", Table(columns).text(rows));
}

/// Prints what is wrong, and the classes of outputs.
void print_findings(const bench::Accuracy& accuracy, const std::optional<double>& tolerance) {
  for (const bench::TensorError& error : accuracy.tensors) {
    if (error.beyond_law()) {
      fmt::print(
          "layer of {}: RMS error {:.5f} on the machine's own inputs is {:.3g} times the law "
          "of rounding\n",
          error.name, error.layer->rms, error.layer->rms / std::max(error.layer->law, error.step));
    }
    if (!error.output) continue;
    if (!tolerance && !(error.rms_error <= error.usual_error())) {
      const bool far = !(error.rms_error <= error.largest_share * error.range());
      fmt::print("{}: RMS error {:.5f} is beyond {:.5f}, {}\n", error.name, error.rms_error,
                 error.usual_error(),
                 far ? fmt::format("{:g} % of the range", 100 * error.largest_share)
                     : "3 times R2, 2 steps, and what lookup tables lose");
    }
    if (error.ranked == 0) continue;
    fmt::print(
        "{}: the expected class is first in {} of {} rows, among the first five in {}{}\n",
        error.name, error.top_1, error.ranked, error.top_5,
        error.lost_classes == 0
            ? ""
            : fmt::format("; {} rows lose a class that is first by a margin", error.lost_classes));
  }
}

bool print_check(const Args& args, const nn::Graph& graph, const Compiled& compiled,
                 const compiler::Options& options, const TcuSimulationConfig& config,
                 const CheckData& data, const std::optional<Beside>& beside, Progress& progress) {
  bool simulates = false;
  bench::CheckProgress told;
  told.simulation = [&](Cycle cycles, std::uint64_t instructions) {
    if (!std::exchange(simulates, true)) progress.begin(compiled.instructions);
    progress.update(cycles, instructions);
  };
  told.reference = [&](std::size_t node) {
    if (node == 0) progress.begin(graph.nodes.size());
    progress.show(fmt::format("computing node {} of {} in floating point: {}", node + 1,
                              graph.nodes.size(), graph.nodes[node].name),
                  node);
  };
  const auto check = [&] {
    return bench::check_accuracy(graph, compiled, options, config, data.inputs, told,
                                 data.expected);
  };
  const bench::Accuracy accuracy = data.expected.empty() ? check() : located(data.name, check);
  std::optional<bench::Accuracy> other;
  if (beside) {
    std::vector<std::string> tensors;
    for (const bench::TensorError& error : accuracy.tensors) {
      if (!error.output) tensors.push_back(error.name);
    }
    other = bench::check_accuracy(graph, beside->compiled, beside->options, config, data.inputs,
                                  told, data.expected, {}, tensors);
  }
  progress.clear();
  const std::optional<double> tolerance = tolerance_of(args);
  print_table(args, accuracy, other, tolerance);
  if (!accuracy.note.empty()) fmt::print("{}\n", accuracy.note);
  if (other && !other->note.empty()) {
    fmt::print("strategy {}: {}\n", *args.text("beside"), other->note);
  }
  print_findings(accuracy, tolerance);
  const bool good = accuracy.is_right(tolerance);
  const std::string against = !data.expected.empty() ? "the outputs expected in " + data.name
                              : data.calibration     ? "float, the first image of --calibrate"
                                                     : "float, one image";
  const std::string_view type = info(compiled.architecture.data_type).name;
  if (tolerance) {
    fmt::print("simulated {} against {}: RMS error of the outputs {} {:g} % of their range\n", type,
               against, good ? "within" : "beyond", 100 * *tolerance);
  } else {
    fmt::print("simulated {0} against {1}: RMS errors {2} what {0} can reach\n", type, against,
               good ? "are of the size of" : "are beyond");
  }
  return good;
}

}  // namespace

void print_prediction(const CheckData& set, const Compiled& compiled,
                      const TcuSimulationConfig& config) {
  constexpr double allowed = 3;
  TensorData data;
  const nn::Values inputs =
      compiler::start_on_host(compiler::tensors_of(compiled), set.inputs).inputs;
  for (const compiler::TensorLayout& layout : compiled.input_layouts) {
    data[layout.name] = pack_tensor(layout, compiled.architecture, inputs.at(layout.name).floats);
  }
  const TcuRunResult run = simulate_once(compiled, config, data, 0).run;
  std::vector<Expectation> expected;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    expected.push_back({layer.predicted_cycles, layer.bound_cycles, layer.true_macs});
  }
  const double off =
      100 * (static_cast<double>(compiled.predicted_cycles) / static_cast<double>(run.cycles) - 1);
  fmt::print("predicted {} cycles, simulated {}: {:+.2f} %{}\n", compiled.predicted_cycles,
             run.cycles, off,
             off <= allowed && off >= -allowed
                 ? ""
                 : ", more than the 3 % that the cost model keeps with memory of fixed latency");
  for (const std::string& finding : prediction_findings(run.accounting, expected)) {
    fmt::print("{}\n", finding);
  }
}

bool print_checks(const Args& args, const std::vector<CheckData>& sets, const nn::Graph& graph,
                  const Compiled& compiled, const compiler::Options& options,
                  const TcuSimulationConfig& config, Progress& progress) {
  const std::optional<Beside> beside = compile_beside(args, graph, options, config);
  bool good = true;
  for (const CheckData& data : sets) {
    good = print_check(args, graph, compiled, options, config, data, beside, progress) && good;
  }
  return good;
}

}  // namespace tactus
