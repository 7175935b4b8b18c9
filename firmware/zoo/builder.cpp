#include "firmware/zoo/builder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/support/error.h"

namespace tactus::nn {
namespace {

/// Variance of max(x, alpha x) for a normally distributed x of variance 1: (1 + alpha^2) / 2 - ((1
/// - alpha) / sqrt(2 pi))^2.
double rectified_variance(double alpha) {
  return (1 + alpha * alpha) / 2 - (1 - alpha) * (1 - alpha) * 0.15915494;
}

/// Approximate variance of the maximum of a few normally distributed values.
constexpr double max_pool_variance = 0.6;

std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                     std::int64_t pad) {
  return (size + 2 * pad - kernel) / stride + 1;
}

/// Number of a window's elements along one dimension that lie on the input, not on padding, summed
/// over all outputs.
std::int64_t positions_on_input(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                                std::int64_t pad) {
  std::int64_t count = 0;
  for (std::int64_t o = 0; o < windows(size, kernel, stride, pad); ++o) {
    const std::int64_t first = o * stride - pad;
    const std::int64_t begin = std::max<std::int64_t>(first, 0);
    count += std::max<std::int64_t>(std::min(first + kernel, size) - begin, 0);
  }
  return count;
}

}  // namespace

Builder::Builder(std::string name, std::int64_t opset, std::uint64_t seed) : random_(seed) {
  network_.graph.file = name;
  network_.graph.name = std::move(name);
  network_.graph.ir_version = opset <= 10 ? 5 : 6;
  network_.graph.opset = opset;
}

Node& Builder::node(const std::string& name, const char* op_type, std::vector<Value> inputs) {
  Node node;
  node.file = network_.graph.file;
  node.name = name;
  node.op_type = op_type;
  node.inputs = std::move(inputs);
  node.outputs = {name + ":0"};
  network_.graph.nodes.push_back(std::move(node));
  return network_.graph.nodes.back();
}

Builder::Value Builder::known(const Value& value, Shape shape, double variance) {
  if (!values_.emplace(value, Known{std::move(shape), variance}).second) {
    internal_error("zoo: {} is built twice", value);
  }
  return value;
}

void Builder::parameter(const std::string& name, Tensor tensor) {
  network_.parameters += tensor.size();
  if (!network_.graph.initializers.emplace(name, std::move(tensor)).second) {
    internal_error("zoo: initializer {} is built twice", name);
  }
}

std::vector<float> Builder::weights(std::int64_t outputs, std::int64_t inputs, double deviation) {
  // Uniform values of extent e have the standard deviation e / sqrt(3).
  const double step = deviation * std::sqrt(3.0) / Random::step_range;
  std::vector<std::int32_t> draws(static_cast<std::size_t>(inputs));
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(outputs * inputs));
  for (std::int64_t o = 0; o < outputs; ++o) {
    std::int64_t sum = 0;
    for (std::int32_t& draw : draws) sum += draw = random_.step();
    // One or two weights are not centred, since little or nothing would be left of them.
    const std::int64_t mean = inputs > 2 ? sum / inputs : 0;
    for (const std::int32_t draw : draws) {
      values.push_back(static_cast<float>(static_cast<double>(draw - mean) * step));
    }
  }
  return values;
}

std::vector<float> Builder::uniform(std::int64_t count, double low, double high) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = random_.between(low, high);
  return values;
}

Builder::Value Builder::input(const std::string& name, const Shape& shape) {
  ValueInfo info{name, ElementType::float32, 0, std::vector<Dimension>()};
  for (const std::int64_t size : shape) info.dims->push_back({size, ""});
  network_.graph.inputs.push_back(std::move(info));
  return known(name, shape, 1.0 / 3);  // variance of uniform values in -1 .. 1
}

Builder::Value Builder::conv(const std::string& name, const Value& x, const Conv& conv) {
  const Known in = values_.at(x);
  const std::int64_t wide = conv.kernel_width == 0 ? conv.kernel : conv.kernel_width;
  const std::int64_t stride_w = conv.stride_width == 0 ? conv.stride : conv.stride_width;
  const std::int64_t pad_w = conv.pad_width.value_or(conv.pad);
  const std::int64_t channels = in.shape[1] / conv.group;  // input channels that an output reads
  const std::int64_t fan_in = channels * conv.kernel * wide;
  const std::string weights_name = name + "/weights";
  parameter(
      weights_name,
      Tensor::of({conv.channels, channels, conv.kernel, wide},
                 weights(conv.channels, fan_in,
                         conv.deviation / std::sqrt(static_cast<double>(fan_in) * in.variance))));
  const std::string bias = conv.bias_name.empty() ? name + "/bias" : conv.bias_name;
  if (network_.graph.initializers.count(bias) == 0) {
    parameter(bias, Tensor::of({conv.channels},
                               uniform(conv.channels, -conv.deviation / 4, conv.deviation / 4)));
  }
  Node& made = node(name, "Conv", {x, weights_name, bias});
  made.attributes["kernel_shape"] = std::vector<std::int64_t>{conv.kernel, wide};
  made.attributes["strides"] = std::vector<std::int64_t>{conv.stride, stride_w};
  made.attributes["pads"] = std::vector<std::int64_t>{conv.pad, pad_w, conv.pad, pad_w};
  made.attributes["dilations"] = std::vector<std::int64_t>{1, 1};
  made.attributes["group"] = conv.group;

  const std::int64_t h = in.shape[2], w = in.shape[3];
  const std::int64_t out_h = windows(h, conv.kernel, conv.stride, conv.pad);
  const std::int64_t out_w = windows(w, wide, stride_w, pad_w);
  const std::int64_t per_position = conv.channels * channels * in.shape[0];
  network_.macs += per_position * conv.kernel * wide * out_h * out_w;
  network_.macs_on_input += per_position *
                            positions_on_input(h, conv.kernel, conv.stride, conv.pad) *
                            positions_on_input(w, wide, stride_w, pad_w);
  return known(name + ":0", {in.shape[0], conv.channels, out_h, out_w},
               conv.deviation * conv.deviation);
}

Builder::Value Builder::batch_normalization(const std::string& name, const Value& x,
                                            double gamma_low, double gamma_high) {
  const Known in = values_.at(x);
  const std::int64_t channels = in.shape[1];
  const double deviation = std::sqrt(in.variance);
  std::vector<Value> inputs{x};
  const auto add_parameter = [&](const char* what, double low, double high) {
    inputs.push_back(name + "/" + what);
    parameter(inputs.back(), Tensor::of({channels}, uniform(channels, low, high)));
  };
  add_parameter("gamma", gamma_low, gamma_high);
  add_parameter("beta", -0.25, 0.25);
  add_parameter("mean", -deviation / 4, deviation / 4);
  add_parameter("variance", in.variance * 0.75, in.variance * 1.25);
  node(name, "BatchNormalization", std::move(inputs)).attributes["epsilon"] = 1.001e-5F;
  const double gamma = (gamma_low + gamma_high) / 2;
  return known(name + ":0", in.shape, gamma * gamma);
}

Builder::Value Builder::relu(const std::string& name, const Value& x) {
  const Known in = values_.at(x);
  node(name, "Relu", {x});
  return known(name + ":0", in.shape, in.variance * rectified_variance(0));
}

Builder::Value Builder::relu6(const std::string& name, const Value& x) {
  const Known in = values_.at(x);
  if (network_.graph.opset > 10) internal_error("zoo: Clip is built for operator set 10");
  Node& made = node(name, "Clip", {x});
  made.attributes["min"] = 0.0F;
  made.attributes["max"] = 6.0F;
  // The limit 6 is left out, since few values with the zoo's deviations are above it.
  return known(name + ":0", in.shape, in.variance * rectified_variance(0));
}

Builder::Value Builder::leaky_relu(const std::string& name, const Value& x, float alpha) {
  const Known in = values_.at(x);
  node(name, "LeakyRelu", {x}).attributes["alpha"] = alpha;
  return known(name + ":0", in.shape, in.variance * rectified_variance(static_cast<double>(alpha)));
}

Builder::Value Builder::add(const std::string& name, const Value& a, const Value& b) {
  const Known one = values_.at(a);
  node(name, "Add", {a, b});
  return known(name + ":0", one.shape, one.variance + values_.at(b).variance);
}

Builder::Value Builder::window_pool(const std::string& name, const char* op_type, const Value& x,
                                    const Pool& pool, double variance) {
  const Known in = values_.at(x);
  Node& made = node(name, op_type, {x});
  made.attributes["kernel_shape"] = std::vector<std::int64_t>{pool.kernel, pool.kernel};
  made.attributes["strides"] = std::vector<std::int64_t>{pool.stride, pool.stride};
  return known(name + ":0",
               {in.shape[0], in.shape[1], windows(in.shape[2], pool.kernel, pool.stride, 0),
                windows(in.shape[3], pool.kernel, pool.stride, 0)},
               in.variance * variance);
}

Builder::Value Builder::max_pool(const std::string& name, const Value& x, const Pool& pool) {
  return window_pool(name, "MaxPool", x, pool, pool.kernel == 1 ? 1 : max_pool_variance);
}

Builder::Value Builder::average_pool(const std::string& name, const Value& x, const Pool& pool) {
  return window_pool(name, "AveragePool", x, pool,
                     1.0 / static_cast<double>(pool.kernel * pool.kernel));
}

Builder::Value Builder::global_average_pool(const std::string& name, const Value& x) {
  const Known in = values_.at(x);
  node(name, "GlobalAveragePool", {x});
  return known(name + ":0", {in.shape[0], in.shape[1], 1, 1},
               in.variance / static_cast<double>(in.shape[2] * in.shape[3]));
}

Builder::Value Builder::pad(const std::string& name, const Value& x, std::int64_t pad) {
  const Known in = values_.at(x);
  if (network_.graph.opset > 10) internal_error("zoo: Pad is built for operator set 10");
  Node& made = node(name, "Pad", {x});
  made.attributes["mode"] = std::string("constant");
  made.attributes["pads"] = std::vector<std::int64_t>{0, 0, pad, pad, 0, 0, pad, pad};
  made.attributes["value"] = 0.0F;
  return known(name + ":0",
               {in.shape[0], in.shape[1], in.shape[2] + 2 * pad, in.shape[3] + 2 * pad},
               in.variance);
}

Builder::Value Builder::transpose(const std::string& name, const Value& x,
                                  const std::vector<std::int64_t>& perm) {
  const Known in = values_.at(x);
  Shape shape;
  for (const std::int64_t axis : perm) shape.push_back(in.shape[static_cast<std::size_t>(axis)]);
  node(name, "Transpose", {x}).attributes["perm"] = perm;
  return known(name + ":0", std::move(shape), in.variance);
}

Builder::Value Builder::squeeze(const std::string& name, const Value& x,
                                const std::vector<std::int64_t>& axes) {
  const Known in = values_.at(x);
  Shape shape;
  for (std::size_t axis = 0; axis < in.shape.size(); ++axis) {
    const bool dropped =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
    if (!dropped) shape.push_back(in.shape[axis]);
  }
  node(name, "Squeeze", {x}).attributes["axes"] = axes;
  return known(name + ":0", std::move(shape), in.variance);
}

Builder::Value Builder::reshape(const std::string& name, const Value& x, const Shape& shape) {
  const Known in = values_.at(x);
  const std::string target = name + "/shape";
  network_.graph.initializers[target] =
      Tensor::of({static_cast<std::int64_t>(shape.size())}, shape);
  node(name, "Reshape", {x, target});
  Shape result = shape;
  std::int64_t given = 1;
  for (const std::int64_t size : shape) given *= size == -1 ? 1 : size;
  std::replace(result.begin(), result.end(), std::int64_t{-1}, element_count(in.shape) / given);
  return known(name + ":0", std::move(result), in.variance);
}

std::vector<Builder::Value> Builder::split(const std::string& name, const Value& x,
                                           std::int64_t axis, int parts) {
  const Known in = values_.at(x);
  Shape shape = in.shape;
  std::int64_t& size = axis < 0 ? *(shape.end() + axis) : shape[static_cast<std::size_t>(axis)];
  size /= parts;
  Node& made = node(name, "Split", {x});
  made.attributes["axis"] = axis;
  made.outputs.clear();
  for (int part = 0; part < parts; ++part) {
    made.outputs.push_back(name + ":" + std::to_string(part));
    known(made.outputs.back(), shape, in.variance);
  }
  return made.outputs;
}

Builder::Value Builder::concat(const std::string& name, const std::vector<Value>& values,
                               std::int64_t axis) {
  const auto at = static_cast<std::size_t>(axis);
  Known result = values_.at(values[0]);
  double variance = 0;
  result.shape[at] = 0;
  for (const Value& value : values) {
    const Known& in = values_.at(value);
    result.shape[at] += in.shape[at];
    variance += in.variance * static_cast<double>(in.shape[at]);
  }
  node(name, "Concat", values).attributes["axis"] = axis;
  return known(name + ":0", result.shape, variance / static_cast<double>(result.shape[at]));
}

Builder::Value Builder::upsample(const std::string& name, const Value& x, std::int64_t factor) {
  const Known in = values_.at(x);
  if (network_.graph.opset < 11) internal_error("zoo: upsample is built for operator set 11");
  const auto scale = static_cast<float>(factor);
  // The region of interest is empty: another coordinate mode uses it, but Resize of operator set 11
  // requires the input.
  network_.graph.initializers[name + "/roi"] = Tensor::of({0}, std::vector<float>());
  network_.graph.initializers[name + "/scales"] =
      Tensor::of({4}, std::vector<float>{1, 1, scale, scale});
  Node& made = node(name, "Resize", {x, name + "/roi", name + "/scales"});
  made.attributes["mode"] = std::string("linear");
  made.attributes["coordinate_transformation_mode"] = std::string("half_pixel");
  return known(name + ":0", {in.shape[0], in.shape[1], in.shape[2] * factor, in.shape[3] * factor},
               in.variance * 0.4);
}

Builder::Value Builder::gemm(const std::string& name, const Value& x, std::int64_t outputs,
                             double deviation) {
  const Known in = values_.at(x);
  const std::int64_t inputs = in.shape[1];
  // Weights are drawn output by output and stored input by input.
  const std::vector<float> drawn =
      weights(outputs, inputs, deviation / std::sqrt(static_cast<double>(inputs) * in.variance));
  std::vector<float> stored(drawn.size());
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < inputs; ++i) {
      stored[static_cast<std::size_t>(i * outputs + o)] =
          drawn[static_cast<std::size_t>(o * inputs + i)];
    }
  }
  parameter(name + "/weights", Tensor::of({inputs, outputs}, std::move(stored)));
  parameter(name + "/bias", Tensor::of({outputs}, uniform(outputs, -deviation / 4, deviation / 4)));
  Node& made = node(name, "Gemm", {x, name + "/weights", name + "/bias"});
  made.attributes["alpha"] = 1.0F;
  made.attributes["beta"] = 1.0F;
  network_.macs += in.shape[0] * inputs * outputs;
  network_.macs_on_input += in.shape[0] * inputs * outputs;
  return known(name + ":0", {in.shape[0], outputs}, deviation * deviation);
}

Builder::Value Builder::softmax(const std::string& name, const Value& x, std::int64_t axis) {
  const Known in = values_.at(x);
  node(name, "Softmax", {x}).attributes["axis"] = axis;
  return known(name + ":0", in.shape, 1);
}

void Builder::output(const Value& x, const std::string& name) {
  for (Node& node : network_.graph.nodes) {
    std::replace(node.outputs.begin(), node.outputs.end(), x, name);
    std::replace(node.inputs.begin(), node.inputs.end(), x, name);
  }
  ValueInfo info{name, ElementType::float32, 0, std::vector<Dimension>()};
  for (const std::int64_t size : values_.at(x).shape) info.dims->push_back({size, ""});
  network_.graph.outputs.push_back(std::move(info));
}

Network Builder::finish() && { return std::move(network_); }

}  // namespace tactus::nn
