#include "firmware/cli/input_vectors.h"
#include "firmware/cli/verbosity.h"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "firmware/onnx/tensor_files.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/vectors_file.h"

namespace tactus {

std::vector<std::uint8_t> read_input_vectors(const std::string& path,
                                             const tcu::Architecture& architecture,
                                             std::optional<std::uint64_t> expected) {
  tcu::Saturated saturated;
  std::vector<std::uint8_t> vectors = tcu::read_vectors(path, architecture, expected, &saturated);
  if (saturated.count > 0) {
    warn("{}: {}", path, saturated.text(architecture.data_type));
  }
  return vectors;
}

std::pair<std::string, std::string> split_input(const std::vector<Tensor>& inputs,
                                                const std::string& text) {
  for (const Tensor& tensor : inputs) {
    if (text.rfind(tensor.name + "=", 0) == 0) {
      return {tensor.name, text.substr(tensor.name.size() + 1)};
    }
  }
  if (inputs.size() == 1) return {inputs[0].name, text};
  std::vector<std::string_view> names;
  for (const Tensor& tensor : inputs) names.push_back(tensor.name);
  user_error("tactus run: --input {}: the model has {} inputs; write NAME=F with one of {}",
             quote(text), inputs.size(), quote_list(names));
}

namespace {

/// A file in the model's layout as vectors, image after image.
std::vector<std::uint8_t> read_tensor_input(const tcu::Architecture& architecture,
                                            const Tensor& tensor, const std::string& path,
                                            const InputLayouts& layouts) {
  const compiler::TensorLayout* layout =
      layouts.tensors != nullptr ? layouts.tensors->input(tensor.name) : nullptr;
  if (layout == nullptr || layout->vectors != tensor.size) {
    user_error(
        "{}: how input {} lies in vectors is not known{}; allowed are .csv and .bin, or a model "
        "compiled by tactus compile without --compat",
        path, quote(tensor.name),
        layouts.model.empty() ? "" : ": no .tensors.json beside " + layouts.model);
  }
  nn::Tensor values = nn::read_tensor(path).tensor;
  if (values.type != nn::ElementType::float32) {
    values.floats.assign(values.integers.begin(), values.integers.end());
  }
  const std::size_t elements = layout->elements();
  const bool fits = !values.floats.empty() && values.floats.size() % elements == 0 &&
                    (values.shape == layout->shape || values.floats.size() != elements ||
                     values.shape.size() <= layout->shape.size() + 1);
  if (!fits) {
    user_error(
        "{}: has shape {}; allowed for input {}: [{}], or several of those one after the other",
        path, nn::to_string(values.shape), quote(tensor.name), fmt::join(layout->shape, ","));
  }
  const double top = to_real(architecture.data_type, info(architecture.data_type).max());
  const double bottom = to_real(architecture.data_type, info(architecture.data_type).min());
  const auto beyond = std::count_if(values.floats.begin(), values.floats.end(), [&](float v) {
    return !(double{v} <= top && double{v} >= bottom);
  });
  if (beyond > 0) {
    warn(
        "{}: {} of {} values are beyond {:g} .. {:g}, what {} holds, and "
        "saturate",
        path, beyond, values.floats.size(), bottom, top, info(architecture.data_type).name);
  }
  std::vector<std::uint8_t> data;
  for (std::size_t at = 0; at < values.floats.size(); at += elements) {
    const auto first = values.floats.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<std::uint8_t> image =
        pack_tensor(*layout, architecture, {first, first + static_cast<std::ptrdiff_t>(elements)});
    data.insert(data.end(), image.begin(), image.end());
  }
  return data;
}

}  // namespace

void add_images(const tcu::Architecture& architecture, const Tensor& tensor,
                const std::string& path, std::vector<TensorData>& images,
                const InputLayouts& layouts) {
  std::vector<std::uint8_t> data = nn::is_tensor_file(path)
                                       ? read_tensor_input(architecture, tensor, path, layouts)
                                       : read_input_vectors(path, architecture);
  const std::uint64_t image_bytes = tensor.size * architecture.vector_bytes();
  const std::uint64_t vectors = data.size() / architecture.vector_bytes();
  if (vectors == 0 || vectors % tensor.size != 0) {
    user_error("{}: {} vectors for input {}, whose images have {}; allowed: a multiple of {}", path,
               vectors, quote(tensor.name), tensor.size, tensor.size);
  }
  const std::uint64_t count = vectors / tensor.size;
  if (images.empty()) images.resize(count);
  if (images.size() != count) {
    user_error("{}: {} images of input {}, but {} of the inputs before it", path, count,
               quote(tensor.name), images.size());
  }
  if (count == 1) {
    images[0][tensor.name] = std::move(data);
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(i * image_bytes);
    images[i][tensor.name].assign(first, first + static_cast<std::ptrdiff_t>(image_bytes));
  }
}

}  // namespace tactus
