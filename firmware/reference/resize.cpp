// Resize: nearest and linear, dimension by dimension.
#include <algorithm>
#include <cmath>

#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

struct Sampling {
  bool linear = false;
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
};

/// Position on the input of output `x` of a resized dimension.
double source(const std::string& coordinates, double x, double scale, std::int64_t from,
              std::int64_t to) {
  if (coordinates == "align_corners") {
    return to == 1 ? 0 : x * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  }
  if (coordinates == "asymmetric") return x / scale;
  if (coordinates == "pytorch_half_pixel" && to == 1) return 0;
  if (coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  if (coordinates == "half_pixel_symmetric") {
    // If the size is rounded, the grid of outputs keeps the centre of the input.
    const double exact = static_cast<double>(from) * scale;
    const double offset = static_cast<double>(from) / 2 * (1 - static_cast<double>(to) / exact);
    return offset + (x + 0.5) / scale - 0.5;
  }
  return (x + 0.5) / scale - 0.5;
}

double nearest(const std::string& rule, double x, double scale) {
  if (rule == "floor") return std::floor(x);
  if (rule == "ceil") return std::ceil(x);
  if (rule == "round_prefer_floor") return std::ceil(x - 0.5);
  if (rule == "round_prefer_ceil") return std::floor(x + 0.5);
  return scale < 1 ? std::ceil(x) : std::floor(x);  // rule of operator set 10
}

Tensor resized(const Tensor& in, std::size_t axis, std::int64_t to, double scale,
               const Sampling& sampling) {
  const std::int64_t from = in.shape[axis];
  Shape shape = in.shape;
  shape[axis] = to;
  Tensor out = Tensor::zeros(shape);
  std::int64_t inner = 1, outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  for (std::int64_t x = 0; x < to; ++x) {
    const double at = source(sampling.coordinates, static_cast<double>(x), scale, from, to);
    const double low = sampling.linear ? std::floor(at) : nearest(sampling.nearest, at, scale);
    const double part = sampling.linear ? at - low : 0;
    const auto clamped = [from](double position) {
      const auto last = static_cast<double>(from - 1);
      return static_cast<std::int64_t>(std::min(std::max(position, 0.0), last));
    };
    const std::int64_t left = clamped(low), right = clamped(low + 1);
    for (std::int64_t o = 0; o < outer; ++o) {
      const float* row = in.floats.data() + o * from * inner;
      float* target = out.floats.data() + (o * to + x) * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        const auto a = static_cast<double>(row[left * inner + i]);
        const auto b = static_cast<double>(row[right * inner + i]);
        target[i] = static_cast<float>(part == 0 ? a : a * (1 - part) + b * part);
      }
    }
  }
  return out;
}

std::string choice(const Call& call, const char* name, const char* fallback,
                   std::initializer_list<const char*> allowed) {
  std::string value = call.node.text(name, fallback);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    call.fail("attribute \"{}\" is \"{}\"; supported are {}", name, value,
              fmt::join(allowed.begin(), allowed.end(), ", "));
  }
  return value;
}

Sampling read_sampling(const Call& call) {
  Sampling sampling;
  sampling.linear = choice(call, "mode", "nearest", {"nearest", "linear"}) == "linear";
  const bool upsample = call.node.op_type == "Upsample";
  if (call.opset == 10 || upsample) {
    sampling.coordinates = "asymmetric";
    sampling.nearest = upsample ? "floor" : "";
    return sampling;
  }
  sampling.coordinates = choice(call, "coordinate_transformation_mode", "half_pixel",
                                {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                                 "tf_half_pixel_for_nn", "half_pixel_symmetric"});
  if (call.opset > 12 && sampling.coordinates == "tf_half_pixel_for_nn") {
    call.fail("operator set 13 has no coordinate mode tf_half_pixel_for_nn");
  }
  sampling.nearest = choice(call, "nearest_mode", "round_prefer_floor",
                            {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  return sampling;
}

}  // namespace

void run_resize(Call& call) {
  const Tensor& in = call.floats(0);
  const Sampling sampling = read_sampling(call);
  const std::size_t rank = in.shape.size();
  const bool upsample = call.node.op_type == "Upsample";
  const std::size_t scales_at = call.opset == 10 || upsample ? 1 : 2;
  if (call.node.integer("antialias", 0) != 0) call.fail("attribute \"antialias\" is not supported");
  if (call.node.text("keep_aspect_ratio_policy", "stretch") != "stretch") {
    call.fail("attribute \"keep_aspect_ratio_policy\" must be \"stretch\"");
  }
  // Sizes or scales are given only for some dimensions.
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : call.node.integers("axes", {}))
    axes.push_back(call.axis(axis, rank));
  for (std::size_t i = 0; !call.node.has("axes") && i < rank; ++i) axes.push_back(i);
  // Exporters write an absent input as an empty tensor.
  const auto given = [&](std::size_t i) {
    return call.optional(i) != nullptr && call.optional(i)->size() != 0;
  };
  const bool by_size = call.opset > 10 && !upsample && given(3);
  Shape shape = in.shape;
  std::vector<double> scales(rank, 1);
  if (by_size) {
    const Shape& sizes = call.integers(3);
    if (given(scales_at)) call.fail("exactly one of scales and sizes must be given");
    if (sizes.size() != axes.size())
      call.fail("{} sizes for {} dimensions", sizes.size(), axes.size());
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::size_t i = axes[k];
      shape[i] = sizes[k];
      scales[i] = static_cast<double>(shape[i]) / static_cast<double>(in.shape[i]);
    }
  } else {
    const bool attribute = upsample && call.node.has("scales");
    if (!attribute && !given(scales_at)) call.fail("exactly one of scales and sizes must be given");
    const std::vector<float>& factors =
        attribute ? call.node.reals("scales") : call.floats(scales_at).floats;
    if (factors.size() != axes.size()) {
      call.fail("{} scales for {} dimensions", factors.size(), axes.size());
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::size_t i = axes[k];
      if (!(factors[k] > 0) || !(static_cast<float>(in.shape[i]) * factors[k] < 1e9F)) {
        call.fail("scale {} is out of range for a size of {}", factors[k], in.shape[i]);
      }
      shape[i] = scaled_size(in.shape[i], factors[k]);
      scales[i] = static_cast<double>(factors[k]);
    }
  }
  if (call.count(in.shape) == 0 || call.count(shape) == 0) call.fail("nothing to resize");
  Tensor result = in;
  for (std::size_t i = 0; i < rank; ++i) {
    if (shape[i] == in.shape[i] && scales[i] == 1) continue;
    Shape next = result.shape;
    next[i] = shape[i];
    static_cast<void>(call.count(next));
    result = resized(result, i, shape[i], scales[i], sampling);
  }
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
