// Attention and RotaryEmbedding, written as the products, sums and Softmax that they are.
#include <algorithm>
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/reference/reference.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// A value of shape B N S H: batch, heads, sequence, width of a head.
struct InHeads {
  std::string name;
  nn::Shape shape;
};

const nn::Shape* shape_of_operand(const Planner& p, std::size_t input) {
  const Value* value = p.value(input);
  if (value == nullptr) return nullptr;
  return value->constant != nullptr ? &value->constant->shape : &value->layout->shape;
}

/// An operand of shape B N S H, or B S N*H with its number of heads in an attribute.
std::optional<InHeads> in_heads(Planner& p, Expansion& e, std::size_t input,
                                const char* heads_attribute) {
  const nn::Shape* shape = shape_of_operand(p, input);
  if (shape == nullptr) return std::nullopt;
  const std::string& name = p.node.inputs[input];
  if (shape->size() == 4) return InHeads{name, *shape};
  const std::int64_t heads = p.node.integer(heads_attribute, 0);
  if (shape->size() != 3 || heads < 1 || shape->back() % heads != 0) {
    p.problem(
        "input {} ({}) has shape {} and attribute {} is {}; supported are 4 dimensions, or 3 with "
        "the last a multiple of the heads",
        input, quote(name), nn::to_string(*shape), heads_attribute, heads);
    return std::nullopt;
  }
  const nn::Shape split{(*shape)[0], (*shape)[1], heads, shape->back() / heads};
  const std::string reshaped = e.node("Reshape", {name, e.constant(split)});
  return InHeads{e.node("Transpose", {reshaped}, {{"perm", nn::Shape{0, 2, 1, 3}}}),
                 {split[0], split[2], split[1], split[3]}};
}

/// Whether a value is made of truth values, which are 0 and 1 in the program.
bool holds_truth(const Planner& p, const std::string& name, unsigned depth = 0) {
  constexpr unsigned deepest = 32;
  const auto found = p.model().values.find(name);
  if (found != p.model().values.end()) {
    const nn::Tensor* known =
        found->second.constant ? found->second.constant.get() : found->second.sample.get();
    if (known != nullptr) return known->type == nn::ElementType::int64;
  }
  const nn::Node* node = p.model().graph->producer(name);
  if (node == nullptr || node->inputs.empty() || depth == deepest) return false;
  if (node->op_type == "Cast") return node->integer("to") == nn::onnx_bool;
  for (const char* type :
       {"And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Not", "Or", "Xor"}) {
    if (node->op_type == type) return true;
  }
  return holds_truth(p, node->inputs[node->op_type == "Where" ? 1 : 0], depth + 1);
}

class AttentionNodes {
 public:
  AttentionNodes(Planner& p, Expansion& e)
      : p_(p),
        e_(e),
        lowest_(static_cast<float>(
            to_real(p.architecture().data_type, info(p.architecture().data_type).min()))),
        causal_(p.node.integer("is_causal", 0) != 0),
        left_(p.node.integer("left_window_size", -1)),
        right_(p.node.integer("right_window_size", -1)) {}

  void write();

 private:
  [[nodiscard]] bool check_shapes();
  /// Keys or values behind those of the past, which are an output if one is asked for.
  void append_to_past(InHeads& x, std::size_t past, std::size_t present);
  /// Heads that several heads of the queries share are repeated.
  [[nodiscard]] std::string for_queries(const InHeads& x);
  [[nodiscard]] std::string scores();
  /// Adds what keeps queries from keys.
  [[nodiscard]] std::string masked(const std::string& scores);
  /// What attributes, constant masks and lengths keep apart; no shape: nothing.
  [[nodiscard]] nn::Tensor constant_bias();
  [[nodiscard]] bool attends(const nn::Shape& at) const;
  /// The mask that is computed at run time, as numbers to be added.
  [[nodiscard]] std::string computed_bias();
  /// The optional output of scores, if `mode` is the one that is asked for.
  void show(std::int64_t mode, const std::string& scores);

  Planner& p_;
  Expansion& e_;
  const float lowest_;  ///< end of the data type's range, in the place of minus infinity
  const bool causal_;
  const std::int64_t left_, right_;      ///< windows; negative: none
  const nn::Tensor* lengths_ = nullptr;  ///< of the sequences; null: all are whole
  InHeads q_, k_, v_;
  std::int64_t past_ = 0;  ///< length of the past
};

bool AttentionNodes::check_shapes() {
  const bool fits = q_.shape[0] == k_.shape[0] && q_.shape[3] == k_.shape[3] &&
                    k_.shape[0] == v_.shape[0] && k_.shape[1] == v_.shape[1] &&
                    k_.shape[2] == v_.shape[2] && q_.shape[1] % k_.shape[1] == 0;
  if (!fits) {
    p_.problem(
        "queries, keys and values have shapes {}, {} and {} (batch, heads, sequence, width), which "
        "do not fit",
        nn::to_string(q_.shape), nn::to_string(k_.shape), nn::to_string(v_.shape));
  }
  if (p_.node.real("softcap", 0) < 0) {
    p_.problem("attribute softcap is {:g}; supported are 0 and more", p_.node.real("softcap"));
  }
  const std::int64_t mode = p_.node.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) {
    p_.problem("attribute qk_matmul_output_mode is {}; supported are 0 to 3", mode);
  }
  if (p_.given(6) && (p_.given(4) || p_.given(5))) {
    p_.problem("has both a past and lengths of sequences (inputs 4 and 6); supported is one");
  }
  if (p_.given(4) != p_.given(5)) {
    p_.problem("has only one of past keys and past values (inputs 4 and 5); supported are both");
  }
  return !p_.failed();
}

void AttentionNodes::append_to_past(InHeads& x, std::size_t past, std::size_t present) {
  const bool shown = p_.output_given(present);
  if (!p_.given(past)) {
    if (shown) e_.result(present, "Identity", {x.name});
    return;
  }
  const nn::Shape* shape = shape_of_operand(p_, past);
  if (shape == nullptr || shape->size() != 4) {
    p_.problem("input {} has another shape than 4 dimensions", past);
    return;
  }
  past_ = (*shape)[2];
  const Expansion::Inputs parts{p_.node.inputs[past], x.name};
  const Expansion::Attributes along{{"axis", std::int64_t{2}}};
  if (shown) e_.result(present, "Concat", parts, along);
  x.name = shown ? p_.node.outputs[present] : e_.node("Concat", parts, along);
  x.shape[2] += past_;
}

std::string AttentionNodes::for_queries(const InHeads& x) {
  if (x.shape[1] == q_.shape[1]) return x.name;
  nn::Shape heads;
  for (std::int64_t head = 0; head < q_.shape[1]; ++head) {
    heads.push_back(head / (q_.shape[1] / x.shape[1]));
  }
  return e_.node("Gather", {x.name, e_.constant(heads)}, {{"axis", std::int64_t{1}}});
}

/// Each factor has a root of the scale, so that products stay in the range of the scores.
std::string AttentionNodes::scores() {
  const float scale = p_.node.real("scale", 1 / std::sqrt(static_cast<float>(q_.shape[3])));
  const float root = std::sqrt(std::abs(scale));
  std::string q = q_.name, k = for_queries(k_);
  if (scale != 1) {
    q = e_.node("Mul", {q, e_.constant(scale < 0 ? -root : root)});
    k = e_.node("Mul", {k, e_.constant(root)});
  }
  const std::string turned = e_.node("Transpose", {k}, {{"perm", nn::Shape{0, 1, 3, 2}}});
  return e_.node("MatMul", {q, turned});
}

bool AttentionNodes::attends(const nn::Shape& at) const {
  const std::int64_t query = at[2], key = at[3];
  const std::int64_t length =
      lengths_ == nullptr ? k_.shape[2] : lengths_->integers[static_cast<std::size_t>(at[0])];
  const std::int64_t position = query + (lengths_ == nullptr ? past_ : length - q_.shape[2]);
  return key < length && (!causal_ || key <= position) && (left_ < 0 || key >= position - left_) &&
         (right_ < 0 || key <= position + right_);
}

nn::Tensor AttentionNodes::constant_bias() {
  const nn::Tensor* mask = p_.given(3) ? p_.constant(3) : nullptr;
  const bool restricted = causal_ || lengths_ != nullptr || left_ >= 0 || right_ >= 0;
  nn::Tensor bias;
  if (!restricted && mask == nullptr) return bias;
  nn::Shape own{1, 1, q_.shape[2], k_.shape[2]}, of_mask(4, 1);
  if (lengths_ != nullptr) own[0] = q_.shape[0];
  if (mask != nullptr) {
    std::copy(mask->shape.begin(), mask->shape.end(),
              of_mask.end() - static_cast<std::ptrdiff_t>(mask->shape.size()));
    for (std::size_t d = 0; d < 2; ++d) own[d] = std::max(own[d], of_mask[d]);
  }
  bias = nn::Tensor::zeros(own);
  std::vector<std::int64_t> strides = strides_of(of_mask);
  for (std::size_t d = 0; d < 4; ++d) {
    if (of_mask[d] == 1) strides[d] = 0;
  }
  nn::Shape at(4, 0);
  bool alone = true;  // the row has met no key so far
  for (float& value : bias.floats) {
    bool open = attends(at);
    if (mask != nullptr && at[3] >= of_mask[3]) open = false;
    if (open && mask != nullptr) {
      std::size_t from = 0;
      for (std::size_t d = 0; d < 4; ++d) from += static_cast<std::size_t>(at[d] * strides[d]);
      if (mask->type == nn::ElementType::float32) {
        value = std::max(mask->floats[from], lowest_);
        open = value > lowest_;
      } else {
        open = mask->integers[from] != 0;
      }
    }
    if (!open) value = lowest_;
    alone = (alone || at[3] == 0) && !open;
    if (alone && at[3] + 1 == own[3]) {
      p_.problem("query {} attends to no key; supported are masks that leave each query one",
                 at[2]);
      return bias;
    }
    (void)next_position(at, own);
  }
  return bias;
}

std::string AttentionNodes::computed_bias() {
  std::string bias = p_.node.inputs[3];
  const nn::Shape& shape = p_.value(3)->layout->shape;
  if (holds_truth(p_, bias)) {
    bias = e_.node("Mul", {e_.node("Sub", {bias, e_.constant(1.0F)}), e_.constant(-lowest_)});
  }
  const std::int64_t missing = k_.shape[2] - shape.back();
  if (missing == 0) return bias;
  nn::Shape pads(2 * shape.size(), 0);
  pads.back() = missing;
  return e_.node("Pad", {bias, e_.constant(pads), e_.constant(lowest_)});
}

std::string AttentionNodes::masked(const std::string& scores) {
  std::string sum = scores;
  if (p_.given(3)) {
    const nn::Shape* shape = shape_of_operand(p_, 3);
    if (shape == nullptr) return sum;
    const nn::Shape all{q_.shape[0], q_.shape[1], q_.shape[2], k_.shape[2]};
    bool fits = !shape->empty() && shape->size() <= 4 && shape->back() <= all[3] &&
                (shape->back() == all[3] || (shape->back() > 1 && p_.opset() > 10));
    for (std::size_t d = 1; fits && d < shape->size(); ++d) {
      const std::int64_t size = (*shape)[shape->size() - 1 - d];
      fits = size == 1 || size == all[3 - d];
    }
    if (!fits) {
      p_.problem(
          "the mask (input 3) has shape {}; supported are those that broadcast to {}, with a "
          "column for each key",
          nn::to_string(*shape), nn::to_string(all));
      return sum;
    }
  }
  if (p_.given(6)) {
    lengths_ = p_.need_constant(6, "the lengths (nonpad_kv_seqlen)", nn::ElementType::int64);
    if (lengths_ == nullptr) return sum;
    if (lengths_->size() != q_.shape[0]) {
      p_.problem("input 6 has shape {}; supported is a length for each of {} batches",
                 nn::to_string(lengths_->shape), q_.shape[0]);
      return sum;
    }
  }
  nn::Tensor bias = constant_bias();
  if (!bias.shape.empty()) sum = e_.node("Add", {sum, e_.constant(std::move(bias))});
  if (p_.given(3) && p_.constant(3) == nullptr) sum = e_.node("Add", {sum, computed_bias()});
  return sum;
}

void AttentionNodes::show(std::int64_t mode, const std::string& scores) {
  if (p_.output_given(3) && p_.node.integer("qk_matmul_output_mode", 0) == mode) {
    e_.result(3, "Identity", {scores});
  }
}

void AttentionNodes::write() {
  const auto q = in_heads(p_, e_, 0, "q_num_heads");
  const auto k = in_heads(p_, e_, 1, "kv_num_heads");
  const auto v = in_heads(p_, e_, 2, "kv_num_heads");
  if (!q || !k || !v) return;
  q_ = *q;
  k_ = *k;
  v_ = *v;
  if (!check_shapes()) return;
  append_to_past(k_, 4, 1);
  append_to_past(v_, 5, 2);
  std::string weights = scores();
  show(0, weights);
  if (const float cap = p_.node.real("softcap", 0); cap > 0) {
    const std::string share = e_.node("Mul", {weights, e_.constant(1 / cap)});
    weights = e_.node("Mul", {e_.node("Tanh", {share}), e_.constant(cap)});
  }
  show(1, weights);
  weights = masked(weights);
  show(2, weights);
  weights = e_.node("Softmax", {weights}, {{"axis", std::int64_t{3}}});
  show(3, weights);
  const Expansion::Inputs factors{weights, for_queries(v_)};
  if (shape_of_operand(p_, 0)->size() == 4) {
    e_.last("MatMul", factors);
    return;
  }
  const std::string rows =
      e_.node("Transpose", {e_.node("MatMul", factors)}, {{"perm", nn::Shape{0, 2, 1, 3}}});
  e_.last("Reshape",
          {rows, e_.constant(nn::Shape{q_.shape[0], q_.shape[2], q_.shape[1] * v_.shape[3]})});
}

bool expand_attention(Planner& p, Expansion& e) {
  AttentionNodes(p, e).write();
  return true;
}

// ---- RotaryEmbedding ----------------------------------------------------------------------------

/// A row of heads, whose first `turned` elements are turned pair by pair.
struct Turning {
  std::int64_t heads, width, turned;
  bool neighbours;  ///< pairs are 2k and 2k + 1, else k and k + turned / 2

  [[nodiscard]] std::int64_t pair(std::int64_t at) const {
    return neighbours ? at / 2 : at % (turned / 2);
  }
  [[nodiscard]] bool first_of_pair(std::int64_t at) const {
    return neighbours ? at % 2 == 0 : at < turned / 2;
  }
  /// Calls visit(element of the row, element of the head) for each.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::int64_t at = 0; at < heads * width; ++at) visit(at, at % width);
  }
};

/// The factor of each element of a row: a cosine or sine of its pair, and `rest` where nothing is
/// turned. `rank` is that of the operand.
std::string spread_angles(Planner& p, Expansion& e, std::size_t input, const Turning& turning,
                          float rest, std::size_t rank) {
  const std::int64_t row = turning.heads * turning.width, half = turning.turned / 2;
  if (const nn::Tensor* given = p.constant(input)) {
    nn::Shape shape = given->shape;
    shape.back() = row;
    if (rank == 4) shape.insert(shape.begin() + 1, 1);
    nn::Tensor all = nn::Tensor::zeros(shape);
    for (std::size_t i = 0; i < all.floats.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const std::int64_t at = place % row % turning.width;
      all.floats[i] =
          at < turning.turned
              ? given->floats[static_cast<std::size_t>(place / row * half + turning.pair(at))]
              : rest;
    }
    return e.constant(std::move(all));
  }
  nn::Tensor places = nn::Tensor::zeros({half, row}), rests = nn::Tensor::zeros({row});
  turning.for_each([&](std::int64_t column, std::int64_t at) {
    if (at < turning.turned) {
      places.floats[static_cast<std::size_t>(turning.pair(at) * row + column)] = 1;
    } else {
      rests.floats[static_cast<std::size_t>(column)] = rest;
    }
  });
  std::string all = e.node("MatMul", {p.node.inputs[input], e.constant(std::move(places))},
                           {{moves_only, std::int64_t{1}}});
  if (rest != 0 && turning.turned != turning.width) {
    all = e.node("Add", {all, e.constant(std::move(rests))});
  }
  return rank == 4 ? e.node("Unsqueeze", {all}, {{"axes", nn::Shape{1}}}) : all;
}

/// x cos + x' sin, where x' has the other element of each pair, the first ones negative: a product
/// with a matrix of ones and zeroes.
bool expand_rotary(Planner& p, Expansion& e) {
  const nn::Shape* x = shape_of_operand(p, 0);
  const nn::Shape *cosines = shape_of_operand(p, 1), *sines = shape_of_operand(p, 2);
  if (x == nullptr || cosines == nullptr || sines == nullptr) return true;
  if (p.given(3)) {
    p.problem("has positions (input 3) here; supported are models from files, or a Gather before");
    return true;
  }
  Turning turning{1, x->back(), 0, p.node.integer("interleaved", 0) != 0};
  if (x->size() == 3) {
    turning.heads = p.node.integer("num_heads", 0);
    // ONNX Runtime leaves them out where whole heads are turned.
    const std::int64_t head = cosines->empty() ? 0 : 2 * cosines->back();
    if (turning.heads == 0 && head > 0) turning.heads = x->back() / head;
    if (turning.heads > 0 && x->back() % turning.heads == 0) turning.width /= turning.heads;
  }
  turning.turned = p.node.integer("rotary_embedding_dim", 0);
  if (turning.turned == 0) turning.turned = turning.width;
  const std::int64_t length = (*x)[x->size() == 4 ? 2 : 1];
  const nn::Shape wanted{x->front(), length, turning.turned / 2};
  const bool fits = (x->size() == 3 || x->size() == 4) &&
                    turning.heads * turning.width == x->back() && turning.turned > 0 &&
                    turning.turned % 2 == 0 && turning.turned <= turning.width &&
                    *cosines == wanted && *sines == wanted;
  if (!fits) {
    p.problem(
        "input {}, cosines {} and sines {} do not fit num_heads {} and rotary_embedding_dim {}; "
        "supported are cosines and sines of shape {}",
        nn::to_string(*x), nn::to_string(*cosines), nn::to_string(*sines),
        p.node.integer("num_heads", 0), turning.turned, nn::to_string(wanted));
    return true;
  }
  const std::int64_t row = x->back();
  nn::Tensor others = nn::Tensor::zeros({row, row});
  turning.for_each([&](std::int64_t column, std::int64_t at) {
    if (at >= turning.turned) return;
    const std::int64_t distance = turning.neighbours ? 1 : turning.turned / 2;
    const bool first = turning.first_of_pair(at);
    const std::int64_t from = column + (first ? distance : -distance);
    others.floats[static_cast<std::size_t>(from * row + column)] = first ? -1.0F : 1.0F;
  });
  const std::string other = e.node("MatMul", {p.node.inputs[0], e.constant(std::move(others))},
                                   {{moves_only, std::int64_t{1}}});
  const std::string straight =
      e.node("Mul", {p.node.inputs[0], spread_angles(p, e, 1, turning, 1, x->size())});
  const std::string across = e.node("Mul", {other, spread_angles(p, e, 2, turning, 0, x->size())});
  e.last("Add", {straight, across});
  return true;
}

}  // namespace

Operators attention_operators() {
  return {{"Attention", has_inner_products | wants_rows, Role::simple, nullptr, nullptr,
           expand_attention},
          {"RotaryEmbedding", has_inner_products | wants_rows, Role::simple, nullptr, nullptr,
           expand_rotary}};
}

}  // namespace tactus::compiler
