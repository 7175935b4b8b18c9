// Operators that enlarge or spread data: transposed convolution, blocks of pixels, repetition.
#include <algorithm>
#include <cmath>

#include "firmware/reference/call.h"

namespace tactus::nn {

void run_conv_transpose(Call& call) {
  const Tensor& x = call.floats(0);
  const Tensor& w = call.floats(1);
  const std::int64_t groups = call.node.integer("group", 1);
  const std::size_t rank = x.shape.size();
  if (rank < 3 || w.shape.size() != rank || groups < 1 || w.shape[0] != x.shape[1] ||
      x.shape[1] % groups != 0) {
    call.fail("input {}, weights {} and {} groups do not fit", to_string(x.shape),
              to_string(w.shape), groups);
  }
  const std::size_t n = rank - 2;
  const Shape kernel(w.shape.begin() + 2, w.shape.end());
  if (call.node.integers("kernel_shape", kernel) != kernel) {
    call.fail("attribute \"kernel_shape\" is {}; the weights have {}",
              to_string(call.node.integers("kernel_shape")), to_string(kernel));
  }
  const Shape strides = call.node.integers("strides", Shape(n, 1));
  const Shape dilations = call.node.integers("dilations", Shape(n, 1));
  const Shape more = call.node.integers("output_padding", Shape(n, 0));
  const Shape wanted = call.node.integers("output_shape", {});
  Shape pads = call.node.integers("pads", Shape(2 * n, 0));
  const std::string auto_pad = call.node.text("auto_pad", "NOTSET");
  if (strides.size() != n || dilations.size() != n || more.size() != n || pads.size() != 2 * n) {
    call.fail("attributes do not fit {} dimensions", n);
  }
  Shape shape{x.shape[0], w.shape[1] * groups};
  for (std::size_t i = 0; i < n; ++i) {
    Sliding sliding{x.shape[i + 2], w.shape[i + 2], strides[i], dilations[i], pads[i], pads[n + i]};
    if (pads_to_same(auto_pad) || !wanted.empty()) {
      const std::int64_t size = wanted.empty() ? 0 : wanted.size() == n ? wanted[i] : wanted[i + 2];
      cut_transposed(sliding, more[i], size, auto_pad);
      pads[i] = sliding.before;
    }
    shape.push_back(transposed_size(sliding, more[i]));
  }
  static_cast<void>(call.count(shape));
  Tensor result = Tensor::zeros(shape);
  const auto out = strides_of(shape);
  const auto weight = strides_of(w.shape);
  const std::int64_t inputs = x.shape[1] / groups, outputs = w.shape[1];
  std::size_t next = 0;
  for_each_position(x.shape, [&](const Shape& at) {
    const float value = x.floats[next++];
    const std::int64_t group = at[1] / inputs;
    for_each_position(kernel, [&](const Shape& tap) {
      std::int64_t to = at[0] * out[0], from = at[1] * weight[0];
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t p = at[i + 2] * strides[i] + tap[i] * dilations[i] - pads[i];
        if (p < 0 || p >= shape[i + 2]) return;
        to += p * out[i + 2];
        from += tap[i] * weight[i + 2];
      }
      for (std::int64_t o = 0; o < outputs; ++o) {
        result.floats[static_cast<std::size_t>(to + (group * outputs + o) * out[1])] +=
            value * w.floats[static_cast<std::size_t>(from + o * weight[1])];
      }
    });
  });
  if (call.optional(2) != nullptr) {
    const Tensor& bias = call.floats(2);
    if (bias.shape != Shape{shape[1]}) call.fail("bias has shape {}", to_string(bias.shape));
    const std::int64_t plane = out[1];
    for (std::int64_t i = 0; i < result.size(); ++i) {
      result.floats[static_cast<std::size_t>(i)] +=
          bias.floats[static_cast<std::size_t>(i / plane % shape[1])];
    }
  }
  call.results.push_back(std::move(result));
}

void run_depth_to_space(Call& call) {
  const Tensor& x = call.input(0);
  const bool to_depth = call.node.op_type == "SpaceToDepth";
  const std::int64_t b = call.node.integer("blocksize");
  const std::string mode = call.node.text("mode", "DCR");
  const std::optional<Shape> fit = block_shape(x.shape, b, to_depth);
  if (!fit || (mode != "DCR" && mode != "CRD")) {
    call.fail("blocks of {} do not fit {}", b, to_string(x.shape));
  }
  const Shape& shape = *fit;
  const Shape& deep = to_depth ? shape : x.shape;  // the shape with many channels
  const Shape& wide = to_depth ? x.shape : shape;
  const auto deep_strides = strides_of(deep), wide_strides = strides_of(wide);
  Tensor result = x;
  result.shape = shape;
  const std::int64_t channels = wide[1];
  for_each_position(wide, [&](const Shape& at) {
    const std::int64_t dy = at[2] % b, dx = at[3] % b;
    const std::int64_t channel =
        mode == "CRD" ? at[1] * b * b + dy * b + dx : (dy * b + dx) * channels + at[1];
    const std::int64_t w =
        at[0] * wide_strides[0] + at[1] * wide_strides[1] + at[2] * wide_strides[2] + at[3];
    const std::int64_t d = at[0] * deep_strides[0] + channel * deep_strides[1] +
                           at[2] / b * deep_strides[2] + at[3] / b;
    const auto from = static_cast<std::size_t>(to_depth ? w : d);
    const auto to = static_cast<std::size_t>(to_depth ? d : w);
    if (x.type == ElementType::float32) result.floats[to] = x.floats[from];
    if (x.type == ElementType::int64) result.integers[to] = x.integers[from];
  });
  call.results.push_back(std::move(result));
}

namespace {

/// Element at `position` of the result is the input's element at that position modulo the input's
/// sizes.
Tensor repeated(Call& call, const Tensor& x, Shape shape) {
  Tensor result;
  result.type = x.type;
  result.stored = x.stored;
  result.shape = std::move(shape);
  static_cast<void>(call.count(result.shape));
  const auto strides = strides_of(x.shape);
  const std::size_t lead = result.shape.size() - x.shape.size();
  for_each_position(result.shape, [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      at += position[lead + i] % x.shape[i] * strides[i];
    }
    const auto from = static_cast<std::size_t>(at);
    if (x.type == ElementType::float32) result.floats.push_back(x.floats[from]);
    if (x.type == ElementType::int64) result.integers.push_back(x.integers[from]);
  });
  return result;
}

}  // namespace

void run_expand(Call& call) {
  const Tensor& x = call.input(0);
  const Shape wanted = call.integers(1);
  std::optional<Shape> shape = broadcast_shape(x.shape, wanted);
  if (!shape) call.fail("shape {} cannot become {}", to_string(x.shape), to_string(wanted));
  call.results.push_back(repeated(call, x, *std::move(shape)));
}

void run_tile(Call& call) {
  const Tensor& x = call.input(0);
  const Shape repeats = call.integers(1);
  if (repeats.size() != x.shape.size()) {
    call.fail("{} repeats for {} dimensions", repeats.size(), x.shape.size());
  }
  Shape shape = x.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 0 || repeats[i] > 1 << 20) call.fail("repeats {}", to_string(repeats));
    shape[i] *= repeats[i];
  }
  call.results.push_back(repeated(call, x, std::move(shape)));
}

void run_range(Call& call) {
  const Tensor& first = call.input(0);
  const Tensor& step = call.input(2);
  for (std::size_t i = 0; i < 3; ++i) {
    if (call.input(i).size() != 1 || call.input(i).type != first.type) {
      call.fail("start, limit and delta must be scalars of one type");
    }
  }
  Tensor result;
  result.type = first.type;
  result.stored = first.stored;
  const auto fill = [&](auto& values, auto start, auto limit, auto delta) {
    if (delta == 0) call.fail("delta is 0");
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                   static_cast<double>(delta));
    if (!(count < 1e8)) call.fail("the range has {} elements", count);
    for (std::int64_t i = 0; static_cast<double>(i) < count; ++i) {
      values.push_back(start + static_cast<decltype(start)>(i) * delta);
    }
    result.shape = {static_cast<std::int64_t>(values.size())};
  };
  if (first.type == ElementType::float32) {
    fill(result.floats, first.floats[0], call.input(1).floats[0], step.floats[0]);
  } else {
    fill(result.integers, first.integers[0], call.input(1).integers[0], step.integers[0]);
  }
  call.results.push_back(std::move(result));
}

void run_constant_of_shape(Call& call) {
  Tensor value = Tensor::of({1}, std::vector<float>{0});
  if (call.node.has("value")) value = call.node.tensor("value");
  if (value.size() != 1) call.fail("attribute \"value\" has {} elements", value.size());
  value.shape = call.integers(0);
  const auto count = static_cast<std::size_t>(call.count(value.shape));
  if (value.type == ElementType::float32) value.floats.assign(count, value.floats[0]);
  if (value.type == ElementType::int64) value.integers.assign(count, value.integers[0]);
  call.results.push_back(std::move(value));
}

void run_identity(Call& call) { call.results.push_back(call.input(0)); }

void run_dropout(Call& call) {
  const Tensor* training = call.optional(2);
  if (training != nullptr && training->size() == 1 && training->type == ElementType::int64 &&
      training->integers[0] != 0) {
    call.fail("training mode is not supported");
  }
  call.results.push_back(call.input(0));
}

void run_size(Call& call) {
  call.results.push_back(Tensor::of({}, std::vector<std::int64_t>{call.input(0).size()}));
}

}  // namespace tactus::nn
