#include "firmware/cli/input_vectors.h"

#include <fmt/core.h>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/vectors_file.h"

namespace tactus {

std::vector<std::uint8_t> read_input_vectors(const std::string& path,
                                             const tcu::Architecture& architecture,
                                             std::optional<std::uint64_t> expected) {
  tcu::Saturated saturated;
  std::vector<std::uint8_t> vectors = tcu::read_vectors(path, architecture, expected, &saturated);
  if (saturated.count > 0) {
    fmt::print(stderr, "tactus: warning: {}: {}\n", path, saturated.text(architecture.data_type));
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

void add_images(const tcu::Architecture& architecture, const Tensor& tensor,
                const std::string& path, std::vector<TensorData>& images) {
  std::vector<std::uint8_t> data = read_input_vectors(path, architecture);
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
