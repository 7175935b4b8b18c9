// tactus compile: a model becomes a program, its data, and tables about them.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "firmware/bench/accuracy.h"
#include "firmware/bench/evaluation.h"
#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/network/compile_summary.h"
#include "firmware/cli/network/network_commands.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/run/input_vectors.h"
#include "firmware/cli/table.h"
#include "firmware/cli/verbosity.h"
#include "firmware/compiler/compiler.h"
#include "firmware/compiler/images.h"
#include "firmware/config/board.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/report/run_figures.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/zoo/network_file.h"
#include "firmware/zoo/random_input.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/located.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using compiler::Compiled;

constexpr std::array<std::string_view, 4> dump_names{"hir", "lir", "asm", "dot"};

std::vector<Args::Option> compile_options() {
  std::vector<Args::Option> result = {
      {"arch", "NAME|F.tarch", "architecture (or --board)"},
      {"output", "DIR", "folder for .tmodel, .tprog, .tdata and dumps; made if absent", true},
      {"output-tensor", "NAME", "output tensor (default: the graph's outputs)", true},
      {"input-tensor", "NAME",
       "for a TensorFlow graph: compile only what follows this node, which becomes an input", true},
      {"separate-outputs", "",
       "give inputs and outputs places of their own in DRAM0, as tactus pack needs it"},
      {"input-shape", "[NAME=]D,D,..", "shape of an input, -1: as the model says", true},
      {"summary", "", "print sizes, memory use, efficiency and the estimated latency"},
      {"layers", "", "print a table of the layers"},
      {"dump", "hir|lir|asm|dot", "a stage as text, beside the program or without -o printed",
       true},
      {"check", "", "simulate one image and compare layers and outputs with float arithmetic"},
      {"beside", "STRATEGY",
       "for --check of --optimise: show the errors of this strategy's program beside those of the "
       "optimised one (local-isolated, ...)"},
      {"input", "[NAME=]F",
       "for --check: an input in the model's layout as .npy or .pb, or as .csv or .bin vectors "
       "(default: seeded); a node of a TensorFlow graph: the same as --input-tensor",
       true},
      {"test-data", "DIR|F.npz|F.npy",
       "for --check: inputs and the outputs expected of the model: folders test_data_set_K or "
       "files "
       "input_K.pb, output_K.pb as ONNX has them; arrays by name or in_*, out_*; one input"},
      {"seed", "N", "for --check: seed of the inputs (default 1)"},
      {"tolerance", "F",
       "for --check: largest RMS error allowed for an output, as a fraction of the range of its "
       "values and 0 (default: layers and outputs may be off by 3 times what the data type can "
       "reach, and 2 steps)"},
  };
  // In earlier versions --target named the folder and --output a tensor.
  Args::Option target{"target", "DIR", "the same as --output DIR"};
  target.hidden = true;
  result.push_back(target);
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

compiler::Options read_options(const Args& args) {
  compiler::Options options;
  read_options(bench::compiler_parameters(), args, static_cast<compiler::Choices&>(options));
  options.separate_outputs = args.has("separate-outputs");
  const auto option = [](std::string key) {
    std::replace(key.begin(), key.end(), '_', '-');
    return "--" + key;
  };
  if (const auto wrong =
          bench::choices_problem(options, args.has("strategy"), options.separate_outputs, option)) {
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

/// The folder for the artefacts, and the tensors that are outputs. -o and --target name the folder.
/// --output does so, too, unless -o or --target is given: then it names a tensor, as in earlier
/// versions.
struct Outputs {
  std::optional<std::string> folder;
  std::vector<std::string> tensors;
};

Outputs read_outputs(const Args& args) {
  Outputs outputs;
  outputs.tensors = args.texts("output-tensor");
  std::vector<std::string> folders = args.texts("target");
  std::vector<std::string> words;  // words of --output
  for (const Args::Value& value : args.values("output")) {
    (value.by_letter ? folders : words).push_back(value.value);
  }
  if (!folders.empty()) {
    outputs.tensors.insert(outputs.tensors.end(), words.begin(), words.end());
  } else {
    folders = words;
  }
  if (folders.size() > 1) {
    user_error(
        "tactus compile: --output names {} folders, {} and {}; one is allowed. Output tensors are "
        "named by --output-tensor",
        folders.size(), quote(folders[0]), quote(folders[1]));
  }
  if (!folders.empty()) outputs.folder = folders.front();
  return outputs;
}

/// The nodes at which a TensorFlow graph is cut, and the files of --input. A word of --input that
/// is the name of a node means this node.
struct Inputs {
  std::vector<std::string> cuts;
  std::vector<std::string> files;
};

Inputs read_inputs(const Args& args, const std::string& path) {
  Inputs inputs{args.texts("input-tensor"), {}};
  const std::vector<std::string> words = args.texts("input");
  if (words.empty()) return inputs;
  const std::vector<std::string> nodes = tf::node_names(path);
  for (const std::string& word : words) {
    const std::string node = tf::parse_output(word).node;
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      inputs.files.push_back(word);
      continue;
    }
    if (std::filesystem::exists(word)) {
      user_error(
          "tactus compile: --input {0} may mean the file or the graph's node of this name; write "
          "--input ./{1} for the file, --input-tensor {1} for the node",
          quote(word), word);
    }
    inputs.cuts.push_back(word);
  }
  return inputs;
}

/// Throws UserError if --output names a tensor of the graph, as it did in earlier versions, instead
/// of a folder.
void check_folder(const Args& args, const Outputs& outputs, const nn::Graph& graph) {
  if (!outputs.folder || args.has("target") || args.by_letter("output")) return;
  const std::string& name = *outputs.folder;
  if (graph.producer(name) == nullptr) return;
  user_error(
      "tactus compile: --output {0} may mean the folder or the model's tensor of this name; write "
      "-o {0} for the folder, --output-tensor {0} for the tensor",
      quote(name));
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

/// Simulated cycles of the optimising compiler's program, if that compiler supports the options and
/// the simulation is short.
std::optional<Cycle> optimised_cycles(const nn::Graph& model, const Compiled& compiled,
                                      compiler::Options options,
                                      const TcuSimulationConfig& config) {
  const nn::Graph& graph = compiled.scaled ? *compiled.scaled : model;
  options.bounds = compiled.bounds;
  if (options.optimise || options.compat || options.separate_outputs) return std::nullopt;
  options.optimise = true;
  options.dump_hir = options.dump_lir = options.dump_assembly = options.dump_dot = false;
  try {
    const Compiled optimised = compiler::compile(graph, config.architecture, options);
    const std::optional<TcuRunResult> run = simulate_if_quick(optimised, config);
    return run ? std::optional(run->cycles) : std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;  // the program does not fit the machine
  }
}

void print_dumps(const Compiled& compiled) {
  for (const std::string* dump :
       {&compiled.hir, &compiled.lir, &compiled.assembly, &compiled.dot}) {
    fmt::print("{}", *dump);
  }
}

// ---- the check --------------------------------------------------------------------------------

/// One set of test data: inputs and expected outputs.
struct TestData {
  std::string name;
  nn::Values inputs, expected;
};

/// Checks a tensor's shape against that of an image. Prints a note if it is reinterpreted; throws
/// UserError if it does not fit.
void check_shape(const nn::Shape& given, const nn::Shape& wanted, const std::string& tensor,
                 const std::string& where) {
  const compiler::ShapeFit fit = compiler::fit_shape(given, wanted, tensor, where);
  if (fit.images != 1) {
    user_error("{}: has shape {}, {} images for {}; --check takes one, {}", where,
               nn::to_string(given), fit.images, tensor, nn::to_string(wanted));
  }
  if (!fit.note.empty()) note("{}: {}", where, fit.note);
}

nn::Shape shape_of(const nn::ValueInfo& input) {
  nn::Shape shape;
  for (const nn::Dimension& dimension : *input.dims) shape.push_back(*dimension.size);
  return shape;
}

/// Inputs that the program, or the host before it, reads: in the model's order, with its types and
/// with the shapes it was compiled for.
std::vector<nn::ValueInfo> inputs_of(const nn::Graph& graph, const Compiled& compiled) {
  const std::vector<nn::ValueInfo> read = compiler::tensors_of(compiled).model_inputs();
  std::vector<nn::ValueInfo> inputs;
  for (const nn::ValueInfo& stated : graph.inputs) {
    for (const nn::ValueInfo& input : read) {
      if (input.name == stated.name)
        inputs.push_back({input.name, stated.type, stated.stored, input.dims});
    }
  }
  return inputs;
}

/// Null if the host reads the input and the program does not.
const compiler::TensorLayout* layout_of(const Compiled& compiled, const std::string& input) {
  for (const compiler::TensorLayout& layout : compiled.input_layouts) {
    if (layout.name == input) return &layout;
  }
  return nullptr;
}

/// Converts a tensor to an input of the model. Warns about values beyond the data type.
nn::Tensor input_tensor(const Compiled& compiled, const nn::ValueInfo& input,
                        const nn::Tensor& tensor, const std::string& where) {
  const nn::Shape shape = shape_of(input);
  check_shape(tensor.shape, shape, "input " + quote(input.name), where);
  if (layout_of(compiled, input.name) == nullptr) {
    if (tensor.type != input.type) {
      user_error("{}: holds {} elements; allowed for input {} are {}", where,
                 name_of(tensor.type, tensor.stored), quote(input.name),
                 name_of(input.type, input.stored));
    }
  } else {
    if (const auto text = compiler::saturation_text(tensor, compiled.architecture.data_type)) {
      warn("{}: input {}: {}", where, quote(input.name), *text);
    }
  }
  nn::Tensor values = nn::Tensor::of(shape, tensor.reals());
  if (input.type == nn::ElementType::float32) return values;
  values = tensor.rounded(input.stored);  // not every integer is a FLOAT
  values.shape = shape;
  return values;
}

/// Reads input_K.pb and output_K.pb of a folder, in the model's order. Inputs that the program does
/// not read are skipped.
TestData read_folder(const std::filesystem::path& folder, const nn::Graph& graph,
                     const Compiled& compiled) {
  TestData data;
  data.name = folder.string();
  const std::vector<nn::ValueInfo> inputs = inputs_of(graph, compiled);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string path = (folder / fmt::format("input_{}.pb", i)).string();
    for (const nn::ValueInfo& input : inputs) {
      if (input.name != graph.inputs[i].name) continue;
      data.inputs[input.name] = input_tensor(compiled, input, nn::read_tensor(path).tensor, path);
    }
  }
  for (std::size_t i = 0; i < compiled.model_outputs.size(); ++i) {
    const std::filesystem::path path = folder / fmt::format("output_{}.pb", i);
    if (!std::filesystem::exists(path)) continue;
    data.expected[compiled.model_outputs[i]] = nn::read_tensor(path.string()).tensor;
  }
  return data;
}

/// Reads an archive. Its arrays have the names of the tensors, or names that begin with in_ and
/// out_, which are taken in the archive's order.
TestData read_archive(const std::string& path, const nn::Graph& graph, const Compiled& compiled) {
  TestData data;
  data.name = path;
  std::size_t next_input = 0, next_output = 0;
  const std::vector<nn::ValueInfo> inputs = inputs_of(graph, compiled);
  for (nn::NamedTensor& array : nn::read_npz(path)) {
    const auto named = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const auto& input) { return input.name == array.name; });
    const auto& outputs = compiled.model_outputs;
    if (named != inputs.end()) {
      data.inputs[array.name] = input_tensor(compiled, *named, array.tensor, path);
    } else if (std::find(outputs.begin(), outputs.end(), array.name) != outputs.end()) {
      data.expected[array.name] = std::move(array.tensor);
    } else if (array.name.rfind("in_", 0) == 0 && next_input < inputs.size()) {
      const nn::ValueInfo& next = inputs[next_input++];
      data.inputs[next.name] = input_tensor(compiled, next, array.tensor, path);
    } else if (array.name.rfind("out_", 0) == 0 && next_output < outputs.size()) {
      data.expected[outputs[next_output++]] = std::move(array.tensor);
    } else {
      user_error(
          "{}: array {} is no input or output of the model; allowed are their names, in_* and "
          "out_*",
          path, quote(array.name));
    }
  }
  return data;
}

std::vector<TestData> read_test_data(const std::string& path, const nn::Graph& graph,
                                     const Compiled& compiled) {
  std::vector<TestData> sets;
  const std::vector<nn::ValueInfo> inputs = inputs_of(graph, compiled);
  if (std::filesystem::is_directory(path)) {
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && name.rfind("test_data_set_", 0) == 0) {
        folders.push_back(entry.path());
      }
    }
    std::sort(folders.begin(), folders.end());
    if (folders.empty()) folders.emplace_back(path);
    for (const auto& folder : folders) sets.push_back(read_folder(folder, graph, compiled));
  } else if (path.size() > 4 && path.compare(path.size() - 4, 4, ".npz") == 0) {
    sets.push_back(read_archive(path, graph, compiled));
  } else if (nn::is_tensor_file(path) && inputs.size() == 1) {
    sets.emplace_back();
    sets.back().name = path;
    sets.back().inputs[inputs.front().name] =
        input_tensor(compiled, inputs.front(), nn::read_tensor(path).tensor, path);
  } else {
    user_error(
        "tactus compile: --test-data {}: allowed are a folder, an .npz, and for a model of one "
        "input "
        "an .npy or .pb",
        quote(path));
  }
  for (const TestData& data : sets) {
    for (const nn::ValueInfo& input : inputs) {
      if (data.inputs.count(input.name) != 0) continue;
      user_error("{}: there are no values for input {}", data.name, quote(input.name));
    }
    for (const auto& [name, tensor] : data.expected) {
      const auto bad = std::find_if(tensor.floats.begin(), tensor.floats.end(),
                                    [](float value) { return !std::isfinite(value); });
      if (bad == tensor.floats.end()) continue;
      user_error("{}: value {} expected of output {} is {}; allowed are finite numbers", data.name,
                 bad - tensor.floats.begin(), quote(name), std::isnan(*bad) ? "NaN" : "infinite");
    }
  }
  return sets;
}

/// Values of all inputs in the model's order, from files or generated from the seed.
nn::Values check_inputs(const Args& args, const std::vector<std::string>& input_files,
                        const nn::Graph& graph, const Compiled& compiled) {
  const std::vector<nn::ValueInfo> inputs = inputs_of(graph, compiled);
  std::map<std::string, std::string> files;
  for (const std::string& text : input_files) {
    const auto named = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) {
      return text.rfind(input.name + "=", 0) == 0;
    });
    if (named == inputs.end() && inputs.size() != 1) {
      user_error("tactus compile: --input {}: the model has {} inputs; write NAME=F", quote(text),
                 inputs.size());
    }
    const std::string name = named == inputs.end() ? inputs.front().name : named->name;
    const std::string path = named == inputs.end() ? text : text.substr(named->name.size() + 1);
    if (!files.emplace(name, path).second) {
      user_error("tactus compile: input {} is given twice", quote(name));
    }
  }
  std::uint64_t seed = args.number("seed", 1, 0, ~std::uint64_t{0});
  nn::Values values;
  for (const nn::ValueInfo& input : inputs) {
    const auto file = files.find(input.name);
    if (file != files.end() && nn::is_tensor_file(file->second)) {
      values[input.name] =
          input_tensor(compiled, input, nn::read_tensor(file->second).tensor, file->second);
      continue;
    }
    if (file == files.end()) {
      values[input.name] = nn::random_input(graph, input, seed++);
      continue;
    }
    check_is_values(file->second, input.name);
    const compiler::TensorLayout* layout = layout_of(compiled, input.name);
    if (layout == nullptr) {
      user_error("{}: input {} is read by the host, not by the program; allowed are .npy and .pb",
                 file->second, quote(input.name));
    }
    const auto image = read_input_vectors(file->second, compiled.architecture, layout->vectors);
    values[input.name] = input_tensor(
        compiled, input,
        nn::Tensor::of(layout->shape, unpack_tensor(*layout, compiled.architecture, image)),
        file->second);
  }
  return values;
}

/// Compares the cost model with a run of the program without the check's additional outputs.
void print_prediction(const Args& args, const std::vector<std::string>& input_files,
                      const nn::Graph& graph, const Compiled& compiled,
                      const TcuSimulationConfig& config) {
  constexpr double allowed = 3;
  TensorData data;
  const nn::Values inputs = compiler::start_on_host(
      compiler::tensors_of(compiled), check_inputs(args, input_files, graph, compiled));
  for (const compiler::TensorLayout& layout : compiled.input_layouts) {
    data[layout.name] = pack_tensor(layout, compiled.architecture, inputs.at(layout.name).floats);
  }
  const TcuRunResult run = simulate_once(compiled, config, data, 0);
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

/// The program for --beside, with its compiler options; empty if it does not fit the machine, which
/// is printed.
struct Beside {
  compiler::Options options;
  Compiled compiled;
};

std::optional<Beside> compile_beside(const Args& args, const nn::Graph& graph,
                                     const compiler::Options& options,
                                     const tcu::Architecture& architecture) {
  const auto name = args.text("beside");
  if (!name) return std::nullopt;
  Beside beside;
  beside.options = options;
  beside.options.optimise = false;
  beside.options.strategy = compiler::parse_strategy(*name);
  try {
    beside.compiled = bench::compile_network(graph, architecture, beside.options);
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

bool print_check(const Args& args, const nn::Graph& graph, const Compiled& compiled,
                 const compiler::Options& options, const TcuSimulationConfig& config,
                 const TestData& data, const std::optional<Beside>& beside, Progress& progress) {
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
  const bool is_stated = args.has("tolerance");
  const double tolerance = is_stated ? args.real("tolerance", 0, 0, 1e9) : 0;
  std::vector<Table::Column> columns{{"tensor", Table::Align::left},
                                     {"scalars"},
                                     {"largest value"},
                                     {"largest error"},
                                     {"RMS error"},
                                     {"reachable"},
                                     {"saturated"},
                                     {"inside"}};
  if (other) {
    columns.push_back({fmt::format("RMS error {}", *args.text("beside"))});
    columns.push_back({"saturated"});
  }
  columns.push_back({"", Table::Align::left});
  Table table(columns);
  std::vector<std::vector<std::string>> rows;
  bool good = true;
  for (const bench::TensorError& error : accuracy.tensors) {
    const bool within = is_stated ? !error.output || error.relative_error() <= tolerance
                                  : error.rms_error <= error.usual_error();
    good = good && within;
    rows.push_back(
        {error.name, fmt::format("{}", error.scalars), fmt::format("{:.4f}", error.largest_value),
         fmt::format("{:.5f}", error.largest_error), fmt::format("{:.5f}", error.rms_error),
         fmt::format("{:.5f}", error.reachable), fmt::format("{}", error.saturated),
         fmt::format("{}", error.saturated_inside),
         std::string(error.output ? "output" : "") + (within         ? ""
                                                      : error.output ? ", BEYOND THE TOLERANCE"
                                                                     : "BEYOND THE TOLERANCE")});
    if (other) add_beside(error, *other, rows.back());
  }
  fmt::print("{}", table.text(rows));
  if (!accuracy.note.empty()) fmt::print("{}\n", accuracy.note);
  if (other && !other->note.empty()) {
    fmt::print("strategy {}: {}\n", *args.text("beside"), other->note);
  }
  for (const bench::TensorError& error : accuracy.tensors) {
    if (error.ranked == 0 || !error.output) continue;
    fmt::print("{}: the expected class is first in {} of {} rows, among the first five in {}\n",
               error.name, error.top_1, error.ranked, error.top_5);
  }
  const std::string against =
      data.expected.empty() ? "float, one image" : "the outputs expected in " + data.name;
  const std::string_view type = info(compiled.architecture.data_type).name;
  if (is_stated) {
    fmt::print("simulated {} against {}: RMS error of the outputs {} {:g} % of their range\n", type,
               against, good ? "within" : "beyond", 100 * tolerance);
  } else {
    fmt::print("simulated {0} against {1}: RMS errors {2} what {0} can reach\n", type, against,
               good ? "are of the size of" : "are beyond");
  }
  return good;
}

/// Checks all sets of test data, or one image of --input and the seed.
bool print_checks(const Args& args, const std::vector<std::string>& input_files,
                  const nn::Graph& graph, const Compiled& compiled,
                  const compiler::Options& options, const TcuSimulationConfig& config,
                  Progress& progress) {
  const auto path = args.text("test-data");
  if (path && (!input_files.empty() || args.has("seed"))) {
    user_error("tactus compile: --test-data has the inputs; leave out --input and --seed");
  }
  std::vector<TestData> sets;
  if (path) {
    sets = read_test_data(*path, graph, compiled);
  } else {
    sets.push_back({"", check_inputs(args, input_files, graph, compiled), {}});
  }
  const std::optional<Beside> beside = compile_beside(args, graph, options, config.architecture);
  bool good = true;
  for (const TestData& data : sets) {
    good = print_check(args, graph, compiled, options, config, data, beside, progress) && good;
  }
  return good;
}

}  // namespace

int compile_command(const Words& words) {
  Args args(
      "compile",
      "Compiles a model for an architecture: program (.tprog), constants (.tdata) and model\n"
      "file (.tmodel), for tactus run and for the hardware's drivers. Models are ONNX files,\n"
      "frozen TensorFlow graphs, and layer topologies as CSV.",
      compile_options(), "MODEL.onnx|MODEL.pb|TOPOLOGY.csv");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().size() != 1)
    user_error("tactus compile: name exactly one model file (.onnx, .pb, .csv)");
  const std::string& path = args.positional().front();
  check_exists("compile", path);
  const Outputs outputs = read_outputs(args);
  const bool prints = args.has("summary") || args.has("layers") || args.has("dump");
  if (!outputs.folder && !prints && !args.has("check")) {
    user_error(
        "tactus compile: nothing to do: give -o DIR, --summary, --layers, --dump or --check");
  }
  const Inputs inputs = read_inputs(args, path);
  if (!inputs.files.empty() && !args.has("check")) {
    user_error("tactus compile: --input belongs to --check");
  }
  for (const char* option : {"seed", "tolerance", "test-data", "beside"}) {
    if (args.has(option) && !args.has("check")) {
      user_error("tactus compile: --{} belongs to --check", option);
    }
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
  options.outputs = outputs.tensors;
  const Target target = read_target(args);
  const TcuSimulationConfig& config = target.config;
  bench::fit_to(config, options);
  Progress progress(0);
  tf::ImportOptions names{options.outputs, inputs.cuts, options.input_shapes};
  const nn::Graph graph = nn::load_network(path, names);
  options.outputs = std::move(names.outputs);
  options.input_shapes = std::move(names.input_shapes);
  check_folder(args, outputs, graph);

  options.progress = [&](const compiler::Progress& p) {
    if (p.done == 0) progress.begin(p.all);
    progress.show(p.what, p.done);
  };
  Compiled compiled = bench::compile_network(graph, config.architecture, options);
  compiled.board = target.board;
  progress.clear();

  if (outputs.folder) {
    const std::string written =
        write_artefacts(compiled, *outputs.folder, compiler::artefact_base_name(path, target.path));
    fmt::print("{:<26}{}\n", "model", written);
  } else {
    print_dumps(compiled);
  }
  for (const std::string& note : compiled.notes) fmt::print("{:<26}{}\n", "note", note);
  if (args.has("summary") || args.has("layers")) {
    const std::optional<TcuRunResult> run = simulate_if_quick(compiled, config);
    if (args.has("summary")) {
      std::optional<Cycle> optimised;
      if (run && options.via == compiler::Via::layers)
        optimised = optimised_cycles(graph, compiled, options, config);
      progress.clear();
      print_summary(compiled, config, run, optimised);
    }
    if (args.has("layers")) print_layers(compiled, run);
  }
  if (!args.has("check")) return exit_ok;
  if (compiled.predicted_cycles != 0) print_prediction(args, inputs.files, graph, compiled, config);
  return print_checks(args, inputs.files, graph, compiled, options, config, progress)
             ? exit_ok
             : exit_mismatch;
}

}  // namespace tactus
