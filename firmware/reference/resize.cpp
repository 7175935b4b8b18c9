// Resize, dimension by dimension.
#include <algorithm>
#include <cmath>

#include "firmware/reference/call.h"
#include "firmware/reference/cubic.h"

namespace tactus::nn {
namespace {

struct Sampling {
  std::string mode = "nearest";
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  bool antialias = false;
  double cubic = -0.75;          ///< the coefficient of the cubic curve
  bool exclude_outside = false;  ///< elements outside have weight 0, and the others sum to 1
  float extrapolation = 0;       ///< value of results outside the region
};

/// One dimension: its sizes, scale, and region of interest.
struct Axis {
  std::int64_t from = 0, to = 0;
  double scale = 1;
  double start = 0, end = 1;
};

/// Position on the input of output `x` of a resized dimension.
double source(const std::string& coordinates, double x, const Axis& axis) {
  const auto from = static_cast<double>(axis.from), to = static_cast<double>(axis.to);
  if (coordinates == "tf_crop_and_resize") {
    return axis.to > 1
               ? axis.start * (from - 1) + x * (axis.end - axis.start) * (from - 1) / (to - 1)
               : 0.5 * (axis.start + axis.end) * (from - 1);
  }
  if (coordinates == "align_corners") return axis.to == 1 ? 0 : x * (from - 1) / (to - 1);
  if (coordinates == "asymmetric") return x / axis.scale;
  if (coordinates == "pytorch_half_pixel" && axis.to == 1) return 0;
  if (coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / axis.scale;
  if (coordinates == "half_pixel_symmetric") {
    // If the size is rounded, the grid of outputs keeps the centre of the input.
    const double offset = from / 2 * (1 - to / (from * axis.scale));
    return offset + (x + 0.5) / axis.scale - 0.5;
  }
  return (x + 0.5) / axis.scale - 0.5;
}

double nearest(const std::string& rule, double x, double scale) {
  if (rule == "floor") return std::floor(x);
  if (rule == "ceil") return std::ceil(x);
  if (rule == "round_prefer_floor") return std::ceil(x - 0.5);
  if (rule == "round_prefer_ceil") return std::floor(x + 0.5);
  return scale < 1 ? std::ceil(x) : std::floor(x);  // rule of operator set 10
}

/// Elements of the input and their weights in one result; empty: the result is outside.
using Weights = std::vector<std::pair<std::int64_t, double>>;

Weights weights_at(double at, const Axis& axis, const Sampling& sampling) {
  const auto last = static_cast<double>(axis.from - 1);
  if (sampling.mode == "nearest") {
    const double low = nearest(sampling.nearest, at, axis.scale);
    return {{static_cast<std::int64_t>(std::min(std::max(low, 0.0), last)), 1}};
  }
  const bool cubic = sampling.mode == "cubic";
  // An antialiasing filter is as wide as the distance of the results.
  const double stretch = sampling.antialias && axis.scale < 1 ? axis.scale : 1;
  const double reach = (cubic ? 2 : 1) / stretch;
  Weights weights;
  double sum = 0;
  for (double k = std::floor(at - reach) + 1; k <= std::ceil(at + reach) - 1; ++k) {
    const double d = (at - k) * stretch;
    double weight = cubic ? cubic_weight(d, sampling.cubic) : std::max(0.0, 1 - std::abs(d));
    if (sampling.exclude_outside && (k < 0 || k > last)) weight = 0;
    sum += weight;
    weights.emplace_back(static_cast<std::int64_t>(std::min(std::max(k, 0.0), last)), weight);
  }
  if (sampling.antialias || sampling.exclude_outside) {
    for (auto& [k, weight] : weights) weight /= sum;
  }
  return weights;
}

Tensor resized(const Tensor& in, std::size_t number, const Axis& axis, const Sampling& sampling) {
  Shape shape = in.shape;
  shape[number] = axis.to;
  Tensor out = Tensor::zeros(shape);
  std::int64_t inner = 1, outer = 1;
  for (std::size_t i = 0; i < number; ++i) outer *= shape[i];
  for (std::size_t i = number + 1; i < shape.size(); ++i) inner *= shape[i];
  for (std::int64_t x = 0; x < axis.to; ++x) {
    const double at = source(sampling.coordinates, static_cast<double>(x), axis);
    const bool outside = sampling.coordinates == "tf_crop_and_resize" &&
                         (at < 0 || at > static_cast<double>(axis.from - 1));
    const Weights weights = weights_at(at, axis, sampling);
    for (std::int64_t o = 0; o < outer; ++o) {
      const float* row = in.floats.data() + o * axis.from * inner;
      float* target = out.floats.data() + (o * axis.to + x) * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        double sum = 0;
        for (const auto& [k, weight] : weights) {
          if (weight != 0) sum += weight * static_cast<double>(row[k * inner + i]);
        }
        target[i] = outside ? sampling.extrapolation : static_cast<float>(sum);
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
  sampling.mode = choice(call, "mode", "nearest", {"nearest", "linear", "cubic"});
  const bool upsample = call.node.op_type == "Upsample";
  if (call.opset == 10 || upsample) {
    sampling.coordinates = "asymmetric";
    sampling.nearest = upsample ? "floor" : "";
    return sampling;
  }
  sampling.coordinates =
      choice(call, "coordinate_transformation_mode", "half_pixel",
             {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
              "tf_half_pixel_for_nn", "half_pixel_symmetric", "tf_crop_and_resize"});
  if (call.opset > 12 && sampling.coordinates == "tf_half_pixel_for_nn") {
    call.fail("operator set 13 has no coordinate mode tf_half_pixel_for_nn");
  }
  sampling.nearest = choice(call, "nearest_mode", "round_prefer_floor",
                            {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  sampling.antialias = call.node.integer("antialias", 0) != 0;
  sampling.cubic = static_cast<double>(call.node.real("cubic_coeff_a", -0.75F));
  sampling.exclude_outside = call.node.integer("exclude_outside", 0) != 0;
  sampling.extrapolation = call.node.real("extrapolation_value", 0);
  return sampling;
}

/// What the operands ask for: the new shape, the factors, and the axes that they name.
struct Wanted {
  Shape shape;
  std::vector<double> scales;
  std::vector<std::size_t> axes;
};

/// Exporters write an absent input as an empty tensor.
bool is_given(const Call& call, std::size_t input) {
  return call.optional(input) != nullptr && call.optional(input)->size() != 0;
}

/// Reads the sizes, which are the fourth operand.
void read_sizes(Call& call, const std::string& policy, const Shape& in, Wanted& wanted) {
  const Shape& sizes = call.integers(3);
  const std::vector<std::size_t>& axes = wanted.axes;
  Shape& shape = wanted.shape;
  std::vector<double>& scales = wanted.scales;
  if (sizes.size() != axes.size())
    call.fail("{} sizes for {} dimensions", sizes.size(), axes.size());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t i = axes[k];
    shape[i] = sizes[k];
    scales[i] = static_cast<double>(shape[i]) / static_cast<double>(in[i]);
  }
  if (policy == "stretch" || axes.empty()) return;
  double common = scales[axes[0]];
  for (const std::size_t i : axes) {
    common = policy == "not_larger" ? std::min(common, scales[i]) : std::max(common, scales[i]);
  }
  for (const std::size_t i : axes) {
    scales[i] = common;
    shape[i] = static_cast<std::int64_t>(std::floor(common * static_cast<double>(in[i]) + 0.5));
  }
}

void read_scales(Call& call, const std::vector<float>& factors, const Shape& in, Wanted& wanted) {
  const std::vector<std::size_t>& axes = wanted.axes;
  if (factors.size() != axes.size()) {
    call.fail("{} scales for {} dimensions", factors.size(), axes.size());
  }
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t i = axes[k];
    if (!(factors[k] > 0) || !(static_cast<float>(in[i]) * factors[k] < 1e9F)) {
      call.fail("scale {} is out of range for a size of {}", factors[k], in[i]);
    }
    wanted.shape[i] = scaled_size(in[i], factors[k]);
    wanted.scales[i] = static_cast<double>(factors[k]);
  }
}

Wanted read_wanted(Call& call, const Shape& in) {
  const std::size_t rank = in.size();
  const bool upsample = call.node.op_type == "Upsample";
  const std::size_t scales_at = call.opset == 10 || upsample ? 1 : 2;
  const std::string policy =
      choice(call, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
  Wanted wanted{in, std::vector<double>(rank, 1), {}};
  // Sizes or scales are given only for some dimensions.
  for (const std::int64_t axis : call.node.integers("axes", {}))
    wanted.axes.push_back(call.axis(axis, rank));
  for (std::size_t i = 0; !call.node.has("axes") && i < rank; ++i) wanted.axes.push_back(i);
  if (call.opset > 10 && !upsample && is_given(call, 3)) {
    if (is_given(call, scales_at)) call.fail("exactly one of scales and sizes must be given");
    read_sizes(call, policy, in, wanted);
    return wanted;
  }
  const bool attribute = upsample && call.node.has("scales");
  if (!attribute && !is_given(call, scales_at)) {
    call.fail("exactly one of scales and sizes must be given");
  }
  read_scales(call, attribute ? call.node.reals("scales") : call.floats(scales_at).floats, in,
              wanted);
  return wanted;
}

}  // namespace

void run_resize(Call& call) {
  const Tensor& in = call.floats(0);
  const Sampling sampling = read_sampling(call);
  const std::size_t rank = in.shape.size();
  const auto [shape, scales, axes] = read_wanted(call, in.shape);
  if (call.count(in.shape) == 0 || call.count(shape) == 0) call.fail("nothing to resize");
  std::vector<Axis> regions(rank);
  if (sampling.coordinates == "tf_crop_and_resize") {
    const std::vector<float>& region = call.floats(1).floats;
    if (region.size() != 2 * axes.size()) {
      call.fail("a region of {} numbers for {} dimensions", region.size(), axes.size());
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
      regions[axes[k]].start = static_cast<double>(region[k]);
      regions[axes[k]].end = static_cast<double>(region[axes.size() + k]);
    }
  }
  Tensor result = in;
  for (std::size_t i = 0; i < rank; ++i) {
    Axis& axis = regions[i];
    axis.from = in.shape[i];
    axis.to = shape[i];
    axis.scale = scales[i];
    if (axis.from == axis.to && axis.scale == 1 && axis.start == 0 && axis.end == 1) continue;
    Shape next = result.shape;
    next[i] = shape[i];
    static_cast<void>(call.count(next));
    result = resized(result, i, axis, sampling);
  }
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
