// tactus compile: a model becomes a program, its data, and tables about them.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "firmware/bench/evaluation.h"
#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/network/compile_check.h"
#include "firmware/cli/network/compile_summary.h"
#include "firmware/cli/network/network_commands.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/progress.h"
#include "firmware/compiler/compiler.h"
#include "firmware/config/board.h"
#include "firmware/onnx/input_values.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/zoo/network_file.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using compiler::Compiled;

constexpr std::array<std::string_view, 4> dump_names{"hir", "lir", "asm", "dot"};

std::vector<Args::Option> compile_options() {
  std::vector<Args::Option> result = {
      {"arch", "NAME|F.tarch", "architecture (or --board)"},
      {"output", "DIR", "folder for .tmodel, .tprog, .tdata and dumps; made if absent"},
      {"output-tensor", "NAME", "output tensor (default: the graph's outputs)", true},
      {"input-tensor", "NAME",
       "for a TensorFlow graph: compile only what follows this node, which becomes an input", true},
      {"separate-outputs", "",
       "give inputs and outputs places of their own in DRAM0, as tactus pack needs it"},
      {"input-shape", "[NAME=]D,D,..", "shape of an input, -1: as the model says", true},
      {"input-value", "NAME=V,V..",
       "fixes an input to a value for all elements, or one for each, so that a run does not have "
       "it",
       true},
      {"summary", "", "print sizes, memory use, efficiency and the estimated latency"},
      {"layers", "", "print a table of the layers"},
      {"dump", "hir|lir|asm|dot", "a stage as text, beside the program or without -o printed",
       true},
      {"check", "",
       "simulate one image, compare layers and outputs with float arithmetic, and judge them"},
      {"beside", "STRATEGY",
       "for --check of --optimise: show the errors of this strategy's program beside those of the "
       "optimised one (local-isolated, ...)"},
      {"input", "[NAME=]F",
       "for --check: an input in the model's layout as .npy or .pb, or as .csv or .bin vectors "
       "(default: the first image of --calibrate, or seeded)",
       true},
      {"test-data", "DIR|F.npz|F.npy",
       "for --check: inputs and the outputs expected of the model: folders test_data_set_K or "
       "files "
       "input_K.pb, output_K.pb as ONNX has them; arrays by name or in_*, out_*; one input"},
      {"seed", "N", "for --check: seed of the inputs (default 1)"},
      {"tolerance", "F",
       "for --check: largest RMS error allowed for an output, as a fraction of the range of its "
       "values and 0 (default: 2 %, and 3 times what the data type can reach, 2 steps, and what "
       "lookup tables lose; each layer 3 times the law of rounding)"},
  };
  for (const auto& more :
       {parameter_options(bench::compiler_parameters().section(), ""), machine_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

// ---- options ----------------------------------------------------------------------------------

std::vector<std::int64_t> parse_shape(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> shape;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto size = read_number<std::int64_t>(std::string_view(text).substr(at, comma - at));
    if (!size || *size == 0 || *size < -1) {
      user_error(
          "tactus compile: --input-shape {} is not allowed; allowed: [NAME=] and sizes "
          "separated by commas, each 1 or more, or -1 for the model's",
          quote(option));
    }
    shape.push_back(*size);
    at = comma + 1;
  }
  return shape;
}

/// Reads shapes given as NAME=SHAPE. A tensor's name may contain "=", a shape cannot.
void read_shapes(const Args& args, compiler::Options& options) {
  for (const std::string& text : args.texts("input-shape")) {
    const std::size_t equals = text.rfind('=');
    const std::string name = equals == std::string::npos ? "" : text.substr(0, equals);
    const std::string shape = equals == std::string::npos ? text : text.substr(equals + 1);
    if (!options.input_shapes.emplace(name, parse_shape(text, shape)).second) {
      user_error("tactus compile: the shape of {} is given twice",
                 name.empty() ? "the other inputs" : quote(name));
    }
  }
}

/// Reads values given as NAME=V,V... A tensor's name may contain "=", numbers cannot.
nn::GivenValues read_values(const Args& args) {
  nn::GivenValues values;
  for (const std::string& text : args.texts("input-value")) {
    const std::size_t equals = text.rfind('=');
    std::vector<double> numbers;
    bool good = equals != std::string::npos && equals != 0;
    for (std::size_t at = good ? equals + 1 : text.size() + 1; at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      const auto number = read_number<double>(std::string_view(text).substr(at, comma - at));
      good = good && number && std::isfinite(*number);
      numbers.push_back(number.value_or(0));
      at = comma + 1;
    }
    if (!good) {
      user_error(
          "tactus compile: --input-value {} is not allowed; allowed: NAME= and numbers separated "
          "by commas",
          quote(text));
    }
    if (!values.emplace(text.substr(0, equals), std::move(numbers)).second) {
      user_error("tactus compile: the value of {} is given twice", quote(text.substr(0, equals)));
    }
  }
  return values;
}

compiler::Options read_options(const Args& args) {
  compiler::Options options;
  read_options(bench::compiler_parameters(), args, static_cast<compiler::Choices&>(options));
  options.separate_outputs = args.has("separate-outputs");
  const auto option = [](std::string key) {
    std::replace(key.begin(), key.end(), '_', '-');
    return "--" + key;
  };
  const auto given = [&args](std::string key) {
    std::replace(key.begin(), key.end(), '_', '-');
    return args.has(key);
  };
  if (const auto wrong = bench::choices_problem(options, given, options.separate_outputs, option)) {
    user_error("tactus compile: {} {}", option(wrong->key), wrong->text);
  }
  if (const auto beside = args.text("beside")) {
    (void)compiler::parse_strategy(*beside);
    if (!options.optimise || options.batch > 1) {
      user_error("tactus compile: --beside needs --optimise, of one image at a time");
    }
  }
  read_shapes(args, options);
  for (const std::string& dump : args.texts("dump")) {
    const auto found = std::find(dump_names.begin(), dump_names.end(), dump);
    if (found == dump_names.end()) {
      user_error("tactus compile: --dump {} is not allowed; allowed: hir, lir, asm, dot",
                 quote(dump));
    }
    bool* const wanted[] = {&options.dump_hir, &options.dump_lir, &options.dump_assembly,
                            &options.dump_dot};
    *wanted[std::distance(dump_names.begin(), found)] = true;
  }
  if (options.optimise && (options.dump_hir || options.dump_lir)) {
    user_error(
        "tactus compile: --dump hir and lir are not stages of --optimise; allowed: asm, dot");
  }
  return options;
}

/// The machine for which the network is compiled.
struct Target {
  TcuSimulationConfig config;
  std::optional<tcu::BoardEntry> board;
  /// Path of the board, or of the architecture if one is given; the artefacts are named after it.
  std::string path;
};

Target read_target(const Args& args) {
  Target target;
  const auto board = read_board_option(args, target.config);
  const auto arch = args.text("arch");
  if (!board && !arch) user_error("tactus compile: give --arch F.tarch or --board NAME");
  if (arch) target.config.architecture = read_architecture_option(*arch);
  read_machine_options(args, target.config);
  target.path = arch ? *arch : board->path;
  if (board) target.board = tcu::BoardEntry{board->name, target.config};
  return target;
}

/// A run of the optimising compiler's program, if that compiler supports the options and the
/// simulation is short.
std::optional<ImageResult> optimised_run(const nn::Graph& model, const Compiled& compiled,
                                         compiler::Options options,
                                         const TcuSimulationConfig& config) {
  const nn::Graph& graph = compiled.scaled ? *compiled.scaled : model;
  options.bounds = compiled.bounds;
  options.scales = compiler::Scales::none;  // the network is scaled already
  options.calibrate.clear();
  if (options.optimise || options.compat || options.separate_outputs) return std::nullopt;
  options.optimise = true;
  options.dump_hir = options.dump_lir = options.dump_assembly = options.dump_dot = false;
  try {
    const Compiled optimised = bench::compile_network(graph, config, options);
    return simulate_if_quick(optimised, config);
  } catch (const UserError&) {
    return std::nullopt;  // the program does not fit the machine
  }
}

/// Compiles; errors name the model's file, unless they name another one.
Compiled compile_located(const std::string& path, const nn::Graph& graph,
                         const TcuSimulationConfig& config, const compiler::Options& options) {
  try {
    return bench::compile_network(graph, config, options);
  } catch (const UserError& error) {
    const std::string_view what = error.what();
    for (const std::string& file : {path, graph.file, options.calibrate}) {
      if (!file.empty() && what.find(file) != std::string_view::npos) throw;
    }
    user_error("{}: {}", path, what);
  }
}

void print_dumps(const Compiled& compiled) {
  for (const std::string* dump :
       {&compiled.hir, &compiled.lir, &compiled.assembly, &compiled.dot}) {
    fmt::print("{}", *dump);
  }
}

}  // namespace

int compile_command(const Words& words) {
  Args args(
      "compile",
      "Compiles a model for an architecture: program (.tprog), constants (.tdata) and model\n"
      "file (.tmodel), for tactus run and for the hardware's drivers. Models are ONNX files,\n"
      "frozen TensorFlow graphs, TensorFlow Lite models, and layer topologies as CSV.",
      compile_options(), "MODEL.onnx|MODEL.pb|MODEL.tflite|TOPOLOGY.csv");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().size() != 1)
    user_error("tactus compile: name exactly one model file (.onnx, .pb, .tflite, .csv)");
  const std::string& path = args.positional().front();
  check_exists("compile", path);
  const std::optional<std::string> folder = args.text("output");
  const bool prints = args.has("summary") || args.has("layers") || args.has("dump");
  if (!folder && !prints && !args.has("check")) {
    user_error(
        "tactus compile: nothing to do: give -o DIR, --summary, --layers, --dump or --check");
  }
  if (args.has("check")) {
    judge_check_options(args);
  } else {
    args.refuse({"input", "seed", "tolerance", "test-data", "beside"}, "belongs to --check");
  }
  compiler::Options options = read_options(args);
  if (options.via == compiler::Via::stripe) {
    for (const std::string& dump : args.texts("dump")) {
      if (dump == "hir" || dump == "dot") {
        user_error("tactus compile: --dump {} shows layers; by way of Stripe there are lir and asm",
                   dump);
      }
    }
  }
  options.outputs = args.texts("output-tensor");
  const Target target = read_target(args);
  const TcuSimulationConfig& config = target.config;
  bench::fit_to(config, options);
  Progress progress(0);
  tf::ImportOptions names{options.outputs, args.texts("input-tensor"), options.input_shapes};
  nn::Graph loaded = nn::load_network(path, names);
  options.outputs = std::move(names.outputs);
  options.input_shapes = std::move(names.input_shapes);
  const nn::Graph graph =
      nn::with_input_values(std::move(loaded), read_values(args), options.input_shapes);

  options.progress = [&](const compiler::Progress& p) {
    if (p.done == 0) progress.begin(p.all);
    progress.show(p.what, p.done);
  };
  Compiled compiled = compile_located(path, graph, config, options);
  compiled.board = target.board;
  progress.clear();
  // Nothing is written unless everything that the check reads is right.
  std::vector<CheckData> sets;
  if (args.has("check")) sets = check_data(args, graph, compiled, options);

  if (folder) {
    const std::string written =
        write_artefacts(compiled, *folder, compiler::artefact_base_name(path, target.path));
    fmt::print("{:<26}{}\n", "model", written);
  } else {
    print_dumps(compiled);
  }
  for (const std::string& note : compiled.notes) fmt::print("{:<26}{}\n", "note", note);
  if (args.has("summary") || args.has("layers")) {
    const std::optional<ImageResult> run = simulate_if_quick(compiled, config);
    if (args.has("summary")) {
      std::optional<ImageResult> optimised;
      if (run && options.via == compiler::Via::layers)
        optimised = optimised_run(graph, compiled, options, config);
      progress.clear();
      print_summary(compiled, config, run, optimised);
    }
    if (args.has("layers")) print_layers(compiled, run);
  }
  if (!args.has("check")) return exit_ok;
  if (compiled.predicted_cycles != 0) print_prediction(sets.front(), compiled, config);
  return print_checks(args, sets, graph, compiled, options, config, progress) ? exit_ok
                                                                              : exit_mismatch;
}

}  // namespace tactus
