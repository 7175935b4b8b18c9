#include "firmware/cli/network/compile_check.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "firmware/bench/accuracy.h"
#include "firmware/bench/evaluation.h"
#include "firmware/cli/network/compile_summary.h"
#include "firmware/cli/run/input_vectors.h"
#include "firmware/cli/table.h"
#include "firmware/cli/verbosity.h"
#include "firmware/compiler/images.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/report/run_figures.h"
#include "firmware/zoo/random_input.h"
#include "isa/support/error.h"
#include "isa/support/located.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using compiler::Compiled;

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
  std::vector<std::string_view> names;
  for (const nn::ValueInfo& input : inputs) names.emplace_back(input.name);
  for (const nn::ValueInfo& input : graph.inputs) {  // those that nothing reads may be named, too
    if (std::find(names.begin(), names.end(), input.name) == names.end()) {
      names.emplace_back(input.name);
    }
  }
  std::map<std::string, std::string> files;
  for (const std::string& text : input_files) {
    const auto [name, path] = split_named(names, text, "tactus compile: --input");
    if (!files.emplace(name, path).second) {
      user_error("tactus compile: input {} is given twice", quote(name));
    }
    const bool read = std::any_of(inputs.begin(), inputs.end(),
                                  [&, &given = name](const auto& i) { return i.name == given; });
    if (!read) {
      (void)read_array_file(path, input_forms);
      note("input {}: nothing in the model reads it, so {} changes nothing", quote(name), path);
    }
  }
  std::uint64_t seed = args.number("seed", 1, 0, ~std::uint64_t{0});
  nn::Values values;
  for (const nn::ValueInfo& input : inputs) {
    const auto file = files.find(input.name);
    if (file == files.end()) {
      values[input.name] = nn::random_input(graph, input, seed++);
      continue;
    }
    ArrayFile array = read_array_file(file->second, input_forms);
    if (array.form == ArrayForm::npy || array.form == ArrayForm::pb) {
      values[input.name] =
          input_tensor(compiled, input, nn::parse_tensor(array).tensor, file->second);
      continue;
    }
    const compiler::TensorLayout* layout = layout_of(compiled, input.name);
    if (layout == nullptr) {
      user_error("{}: input {} is read by the host, not by the program; allowed are .npy and .pb",
                 file->second, quote(input.name));
    }
    const auto image = input_vectors(std::move(array), compiled.architecture, layout->vectors);
    values[input.name] = input_tensor(
        compiled, input,
        nn::Tensor::of(layout->shape, unpack_tensor(*layout, compiled.architecture, image)),
        file->second);
  }
  return values;
}

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
  const std::optional<double> tolerance =
      args.has("tolerance") ? std::optional(args.real("tolerance", 0, 0, 1e9)) : std::nullopt;
  print_table(args, accuracy, other, tolerance);
  if (!accuracy.note.empty()) fmt::print("{}\n", accuracy.note);
  if (other && !other->note.empty()) {
    fmt::print("strategy {}: {}\n", *args.text("beside"), other->note);
  }
  print_findings(accuracy, tolerance);
  const bool good = accuracy.is_right(tolerance);
  const std::string against =
      data.expected.empty() ? "float, one image" : "the outputs expected in " + data.name;
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

void print_prediction(const Args& args, const std::vector<std::string>& input_files,
                      const nn::Graph& graph, const Compiled& compiled,
                      const TcuSimulationConfig& config) {
  constexpr double allowed = 3;
  TensorData data;
  const nn::Values inputs =
      compiler::start_on_host(compiler::tensors_of(compiled),
                              check_inputs(args, input_files, graph, compiled))
          .inputs;
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
  const std::optional<Beside> beside = compile_beside(args, graph, options, config);
  bool good = true;
  for (const TestData& data : sets) {
    good = print_check(args, graph, compiled, options, config, data, beside, progress) && good;
  }
  return good;
}

}  // namespace tactus
