// Operators that slide a window over an image: convolution and pooling.
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

std::array<Window, 2> windows(const Call& call, const Shape& image, const Shape& kernel) {
  const auto pair = [&](const char* name, std::size_t count, std::int64_t fallback,
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
  const auto strides = pair("strides", 2, 1, 1);
  const auto dilations = pair("dilations", 2, 1, 1);
  const auto pads = pair("pads", 4, 0, 0);
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
  std::array<Window, 2> result;
  for (std::size_t i = 0; i < 2; ++i) {
    Window& w = result[i];
    w.size = image[i + 2];
    w.kernel = kernel[i];
    w.stride = strides[i];
    w.dilation = dilations[i];
    w.before = pads[i];
    w.after = pads[i + 2];
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

void check_image(const Call& call) {
  if (call.floats(0).shape.size() != 4) {
    call.fail("input 0 has shape {}; 4 dimensions (NCHW) are allowed",
              to_string(call.input(0).shape));
  }
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
void gather_columns(const float* image, std::int64_t channels, const std::array<Window, 2>& window,
                    std::int64_t first, std::int64_t pixels, std::vector<float>& columns) {
  const Window &y = window[0], &x = window[1];
  columns.resize(static_cast<std::size_t>(channels * y.kernel * x.kernel * pixels));
  float* column = columns.data();
  for (std::int64_t c = 0; c < channels; ++c) {
    const float* plane = image + c * y.size * x.size;
    for (std::int64_t ky = 0; ky < y.kernel; ++ky) {
      for (std::int64_t kx = 0; kx < x.kernel; ++kx) {
        std::int64_t oy = first / x.outputs, ox = first % x.outputs;
        for (std::int64_t p = 0; p < pixels; ++p) {
          const std::int64_t iy = y.position(oy, ky), ix = x.position(ox, kx);
          const bool inside = y.on_input(iy) && x.on_input(ix);
          *column++ = inside ? plane[iy * x.size + ix] : 0.0F;
          if (++ox == x.outputs) ++oy, ox = 0;
        }
      }
    }
  }
}

/// Stores the result of pool(plane, oy, ox) for each output.
template <typename Function>
void run_pool(Call& call, const std::array<Window, 2>& window, Function&& pool) {
  const Tensor& in = call.input(0);
  Shape shape{in.shape[0], in.shape[1], window[0].outputs, window[1].outputs};
  static_cast<void>(call.count(shape));
  Tensor result = Tensor::zeros(std::move(shape));
  float* out = result.floats.data();
  for (std::int64_t plane = 0; plane < in.shape[0] * in.shape[1]; ++plane) {
    const float* image = in.floats.data() + plane * window[0].size * window[1].size;
    for (std::int64_t oy = 0; oy < window[0].outputs; ++oy) {
      for (std::int64_t ox = 0; ox < window[1].outputs; ++ox) *out++ = pool(image, oy, ox);
    }
  }
  call.results.push_back(std::move(result));
}

std::array<Window, 2> pool_windows(const Call& call) {
  check_image(call);
  const Shape& kernel = call.node.integers("kernel_shape");
  if (kernel.size() != 2) {
    call.fail("attribute \"kernel_shape\" is {}; two sizes are allowed", to_string(kernel));
  }
  const auto window = windows(call, call.input(0).shape, kernel);
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
void for_each_tap(const std::array<Window, 2>& window, const float* image, std::int64_t oy,
                  std::int64_t ox, Function&& function) {
  for (std::int64_t ky = 0; ky < window[0].kernel; ++ky) {
    for (std::int64_t kx = 0; kx < window[1].kernel; ++kx) {
      const std::int64_t iy = window[0].position(oy, ky), ix = window[1].position(ox, kx);
      if (window[0].on_input(iy) && window[1].on_input(ix)) {
        function(image[iy * window[1].size + ix]);
      }
    }
  }
}

/// Inserts a dimension of 1 before the last.
Tensor with_height(Tensor tensor) {
  tensor.shape.insert(tensor.shape.end() - 1, 1);
  return tensor;
}

/// Computes an operator on rows (N C W) as one on images of height 1. False if the input has
/// another shape.
bool computed_as_rows(Call& call, void (*run)(Call&)) {
  if (call.floats(0).shape.size() != 3) return false;
  Node node = call.node;
  for (const char* name : {"strides", "dilations", "kernel_shape"}) {
    if (!node.has(name)) continue;
    Shape values = node.integers(name);
    values.insert(values.begin(), 1);
    node.attributes[name] = values;
  }
  if (node.has("pads")) {
    const Shape& pads = node.integers("pads");
    if (pads.size() != 2) call.fail("attribute \"pads\" has {} values; allowed are 2", pads.size());
    node.attributes["pads"] = Shape{0, pads[0], 0, pads[1]};
  }
  const Tensor x = with_height(call.input(0));
  std::vector<const Tensor*> inputs{&x};
  Tensor weights;
  for (std::size_t i = 1; i < call.input_count(); ++i) inputs.push_back(call.optional(i));
  if (inputs.size() > 1 && inputs[1] != nullptr && inputs[1]->shape.size() == 3) {
    weights = with_height(*inputs[1]);
    inputs[1] = &weights;
  }
  Call inner(node, call.opset, inputs);
  run(inner);
  for (Tensor& result : inner.results) result.shape.erase(result.shape.end() - 2);
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
void add_places(Call& call, const std::array<Window, 2>& window) {
  const Tensor& x = call.input(0);
  const bool by_column = call.node.integer("storage_order", 0) != 0;
  const Window &y = window[0], &w = window[1];
  const Shape shape = call.results.front().shape;
  std::vector<std::int64_t> places;
  for (std::int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
    const float* const image = x.floats.data() + plane * y.size * w.size;
    for (std::int64_t at = 0; at < y.outputs * w.outputs; ++at) {
      std::int64_t best = -1;
      for (std::int64_t tap = 0; tap < y.kernel * w.kernel; ++tap) {
        const std::int64_t iy = y.position(at / w.outputs, tap / w.kernel);
        const std::int64_t ix = w.position(at % w.outputs, tap % w.kernel);
        if (!y.on_input(iy) || !w.on_input(ix)) continue;
        const std::int64_t place = iy * w.size + ix;
        if (best < 0 || image[place] > image[best]) best = place;
      }
      if (by_column) best = best % w.size * y.size + best / w.size;
      places.push_back(plane * y.size * w.size + best);
    }
  }
  call.results.push_back(Tensor::of(shape, std::move(places)));
}

}  // namespace

void run_conv(Call& call) {
  if (computed_as_rows(call, run_conv)) return;
  check_image(call);
  const Tensor& in = call.input(0);
  const Tensor& weights = call.floats(1);
  const std::int64_t groups = call.node.integer("group", 1);
  if (weights.shape.size() != 4 || groups < 1 || in.shape[1] % groups != 0 ||
      weights.shape[1] != in.shape[1] / groups || weights.shape[0] % groups != 0) {
    call.fail("input {}, weights {} and {} groups do not fit", to_string(in.shape),
              to_string(weights.shape), groups);
  }
  const Shape kernel{weights.shape[2], weights.shape[3]};
  if (call.node.integers("kernel_shape", kernel) != kernel) {
    call.fail("attribute \"kernel_shape\" differs from the weights {}", to_string(weights.shape));
  }
  const std::int64_t outputs = weights.shape[0], group_outputs = outputs / groups;
  const std::int64_t group_inputs = weights.shape[1];
  if (call.optional(2) != nullptr && call.floats(2).shape != Shape{outputs}) {
    call.fail("bias has shape {}; allowed is [{}]", to_string(call.input(2).shape), outputs);
  }
  const auto window = windows(call, in.shape, kernel);
  const std::int64_t plane = window[0].outputs * window[1].outputs;
  Shape shape{in.shape[0], outputs, window[0].outputs, window[1].outputs};
  static_cast<void>(call.count(shape));
  Tensor result = Tensor::zeros(std::move(shape));
  const std::int64_t taps = group_inputs * kernel[0] * kernel[1];
  std::vector<float> columns;
  for (std::int64_t n = 0; n < in.shape[0]; ++n) {
    float* image = result.floats.data() + n * outputs * plane;
    for (std::int64_t o = 0; call.optional(2) != nullptr && o < outputs; ++o) {
      std::fill_n(image + o * plane, plane, call.input(2).floats[static_cast<std::size_t>(o)]);
    }
    for (std::int64_t group = 0; group < groups; ++group) {
      const float* source =
          in.floats.data() + (n * groups + group) * group_inputs * window[0].size * window[1].size;
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
  if (computed_as_rows(call, run_max_pool)) return;
  const auto window = pool_windows(call);
  run_pool(call, window, [&](const float* image, std::int64_t oy, std::int64_t ox) {
    float largest = -std::numeric_limits<float>::infinity();
    for_each_tap(window, image, oy, ox, [&](float value) { largest = std::max(largest, value); });
    return largest;
  });
  if (call.node.outputs.size() > 1) add_places(call, window);
}

void run_lp_pool(Call& call) {
  if (computed_as_rows(call, run_lp_pool)) return;
  const auto window = pool_windows(call);
  const auto p = static_cast<double>(call.node.integer("p", 2));
  if (p < 1) call.fail("attribute \"p\" is {}; allowed is 1 and more", p);
  run_pool(call, window, [&](const float* image, std::int64_t oy, std::int64_t ox) {
    double sum = 0;
    for_each_tap(window, image, oy, ox,
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
  if (computed_as_rows(call, run_average_pool)) return;
  const auto window = pool_windows(call);
  const bool padding_counts = call.node.integer("count_include_pad", 0) != 0;
  run_pool(call, window, [&](const float* image, std::int64_t oy, std::int64_t ox) {
    double sum = 0;
    std::int64_t count = 0;
    for_each_tap(window, image, oy, ox, [&](float x) {
      sum += static_cast<double>(x);
      ++count;
    });
    if (padding_counts) count = window[0].padded_taps(oy) * window[1].padded_taps(ox);
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
