#include "firmware/compiler/images.h"

#include <algorithm>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

std::vector<float> real_values(const nn::Tensor& tensor) {
  if (tensor.type == nn::ElementType::float32) return tensor.floats;
  return {tensor.integers.begin(), tensor.integers.end()};
}

}  // namespace

std::vector<std::uint8_t> pack_images(const TensorLayout& layout,
                                      const tcu::Architecture& architecture,
                                      const nn::Tensor& tensor, const std::string& where) {
  const std::vector<float> values = real_values(tensor);
  const std::size_t elements = layout.elements();
  const bool fits = !values.empty() && values.size() % elements == 0 &&
                    (tensor.shape == layout.shape || values.size() != elements ||
                     tensor.shape.size() <= layout.shape.size() + 1);
  if (!fits) {
    user_error(
        "{}: has shape {}; allowed for input {}: [{}], or several of those one after the other",
        where, nn::to_string(tensor.shape), quote(layout.name), fmt::join(layout.shape, ","));
  }
  std::vector<std::uint8_t> data;
  for (auto first = values.begin(); first != values.end();) {
    const auto end = first + static_cast<std::ptrdiff_t>(elements);
    const std::vector<std::uint8_t> image = pack_tensor(layout, architecture, {first, end});
    data.insert(data.end(), image.begin(), image.end());
    first = end;
  }
  return data;
}

std::optional<std::string> saturation_text(const nn::Tensor& tensor, tcu::DataType type) {
  const std::vector<float> values = real_values(tensor);
  const double top = to_real(type, info(type).max());
  const double bottom = to_real(type, info(type).min());
  const auto beyond = std::count_if(values.begin(), values.end(), [&](float v) {
    return !(double{v} <= top && double{v} >= bottom);
  });
  if (beyond == 0) return std::nullopt;
  return fmt::format("{} of {} values are beyond {:g} .. {:g}, what {} holds, and saturate", beyond,
                     values.size(), bottom, top, info(type).name);
}

nn::Tensor join_images(const std::vector<nn::Values>& images, const std::string& name) {
  nn::Tensor all = images.front().at(name);
  for (std::size_t i = 1; i < images.size(); ++i) {
    const nn::Tensor& next = images[i].at(name);
    all.floats.insert(all.floats.end(), next.floats.begin(), next.floats.end());
    all.integers.insert(all.integers.end(), next.integers.begin(), next.integers.end());
  }
  const auto count = static_cast<std::int64_t>(images.size());
  if (all.shape.empty() && count > 1) all.shape = {1};
  if (!all.shape.empty()) all.shape.front() *= count;
  return all;
}

}  // namespace tactus::compiler
