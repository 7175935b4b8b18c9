#include "firmware/compiler/images.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
ShapeFit fit_shape(const nn::Shape& given, const nn::Shape& wanted, const std::string& tensor,
                   const std::string& where, const std::string& stated_by, Images allowed) {
  const auto count = [](const nn::Shape& shape) {
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) elements *= size;
    return elements;
  };
  const std::int64_t elements = count(wanted), images = elements == 0 ? 0 : count(given) / elements;
  const bool whole = images > 0 && images * elements == count(given);
  const auto same_from =
      [&](std::size_t first) {  // compares `given` with `wanted` without its leading dimensions
        return given.size() + first == wanted.size() &&
               std::equal(given.begin(), given.end(),
                          wanted.begin() + static_cast<std::ptrdiff_t>(first));
      };
  if (whole && given.size() == wanted.size()) {
    const std::size_t batch = wanted.empty() ? 0 : 1;
    if (std::equal(given.begin() + batch, given.end(), wanted.begin() + batch)) {
      return {static_cast<std::size_t>(images), {}};
    }
  }
  std::size_t leading = 0;
  while (leading < wanted.size() && wanted[leading] == 1 && !same_from(leading)) ++leading;
  if (!whole || (given.size() != 1 && !same_from(leading))) {
    user_error("{}: has shape {}; allowed for {}: {}{}{}", where, nn::to_string(given), tensor,
               nn::to_string(wanted), stated_by.empty() ? "" : ", as " + stated_by + " says",
               allowed == Images::one ? "" : ", or several of those along the first dimension");
  }
  return {
      static_cast<std::size_t>(images),
      fmt::format("has shape {}, taken as {} of {}{}", nn::to_string(given), nn::to_string(wanted),
                  tensor, images == 1 ? "" : fmt::format(", {} images", images))};
}

std::vector<std::uint8_t> pack_images(const ModelTensors& tensors, const TensorLayout& layout,
                                      const tcu::Architecture& architecture,
                                      const nn::Tensor& tensor, const std::string& where,
                                      std::string& note) {
  const std::vector<float> values = tensor.reals();
  const std::size_t elements = layout.elements();
  note = fit_shape(tensor.shape, layout.shape, "input " + quote(layout.name), where, tensors.file)
             .note;
  std::vector<std::uint8_t> data;
  for (auto first = values.begin(); first != values.end();) {
    const auto end = first + static_cast<std::ptrdiff_t>(elements);
    const std::vector<std::uint8_t> image = pack_tensor(layout, architecture, {first, end});
    data.insert(data.end(), image.begin(), image.end());
    first = end;
  }
  return data;
}

namespace {

/// Returns image number `image` of a tensor that contains one or several images of the shape
/// wanted.
nn::Tensor cut_image(const nn::Tensor& all, const nn::ValueInfo& wanted, const nn::Shape& shape,
                     std::size_t image) {
  nn::Tensor one;
  one.shape = shape;
  one.type = wanted.type;
  one.stored = wanted.stored;
  const auto size = static_cast<std::ptrdiff_t>(nn::element_count(shape));
  const auto first = static_cast<std::ptrdiff_t>(image) * size;
  const auto cut = [&](const auto& from) {
    return std::decay_t<decltype(from)>(from.begin() + first, from.begin() + first + size);
  };
  if (wanted.type == nn::ElementType::float32) {
    one.floats = cut(all.reals());
  } else {
    one.integers = cut(all.rounded(0).integers);
  }
  return one;
}

}  // namespace

PackedImages pack_model_inputs(const ModelTensors& tensors, const tcu::Architecture& architecture,
                               const nn::Values& inputs,
                               const std::map<std::string, std::string>& where,
                               std::vector<std::string>& notes) {
  std::vector<nn::Values> images;
  for (const nn::ValueInfo& input : tensors.model_inputs()) {
    nn::Shape shape;
    for (const nn::Dimension& dimension : *input.dims) shape.push_back(*dimension.size);
    const nn::Tensor& given = inputs.at(input.name);
    const std::string& from = where.at(input.name);
    if (given.type != input.type && input.type != nn::ElementType::float32) {
      user_error("{}: holds {} elements; allowed for input {} are whole numbers", from,
                 name_of(given.type, given.stored), quote(input.name));
    }
    const ShapeFit fit =
        fit_shape(given.shape, shape, "input " + quote(input.name), from, tensors.file);
    if (!fit.note.empty()) notes.push_back(from + ": " + fit.note);
    if (images.empty()) images.resize(fit.images);
    if (images.size() != fit.images) {
      user_error("{}: {} images of input {}, but {} of the inputs before it", from, fit.images,
                 quote(input.name), images.size());
    }
    for (std::size_t i = 0; i < images.size(); ++i) {
      images[i][input.name] = cut_image(given, input, shape, i);
    }
  }
  PackedImages packed;
  for (const nn::Values& image : images) {
    InputVectors& vectors = packed.inputs.emplace_back();
    const auto start = std::chrono::steady_clock::now();
    Started started = start_on_host(tensors, image);
    packed.host_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const TensorLayout& layout : tensors.inputs) {
      const nn::Tensor& values = started.inputs.at(layout.name);
      if (const auto text = saturation_text(values, architecture.data_type)) {
        notes.push_back(fmt::format("input {}: {}", quote(layout.name), *text));
      }
      vectors[layout.name] = pack_tensor(layout, architecture, values.floats);
    }
    packed.carried.push_back(std::move(started.carried));
  }
  return packed;
}

std::optional<std::string> saturation_text(const nn::Tensor& tensor, tcu::DataType type) {
  const std::vector<float> values = tensor.reals();
  const double top = to_real(type, info(type).max());
  const double bottom = to_real(type, info(type).min());
  const auto count = [&](const auto& condition) {
    return std::count_if(values.begin(), values.end(), condition);
  };
  const auto beyond = count([&](float v) { return double{v} > top || double{v} < bottom; });
  const auto missing = count([](float v) { return std::isnan(v); });
  std::string text;
  if (beyond > 0) {
    text = fmt::format("{} of {} values are beyond {:g} .. {:g}, what {} holds, and saturate",
                       beyond, values.size(), bottom, top, info(type).name);
  }
  if (missing > 0) {
    text += fmt::format("{}{} of {} values are NaN and become 0", text.empty() ? "" : "; ", missing,
                        values.size());
  }
  if (text.empty()) return std::nullopt;
  return text;
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
