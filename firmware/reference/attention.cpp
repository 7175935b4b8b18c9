// Attention and rotary embeddings, as ONNX defines them from operator set 23 on.
#include <cmath>
#include <limits>

#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Queries, keys or values as B N S H (batch, heads, sequence, width). Given as B S N*H, they have
/// as many heads as the attribute says, or as `implied`.
Tensor in_heads(const Call& call, std::size_t input, const char* heads_attribute,
                std::int64_t implied = 0) {
  const Tensor& x = call.floats(input);
  if (x.shape.size() == 4) return x;
  std::int64_t heads = call.node.integer(heads_attribute, 0);
  if (heads == 0) heads = implied;
  if (x.shape.size() != 3 || heads < 1 || x.shape[2] % heads != 0) {
    call.fail(
        "input {} has shape {} and attribute {} is {}; allowed are 3 or 4 dimensions, of 3 "
        "the last a multiple of the heads",
        input, to_string(x.shape), heads_attribute, heads);
  }
  const std::int64_t batch = x.shape[0], length = x.shape[1], width = x.shape[2] / heads;
  Tensor result = Tensor::zeros({batch, heads, length, width});
  std::size_t from = 0;
  for_each_position({batch, length, heads, width}, [&](const Shape& at) {
    const std::int64_t to = ((at[0] * heads + at[2]) * length + at[1]) * width + at[3];
    result.floats[static_cast<std::size_t>(to)] = x.floats[from++];
  });
  return result;
}

/// Past keys or values, and the ones that come behind them.
Tensor behind_past(const Call& call, std::size_t input, Tensor x) {
  const Tensor* past = call.optional(input);
  if (past == nullptr) return x;
  const Shape& shape = x.shape;
  if (past->shape.size() != 4 || past->shape[0] != shape[0] || past->shape[1] != shape[1] ||
      past->shape[3] != shape[3]) {
    call.fail("input {} has shape {}, which does not fit {}", input, to_string(past->shape),
              to_string(shape));
  }
  Tensor result;
  result.shape = shape;
  result.shape[2] += past->shape[2];
  for (std::int64_t head = 0; head < shape[0] * shape[1]; ++head) {
    for (const Tensor* part : {past, static_cast<const Tensor*>(&x)}) {
      const std::int64_t size = part->shape[2] * part->shape[3];
      const auto first = part->floats.begin() + head * size;
      result.floats.insert(result.floats.end(), first, first + size);
    }
  }
  return result;
}

/// What is added to the scores, in the shape B N S T: minus infinity where a query does not attend
/// to a key.
Tensor bias_of(const Call& call, const Shape& shape, std::int64_t past) {
  Tensor bias = Tensor::zeros(shape);
  const Tensor* lengths = call.optional(6);
  if (lengths != nullptr && lengths->integers.size() != static_cast<std::size_t>(shape[0])) {
    call.fail("input 6 has shape {}; allowed is a length for each of {} batches",
              to_string(lengths->shape), shape[0]);
  }
  const bool causal = call.node.integer("is_causal", 0) != 0;
  const std::int64_t left = call.node.integer("left_window_size", -1);
  const std::int64_t right = call.node.integer("right_window_size", -1);
  std::size_t next = 0;
  for_each_position(shape, [&](const Shape& at) {
    const std::int64_t length =
        lengths == nullptr ? shape[3] : lengths->integers[static_cast<std::size_t>(at[0])];
    const std::int64_t position = at[2] + (lengths == nullptr ? past : length - shape[2]);
    const bool attends = at[3] < length && (!causal || at[3] <= position) &&
                         (left < 0 || at[3] >= position - left) &&
                         (right < 0 || at[3] <= position + right);
    bias.floats[next++] = attends ? 0 : -infinity;
  });
  const Tensor* mask = call.optional(3);
  if (mask == nullptr) return bias;
  const bool shorter =
      !mask->shape.empty() && mask->shape.back() != 1 && mask->shape.back() < shape[3];
  Shape covered = shape;
  if (shorter) covered[3] = mask->shape.back();
  if (broadcast_shape(call, mask->shape, covered) != covered) {
    call.fail("the mask has shape {}, which does not fit {}", to_string(mask->shape),
              to_string(shape));
  }
  const std::vector<std::int64_t> strides = broadcast_strides(mask->shape, covered);
  next = 0;
  for_each_position(shape, [&](const Shape& at) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < 4; ++d) from += at[d] * strides[d];
    float& value = bias.floats[next++];
    if (at[3] >= covered[3]) {
      value = -infinity;
    } else if (mask->type == ElementType::float32) {
      value += mask->floats[static_cast<std::size_t>(from)];
    } else if (mask->integers[static_cast<std::size_t>(from)] == 0) {
      value = -infinity;
    }
  });
  return bias;
}

/// Softmax of each row; zeroes where a query attends to nothing.
void soften(Tensor& scores, const Tensor& bias) {
  const std::int64_t keys = scores.shape[3];
  for (std::int64_t first = 0; first < scores.size(); first += keys) {
    float* row = scores.floats.data() + first;
    const float* added = bias.floats.data() + first;
    float largest = -infinity;
    bool attends = false;
    for (std::int64_t k = 0; k < keys; ++k) {
      largest = std::max(largest, row[k]);
      attends = attends || added[k] != -infinity;
    }
    double sum = 0;
    for (std::int64_t k = 0; k < keys; ++k) {
      row[k] = attends ? std::exp(row[k] - largest) : 0;
      sum += static_cast<double>(row[k]);
    }
    for (std::int64_t k = 0; attends && k < keys; ++k) row[k] /= static_cast<float>(sum);
  }
}

/// The product of rows of `left` with rows (`turned`) or columns of `right`, head by head. Several
/// heads of `left` may share one of `right`.
Tensor product(const Tensor& left, const Tensor& right, bool turned) {
  const std::int64_t heads = left.shape[1], share = heads / right.shape[1];
  const std::int64_t rows = left.shape[2], inner = left.shape[3];
  const std::int64_t columns = turned ? right.shape[2] : right.shape[3];
  Tensor result = Tensor::zeros({left.shape[0], heads, rows, columns});
  std::size_t next = 0;
  for_each_position(result.shape, [&](const Shape& at) {
    const std::int64_t a = ((at[0] * heads + at[1]) * rows + at[2]) * inner;
    const std::int64_t b = (at[0] * right.shape[1] + at[1] / share) * inner * columns;
    double sum = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      const std::int64_t place = turned ? at[3] * inner + k : k * columns + at[3];
      sum += static_cast<double>(left.floats[static_cast<std::size_t>(a + k)]) *
             static_cast<double>(right.floats[static_cast<std::size_t>(b + place)]);
    }
    result.floats[next++] = static_cast<float>(sum);
  });
  return result;
}

}  // namespace

void run_attention(Call& call) {
  const Tensor q = in_heads(call, 0, "q_num_heads");
  const Tensor k = behind_past(call, 4, in_heads(call, 1, "kv_num_heads"));
  const Tensor v = behind_past(call, 5, in_heads(call, 2, "kv_num_heads"));
  const bool fits = q.shape[0] == k.shape[0] && q.shape[3] == k.shape[3] &&
                    k.shape[0] == v.shape[0] && k.shape[1] == v.shape[1] &&
                    k.shape[2] == v.shape[2] && q.shape[1] % k.shape[1] == 0;
  if (!fits) {
    call.fail("queries {}, keys {} and values {} do not fit", to_string(q.shape),
              to_string(k.shape), to_string(v.shape));
  }
  const float scale = call.node.real("scale", 1 / std::sqrt(static_cast<float>(q.shape[3])));
  const float cap = call.node.real("softcap", 0);
  const std::int64_t mode = call.node.integer("qk_matmul_output_mode", 0);
  const Tensor* past = call.optional(4);
  Tensor scores = product(q, k, true);
  for (float& value : scores.floats) value *= scale;
  Tensor shown = scores;
  for (float& value : scores.floats) value = cap > 0 ? cap * std::tanh(value / cap) : value;
  if (mode == 1) shown = scores;
  const Tensor bias = bias_of(call, scores.shape, past == nullptr ? 0 : past->shape[2]);
  for (std::size_t i = 0; i < scores.floats.size(); ++i) scores.floats[i] += bias.floats[i];
  if (mode == 2) shown = scores;
  soften(scores, bias);
  if (mode == 3) shown = scores;
  Tensor y = product(scores, v, false);
  if (call.input(0).shape.size() == 3) {
    const std::int64_t heads = y.shape[1], length = y.shape[2], width = y.shape[3];
    Tensor rows = Tensor::zeros({y.shape[0], length, heads * width});
    std::size_t from = 0;
    for_each_position(y.shape, [&](const Shape& at) {
      const std::int64_t to = ((at[0] * length + at[2]) * heads + at[1]) * width + at[3];
      rows.floats[static_cast<std::size_t>(to)] = y.floats[from++];
    });
    y = std::move(rows);
  }
  call.results = {std::move(y), k, v, std::move(shown)};
}

void run_rotary_embedding(Call& call) {
  const Tensor& given = call.floats(0);
  const bool rows = given.shape.size() == 3;
  const Tensor& cosines = call.floats(1);
  // ONNX Runtime leaves the heads out where whole heads are turned.
  const std::int64_t head = cosines.shape.empty() ? 0 : 2 * cosines.shape.back();
  const Tensor x = in_heads(call, 0, "num_heads", rows && head > 0 ? given.shape[2] / head : 0);
  const std::int64_t length = x.shape[2], width = x.shape[3];
  std::int64_t turned = call.node.integer("rotary_embedding_dim", 0);
  if (turned == 0) turned = width;
  const Tensor& sines = call.floats(2);
  const Tensor* positions = call.optional(3);
  const Shape wanted{x.shape[0], length, turned / 2};
  const bool fits =
      turned % 2 == 0 && turned <= width && cosines.shape == sines.shape &&
      (positions == nullptr ? cosines.shape == wanted
                            : cosines.shape.size() == 2 && cosines.shape[1] == turned / 2 &&
                                  positions->shape == Shape{x.shape[0], length});
  if (!fits) {
    call.fail("input {}, cosines {} and sines {} do not fit", to_string(given.shape),
              to_string(cosines.shape), to_string(sines.shape));
  }
  const bool neighbours = call.node.integer("interleaved", 0) != 0;
  Tensor result = given;
  for_each_position({x.shape[0], x.shape[1], length, turned / 2}, [&](const Shape& at) {
    std::int64_t row = at[0] * length + at[2];
    if (positions != nullptr) {
      row = positions->integers[static_cast<std::size_t>(row)];
      if (row < 0) row += cosines.shape[0];
      if (row < 0 || row >= cosines.shape[0]) {
        call.fail("position {} is outside {} rows", row, cosines.shape[0]);
      }
    }
    const auto angle = static_cast<std::size_t>(row * (turned / 2) + at[3]);
    const std::int64_t from = ((at[0] * x.shape[1] + at[1]) * length + at[2]) * width;
    const std::int64_t to = rows ? ((at[0] * length + at[2]) * x.shape[1] + at[1]) * width : from;
    const std::int64_t one = neighbours ? 2 * at[3] : at[3];
    const std::int64_t two = neighbours ? one + 1 : one + turned / 2;
    const float a = x.floats[static_cast<std::size_t>(from + one)];
    const float b = x.floats[static_cast<std::size_t>(from + two)];
    result.floats[static_cast<std::size_t>(to + one)] =
        cosines.floats[angle] * a - sines.floats[angle] * b;
    result.floats[static_cast<std::size_t>(to + two)] =
        sines.floats[angle] * a + cosines.floats[angle] * b;
  });
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
