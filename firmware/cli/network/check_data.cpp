#include "firmware/cli/network/check_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "firmware/bench/calibration.h"
#include "firmware/cli/run/input_vectors.h"
#include "firmware/cli/verbosity.h"
#include "firmware/compiler/images.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/zoo/random_input.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using compiler::Compiled;

/// Checks a tensor's shape against that of an image. Returns the note that it is reinterpreted;
/// throws UserError if it does not fit.
std::string check_shape(const nn::Shape& given, const nn::Shape& wanted, const std::string& tensor,
                        const std::string& where) {
  const compiler::ShapeFit fit =
      compiler::fit_shape(given, wanted, tensor, where, "", compiler::Images::one);
  if (fit.images != 1) {
    user_error("{}: has shape {}, {} images for {}; --check takes one, {}", where,
               nn::to_string(given), fit.images, tensor, nn::to_string(wanted));
  }
  return fit.note;
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
  const std::string reshaped =
      check_shape(tensor.shape, shape, "input " + quote(input.name), where);
  if (!reshaped.empty()) note("{}: {}", where, reshaped);
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
CheckData read_folder(const std::filesystem::path& folder, const nn::Graph& graph,
                      const Compiled& compiled) {
  CheckData data;
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
CheckData read_archive(const std::string& path, const nn::Graph& graph, const Compiled& compiled) {
  CheckData data;
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

std::vector<CheckData> read_test_data(const std::string& path, const nn::Graph& graph,
                                      const Compiled& compiled) {
  std::vector<CheckData> sets;
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
  for (const CheckData& data : sets) {
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

/// The shapes of one image, of a program that computes `batch` images at a time.
std::vector<nn::ValueInfo> of_one_image(std::vector<nn::ValueInfo> inputs, std::uint32_t batch) {
  for (nn::ValueInfo& input : inputs) {
    if (batch > 1 && !input.dims->empty()) *input.dims->front().size /= batch;
  }
  return inputs;
}

/// The first calibration images, as many as the program computes at a time.
CheckData calibration_data(const nn::Graph& graph, const Compiled& compiled,
                           const compiler::Options& options) {
  const std::vector<nn::ValueInfo> inputs = inputs_of(graph, compiled);
  const std::vector<nn::Values> all =
      bench::read_calibration(options.calibrate, of_one_image(inputs, options.batch),
                              std::numeric_limits<std::size_t>::max());
  if (all.empty()) return {};
  std::vector<nn::Values> first;
  for (std::size_t k = 0; k < options.batch; ++k) first.push_back(all[k % all.size()]);
  CheckData data;
  data.calibration = true;
  for (const nn::ValueInfo& input : inputs) {
    data.inputs[input.name] =
        input_tensor(compiled, input, compiler::join_images(first, input.name), options.calibrate);
  }
  return data;
}

std::uint64_t seed_of(const Args& args) { return args.number("seed", 1, 0, ~std::uint64_t{0}); }

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
  std::uint64_t seed = seed_of(args);
  nn::Values values;
  bool drawn = false;
  for (const nn::ValueInfo& input : inputs) {
    const auto file = files.find(input.name);
    if (file == files.end()) {
      values[input.name] = nn::random_input(graph, input, seed++);
      drawn = true;
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
  if (!drawn) args.refuse({"seed"}, "has no effect: no input is left to be drawn");
  return values;
}

/// The shape of a model's output, if it is known before a run.
std::optional<nn::Shape> output_shape(const Compiled& compiled, const std::string& name) {
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    if (layout.name == name) return layout.shape;
  }
  if (compiled.host == nullptr) return std::nullopt;
  for (const nn::ValueInfo& output : compiled.host->outputs) {
    if (output.name != name || !output.dims) continue;
    const bool known = std::all_of(output.dims->begin(), output.dims->end(),
                                   [](const nn::Dimension& dim) { return dim.size.has_value(); });
    if (known) return shape_of(output);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> tolerance_of(const Args& args) {
  if (!args.has("tolerance")) return std::nullopt;
  return args.real("tolerance", 0, 0, 1e9);
}

void judge_check_options(const Args& args) {
  (void)seed_of(args);
  (void)tolerance_of(args);
  const auto path = args.text("test-data");
  if (!path) return;
  if (args.has("input") || args.has("seed")) {
    user_error("tactus compile: --test-data has the inputs; leave out --input and --seed");
  }
  if (!std::filesystem::exists(*path)) user_error("{}: no such file", *path);
}

std::vector<CheckData> check_data(const Args& args, const nn::Graph& graph,
                                  const Compiled& compiled, const compiler::Options& options) {
  std::vector<CheckData> sets;
  if (const auto path = args.text("test-data")) {
    sets = read_test_data(*path, graph, compiled);
    for (const CheckData& data : sets) {
      for (const auto& [name, tensor] : data.expected) {
        const std::optional<nn::Shape> shape = output_shape(compiled, name);
        if (!shape) continue;
        const std::string output = "output " + quote(name);
        (void)check_shape(tensor.shape, *shape, output,
                          data.name + ": expected values of " + output);
      }
    }
    return sets;
  }
  if (!options.calibrate.empty() && !args.has("input") && !args.has("seed")) {
    sets.push_back(calibration_data(graph, compiled, options));
  } else {
    sets.push_back({"", check_inputs(args, args.texts("input"), graph, compiled), {}});
  }
  return sets;
}

}  // namespace tactus
