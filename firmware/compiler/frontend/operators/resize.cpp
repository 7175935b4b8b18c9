// Resize of the height and width of images. Nearest rearranges pixels; linear is a weighted sum of
// up to four.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/compiler/frontend/operators/resampled.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

enum class Transform : std::uint8_t {
  half_pixel,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_half_pixel_for_nn,
  half_pixel_symmetric
};

/// Rounding before opset 11, for which the standard has examples only: up when shrinking, else
/// down.
constexpr const char* opset_10 = "by scale";

/// Parameters along height or width.
struct Axis {
  std::int64_t input = 0, output = 0;
  float scale = 1;
};

struct Resize {
  std::array<Axis, 2> axes;
  Transform transform = Transform::half_pixel;
  std::string nearest;  ///< rounding; empty: linear

  [[nodiscard]] float source(const Axis& axis, std::int64_t at) const;
  [[nodiscard]] std::int64_t nearest_pixel(const Axis& axis, std::int64_t at) const;
};

/// Position of an output pixel in the input, computed in float32 like the reference.
float Resize::source(const Axis& axis, std::int64_t at) const {
  const auto x = static_cast<float>(at);
  switch (transform) {
    case Transform::half_pixel:
      return (x + 0.5F) / axis.scale - 0.5F;
    case Transform::pytorch_half_pixel:
      return axis.output > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0.0F;
    case Transform::align_corners:
      return axis.output > 1
                 ? x * static_cast<float>(axis.input - 1) / static_cast<float>(axis.output - 1)
                 : 0.0F;
    case Transform::asymmetric:
      return x / axis.scale;
    case Transform::tf_half_pixel_for_nn:
      return (x + 0.5F) / axis.scale;
    case Transform::half_pixel_symmetric: {
      // If the size is rounded, the grid stays centred on the input.
      const float exact = static_cast<float>(axis.input) * axis.scale;
      const float offset =
          static_cast<float>(axis.input) / 2 * (1 - static_cast<float>(axis.output) / exact);
      return offset + (x + 0.5F) / axis.scale - 0.5F;
    }
  }
  return x;
}

std::int64_t Resize::nearest_pixel(const Axis& axis, std::int64_t at) const {
  const float x = source(axis, at);
  float pixel = 0;
  if (nearest == "round_prefer_floor") {
    pixel = std::ceil(x - 0.5F);
  } else if (nearest == "round_prefer_ceil") {
    pixel = std::floor(x + 0.5F);
  } else {
    const bool up = nearest == opset_10 ? axis.scale < 1.0F : nearest == "ceil";
    pixel = up ? std::ceil(x) : std::floor(x);
  }
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(pixel), 0, axis.input - 1);
}

/// Each output pixel is the nearest input pixel.
Rearrangement nearest_pixels(const Resize& resize, const Planner& p, const nn::Shape& from) {
  std::array<std::vector<std::int64_t>, 2> pixels;
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::int64_t at = 0; at < resize.axes[d].output; ++at) {
      pixels[d].push_back(resize.nearest_pixel(resize.axes[d], at));
    }
  }
  const auto origin = [pixels, strides = strides_of(from)](const nn::Shape& at) {
    return Origin{0, at[0] * strides[0] + at[1] * strides[1] +
                         pixels[0][static_cast<std::size_t>(at[2])] * strides[2] +
                         pixels[1][static_cast<std::size_t>(at[3])] * strides[3]};
  };
  return {{p.node.inputs[0]}, {{p.node.outputs[0], origin}}};
}

Resampling::Pair between(const Axis& axis, float at) {
  const float x = std::max(at, 0.0F);
  const float low = std::floor(x);
  Resampling::Pair result;
  result.first = std::min(static_cast<std::int64_t>(low), axis.input - 1);
  result.second = std::min(result.first + 1, axis.input - 1);
  result.weight = x - low;
  return result;
}

// ---- planning -----------------------------------------------------------------------------------

/// True for Resize of opset 10 and Upsample, which have scales only and no coordinate modes.
bool is_old_form(const Planner& p) { return p.opset() < 11 || p.node.op_type == "Upsample"; }

/// Reads the coordinate mode. Before opset 11 the model does not have one, and runtimes use x /
/// scale. The reference always uses the centres of pixels.
bool plan_transform(Planner& p, Resize& resize) {
  if (p.compat() || is_old_form(p)) {
    resize.transform = p.compat() ? Transform::half_pixel : Transform::asymmetric;
    return true;
  }
  static const std::map<std::string, Transform, std::less<>> names{
      {"half_pixel", Transform::half_pixel},
      {"pytorch_half_pixel", Transform::pytorch_half_pixel},
      {"align_corners", Transform::align_corners},
      {"asymmetric", Transform::asymmetric},
      {"tf_half_pixel_for_nn", Transform::tf_half_pixel_for_nn},
      {"half_pixel_symmetric", Transform::half_pixel_symmetric}};
  const std::string name = p.node.text("coordinate_transformation_mode", "half_pixel");
  const auto found = names.find(name);
  if (found == names.end()) {
    p.problem(
        "attribute coordinate_transformation_mode is {}; supported are align_corners, asymmetric, "
        "half_pixel, half_pixel_symmetric, pytorch_half_pixel, tf_crop_and_resize, "
        "tf_half_pixel_for_nn",
        quote(name));
    return false;
  }
  resize.transform = found->second;
  return true;
}

bool plan_mode(Planner& p, Resize& resize) {
  const std::string mode = p.node.text("mode", "nearest");
  if (mode == "linear") return true;
  if (mode != "nearest") {
    p.problem("attribute mode is {}; supported are nearest, linear, cubic", quote(mode));
    return false;
  }
  resize.nearest = is_old_form(p) ? opset_10 : p.node.text("nearest_mode", "round_prefer_floor");
  if (resize.nearest == opset_10) return true;
  constexpr std::array<std::string_view, 4> modes{"round_prefer_floor", "round_prefer_ceil",
                                                  "floor", "ceil"};
  if (std::find(modes.begin(), modes.end(), resize.nearest) == modes.end()) {
    p.problem(
        "attribute nearest_mode is {}; supported are round_prefer_floor, round_prefer_ceil, "
        "floor, ceil",
        quote(resize.nearest));
    return false;
  }
  return true;
}

/// Extends factors or sizes of some dimensions to all four; the others are `rest`.
template <typename T>
std::vector<T> of_all_axes(Planner& p, const std::vector<T>& values, std::vector<T> rest) {
  if (!p.node.has("axes")) return values;
  const nn::Shape& axes = p.node.integers("axes");
  if (axes.size() != values.size()) {
    p.problem("axes are {} for {} values", nn::to_string(axes), values.size());
    return values;
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::optional<std::int64_t> axis = normal_axis(p, axes[k], rest.size());
    if (!axis) return values;
    rest[static_cast<std::size_t>(*axis)] = values[k];
  }
  return rest;
}

bool plan_scales(Planner& p, const std::vector<float>& stated, Resize& resize) {
  const std::vector<float> values = of_all_axes(p, stated, {1, 1, 1, 1});
  const bool good = values.size() == 4 && values[0] == 1.0F && values[1] == 1.0F && values[2] > 0 &&
                    values[3] > 0;
  for (std::size_t d = 0; good && d < 2; ++d) {
    Axis& axis = resize.axes[d];
    axis.scale = values[2 + d];
    if (static_cast<float>(axis.input) * axis.scale < 1.0e6F) {
      axis.output = nn::scaled_size(axis.input, axis.scale);
    }
  }
  if (!good || resize.axes[0].output < 1 || resize.axes[1].output < 1) {
    p.problem("scales are [{}]; supported are 4 values, 1 for N and C, and sizes of 1 and more",
              fmt::join(values, ","));
    return false;
  }
  return true;
}

bool plan_sizes(Planner& p, const nn::Tensor& sizes, const Layout& x, Resize& resize) {
  const std::vector<std::int64_t> values = of_all_axes(p, sizes.integers, x.shape);
  if (values.size() != 4 || values[0] != x.shape[0] || values[1] != x.shape[1] || values[2] < 1 ||
      values[3] < 1 || values[2] > 1000000 || values[3] > 1000000) {
    p.problem("sizes are {}; supported are 4 values, N and C as those of the input {}",
              nn::to_string(values), nn::to_string(x.shape));
    return false;
  }
  for (std::size_t d = 0; d < 2; ++d) {
    Axis& axis = resize.axes[d];
    axis.output = values[2 + d];
    axis.scale = static_cast<float>(axis.output) / static_cast<float>(axis.input);
  }
  return true;
}

Plan plan_resize(Planner& p) {
  Resize resize;
  bool good = plan_mode(p, resize);
  good = plan_transform(p, resize) && good;
  const Layout* x = p.image(0);
  // Inputs in opset 10: X, scales. Later: X, roi, scales, sizes, where an empty tensor counts as
  // absent.
  const std::size_t at = is_old_form(p) ? 1 : 2;
  const nn::Tensor* stated_sizes = is_old_form(p) ? nullptr : p.constant(3);
  const bool by_sizes =
      !is_old_form(p) && p.given(3) && (stated_sizes == nullptr || stated_sizes->size() != 0);
  const nn::Tensor* sizes =
      by_sizes ? p.need_constant(3, "sizes", nn::ElementType::int64) : nullptr;
  const bool attribute = p.node.op_type == "Upsample" && p.node.has("scales");
  const nn::Tensor* scales =
      by_sizes || attribute ? nullptr : p.need_constant(at, "scales", nn::ElementType::float32);
  if (p.node.integer("antialias", 0) != 0) {
    p.problem("attribute antialias is 1; supported is 0");
  }
  if (p.node.text("keep_aspect_ratio_policy", "stretch") != "stretch") {
    p.problem("attribute keep_aspect_ratio_policy is {}; supported is stretch",
              quote(p.node.text("keep_aspect_ratio_policy")));
  }
  if (x == nullptr || !good || (sizes == nullptr && scales == nullptr && !attribute)) return {};
  for (std::size_t d = 0; d < 2; ++d) resize.axes[d].input = x->shape[2 + d];
  good = by_sizes ? plan_sizes(p, *sizes, *x, resize)
                  : plan_scales(p, attribute ? p.node.reals("scales") : scales->floats, resize);
  if (!good || p.failed()) return {};

  const nn::Shape from = x->shape;
  p.reads(0);
  p.output(Layout::activation({from[0], from[1], resize.axes[0].output, resize.axes[1].output}));
  if (!resize.nearest.empty()) return nearest_pixels(resize, p, from);
  Resampling linear{p.node.inputs[0], p.node.outputs[0], {}};
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::int64_t pixel = 0; pixel < resize.axes[d].output; ++pixel) {
      linear.axes[d].push_back(between(resize.axes[d], resize.source(resize.axes[d], pixel)));
    }
  }
  return linear;
}

bool expand_resize(Planner& p, Expansion& e) {
  return is_resized_by_matrices(p) ? expand_by_matrices(p, e) : expand_resized_to_image(p, e);
}

}  // namespace

Operators resize_operators() {
  return {{"Resize", wants_image, Role::simple, plan_resize, nullptr, expand_resize},
          {"Upsample", wants_image, Role::simple, plan_resize, nullptr, expand_resize}};
}

}  // namespace tactus::compiler
