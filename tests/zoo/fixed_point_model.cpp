#include "tests/zoo/fixed_point_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "firmware/compiler/frontend/operators/means.h"
#include "firmware/reference/call.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/instruction.h"

namespace tactus::nn {

using tcu::SimdOp;

class FixedPointModel::Evaluation {
 public:
  Evaluation(const FixedPointModel& model, const Graph& graph, const Values& inputs)
      : type_(model.type_), n_(model.array_size_), graph_(graph) {
    for (const auto& [name, tensor] : inputs) values_[name] = quantised(tensor);
  }

  FixedValues run() {
    for (const Node& node : graph_.nodes) run(node);
    return std::move(values_);
  }

 private:
  void run(const Node& node);
  void run_product(const Node& node);
  void run_binary(const Node& node, SimdOp op);
  void run_normalisation(const Node& node);
  void run_pool(const Node& node, bool average);
  void run_linear_resize(const Node& node);
  void run_movement(const Node& node);
  template <typename Function>
  void run_unary(const Node& node, Function&& function) {
    FixedTensor result = input(node, 0);
    for (std::int64_t& x : result.mantissas) x = function(x);
    values_[node.outputs[0]] = std::move(result);
  }

  /// Returns the features of a product's input in the order in which they are multiplied.
  [[nodiscard]] std::vector<std::int64_t> feature_order(const Node& product) const;

  [[nodiscard]] std::int64_t quantise(float value) const { return tcu::quantise(type_, value); }
  [[nodiscard]] std::int64_t alu(SimdOp op, std::int64_t a, std::int64_t b) const {
    return tcu::alu(type_, op, a, b);
  }
  [[nodiscard]] FixedTensor quantised(const Tensor& tensor) const {
    FixedTensor fixed{tensor.shape, {}};
    for (const float value : tensor.floats) fixed.mantissas.push_back(quantise(value));
    return fixed;
  }
  [[nodiscard]] FixedTensor input(const Node& node, std::size_t i) const {
    const auto value = values_.find(node.inputs[i]);
    return value != values_.end() ? value->second
                                  : quantised(graph_.initializers.at(node.inputs[i]));
  }

  /// Computes the node alone, with other inputs, by the floating-point reference.
  [[nodiscard]] Values reference(const Node& node,
                                 const std::map<std::string, Tensor>& data) const {
    Graph one;
    one.file = "movement";
    one.opset = graph_.opset;
    one.nodes = {node};
    for (const std::string& name : node.inputs) {
      if (name.empty()) continue;
      const auto value = data.find(name);
      one.initializers[name] = value != data.end() ? value->second : graph_.initializers.at(name);
    }
    return run_reference(one, {});
  }

  const tcu::DataType type_;
  const std::int64_t n_;
  const Graph& graph_;
  FixedValues values_;
};

namespace {

/// Positions of the windows' taps on an image.
struct Geometry {
  std::int64_t kernel[2], stride[2], dilation[2], before[2], size[2], outputs[2];

  [[nodiscard]] std::int64_t pixel(std::int64_t oy, std::int64_t ox, std::int64_t tap) const {
    const std::int64_t y = oy * stride[0] - before[0] + tap / kernel[1] * dilation[0];
    const std::int64_t x = ox * stride[1] - before[1] + tap % kernel[1] * dilation[1];
    return y < 0 || x < 0 || y >= size[0] || x >= size[1] ? -1 : y * size[1] + x;
  }
};

/// Returns the geometry of a node; `outputs` is the shape of its result, from the reference.
Geometry geometry(const Node& node, const Shape& image, const Shape& kernel, const Shape& outputs) {
  const Shape strides = node.integers("strides", {1, 1});
  const Shape dilations = node.integers("dilations", {1, 1});
  const Shape pads = node.integers("pads", {0, 0, 0, 0});
  const std::string auto_pad = node.text("auto_pad", "NOTSET");
  Geometry g{};
  for (std::size_t i = 0; i < 2; ++i) {
    g.kernel[i] = kernel[i];
    g.stride[i] = strides[i];
    g.dilation[i] = dilations[i];
    g.size[i] = image[i + 2];
    g.outputs[i] = outputs[i + 2];
    g.before[i] = pads[i];
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
      const std::int64_t reach =
          (g.outputs[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1;
      const std::int64_t total = std::max<std::int64_t>(0, reach - g.size[i]);
      g.before[i] = auto_pad == "SAME_UPPER" ? total / 2 : (total + 1) / 2;
    }
  }
  return g;
}

Tensor zeros_like(const FixedTensor& tensor) { return Tensor::zeros(tensor.shape); }

}  // namespace

void FixedPointModel::Evaluation::run(const Node& node) {
  const std::string& op = node.op_type;
  const bool all_constant =
      std::all_of(node.inputs.begin(), node.inputs.end(),
                  [&](const std::string& name) { return values_.find(name) == values_.end(); });
  if (all_constant) internal_error("{}: constant nodes are not modelled", node.where());
  if (op == "Conv" || op == "Gemm" || op == "MatMul") return run_product(node);
  if (op == "Add") return run_binary(node, SimdOp::add);
  if (op == "Sub") return run_binary(node, SimdOp::subtract);
  if (op == "Mul") return run_binary(node, SimdOp::multiply);
  if (op == "BatchNormalization") return run_normalisation(node);
  if (op == "MaxPool") return run_pool(node, false);
  if (op == "AveragePool" || op == "GlobalAveragePool") return run_pool(node, true);
  if (op == "Softmax") return run_unary(node, [](std::int64_t x) { return x; });
  if (op == "Relu") {
    return run_unary(node, [](std::int64_t x) { return std::max<std::int64_t>(x, 0); });
  }
  if (op == "LeakyRelu") {
    const std::int64_t alpha = quantise(node.real("alpha", 0.01F));
    return run_unary(node,
                     [&](std::int64_t x) { return std::max(alu(SimdOp::multiply, x, alpha), x); });
  }
  if (op == "Clip") {
    const std::int64_t low = quantise(node.real("min")), high = quantise(node.real("max"));
    return run_unary(node, [&](std::int64_t x) { return std::min(std::max(x, low), high); });
  }
  if (op == "Resize" && node.text("mode", "nearest") == "linear") return run_linear_resize(node);
  run_movement(node);
}

/// A flattened image is multiplied in memory order, pixel by pixel, if its channels are whole
/// vectors; any other input is multiplied in the model's order.
std::vector<std::int64_t> FixedPointModel::Evaluation::feature_order(const Node& product) const {
  const Shape& rows = values_.at(product.inputs[0]).shape;
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows[1]));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (product.op_type == "Conv") return order;
  std::string source = product.inputs[0];
  const Node* maker = graph_.producer(source);
  while (maker != nullptr && (maker->op_type == "Reshape" || maker->op_type == "Flatten")) {
    source = maker->inputs[0];
    maker = graph_.producer(source);
  }
  const Shape& image = values_.at(source).shape;
  // A transposed image already has its channels last.
  const bool turned = maker != nullptr && maker->op_type == "Transpose" &&
                      maker->integers("perm") == Shape{0, 2, 3, 1};
  if (image.size() != 4 || turned || image[0] != rows[0] || image[1] % n_ != 0) return order;
  const std::int64_t plane = image[2] * image[3];
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto at = static_cast<std::int64_t>(place);
    order[place] = at % image[1] * plane + at / image[1];
  }
  return order;
}

/// A matrix product is a convolution with one tap.
void FixedPointModel::Evaluation::run_product(const Node& node) {
  const FixedTensor x = input(node, 0), w = input(node, 1);
  const bool conv = node.op_type == "Conv";
  const bool turned = node.op_type == "Gemm" && node.integer("transB", 0) != 0;
  const Shape kernel = conv ? Shape{w.shape[2], w.shape[3]} : Shape{1, 1};
  const std::int64_t taps = kernel[0] * kernel[1];
  const std::int64_t inputs = x.shape[1];
  const std::int64_t outputs = conv || turned ? w.shape[0] : w.shape[1];
  const std::int64_t groups = conv ? node.integer("group", 1) : 1;
  const std::int64_t group_inputs = inputs / groups, group_outputs = outputs / groups;
  // Returns the position of a weight in the tensor, or -1 for a weight between groups.
  const auto place_of = [&](std::int64_t tap, std::int64_t i, std::int64_t o) -> std::int64_t {
    if (!conv) return turned ? o * inputs + i : i * outputs + o;
    if (i / group_inputs != o / group_outputs) return -1;
    return (o * group_inputs + i % group_inputs) * taps + tap;
  };
  const auto weight = [&](std::int64_t tap, std::int64_t i, std::int64_t o) -> std::int64_t {
    const std::int64_t at = place_of(tap, i, o);
    return at < 0 ? 0 : w.mantissas[static_cast<std::size_t>(at)];
  };
  FixedTensor bias{{outputs}, std::vector<std::int64_t>(static_cast<std::size_t>(outputs), 0)};
  if (node.inputs.size() > 2) {
    const FixedTensor given = input(node, 2);
    for (std::size_t o = 0; o < bias.mantissas.size(); ++o) {
      bias.mantissas[o] = given.mantissas[given.mantissas.size() == 1 ? 0 : o];
    }
  }
  FixedTensor y;
  if (conv) {
    y.shape = reference(node, {{node.inputs[0], zeros_like(x)}}).at(node.outputs[0]).shape;
  } else {
    y.shape = {x.shape[0], outputs};
  }
  const Shape image = conv ? x.shape : Shape{x.shape[0], inputs, 1, 1};
  const Shape result = conv ? y.shape : Shape{x.shape[0], outputs, 1, 1};
  const Geometry g = geometry(conv ? node : Node(), image, kernel, result);
  const std::int64_t plane = image[2] * image[3];
  const std::int64_t blocks = (inputs + n_ - 1) / n_;
  const std::vector<std::int64_t> order = feature_order(node);
  // The last block of inputs with weights, for each block of outputs. Blocks whose weights are all
  // zero are not multiplied.
  std::vector<std::int64_t> biased_block(static_cast<std::size_t>((outputs + n_ - 1) / n_),
                                         blocks - 1);
  const Tensor& exact = graph_.initializers.at(node.inputs[1]);
  for (std::size_t b = 0; b < biased_block.size(); ++b) {
    const auto first = static_cast<std::int64_t>(b) * n_;
    const auto has_weights = [&](std::int64_t block) {
      for (std::int64_t o = first; o < std::min(outputs, first + n_); ++o) {
        for (std::int64_t place = block * n_; place < std::min(inputs, (block + 1) * n_); ++place) {
          const std::int64_t at = place_of(0, order[static_cast<std::size_t>(place)], o);
          if (at >= 0 && exact.floats[static_cast<std::size_t>(at)] != 0.0F) return true;
        }
      }
      return false;
    };
    std::int64_t block = blocks - 1;
    while (block >= 0 && !has_weights(block)) --block;
    if (block >= 0) biased_block[b] = block;
  }
  for_each_position(result, [&](const Shape& at) {
    const std::int64_t o = at[1];
    std::int64_t sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t pixel = g.pixel(at[2], at[3], tap);
      for (std::int64_t block = 0; block < blocks; ++block) {
        const bool biased = tap == 0 && block == biased_block[static_cast<std::size_t>(o / n_)];
        std::int64_t chain = biased ? bias.mantissas[static_cast<std::size_t>(o)] : 0;
        const std::int64_t end = std::min(inputs, (block + 1) * n_);
        for (std::int64_t place = block * n_; pixel >= 0 && place < end; ++place) {
          const std::int64_t i = order[static_cast<std::size_t>(place)];
          const auto from = static_cast<std::size_t>((at[0] * inputs + i) * plane + pixel);
          chain =
              tcu::mac(type_, tcu::MacRounding::sum, x.mantissas[from], weight(tap, i, o), chain);
        }
        const bool first = tap == 0 && block == 0;
        sum = first ? chain : tcu::saturating_add(type_, sum, chain);
      }
    }
    y.mantissas.push_back(sum);
  });
  values_[node.outputs[0]] = std::move(y);
}

void FixedPointModel::Evaluation::run_binary(const Node& node, SimdOp op) {
  const FixedTensor a = input(node, 0), b = input(node, 1);
  FixedTensor y;
  y.shape = reference(node, {{node.inputs[0], zeros_like(a)}, {node.inputs[1], zeros_like(b)}})
                .at(node.outputs[0])
                .shape;
  // Operands are aligned at the last dimension and repeated along dimensions of size 1.
  const auto element = [&](const FixedTensor& tensor, const Shape& at) {
    std::int64_t index = 0;
    const std::size_t lead = at.size() - tensor.shape.size();
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
      index = index * tensor.shape[i] + (tensor.shape[i] == 1 ? 0 : at[lead + i]);
    }
    return tensor.mantissas[static_cast<std::size_t>(index)];
  };
  for_each_position(y.shape, [&](const Shape& at) {
    y.mantissas.push_back(alu(op, element(a, at), element(b, at)));
  });
  values_[node.outputs[0]] = std::move(y);
}

void FixedPointModel::Evaluation::run_normalisation(const Node& node) {
  FixedTensor y = input(node, 0);
  const auto parameter = [&](std::size_t i) {
    return graph_.initializers.at(node.inputs[i]).floats;
  };
  const std::vector<float> gamma = parameter(1), beta = parameter(2), mean = parameter(3),
                           variance = parameter(4);
  const float epsilon = node.real("epsilon", 1e-5F);
  const std::size_t plane = y.mantissas.size() / static_cast<std::size_t>(y.shape[0] * y.shape[1]);
  for (std::size_t i = 0; i < y.mantissas.size(); ++i) {
    const std::size_t c = i / plane % static_cast<std::size_t>(y.shape[1]);
    const float scale =
        static_cast<float>(1.0 / std::sqrt(static_cast<double>(variance[c] + epsilon)) *
                           static_cast<double>(gamma[c]));
    const float offset = beta[c] - mean[c] * scale;
    const std::int64_t product = alu(SimdOp::multiply, y.mantissas[i], quantise(scale));
    y.mantissas[i] = alu(SimdOp::add, product, quantise(offset));
  }
  values_[node.outputs[0]] = std::move(y);
}

void FixedPointModel::Evaluation::run_pool(const Node& node, bool average) {
  const FixedTensor x = input(node, 0);
  // A pool over ones gives the shape, and the share of each window that is not padding.
  Tensor ones = zeros_like(x);
  for (float& value : ones.floats) value = 1;
  const Tensor share = reference(node, {{node.inputs[0], ones}}).at(node.outputs[0]);
  const bool global = node.op_type == "GlobalAveragePool";
  const Shape kernel = global ? Shape{x.shape[2], x.shape[3]} : node.integers("kernel_shape");
  const Geometry g = geometry(node, x.shape, kernel, share.shape);
  FixedTensor y{share.shape, {}};
  for_each_position(y.shape, [&](const Shape& at) {
    const std::int64_t plane = (at[0] * x.shape[1] + at[1]) * x.shape[2] * x.shape[3];
    std::vector<std::int64_t> pixels;
    for (std::int64_t tap = 0; tap < kernel[0] * kernel[1]; ++tap) {
      const std::int64_t pixel = g.pixel(at[2], at[3], tap);
      if (pixel >= 0) pixels.push_back(x.mantissas[static_cast<std::size_t>(plane + pixel)]);
    }
    std::int64_t result = pixels[0];
    for (std::size_t k = 1; k < pixels.size(); ++k) {
      result = average ? alu(SimdOp::add, pixels[k], result) : std::max(pixels[k], result);
    }
    if (average) {
      const float part = share.floats[y.mantissas.size()];
      const float count = std::round(static_cast<float>(pixels.size()) / part);
      // Small types need several numbers for a factor; Means of frontend_test tests them.
      const compiler::Constants factor =
          compiler::constants_for(type_, 1 / static_cast<double>(count), bound_for_one_sum(type_));
      for (const float number : factor.numbers) {
        result = alu(SimdOp::multiply, result, quantise(number));
      }
    }
    y.mantissas.push_back(result);
  });
  values_[node.outputs[0]] = std::move(y);
}

void FixedPointModel::Evaluation::run_linear_resize(const Node& node) {
  const FixedTensor x = input(node, 0);
  // The weights of an input row (column) in the output rows are the resized image of that row
  // alone.
  const auto weights_along = [&](std::size_t axis) {
    std::vector<std::vector<std::pair<std::int64_t, float>>> taps;
    for (std::int64_t from = 0; from < x.shape[axis]; ++from) {
      Tensor impulse = zeros_like(x);
      std::size_t next = 0;
      for_each_position(x.shape, [&](const Shape& at) {
        impulse.floats[next++] = at[axis] == from ? 1.0F : 0.0F;
      });
      const Tensor seen = reference(node, {{node.inputs[0], impulse}}).at(node.outputs[0]);
      const auto stride = static_cast<std::size_t>(axis == 2 ? seen.shape[3] : 1);
      taps.resize(static_cast<std::size_t>(seen.shape[axis]));
      for (std::size_t to = 0; to < taps.size(); ++to) {
        const float weight = seen.floats[to * stride];
        if (weight != 0) taps[to].emplace_back(from, weight);
      }
    }
    return taps;
  };
  const auto rows = weights_along(2), columns = weights_along(3);
  FixedTensor y{{x.shape[0], x.shape[1], static_cast<std::int64_t>(rows.size()),
                 static_cast<std::int64_t>(columns.size())},
                {}};
  for_each_position(y.shape, [&](const Shape& at) {
    const std::int64_t plane = (at[0] * x.shape[1] + at[1]) * x.shape[2] * x.shape[3];
    std::int64_t sum = 0;
    for (const auto& [column, column_weight] : columns[static_cast<std::size_t>(at[3])]) {
      for (const auto& [row, row_weight] : rows[static_cast<std::size_t>(at[2])]) {
        const auto from = static_cast<std::size_t>(plane + row * x.shape[3] + column);
        sum = alu(SimdOp::add, sum,
                  alu(SimdOp::multiply, x.mantissas[from], quantise(row_weight * column_weight)));
      }
    }
    y.mantissas.push_back(sum);
  });
  values_[node.outputs[0]] = std::move(y);
}

/// Numbers the elements from 1, moves the numbers with the reference, and looks the elements up; 0
/// is a fill value.
void FixedPointModel::Evaluation::run_movement(const Node& node) {
  std::map<std::string, Tensor> numbered;
  std::vector<std::int64_t> source{0};
  for (const std::string& name : node.inputs) {
    const auto value = values_.find(name);
    if (value == values_.end() || numbered.count(name) != 0) continue;
    Tensor& numbers = numbered[name] = zeros_like(value->second);
    for (std::size_t i = 0; i < numbers.floats.size(); ++i) {
      numbers.floats[i] = static_cast<float>(source.size());
      source.push_back(value->second.mantissas[i]);
    }
  }
  if (source.size() > (1U << 24)) internal_error("{}: too large to be numbered", node.where());
  // A Concat of values and initializers would need the initializers moved as well.
  if (node.op_type == "Concat" &&
      numbered.size() < std::set<std::string>(node.inputs.begin(), node.inputs.end()).size()) {
    internal_error("{}: constants among the inputs are not modelled", node.where());
  }
  const Values moved = reference(node, numbered);
  for (const std::string& output : node.outputs) {
    const Tensor& numbers = moved.at(output);
    FixedTensor& result = values_[output] = {numbers.shape, {}};
    for (const float number : numbers.floats) {
      result.mantissas.push_back(source[static_cast<std::size_t>(number)]);
    }
  }
}

FixedValues FixedPointModel::run(const Graph& graph, const Values& inputs) const {
  return Evaluation(*this, graph, inputs).run();
}

Tensor to_real(tcu::DataType type, const FixedTensor& fixed) {
  Tensor tensor = Tensor::zeros(fixed.shape);
  for (std::size_t i = 0; i < fixed.mantissas.size(); ++i) {
    tensor.floats[i] = static_cast<float>(tcu::to_real(type, fixed.mantissas[i]));
  }
  return tensor;
}

double bound_for_one_sum(tcu::DataType type) { return 0.55 * tcu::to_real(type, 1); }

}  // namespace tactus::nn
