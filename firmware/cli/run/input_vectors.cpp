#include "firmware/cli/run/input_vectors.h"

#include <filesystem>

#include <fmt/core.h>

#include "firmware/bench/seeded_input.h"
#include "firmware/cli/verbosity.h"
#include "firmware/compiler/images.h"
#include "firmware/driver/tcu/image_data.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/zoo/random_input.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/nearest_name.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"
#include "isa/tcu/vectors_file.h"

namespace tactus {

const std::vector<ArrayForm> input_forms{ArrayForm::npy, ArrayForm::pb, ArrayForm::csv,
                                         ArrayForm::raw};

namespace {

/// Size of the address space of a 32-bit AXI address, in bytes.
constexpr std::uint64_t bytes_of_bank = std::uint64_t{1} << 32;

bool is_tensor(const ArrayFile& file) {
  return file.form == ArrayForm::npy || file.form == ArrayForm::pb;
}

void warn_of_saturation(const std::string& path, const nn::Tensor& values,
                        const tcu::Architecture& architecture) {
  if (const auto saturated = compiler::saturation_text(values, architecture.data_type)) {
    warn("{}: {}", path, *saturated);
  }
}

}  // namespace

std::vector<std::uint8_t> input_vectors(ArrayFile file, const tcu::Architecture& architecture,
                                        std::optional<std::uint64_t> expected) {
  tcu::Saturated saturated;
  const std::string path = file.path;
  std::vector<std::uint8_t> vectors =
      tcu::parse_vectors(std::move(file), architecture, expected, &saturated);
  if (saturated.count > 0) {
    warn("{}: {}", path, saturated.text(architecture.data_type));
  }
  return vectors;
}

std::vector<std::uint8_t> read_bank(const std::string& path,
                                    const tcu::Architecture& architecture) {
  if (path.empty()) return {};
  ArrayFile file =
      read_array_file(path, {ArrayForm::bytes, ArrayForm::csv, ArrayForm::npy, ArrayForm::pb});
  if (file.bytes.size() > bytes_of_bank) {
    user_error("{}: {} bytes; allowed: up to 2^32, what the 32-bit AXI address reaches", path,
               file.bytes.size());
  }
  if (!is_tensor(file)) {
    std::vector<std::uint8_t> vectors = input_vectors(std::move(file), architecture);
    if (vectors.empty()) user_error("{}: has no vectors", path);
    return vectors;
  }
  const nn::Tensor values = nn::parse_tensor(file).tensor;
  if (values.shape.size() != 2 || values.shape[1] != architecture.array_size) {
    user_error("{}: has shape {}; allowed for a memory: [vectors,{}], a row for each vector", path,
               nn::to_string(values.shape), architecture.array_size);
  }
  warn_of_saturation(path, values, architecture);
  const auto vectors = static_cast<std::uint64_t>(values.shape[0]);
  return compiler::pack_tensor({"", values.shape, {0, 1}, vectors}, architecture, values.reals());
}

std::pair<std::string, std::string> split_named(const std::vector<std::string_view>& names,
                                                const std::string& text, std::string_view option) {
  for (const std::string_view name : names) {
    const std::size_t length = name.size();
    if (text.size() > length && text[length] == '=' && text.substr(0, length) == name) {
      return {std::string(name), text.substr(length + 1)};
    }
  }
  const std::string wrong = text.substr(0, text.find('='));
  const bool is_path = wrong.size() == text.size() || wrong.find('/') != std::string::npos ||
                       std::filesystem::exists(text);
  if (!is_path) {
    user_error("{} {}: there is no input {}; allowed {}{}", option, quote(text), quote(wrong),
               quote_list(names), nearest_name(wrong, names));
  }
  if (names.size() == 1) return {std::string(names.front()), text};
  user_error("{} {}: the model has {} inputs; write NAME=F with one of {}", option, quote(text),
             names.size(), quote_list(names));
}

std::pair<std::string, std::string> split_input(const std::vector<Tensor>& inputs,
                                                const std::string& text) {
  std::vector<std::string_view> names;
  for (const Tensor& tensor : inputs) names.emplace_back(tensor.name);
  return split_named(names, text, "tactus run: --input");
}

namespace {

/// Converts a file in the model's layout to vectors, image after image.
std::vector<std::uint8_t> read_tensor_input(const tcu::Architecture& architecture,
                                            const Tensor& tensor, const ArrayFile& file,
                                            const InputLayouts& layouts) {
  const std::string& path = file.path;
  const compiler::TensorLayout* layout =
      layouts.tensors != nullptr ? layouts.tensors->input(tensor.name) : nullptr;
  if (layout == nullptr || layout->vectors != tensor.size) {
    user_error(
        "{}: how input {} lies in vectors is not known{}; allowed are .csv and .bin, --input "
        "random, or a model compiled by tactus compile without --compat",
        path, quote(tensor.name),
        layouts.model.empty() ? "" : ": no .tensors.json beside " + layouts.model);
  }
  const nn::Tensor values = nn::parse_tensor(file).tensor;
  std::string shape_note;
  std::vector<std::uint8_t> data =
      compiler::pack_images(*layouts.tensors, *layout, architecture, values, path, shape_note);
  if (!shape_note.empty()) note("{}: {}", path, shape_note);
  warn_of_saturation(path, values, architecture);
  return data;
}

/// Divides one tensor's file into images and adds them to `images`.
void add_images(const tcu::Architecture& architecture, const Tensor& tensor,
                const std::string& path, std::vector<TensorData>& images,
                const InputLayouts& layouts) {
  ArrayFile file = read_array_file(path, input_forms);
  std::vector<std::uint8_t> data = is_tensor(file)
                                       ? read_tensor_input(architecture, tensor, file, layouts)
                                       : input_vectors(std::move(file), architecture);
  add_image_data(architecture, tensor, std::move(data), path, images);
}

constexpr std::string_view drawn = "random";

std::uint64_t seed_of(const Tensor& tensor, const std::string& input) {
  const std::size_t first = std::min(drawn.size() + 1, input.size());
  const auto seed = read_number<std::uint64_t>(std::string_view(input).substr(first));
  if (seed) return *seed;
  user_error("tactus run: input {}: {} has no seed from 0 to 2^64-1; a file of this name is ./{}",
             quote(tensor.name), quote(input), input);
}

/// Adds a generated input to all images: the first one from the seed, the next one from the seed
/// plus 1, and so on.
void draw_images(const tcu::Architecture& architecture, const Tensor& tensor, std::uint64_t seed,
                 std::vector<TensorData>& images, const InputLayouts& layouts) {
  const compiler::TensorLayout* layout =
      layouts.tensors != nullptr ? layouts.tensors->input(tensor.name) : nullptr;
  for (TensorData& image : images) {
    image[tensor.name] = bench::seeded_input(architecture, tensor, layout, seed++);
  }
}

/// Reads images of a model for which the host computes some of the program's inputs.
compiler::PackedImages read_host_images(const tcu::Architecture& architecture,
                                        std::map<std::string, std::string>& given,
                                        const compiler::ModelTensors& tensors) {
  nn::Values values;
  std::map<std::string, std::string> where;
  std::uint64_t seed = nn::default_zoo_seed;
  const std::vector<nn::ValueInfo> inputs = tensors.model_inputs();
  for (const nn::ValueInfo& info : inputs) {
    const bool missing = given.count(info.name) == 0;
    std::string& input = given[info.name];
    if (missing || input == drawn) input = fmt::format("{}:{}", drawn, seed++);
    where[info.name] = input;
    if (is_drawn(input)) {
      values[info.name] =
          nn::random_input(*tensors.host_before, info, seed_of({info.name, {}, 0}, input));
      if (missing) note("input {}: none is given; its values are drawn", quote(info.name));
    } else if (nn::is_tensor_file(input)) {
      values[info.name] = nn::read_tensor(input).tensor;
    } else {
      user_error(
          "{}: the host computes inputs of the program from those of the model; allowed for input "
          "{} are .npy, .pb and random",
          input, quote(info.name));
    }
  }
  std::vector<std::string> notes;
  auto images = compiler::pack_model_inputs(tensors, architecture, values, where, notes);
  for (const std::string& text : notes) note("{}", text);
  return images;
}

}  // namespace

bool is_drawn(const std::string& input) {
  return input == drawn || input.rfind(std::string(drawn) + ":", 0) == 0;
}

compiler::PackedImages read_images(const tcu::Architecture& architecture,
                                   const std::vector<Tensor>& inputs,
                                   std::map<std::string, std::string>& given,
                                   const InputLayouts& layouts) {
  if (layouts.tensors != nullptr && layouts.tensors->host_before != nullptr) {
    return read_host_images(architecture, given, *layouts.tensors);
  }
  std::vector<TensorData> images;
  for (const Tensor& tensor : inputs) {
    const auto input = given.find(tensor.name);
    if (input == given.end() || is_drawn(input->second)) continue;
    add_images(architecture, tensor, input->second, images, layouts);
  }
  if (images.empty()) images.emplace_back();
  std::uint64_t seed = nn::default_zoo_seed;
  for (const Tensor& tensor : inputs) {
    const bool missing = given.count(tensor.name) == 0;
    std::string& input = given[tensor.name];
    if (!missing && !is_drawn(input)) continue;
    if (missing || input == drawn) input = fmt::format("{}:{}", drawn, seed++);
    draw_images(architecture, tensor, seed_of(tensor, input), images, layouts);
    if (missing) {
      note("input {}: none is given; its values, -1 to 1, are drawn as by --input {}{}",
           quote(tensor.name), inputs.size() > 1 ? tensor.name + "=" : "", input);
    }
  }
  compiler::PackedImages packed;
  packed.carried.resize(images.size());
  packed.inputs = std::move(images);
  return packed;
}

}  // namespace tactus
