// Operators that slide a window over an image: convolution and pooling. All images have a depth, a
// height and a width here; rows and images of two dimensions have sizes of 1 in front.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "firmware/reference/call.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {
namespace {

/// A window's movement along one dimension.
struct Window : Sliding {
  std::int64_t outputs = 0;

  [[nodiscard]] std::int64_t position(std::int64_t output, std::int64_t tap) const {
    return output * stride - before + tap * dilation;
  }
  [[nodiscard]] bool on_input(std::int64_t position) const {
    return position >= 0 && position < size;
  }
  /// Number of taps of the window at `output` that are on the input or its padding.
  [[nodiscard]] std::int64_t padded_taps(std::int64_t output) const {
    std::int64_t taps = 0;
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      if (position(output, tap) < size + after) ++taps;
    }
    return taps;
  }
};

/// Windows along depth, height and width.
using Windows = std::array<Window, 3>;
constexpr std::size_t directions = 3;

Windows windows(const Call& call, const Shape& image, const Shape& kernel) {
  const auto list = [&](const char* name, std::size_t count, std::int64_t fallback,
                        std::int64_t least) {
    auto values = call.node.integers(name, std::vector<std::int64_t>(count, fallback));
    if (values.size() != count) {
      call.fail("attribute \"{}\" has {} values; allowed are {}", name, values.size(), count);
    }
    for (const std::int64_t value : values) {
      if (value < least || value > std::numeric_limits<std::int32_t>::max()) {
        call.fail("attribute \"{}\" has the value {}; allowed is {} or more", name, value, least);
      }
    }
    return values;
  };
  const auto strides = list("strides", directions, 1, 1);
  const auto dilations = list("dilations", directions, 1, 1);
  const auto pads = list("pads", 2 * directions, 0, 0);
  const std::string auto_pad = call.node.text("auto_pad", "NOTSET");
  const bool same = pads_to_same(auto_pad);
  if (!same && auto_pad != "NOTSET" && auto_pad != "VALID") {
    call.fail("attribute \"auto_pad\" is \"{}\"; allowed are NOTSET, SAME_UPPER, SAME_LOWER, VALID",
              auto_pad);
  }
  if (auto_pad != "NOTSET" && call.node.has("pads")) {
    call.fail("attributes \"pads\" and \"auto_pad\" exclude each other");
  }
  const bool up = call.node.integer("ceil_mode", 0) != 0;
  Windows result;
  for (std::size_t i = 0; i < directions; ++i) {
    Window& w = result[i];
    w.size = image[i + 2];
    w.kernel = kernel[i];
    w.stride = strides[i];
    w.dilation = dilations[i];
    w.before = pads[i];
    w.after = pads[i + directions];
    if (w.kernel < 1 || w.kernel > std::numeric_limits<std::int32_t>::max()) {
      call.fail("a kernel of {} is out of range", to_string(kernel));
    }
    if (same) w.pad_to_same(auto_pad);
    w.outputs = w.windows(up);
    if (w.outputs < 1) {
      call.fail("the window of {} does not fit an input of {} with padding {} and {}", w.reach(),
                w.size, w.before, w.after);
    }
  }
  return result;
}

/// Number of positions, of outputs or of inputs.
std::int64_t outputs_of(const Windows& w) { return w[0].outputs * w[1].outputs * w[2].outputs; }
std::int64_t inputs_of(const Windows& w) { return w[0].size * w[1].size * w[2].size; }
std::int64_t taps_of(const Windows& w) { return w[0].kernel * w[1].kernel * w[2].kernel; }

/// The input that tap `tap` of the window at output `output` is on; -1: it is on padding.
std::int64_t input_of(const Windows& w, std::int64_t output, std::int64_t tap) {
  const std::int64_t x = w[2].position(output % w[2].outputs, tap % w[2].kernel);
  output /= w[2].outputs;
  tap /= w[2].kernel;
  const std::int64_t y = w[1].position(output % w[1].outputs, tap % w[1].kernel);
  const std::int64_t z = w[0].position(output / w[1].outputs, tap / w[1].kernel);
  if (!w[0].on_input(z) || !w[1].on_input(y) || !w[2].on_input(x)) return -1;
  return (z * w[1].size + y) * w[2].size + x;
}

/// Computes out[o][p] += weights[o][k] * columns[k][p], four outputs at a time.
void multiply(const float* weights, const float* columns, float* out, std::int64_t outputs,
              std::int64_t taps, std::int64_t pixels, std::int64_t out_stride) {
  constexpr std::int64_t block = 4;
  std::int64_t o = 0;
  for (; o + block <= outputs; o += block) {
    float* const rows[block] = {out + o * out_stride, out + (o + 1) * out_stride,
                                out + (o + 2) * out_stride, out + (o + 3) * out_stride};
    for (std::int64_t k = 0; k < taps; ++k) {
      const float w[block] = {weights[o * taps + k], weights[(o + 1) * taps + k],
                              weights[(o + 2) * taps + k], weights[(o + 3) * taps + k]};
      const float* column = columns + k * pixels;
      float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3];
#pragma GCC ivdep
      for (std::int64_t p = 0; p < pixels; ++p) {
        r0[p] += w[0] * column[p];
        r1[p] += w[1] * column[p];
        r2[p] += w[2] * column[p];
        r3[p] += w[3] * column[p];
      }
    }
  }
  for (; o < outputs; ++o) {
    for (std::int64_t k = 0; k < taps; ++k) {
      const float w = weights[o * taps + k];
      for (std::int64_t p = 0; p < pixels; ++p) {
        out[o * out_stride + p] += w * columns[k * pixels + p];
      }
    }
  }
}

/// Collects, tap by tap, the inputs that the output pixels [first, first + pixels) multiply.
void gather_columns(const float* image, std::int64_t channels, const Windows& window,
                    std::int64_t first, std::int64_t pixels, std::vector<float>& columns) {
  const auto& [z, y, x] = window;
  columns.resize(static_cast<std::size_t>(channels * taps_of(window) * pixels));
  float* column = columns.data();
  for (std::int64_t c = 0; c < channels; ++c) {
    const float* const plane = image + c * inputs_of(window);
    for (std::int64_t tap = 0; tap < taps_of(window); ++tap) {
      const std::int64_t kx = tap % x.kernel, ky = tap / x.kernel % y.kernel;
      const std::int64_t kz = tap / x.kernel / y.kernel;
      std::int64_t ox = first % x.outputs, oy = first / x.outputs % y.outputs;
      std::int64_t oz = first / x.outputs / y.outputs;
      for (std::int64_t p = 0; p < pixels; ++p) {
        const std::int64_t iz = z.position(oz, kz), iy = y.position(oy, ky),
                           ix = x.position(ox, kx);
        const bool inside = z.on_input(iz) && y.on_input(iy) && x.on_input(ix);
        *column++ = inside ? plane[(iz * y.size + iy) * x.size + ix] : 0.0F;
        if (++ox == x.outputs) {
          ox = 0;
          if (++oy == y.outputs) ++oz, oy = 0;
        }
      }
    }
  }
}

/// Stores the result of pool(plane, output) for each output.
template <typename Function>
void run_pool(Call& call, const Windows& window, Function&& pool) {
  const Tensor& in = call.input(0);
  Shape shape{in.shape[0], in.shape[1], window[0].outputs, window[1].outputs, window[2].outputs};
  static_cast<void>(call.count(shape));
  Tensor result = Tensor::zeros(std::move(shape));
  float* out = result.floats.data();
  for (std::int64_t plane = 0; plane < in.shape[0] * in.shape[1]; ++plane) {
    const float* image = in.floats.data() + plane * inputs_of(window);
    for (std::int64_t output = 0; output < outputs_of(window); ++output) {
      *out++ = pool(image, output);
    }
  }
  call.results.push_back(std::move(result));
}

Windows pool_windows(const Call& call) {
  const Windows window = windows(call, call.input(0).shape, call.node.integers("kernel_shape"));
  for (const Window& w : window) {
    for (std::int64_t o = 0; o < w.outputs; ++o) {
      bool meets = false;
      for (std::int64_t tap = 0; tap < w.kernel && !meets; ++tap) {
        meets = w.on_input(w.position(o, tap));
      }
      if (!meets) call.fail("window {} of {} lies in the padding alone", o, w.outputs);
    }
  }
  return window;
}

template <typename Function>
void for_each_tap(const Windows& window, const float* image, std::int64_t output,
                  Function&& function) {
  for (std::int64_t tap = 0; tap < taps_of(window); ++tap) {
    const std::int64_t at = input_of(window, output, tap);
    if (at >= 0) function(image[at]);
  }
}

/// Computes an operator on rows (N C W) or images (N C H W) as one on images with a depth. False if
/// the input has a depth.
bool computed_with_depth(Call& call, void (*run)(Call&)) {
  const Shape& shape = call.floats(0).shape;
  if (shape.size() < 3 || shape.size() > 2 + directions) {
    call.fail("input 0 has shape {}; 3 to {} dimensions (N C W to N C D H W) are allowed",
              to_string(shape), 2 + directions);
  }
  const std::size_t own = shape.size() - 2, missing = directions - own;
  Node node = call.node;
  const auto widen = [&](const char* name, std::int64_t front, std::size_t lists) {
    if (!node.has(name)) return;
    Shape values = node.integers(name);
    if (values.size() != own * lists) {
      call.fail("attribute \"{}\" has {} values; allowed are {}", name, values.size(), own * lists);
    }
    if (lists == 2) {
      values.insert(values.begin() + static_cast<std::ptrdiff_t>(own), missing, front);
    }
    values.insert(values.begin(), missing, front);
    node.attributes[name] = values;
  };
  for (const char* name : {"strides", "dilations", "kernel_shape"}) widen(name, 1, 1);
  widen("pads", 0, 2);
  if (missing == 0) return false;
  const auto with_depth = [&](Tensor tensor) {
    tensor.shape.insert(tensor.shape.begin() + 2, missing, 1);
    return tensor;
  };
  const Tensor x = with_depth(call.input(0));
  std::vector<const Tensor*> inputs{&x};
  Tensor weights;
  for (std::size_t i = 1; i < call.input_count(); ++i) inputs.push_back(call.optional(i));
  if (inputs.size() > 1 && inputs[1] != nullptr && inputs[1]->shape.size() == shape.size()) {
    weights = with_depth(*inputs[1]);
    inputs[1] = &weights;
  }
  Call inner(node, call.opset, inputs);
  run(inner);
  for (Tensor& result : inner.results) {
    result.shape.erase(result.shape.begin() + 2,
                       result.shape.begin() + 2 + static_cast<std::ptrdiff_t>(missing));
  }
  call.results = std::move(inner.results);
  return true;
}

/// Pools all positions of a channel.
template <typename Function>
void run_global(Call& call, Function&& pool) {
  const Tensor& in = call.floats(0);
  if (in.shape.size() < 3) {
    call.fail("input 0 has shape {}; 3 dimensions and more are allowed", to_string(in.shape));
  }
  Shape shape(in.shape.size(), 1);
  shape[0] = in.shape[0];
  shape[1] = in.shape[1];
  std::int64_t plane = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) plane *= in.shape[i];
  if (plane == 0) call.fail("input 0 has no pixels");
  Tensor result = Tensor::zeros(std::move(shape));
  for (std::size_t i = 0; i < result.floats.size(); ++i) {
    result.floats[i] = pool(in.floats.data() + static_cast<std::int64_t>(i) * plane, plane);
  }
  call.results.push_back(std::move(result));
}

/// Adds the places of the maxima, counted over the whole input.
void add_places(Call& call, const Windows& window) {
  const Tensor& x = call.input(0);
  const bool by_column = call.node.integer("storage_order", 0) != 0;
  const std::int64_t depth = window[0].size, height = window[1].size, width = window[2].size;
  const Shape shape = call.results.front().shape;
  std::vector<std::int64_t> places;
  for (std::int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
    const float* const image = x.floats.data() + plane * inputs_of(window);
    for (std::int64_t output = 0; output < outputs_of(window); ++output) {
      std::int64_t best = -1;
      for (std::int64_t tap = 0; tap < taps_of(window); ++tap) {
        const std::int64_t place = input_of(window, output, tap);
        if (place >= 0 && (best < 0 || image[place] > image[best])) best = place;
      }
      if (by_column) {
        best = (best % width * height + best / width % height) * depth + best / width / height;
      }
      places.push_back(plane * inputs_of(window) + best);
    }
  }
  call.results.push_back(Tensor::of(shape, std::move(places)));
}

}  // namespace

void run_conv(Call& call) {
  if (computed_with_depth(call, run_conv)) return;
  const Tensor& in = call.input(0);
  const Tensor& weights = call.floats(1);
  const std::int64_t groups = call.node.integer("group", 1);
  if (weights.shape.size() != 2 + directions || groups < 1 || in.shape[1] % groups != 0 ||
      weights.shape[1] != in.shape[1] / groups || weights.shape[0] % groups != 0) {
    call.fail("input {}, weights {} and {} groups do not fit", to_string(in.shape),
              to_string(weights.shape), groups);
  }
  const Shape kernel(weights.shape.begin() + 2, weights.shape.end());
  if (call.node.integers("kernel_shape", kernel) != kernel) {
    call.fail("attribute \"kernel_shape\" differs from the weights {}", to_string(weights.shape));
  }
  const std::int64_t outputs = weights.shape[0], group_outputs = outputs / groups;
  const std::int64_t group_inputs = weights.shape[1];
  if (call.optional(2) != nullptr && call.floats(2).shape != Shape{outputs}) {
    call.fail("bias has shape {}; allowed is [{}]", to_string(call.input(2).shape), outputs);
  }
  const auto window = windows(call, in.shape, kernel);
  const std::int64_t plane = outputs_of(window);
  Shape shape{in.shape[0], outputs, window[0].outputs, window[1].outputs, window[2].outputs};
  static_cast<void>(call.count(shape));
  Tensor result = Tensor::zeros(std::move(shape));
  const std::int64_t taps = group_inputs * taps_of(window);
  std::vector<float> columns;
  for (std::int64_t n = 0; n < in.shape[0]; ++n) {
    float* image = result.floats.data() + n * outputs * plane;
    for (std::int64_t o = 0; call.optional(2) != nullptr && o < outputs; ++o) {
      std::fill_n(image + o * plane, plane, call.input(2).floats[static_cast<std::size_t>(o)]);
    }
    for (std::int64_t group = 0; group < groups; ++group) {
      const float* source =
          in.floats.data() + (n * groups + group) * group_inputs * inputs_of(window);
      constexpr std::int64_t block = 256;  // columns that fit the caches
      for (std::int64_t first = 0; first < plane; first += block) {
        const std::int64_t pixels = std::min(block, plane - first);
        gather_columns(source, group_inputs, window, first, pixels, columns);
        multiply(weights.floats.data() + group * group_outputs * taps, columns.data(),
                 image + group * group_outputs * plane + first, group_outputs, taps, pixels, plane);
      }
    }
  }
  call.results.push_back(std::move(result));
}

void run_max_pool(Call& call) {
  const Tensor& x = call.input(0);
  if (x.type == ElementType::int64) {
    // Of integers of 8 bits, which real numbers hold exactly.
    const Tensor real = Tensor::of(x.shape, x.reals());
    const Tensor largest = run_node(call.node, call.opset, {&real}).front();
    Tensor result = Tensor::of(
        largest.shape, std::vector<std::int64_t>(largest.floats.begin(), largest.floats.end()));
    result.stored = x.stored;
    call.results.push_back(std::move(result));
    return;
  }
  if (computed_with_depth(call, run_max_pool)) return;
  const auto window = pool_windows(call);
  run_pool(call, window, [&](const float* image, std::int64_t output) {
    float largest = -std::numeric_limits<float>::infinity();
    for_each_tap(window, image, output, [&](float value) { largest = std::max(largest, value); });
    return largest;
  });
  if (call.node.outputs.size() > 1) add_places(call, window);
}

void run_lp_pool(Call& call) {
  if (computed_with_depth(call, run_lp_pool)) return;
  const auto window = pool_windows(call);
  const auto p = static_cast<double>(call.node.integer("p", 2));
  if (p < 1) call.fail("attribute \"p\" is {}; allowed is 1 and more", p);
  run_pool(call, window, [&](const float* image, std::int64_t output) {
    double sum = 0;
    for_each_tap(window, image, output,
                 [&](float x) { sum += std::pow(std::abs(static_cast<double>(x)), p); });
    return static_cast<float>(std::pow(sum, 1 / p));
  });
}

void run_global_lp_pool(Call& call) {
  const auto p = static_cast<double>(call.node.integer("p", 2));
  if (p < 1) call.fail("attribute \"p\" is {}; allowed is 1 and more", p);
  run_global(call, [p](const float* values, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += std::pow(std::abs(static_cast<double>(values[i])), p);
    }
    return static_cast<float>(std::pow(sum, 1 / p));
  });
}

void run_average_pool(Call& call) {
  if (computed_with_depth(call, run_average_pool)) return;
  const auto window = pool_windows(call);
  const bool padding_counts = call.node.integer("count_include_pad", 0) != 0;
  run_pool(call, window, [&](const float* image, std::int64_t output) {
    double sum = 0;
    std::int64_t count = 0;
    for_each_tap(window, image, output, [&](float x) {
      sum += static_cast<double>(x);
      ++count;
    });
    if (padding_counts) {
      const auto& [z, y, x] = window;
      count = z.padded_taps(output / x.outputs / y.outputs) *
              y.padded_taps(output / x.outputs % y.outputs) * x.padded_taps(output % x.outputs);
    }
    return static_cast<float>(sum / static_cast<double>(count));
  });
}

void run_global_average_pool(Call& call) {
  run_global(call, [](const float* values, std::int64_t count) {
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    return static_cast<float>(sum / static_cast<double>(count));
  });
}

void run_global_max_pool(Call& call) {
  run_global(call, [](const float* values, std::int64_t count) {
    return *std::max_element(values, values + count);
  });
}

}  // namespace tactus::nn
