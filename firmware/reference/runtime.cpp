// Operators of ONNX Runtime's own domain, as its documentation defines them. The compiler has them
// as operators of the standard (firmware/onnx/runtime_functions.cpp); this shares nothing with it.
#include <cmath>
#include <limits>

#include "firmware/onnx/number_types.h"
#include "firmware/reference/of_standard.h"
#include "firmware/reference/quantised.h"

namespace tactus::nn {
namespace {

// ---- quantised ----------------------------------------------------------------------------------

float one_scale(const Call& call, std::size_t i) {
  const Tensor& scale = call.floats(i);
  if (scale.size() != 1) {
    call.fail("input {} has shape {}; allowed is one scale", i, to_string(scale.shape));
  }
  return scale.floats[0];
}

/// Zero point of the scale's tensor; 0 if it is absent.
std::int64_t one_zero(const Call& call, std::size_t i) {
  const Tensor* zero = call.optional(i);
  if (zero == nullptr) return 0;
  if (zero->integers.size() != 1) {
    call.fail("input {} has shape {}; allowed is one integer", i, to_string(zero->shape));
  }
  return zero->integers[0];
}

/// Real numbers of the integers of input `i`, whose scale and zero point are the next two.
Tensor real_input(const Call& call, std::size_t i) {
  const Tensor& x = call.input(i);
  if (x.type != ElementType::int64) call.fail("input {} is FLOAT; allowed are integers", i);
  const float scale = one_scale(call, i + 1);
  const std::int64_t zero = one_zero(call, i + 2);
  Tensor real = Tensor::zeros(x.shape);
  for (std::size_t k = 0; k < real.floats.size(); ++k) {
    real.floats[k] = scale * static_cast<float>(x.integers[k] - zero);
  }
  return real;
}

/// Adds a result of the type of input 0, with scale and zero point of inputs `i` and `i + 1`.
void add_quantised(Call& call, const Tensor& real, std::size_t i) {
  const Tensor* point = call.optional(i + 1);
  Tensor result;
  result.shape = real.shape;
  result.type = ElementType::int64;
  result.stored = type_of(point == nullptr ? call.input(0) : *point);
  const QuantisedRange range = quantised_range(call, result.stored);
  const float scale = one_scale(call, i);
  const auto zero = static_cast<double>(one_zero(call, i + 1));
  for (const float value : real.floats) {
    result.integers.push_back(quantised(value, scale, zero, range));
  }
  call.results.push_back(std::move(result));
}

// ---- functions of one element -------------------------------------------------------------------

double gelu_by_erf(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }

double gelu_by_tanh(double x) {
  constexpr double root = 0.79788456080286535588;  // of 2 / pi
  return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

template <typename Function>
void add_mapped(Call& call, Tensor x, Function&& function) {
  for (float& value : x.floats) value = static_cast<float>(function(static_cast<double>(value)));
  call.results.push_back(std::move(x));
}

Tensor sum_of(const Call& call, const Tensor& a, const Tensor& b) {
  return call.combined(a, b, [](auto x, auto y) { return x + y; });
}

// ---- attention ----------------------------------------------------------------------------------

/// Rows of queries, keys or values: element [batch][head][position][column].
class Heads {
 public:
  Heads(std::int64_t batches, std::int64_t heads, std::int64_t length, std::int64_t width)
      : shape{batches, heads, length, width}, data(Tensor::zeros(shape).floats) {}
  [[nodiscard]] float& at(std::int64_t b, std::int64_t h, std::int64_t s, std::int64_t c) {
    return data[static_cast<std::size_t>(((b * shape[1] + h) * shape[2] + s) * shape[3] + c)];
  }
  [[nodiscard]] float at(std::int64_t b, std::int64_t h, std::int64_t s, std::int64_t c) const {
    return const_cast<Heads*>(this)->at(b, h, s, c);
  }

  Shape shape;
  std::vector<float> data;
};

/// Columns [first, first + heads * width) of rows, plus a bias for each if there is one.
Heads heads_of(const Tensor& rows, std::int64_t heads, std::int64_t first, std::int64_t columns,
               const Tensor* bias, std::int64_t bias_from) {
  const std::int64_t batches = rows.shape[0], length = rows.shape[1], all = rows.shape[2];
  Heads result(batches, heads, length, columns / heads);
  for_each_position(result.shape, [&](const Shape& p) {
    const std::int64_t column = p[1] * result.shape[3] + p[3];
    float value =
        rows.floats[static_cast<std::size_t>((p[0] * length + p[2]) * all + first + column)];
    if (bias != nullptr) value += bias->floats[static_cast<std::size_t>(bias_from + column)];
    result.at(p[0], p[1], p[2], p[3]) = value;
  });
  return result;
}

/// What keeps queries from keys, and how strongly.
struct Restriction {
  const Tensor* mask;  ///< [batches, keys], not 0: attended to; null: none
  const Tensor* bias;  ///< broadcast to [batches, heads, queries, keys]; null: none
  float filter;        ///< added where the mask is 0
  bool causal;         ///< a query attends to no later key
  std::int64_t past;   ///< keys before the first query
  float scale;         ///< of the products of queries and keys
};

/// Mixtures of values, weighted by the softmax of a query's products with the keys: rows of all
/// heads.
Tensor attended(const Call& call, const Heads& q, const Heads& k, const Heads& v,
                const Restriction& restriction) {
  const std::int64_t batches = q.shape[0], heads = q.shape[1], queries = q.shape[2];
  const std::int64_t keys = k.shape[2], width = v.shape[3];
  std::vector<std::int64_t> strides(4, 0);
  if (restriction.bias != nullptr) {
    const Shape whole{batches, heads, queries, keys};
    if (broadcast_shape(call, restriction.bias->shape, whole) != whole) {
      call.fail("the bias of the scores has shape {}, which does not fit {}",
                to_string(restriction.bias->shape), to_string(whole));
    }
    strides = broadcast_strides(restriction.bias->shape, whole);
  }
  if (restriction.mask != nullptr && restriction.mask->shape != Shape{batches, keys}) {
    call.fail("the mask has shape {}; allowed is {}", to_string(restriction.mask->shape),
              to_string({batches, keys}));
  }
  Tensor result = Tensor::zeros({batches, queries, heads * width});
  std::vector<double> scores(static_cast<std::size_t>(keys));
  for_each_position({batches, heads, queries}, [&](const Shape& p) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (std::int64_t c = 0; c < q.shape[3]; ++c) {
        score += static_cast<double>(q.at(p[0], p[1], p[2], c)) *
                 static_cast<double>(k.at(p[0], p[1], j, c));
      }
      score *= static_cast<double>(restriction.scale);
      if (restriction.mask != nullptr &&
          restriction.mask->integers[static_cast<std::size_t>(p[0] * keys + j)] == 0) {
        score += static_cast<double>(restriction.filter);
      }
      if (restriction.bias != nullptr) {
        const std::int64_t at =
            p[0] * strides[0] + p[1] * strides[1] + p[2] * strides[2] + j * strides[3];
        score += static_cast<double>(restriction.bias->floats[static_cast<std::size_t>(at)]);
      }
      if (restriction.causal && j > p[2] + restriction.past) {
        score = static_cast<double>(std::numeric_limits<float>::lowest());
      }
      scores[static_cast<std::size_t>(j)] = score;
      largest = std::max(largest, score);
    }
    for (double& score : scores) sum += score = std::exp(score - largest);
    for (std::int64_t c = 0; c < width; ++c) {
      double mixed = 0;
      for (std::int64_t j = 0; j < keys; ++j) {
        mixed += scores[static_cast<std::size_t>(j)] * static_cast<double>(v.at(p[0], p[1], j, c));
      }
      const std::int64_t to = (p[0] * queries + p[2]) * heads * width + p[1] * width + c;
      result.floats[static_cast<std::size_t>(to)] = static_cast<float>(mixed / sum);
    }
  });
  return result;
}

float scale_of(const Call& call, std::int64_t width) {
  const float stated = call.node.real("scale", 0);
  return stated != 0 ? stated : 1 / std::sqrt(static_cast<float>(width));
}

std::int64_t heads_attribute(const Call& call, std::int64_t columns) {
  const std::int64_t heads = call.node.integer("num_heads");
  if (heads < 1 || columns % heads != 0) {
    call.fail("attribute \"num_heads\" is {}; allowed are divisors of {}", heads, columns);
  }
  return heads;
}

/// Keys or values of input `i`: rows, or heads as they are.
Heads keys_of(const Call& call, std::size_t i, std::int64_t heads, const Tensor* bias,
              std::int64_t bias_from) {
  const Tensor& x = call.floats(i);
  if (x.shape.size() == 4) {
    Heads result(x.shape[0], x.shape[1], x.shape[2], x.shape[3]);
    result.data = x.floats;
    return result;
  }
  if (x.shape.size() != 3 || x.shape[2] % heads != 0) {
    call.fail("input {} has shape {}; allowed are rows of {} heads", i, to_string(x.shape), heads);
  }
  return heads_of(x, heads, 0, x.shape[2], bias, bias_from);
}

/// Keys or values behind those of the past, if input `i` has some.
Heads behind(const Call& call, std::size_t i, Heads now) {
  const Tensor* past = call.optional(i);
  if (past == nullptr) return now;
  const Shape& shape = past->shape;
  if (shape.size() != 4 || shape[0] != now.shape[0] || shape[1] != now.shape[1] ||
      shape[3] != now.shape[3]) {
    call.fail("input {} has shape {}, which does not fit {}", i, to_string(shape),
              to_string(now.shape));
  }
  Heads all(shape[0], shape[1], shape[2] + now.shape[2], shape[3]);
  const auto strides = strides_of(shape);
  for_each_position(all.shape, [&](const Shape& p) {
    float& value = all.at(p[0], p[1], p[2], p[3]);
    if (p[2] >= shape[2]) {
      value = now.at(p[0], p[1], p[2] - shape[2], p[3]);
    } else {
      value = past->floats[static_cast<std::size_t>(p[0] * strides[0] + p[1] * strides[1] +
                                                    p[2] * strides[2] + p[3])];
    }
  });
  return all;
}

constexpr float usual_filter = -10000;

}  // namespace

void run_quantised_elements(Call& call) {
  const std::string& op = call.node.op_type;
  if (op == "QLinearAdd" || op == "QLinearMul") {
    const bool adds = op == "QLinearAdd";
    const Tensor result = call.combined(real_input(call, 0), real_input(call, 3),
                                        [adds](auto a, auto b) { return adds ? a + b : a * b; });
    return add_quantised(call, result, 6);
  }
  Tensor x = real_input(call, 0);
  if (op == "QLinearSigmoid") {
    for (float& value : x.floats) value = 1 / (1 + std::exp(-value));
  } else if (op == "QLinearLeakyRelu") {
    const float alpha = call.node.real("alpha", 0.01F);
    for (float& value : x.floats) value = value < 0 ? alpha * value : value;
  } else {
    if (call.node.integer("channels_last", 0) != 0) {
      call.fail("attribute \"channels_last\" must be 0");
    }
    x = of_standard(call, op == "QLinearAveragePool" ? "AveragePool" : "GlobalAveragePool", {&x},
                    {"channels_last"});
  }
  add_quantised(call, x, 3);
}

void run_quantised_softmax(Call& call) {
  const Tensor x = real_input(call, 0);
  add_quantised(call, of_standard(call, "Softmax", {&x}, {"opset"}), 3);
}

/// Scale and zero point of the result come first.
void run_quantised_concat(Call& call) {
  if (call.input_count() < 5 || (call.input_count() - 2) % 3 != 0) {
    call.fail("has {} inputs; allowed are a scale, a zero point, and tensors with both",
              call.input_count());
  }
  std::vector<Tensor> parts;
  for (std::size_t i = 2; i < call.input_count(); i += 3) parts.push_back(real_input(call, i));
  std::vector<const Tensor*> inputs;
  for (const Tensor& part : parts) inputs.push_back(&part);
  add_quantised(call, of_standard(call, "Concat", inputs), 0);
}

/// alpha * (A B + C), computed with integers; C has the scale of the product.
void run_quantised_gemm(Call& call) {
  const Tensor &a = call.input(0), &b = call.input(3), &scales = call.floats(4);
  const Tensor *zeros = call.optional(5), *c = call.optional(6);
  const bool turn_a = call.node.integer("transA", 0) != 0;
  const bool turn_b = call.node.integer("transB", 0) != 0;
  const bool matrices = a.shape.size() == 2 && b.shape.size() == 2;
  const std::int64_t k = matrices ? a.shape[turn_a ? 0 : 1] : 0;
  if (!matrices || b.shape[turn_b ? 1 : 0] != k) {
    call.fail("inputs {} and {} are no matrices that fit", to_string(a.shape), to_string(b.shape));
  }
  const std::int64_t m = a.shape[turn_a ? 1 : 0], n = b.shape[turn_b ? 0 : 1];
  const auto of_column = [&](const auto& list, std::int64_t column) {
    const auto count = static_cast<std::int64_t>(list.size());
    if (count != 1 && count != n) call.fail("{} scales or zero points for {} columns", count, n);
    return list[static_cast<std::size_t>(count == 1 ? 0 : column)];
  };
  if (c != nullptr && c->size() != 1 && c->size() != n && c->shape != Shape{m, n}) {
    call.fail("input 6 has shape {}; allowed are {} or {}", to_string(c->shape), to_string({n}),
              to_string({m, n}));
  }
  const std::int64_t zero = one_zero(call, 2);
  const float alpha = call.node.real("alpha", 1), scale = one_scale(call, 1);
  Tensor real = Tensor::zeros({m, n});
  for_each_position({m, n}, [&](const Shape& p) {
    std::int64_t sum = 0;
    const std::int64_t point = zeros == nullptr ? 0 : of_column(zeros->integers, p[1]);
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t left = turn_a ? i * m + p[0] : p[0] * k + i;
      const std::int64_t right = turn_b ? p[1] * k + i : i * n + p[1];
      sum += (a.integers[static_cast<std::size_t>(left)] - zero) *
             (b.integers[static_cast<std::size_t>(right)] - point);
    }
    if (c != nullptr) {
      const std::int64_t at = c->size() == 1 ? 0 : c->size() == n ? p[1] : p[0] * n + p[1];
      sum += c->integers[static_cast<std::size_t>(at)];
    }
    real.floats[static_cast<std::size_t>(p[0] * n + p[1])] =
        alpha * scale * of_column(scales.floats, p[1]) * static_cast<float>(sum);
  });
  if (call.optional(7) == nullptr) return call.results.push_back(std::move(real));
  add_quantised(call, real, 7);
}

void run_runtime_gelu(Call& call) {
  const std::string& op = call.node.op_type;
  Tensor x = call.floats(0);
  if (call.optional(1) != nullptr) x = sum_of(call, x, call.floats(1));
  if (op == "QuickGelu") {
    const auto alpha = static_cast<double>(call.node.real("alpha", 1.702F));
    return add_mapped(call, std::move(x), [=](double v) { return v / (1 + std::exp(-alpha * v)); });
  }
  add_mapped(call, std::move(x), op == "FastGelu" ? gelu_by_tanh : gelu_by_erf);
}

/// Layer normalisation of a sum, with or without mean. Inputs are x, skip, gamma and, with mean,
/// beta, and a bias of the sum.
void run_skip_normalization(Call& call) {
  const bool simple = call.node.op_type == "SkipSimplifiedLayerNormalization";
  Tensor sum = sum_of(call, call.floats(0), call.floats(1));
  const Tensor& gamma = call.floats(2);
  const Tensor* beta = simple ? nullptr : call.optional(3);
  if (const Tensor* bias = call.optional(simple ? 3 : 4)) sum = sum_of(call, sum, *bias);
  const std::int64_t width = sum.shape.empty() ? 0 : sum.shape.back();
  if (gamma.size() != width || (beta != nullptr && beta->size() != width)) {
    call.fail("gamma {} does not fit {}", to_string(gamma.shape), to_string(sum.shape));
  }
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-12F));
  Shape row_shape = sum.shape;
  row_shape.back() = 1;
  Tensor means = Tensor::zeros(row_shape), inverses = Tensor::zeros(row_shape), y = sum;
  for (std::size_t row = 0; row < means.floats.size(); ++row) {
    float* const values = y.floats.data() + static_cast<std::int64_t>(row) * width;
    double mean = 0, variance = 0;
    for (std::int64_t i = 0; !simple && i < width; ++i) mean += static_cast<double>(values[i]);
    mean /= static_cast<double>(width);
    for (std::int64_t i = 0; i < width; ++i) {
      variance += std::pow(static_cast<double>(values[i]) - mean, 2) / static_cast<double>(width);
    }
    const double inverse = 1 / std::sqrt(variance + epsilon);
    for (std::int64_t i = 0; i < width; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double shift = beta == nullptr ? 0 : static_cast<double>(beta->floats[k]);
      values[i] = static_cast<float>((static_cast<double>(values[i]) - mean) * inverse *
                                         static_cast<double>(gamma.floats[k]) +
                                     shift);
    }
    means.floats[row] = static_cast<float>(mean);
    inverses.floats[row] = static_cast<float>(inverse);
  }
  call.results = {std::move(y), std::move(means), std::move(inverses), std::move(sum)};
}

/// Like the standard's, with the rows of the angles chosen by positions: one for each row, or that
/// of the first.
void run_runtime_rotary(Call& call) {
  const Tensor& x = call.floats(0);
  const Tensor& given = call.input(1);
  const bool rows = x.shape.size() == 3;
  if (!rows && x.shape.size() != 4) {
    call.fail("input 0 has shape {}; allowed are 3 or 4 dimensions", to_string(x.shape));
  }
  const Shape wanted{x.shape[0], x.shape[rows ? 1 : 2]};
  Tensor positions = given;
  if (given.integers.size() == 1) {
    positions =
        Tensor::of(wanted, std::vector<std::int64_t>(static_cast<std::size_t>(call.count(wanted))));
    for (std::size_t i = 0; i < positions.integers.size(); ++i) {
      positions.integers[i] = given.integers[0] + static_cast<std::int64_t>(i) % wanted[1];
    }
  }
  Node node = call.node;
  node.domain.clear();
  node.inputs = {"x", "cosines", "sines", "positions"};
  call.results = run_node(node, call.opset, {&x, &call.floats(2), &call.floats(3), &positions});
}

/// Attention whose queries, keys and values are products of one input.
void run_runtime_attention(Call& call) {
  const Tensor &x = call.floats(0), &w = call.floats(1);
  const Tensor* bias = call.optional(2);
  const bool fits = x.shape.size() == 3 && w.shape.size() == 2 && w.shape[0] == x.shape[2] &&
                    w.shape[1] % 3 == 0 && (bias == nullptr || bias->size() == w.shape[1]);
  if (!fits) {
    call.fail("input {} and weights {} do not fit", to_string(x.shape), to_string(w.shape));
  }
  if (call.node.has("qkv_hidden_sizes") || call.node.integer("do_rotary", 0) != 0) {
    call.fail("attributes \"qkv_hidden_sizes\" and \"do_rotary\" are not supported");
  }
  Node product = call.node;
  product.domain.clear();
  product.op_type = "MatMul";
  product.inputs = {"x", "w"};
  product.attributes.clear();
  const Tensor rows = run_node(product, call.opset, {&x, &w}).front();
  const std::int64_t columns = w.shape[1] / 3, heads = heads_attribute(call, columns);
  const Heads q = heads_of(rows, heads, 0, columns, bias, 0);
  const Heads k = heads_of(rows, heads, columns, columns, bias, columns);
  const Heads v = heads_of(rows, heads, 2 * columns, columns, bias, 2 * columns);
  call.results.push_back(attended(
      call, q, k, v,
      {call.optional(3), call.optional(5), call.node.real("mask_filter_value", usual_filter),
       call.node.integer("unidirectional", 0) != 0, 0, scale_of(call, q.shape[3])}));
}

void run_multi_head_attention(Call& call) {
  const Tensor& rows = call.floats(0);
  if (rows.shape.size() != 3) {
    call.fail("input 0 has shape {}; allowed are rows of all heads", to_string(rows.shape));
  }
  const std::int64_t columns = rows.shape[2], heads = heads_attribute(call, columns);
  const Tensor* bias = call.optional(3);
  const Tensor& values = call.floats(2);
  const std::int64_t value_columns = values.shape.size() == 3 ? values.shape[2] : columns;
  if (bias != nullptr && bias->size() != 2 * columns + value_columns) {
    call.fail("input 3 has shape {}; allowed is {}", to_string(bias->shape),
              to_string({2 * columns + value_columns}));
  }
  const Heads q = heads_of(rows, heads, 0, columns, bias, 0);
  const Heads k = behind(call, 6, keys_of(call, 1, heads, bias, columns));
  const Heads v = behind(call, 7, keys_of(call, 2, heads, bias, 2 * columns));
  if (k.shape[0] != q.shape[0] || k.shape[1] != heads || k.shape[3] != q.shape[3] ||
      v.shape[2] != k.shape[2] || v.shape[1] != heads || v.shape[0] != q.shape[0]) {
    call.fail("queries {}, keys {} and values {} do not fit", to_string(q.shape),
              to_string(k.shape), to_string(v.shape));
  }
  const Tensor* past = call.optional(6);
  call.results.push_back(attended(
      call, q, k, v,
      {call.optional(4), call.optional(5), call.node.real("mask_filter_value", usual_filter),
       call.node.integer("unidirectional", 0) != 0, past == nullptr ? 0 : past->shape[2],
       scale_of(call, q.shape[3])}));
  call.results.push_back(Tensor::of(k.shape, k.data));
  call.results.push_back(Tensor::of(v.shape, v.data));
}

}  // namespace tactus::nn
