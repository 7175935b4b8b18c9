// RNN, GRU and LSTM, unrolled: every step of the sequence gets nodes of its own.
//
// The inputs of all steps and both directions are multiplied by W at once; each step multiplies the
// state by R and adds its rows of that product. Gates begin at whole vectors for any hidden size,
// so that splitting them needs no code.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/reference/reference.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// An activation function: its operator (Affine and ScaledTanh are special) and its parameters, if
/// it has any.
struct GateFunction {
  std::string op;
  std::optional<float> alpha, beta;
};

/// Activation functions by names in lower case, with default parameters.
const std::map<std::string, GateFunction>& gate_functions() {
  static const std::map<std::string, GateFunction> all{
      {"affine", {"Affine", 1.0F, 0.0F}},
      {"elu", {"Elu", 1.0F, {}}},
      {"hardsigmoid", {"HardSigmoid", 0.2F, 0.5F}},
      {"leakyrelu", {"LeakyRelu", 0.01F, {}}},
      {"relu", {"Relu", {}, {}}},
      {"scaledtanh", {"ScaledTanh", 1.0F, 1.0F}},
      {"sigmoid", {"Sigmoid", {}, {}}},
      {"softplus", {"Softplus", {}, {}}},
      {"softsign", {"Softsign", {}, {}}},
      {"tanh", {"Tanh", {}, {}}},
  };
  return all;
}

/// Activation functions of all directions. The lists of alphas and betas have values for the
/// functions with such parameters, in order.
std::vector<GateFunction> gate_functions_of(Planner& p, const std::vector<std::string>& names) {
  const std::vector<float> alphas = p.node.reals("activation_alpha", {});
  const std::vector<float> betas = p.node.reals("activation_beta", {});
  std::size_t alpha = 0, beta = 0;
  const auto take = [](const std::vector<float>& list, std::size_t& next, float fallback) {
    return next < list.size() ? list[next++] : fallback;
  };
  std::vector<GateFunction> functions;
  for (std::string name : names) {
    for (char& letter : name) {
      letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    const auto found = gate_functions().find(name);
    if (found == gate_functions().end()) {
      std::vector<std::string_view> known;
      for (const auto& [key, f] : gate_functions()) known.emplace_back(f.op);
      p.problem("activation {} is not supported; supported are {}", quote(name), quote_list(known));
      return {};
    }
    GateFunction function = found->second;
    if (function.alpha) function.alpha = take(alphas, alpha, *function.alpha);
    if (function.beta) function.beta = take(betas, beta, *function.beta);
    functions.push_back(std::move(function));
  }
  return functions;
}

/// The operands of one of the three operators, and the nodes of a step that all have.
class Unrolling {
 public:
  Unrolling(Planner& p, Expansion& e, std::int64_t gates) : p_(p), e_(e), gates_(gates) {}

  /// Reads and checks the node. Returns false if something is wrong or unknown. `defaults`:
  /// functions of one direction.
  [[nodiscard]] bool read(const std::vector<std::string>& defaults);
  /// Calls step(d, t) for every step, each direction in its own order, and makes the outputs.
  /// states[d] has h, and c if there is one, after the last step.
  template <typename Step>
  void run(Step&& step);
  /// Computes W x + b for all steps. `own_bias`: a gate for which the bias of the state is left
  /// out.
  void multiply_inputs(std::optional<std::int64_t> own_bias);

  /// Values of `count` gates from `first` on before their activation functions, clipped. An empty
  /// `h` is zero.
  [[nodiscard]] std::string before(std::int64_t d, std::int64_t t, std::int64_t first,
                                   std::int64_t count, const std::string& h);
  [[nodiscard]] std::string inputs_of(std::int64_t d, std::int64_t t, std::int64_t first,
                                      std::int64_t count);
  /// R h of gates, plus their bias if `biased`.
  [[nodiscard]] std::string from_state(std::int64_t d, std::int64_t first, std::int64_t count,
                                       const std::string& h, bool biased = false);
  [[nodiscard]] std::string clipped_gate(const std::string& x);
  [[nodiscard]] std::string function(std::int64_t d, std::size_t which, const std::string& x);
  /// Gate `k` of a value that holds several.
  [[nodiscard]] std::string gate(const std::string& value, std::int64_t k);
  /// A row of H constants, from element `at` of a tensor on.
  [[nodiscard]] std::string row(const nn::Tensor& tensor, std::int64_t at);
  /// A gate with its activation function and peephole weights.
  [[nodiscard]] std::string peephole_gate(std::int64_t d, std::int64_t t, std::int64_t which,
                                          const std::string& cell);
  [[nodiscard]] bool has_peepholes() const { return peepholes_ != nullptr; }
  [[nodiscard]] std::string sum(const std::string& a, const std::string& b);
  [[nodiscard]] std::string product(const std::string& a, const std::string& b);
  [[nodiscard]] std::string one_minus(const std::string& x);

  struct State {
    std::string h, c;  ///< empty: zero
  };
  State& state(std::int64_t d) { return states_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] const nn::Tensor* bias() const { return bias_; }
  [[nodiscard]] std::int64_t hidden() const { return hidden_; }

 private:
  [[nodiscard]] const nn::Tensor* weights(std::size_t i, const nn::Shape& shape, const char* what);
  [[nodiscard]] bool read_shapes();
  [[nodiscard]] bool read_lengths();
  [[nodiscard]] bool read_initial(std::size_t i, const char* what, std::string State::*member);
  [[nodiscard]] std::string plain(std::size_t i);
  [[nodiscard]] std::string sliced(const std::string& x, const nn::Shape& starts,
                                   const nn::Shape& ends, const nn::Shape& axes,
                                   const nn::Shape& steps);
  /// Values joined along a new dimension.
  [[nodiscard]] std::string stacked(const std::vector<std::string>& values, std::int64_t axis);
  void write(std::size_t output, const std::vector<std::string>& values, std::int64_t axis);

  Planner& p_;
  Expansion& e_;
  std::int64_t gates_, directions_ = 1, layout_ = 0;
  bool reverse_first_ = false;
  std::int64_t steps_ = 0, batch_ = 0, width_ = 0, hidden_ = 0, padded_ = 0;
  const nn::Tensor *w_ = nullptr, *r_ = nullptr, *bias_ = nullptr, *peepholes_ = nullptr;
  float clip_ = 0;
  std::vector<GateFunction> functions_;
  std::vector<State> states_;
  std::string inputs_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> state_weights_;
};

const nn::Tensor* Unrolling::weights(std::size_t i, const nn::Shape& shape, const char* what) {
  const nn::Tensor* tensor = p_.need_constant(i, what, nn::ElementType::float32);
  if (tensor != nullptr && tensor->shape != shape) {
    p_.problem("{} ({}) has shape {}; needed is {}", what, quote(p_.node.inputs[i]),
               nn::to_string(tensor->shape), nn::to_string(shape));
  }
  return tensor;
}

bool Unrolling::read_shapes() {
  const std::string direction = p_.node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    p_.problem("attribute direction is {}; supported are forward, reverse, bidirectional",
               quote(direction));
  }
  directions_ = direction == "bidirectional" ? 2 : 1;
  reverse_first_ = direction == "reverse";
  layout_ = p_.node.integer("layout", 0);
  if (layout_ != 0 && layout_ != 1) {
    p_.problem("attribute layout is {}; supported are 0 and 1", layout_);
  }
  const Layout* x = p_.activation(0);
  const nn::Tensor* r = p_.need_constant(2, "R", nn::ElementType::float32);
  if (x == nullptr || r == nullptr || p_.failed()) return false;
  if (x->rank() != 3 || r->shape.size() != 3) {
    p_.problem("X has shape {} and R {}; supported are three dimensions", nn::to_string(x->shape),
               nn::to_string(r->shape));
    return false;
  }
  steps_ = x->shape[layout_ == 0 ? 0 : 1];
  batch_ = x->shape[layout_ == 0 ? 1 : 0];
  width_ = x->shape[2];
  hidden_ = p_.node.integer("hidden_size", r->shape[2]);
  constexpr std::int64_t most_steps = 4096;
  if (steps_ * directions_ > most_steps || hidden_ < 1) {
    p_.problem(
        "has {} steps and a hidden size of {}; supported are up to {} steps, unrolled, and "
        "hidden sizes of 1 and more",
        steps_ * directions_, hidden_, most_steps);
    return false;
  }
  const std::int64_t n = p_.architecture().array_size;
  padded_ = (hidden_ + n - 1) / n * n;
  w_ = weights(1, {directions_, gates_ * hidden_, width_}, "W");
  r_ = weights(2, {directions_, gates_ * hidden_, hidden_}, "R");
  if (p_.given(3)) bias_ = weights(3, {directions_, 2 * gates_ * hidden_}, "B");
  return w_ != nullptr && r_ != nullptr && (!p_.given(3) || bias_ != nullptr) && !p_.failed();
}

bool Unrolling::read_lengths() {
  if (!p_.given(4)) return true;
  const nn::Tensor* lengths = p_.need_constant(4, "sequence_lens", nn::ElementType::int64);
  if (lengths == nullptr) return false;
  const bool full = std::all_of(lengths->integers.begin(), lengths->integers.end(),
                                [&](std::int64_t length) { return length == steps_; });
  if (!full) {
    p_.problem("sequence_lens are {}; supported is the length of the whole sequence, {}",
               nn::to_string(lengths->integers), steps_);
  }
  return full;
}

/// Reads initial states: one matrix batch x hidden size for each direction. States of zeroes are
/// left out.
bool Unrolling::read_initial(std::size_t i, const char* what, std::string State::*member) {
  if (!p_.given(i)) return true;
  const Value* value = p_.value(i);
  if (value == nullptr) return false;
  const nn::Shape& shape = value->constant ? value->constant->shape : value->layout->shape;
  const nn::Shape wanted = layout_ == 0 ? nn::Shape{directions_, batch_, hidden_}
                                        : nn::Shape{batch_, directions_, hidden_};
  if (shape != wanted || (value->constant && value->constant->floats.empty())) {
    p_.problem("{} ({}) has shape {}; needed is {} of FLOAT", what, quote(value->name),
               nn::to_string(shape), nn::to_string(wanted));
    return false;
  }
  for (std::int64_t d = 0; d < directions_; ++d) {
    std::string& held = state(d).*member;
    if (!value->constant) {
      const nn::Shape axis{layout_};
      held = e_.node("Squeeze", {sliced(plain(i), {d}, {d + 1}, axis, {1})}, {{"axes", axis}});
      continue;
    }
    nn::Tensor part = nn::Tensor::zeros({batch_, hidden_});
    for (std::int64_t b = 0; b < batch_; ++b) {
      const std::int64_t row = layout_ == 0 ? d * batch_ + b : b * directions_ + d;
      const auto from = value->constant->floats.begin() + row * hidden_;
      std::copy(from, from + hidden_, part.floats.begin() + b * hidden_);
    }
    const bool zero = std::all_of(part.floats.begin(), part.floats.end(),
                                  [](float element) { return element == 0.0F; });
    if (!zero) held = e_.constant(std::move(part));
  }
  return true;
}

bool Unrolling::read(const std::vector<std::string>& defaults) {
  if (!read_shapes() || !read_lengths()) return false;
  const std::size_t count = defaults.size() * static_cast<std::size_t>(directions_);
  std::vector<std::string> names = p_.node.texts("activations", {});
  if (names.empty()) {
    while (names.size() < count) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != count) {
    p_.problem("has {} activations; needed are {}", names.size(), count);
    return false;
  }
  functions_ = gate_functions_of(p_, std::move(names));
  clip_ = p_.node.real("clip", 0.0F);
  states_.resize(static_cast<std::size_t>(directions_));
  if (p_.failed() || !read_initial(5, "initial_h", &State::h)) return false;
  const bool has_cell = p_.node.op_type == "LSTM";
  if (has_cell && !read_initial(6, "initial_c", &State::c)) return false;
  if (has_cell && p_.given(7)) peepholes_ = weights(7, {directions_, 3 * hidden_}, "P");
  p_.note(fmt::format("node {} ({}) is unrolled over {} step{}", quote(p_.node.name),
                      p_.node.op_type, steps_, steps_ == 1 ? "" : "s"));
  return !p_.failed();
}

std::string Unrolling::plain(std::size_t i) {
  const Layout& layout = *p_.value(i)->layout;
  if (layout.is_plain()) return p_.node.inputs[i];
  return e_.node(relayout, {p_.node.inputs[i]}, {{"order", nn::Shape{0, 1, 2}}});
}

std::string Unrolling::sliced(const std::string& x, const nn::Shape& starts, const nn::Shape& ends,
                              const nn::Shape& axes, const nn::Shape& steps) {
  if (p_.opset() < 10) {
    return e_.node("Slice", {x}, {{"starts", starts}, {"ends", ends}, {"axes", axes}});
  }
  return e_.node(
      "Slice", {x, e_.constant(starts), e_.constant(ends), e_.constant(axes), e_.constant(steps)});
}

void Unrolling::multiply_inputs(std::optional<std::int64_t> own_bias) {
  const std::int64_t columns = directions_ * gates_ * padded_;
  nn::Tensor matrix = nn::Tensor::zeros({width_, columns}), bias = nn::Tensor::zeros({columns});
  for (std::int64_t d = 0; d < directions_; ++d) {
    for (std::int64_t g = 0; g < gates_; ++g) {
      for (std::int64_t i = 0; i < hidden_; ++i) {
        const std::int64_t column = (d * gates_ + g) * padded_ + i;
        const std::int64_t of_gate = g * hidden_ + i;
        for (std::int64_t k = 0; k < width_; ++k) {
          matrix.floats[static_cast<std::size_t>(k * columns + column)] =
              w_->floats[static_cast<std::size_t>((d * gates_ * hidden_ + of_gate) * width_ + k)];
        }
        if (bias_ == nullptr) continue;
        const std::int64_t first = d * 2 * gates_ * hidden_ + of_gate;
        float& sum = bias.floats[static_cast<std::size_t>(column)];
        sum = bias_->floats[static_cast<std::size_t>(first)];
        if (g != own_bias) sum += bias_->floats[static_cast<std::size_t>(first + gates_ * hidden_)];
      }
    }
  }
  const std::string rows =
      e_.node("Reshape", {plain(0), e_.constant(nn::Shape{steps_ * batch_, width_})});
  inputs_ = e_.node("Gemm", {rows, e_.constant(std::move(matrix)), e_.constant(std::move(bias))});
}

std::string Unrolling::inputs_of(std::int64_t d, std::int64_t t, std::int64_t first,
                                 std::int64_t count) {
  const std::int64_t column = (d * gates_ + first) * padded_;
  const std::int64_t begin = layout_ == 0 ? t * batch_ : t;
  const std::int64_t end = layout_ == 0 ? begin + batch_ : begin + (batch_ - 1) * steps_ + 1;
  return sliced(inputs_, {begin, column}, {end, column + count * padded_}, {0, 1},
                {layout_ == 0 ? 1 : steps_, 1});
}

std::string Unrolling::from_state(std::int64_t d, std::int64_t first, std::int64_t count,
                                  const std::string& h, bool biased) {
  const std::int64_t columns = count * padded_;
  nn::Tensor matrix = nn::Tensor::zeros({hidden_, columns}), bias = nn::Tensor::zeros({columns});
  for (std::int64_t g = 0; g < count; ++g) {
    for (std::int64_t i = 0; i < hidden_; ++i) {
      const std::int64_t row = (d * gates_ + first + g) * hidden_ + i;
      for (std::int64_t k = 0; k < hidden_; ++k) {
        matrix.floats[static_cast<std::size_t>(k * columns + g * padded_ + i)] =
            r_->floats[static_cast<std::size_t>(row * hidden_ + k)];
      }
      if (!biased || bias_ == nullptr) continue;
      const std::int64_t at = (d * 2 + 1) * gates_ * hidden_ + (first + g) * hidden_ + i;
      bias.floats[static_cast<std::size_t>(g * padded_ + i)] =
          bias_->floats[static_cast<std::size_t>(at)];
    }
  }
  // Shapes of computed states are not known yet.
  const auto state = p_.model().values.find(h);
  if (state != p_.model().values.end() && state->second.constant) {
    nn::Node node;
    node.op_type = "Gemm";
    node.inputs = {h, "R", "B"};
    return e_.constant(
        nn::run_node(node, p_.opset(), {state->second.constant.get(), &matrix, &bias}).front());
  }
  std::string& weights = state_weights_[{d, first}];
  if (weights.empty()) weights = e_.constant(std::move(matrix));
  if (!biased) return e_.node("MatMul", {h, weights});
  return e_.node("Gemm", {h, weights, e_.constant(std::move(bias))});
}

std::string Unrolling::clipped_gate(const std::string& x) {
  return clip_ > 0 ? clipped(p_, e_, x, -clip_, clip_) : x;
}

std::string Unrolling::before(std::int64_t d, std::int64_t t, std::int64_t first,
                              std::int64_t count, const std::string& h) {
  const std::string input = inputs_of(d, t, first, count);
  return h.empty() ? input : sum(from_state(d, first, count, h), input);
}

std::string Unrolling::function(std::int64_t d, std::size_t which, const std::string& x) {
  const std::size_t of_direction = functions_.size() / static_cast<std::size_t>(directions_);
  const GateFunction& f = functions_[static_cast<std::size_t>(d) * of_direction + which];
  if (f.op == "Affine") return sum(product(x, e_.constant(*f.alpha)), e_.constant(*f.beta));
  if (f.op == "ScaledTanh") {
    return product(e_.node("Tanh", {product(x, e_.constant(*f.beta))}), e_.constant(*f.alpha));
  }
  Expansion::Attributes attributes;
  if (f.alpha) attributes["alpha"] = *f.alpha;
  if (f.beta) attributes["beta"] = *f.beta;
  return e_.node(f.op, {x}, std::move(attributes));
}

std::string Unrolling::gate(const std::string& value, std::int64_t k) {
  return sliced(value, {k * padded_}, {k * padded_ + hidden_}, {1}, {1});
}

std::string Unrolling::row(const nn::Tensor& tensor, std::int64_t at) {
  const auto from = tensor.floats.begin() + at;
  return e_.constant(nn::Tensor::of({1, hidden_}, std::vector<float>(from, from + hidden_)));
}

std::string Unrolling::peephole_gate(std::int64_t d, std::int64_t t, std::int64_t which,
                                     const std::string& cell) {
  std::string x = gate(before(d, t, which, 1, state(d).h), 0);
  if (!cell.empty()) x = sum(x, product(cell, row(*peepholes_, (d * 3 + which) * hidden_)));
  return function(d, 0, clipped_gate(x));
}

std::string Unrolling::sum(const std::string& a, const std::string& b) {
  return e_.node("Add", {a, b});
}
std::string Unrolling::product(const std::string& a, const std::string& b) {
  return e_.node("Mul", {a, b});
}
std::string Unrolling::one_minus(const std::string& x) {
  return e_.node("Sub", {e_.constant(1.0F), x});
}

std::string Unrolling::stacked(const std::vector<std::string>& values, std::int64_t axis) {
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    parts.push_back(e_.node("Unsqueeze", {value}, {{"axes", nn::Shape{axis}}}));
  }
  return parts.size() == 1 ? parts.front() : e_.node("Concat", parts, {{"axis", axis}});
}

void Unrolling::write(std::size_t output, const std::vector<std::string>& values,
                      std::int64_t axis) {
  e_.result(output, "Identity", {stacked(values, axis)});
}

template <typename Step>
void Unrolling::run(Step&& step) {
  std::vector<std::string> sequences, last_h, last_c;
  for (std::int64_t d = 0; d < directions_; ++d) {
    const bool backwards = d == 1 || reverse_first_;
    std::vector<std::string> h;
    for (std::int64_t k = 0; k < steps_; ++k) {
      step(d, backwards ? steps_ - 1 - k : k);
      h.push_back(state(d).h);
    }
    if (backwards) std::reverse(h.begin(), h.end());
    if (p_.output_read(0)) sequences.push_back(stacked(h, layout_));
    last_h.push_back(state(d).h);
    last_c.push_back(state(d).c);
  }
  if (p_.output_read(0)) write(0, sequences, layout_ + 1);
  if (p_.output_read(1)) write(1, last_h, layout_);
  if (p_.output_read(2)) write(2, last_c, layout_);
}

bool expand_rnn(Planner& p, Expansion& e) {
  Unrolling u(p, e, 1);
  if (!u.read({"Tanh"})) return true;
  u.multiply_inputs({});
  u.run([&](std::int64_t d, std::int64_t t) {
    const std::string x = u.clipped_gate(u.before(d, t, 0, 1, u.state(d).h));
    u.state(d).h = u.gate(u.function(d, 0, x), 0);
  });
  return true;
}

bool expand_gru(Planner& p, Expansion& e) {
  constexpr std::int64_t candidate = 2;
  Unrolling u(p, e, 3);
  if (!u.read({"Sigmoid", "Tanh"})) return true;
  const bool linear_before_reset = p.node.integer("linear_before_reset", 0) != 0;
  u.multiply_inputs(linear_before_reset ? std::optional(candidate) : std::nullopt);
  u.run([&](std::int64_t d, std::int64_t t) {
    std::string& h = u.state(d).h;
    const std::string both = u.function(d, 0, u.clipped_gate(u.before(d, t, 0, 2, h)));
    const std::string update = u.gate(both, 0), reset = u.gate(both, 1);
    std::string fresh = u.inputs_of(d, t, candidate, 1);
    if (linear_before_reset) {
      fresh = u.gate(fresh, 0);
      if (!h.empty()) {
        const std::string past = u.from_state(d, candidate, 1, h, true);
        fresh = u.sum(u.product(reset, u.gate(past, 0)), fresh);
      } else if (u.bias() != nullptr) {
        const std::string past = u.row(*u.bias(), (d * 6 + 3 + candidate) * u.hidden());
        fresh = u.sum(u.product(reset, past), fresh);
      }
    } else if (!h.empty()) {
      fresh = u.sum(u.from_state(d, candidate, 1, u.product(reset, h)), fresh);
    }
    fresh = u.function(d, 1, u.clipped_gate(fresh));
    if (!linear_before_reset) fresh = u.gate(fresh, 0);
    h = h.empty() ? u.product(u.one_minus(update), fresh)
                  : u.sum(u.product(update, e.node("Sub", {h, fresh})), fresh);
  });
  return true;
}

bool expand_lstm(Planner& p, Expansion& e) {
  enum Gate : std::int64_t { input, output, forget, cell };
  Unrolling u(p, e, 4);
  if (!u.read({"Sigmoid", "Tanh", "Tanh"})) return true;
  const bool coupled = p.node.integer("input_forget", 0) != 0;
  u.multiply_inputs({});
  u.run([&](std::int64_t d, std::int64_t t) {
    auto& [h, c] = u.state(d);
    std::string i, o, f;
    if (!u.has_peepholes()) {
      const std::string all = u.function(d, 0, u.clipped_gate(u.before(d, t, input, 3, h)));
      i = u.gate(all, input);
      o = u.gate(all, output);
      f = u.gate(all, forget);
    } else {
      i = u.peephole_gate(d, t, input, c);
      f = u.peephole_gate(d, t, forget, c);
    }
    const std::string fresh =
        u.gate(u.function(d, 1, u.clipped_gate(u.before(d, t, cell, 1, h))), 0);
    const std::string taken = u.product(i, fresh);
    c = c.empty() ? taken : u.sum(u.product(coupled ? u.one_minus(i) : f, c), taken);
    if (u.has_peepholes()) o = u.peephole_gate(d, t, output, c);
    h = u.product(o, u.function(d, 2, c));
  });
  return true;
}

}  // namespace

Operators recurrent_operators() {
  return {{"GRU", is_recurrent | has_inner_products, Role::simple, nullptr, nullptr, expand_gru},
          {"LSTM", is_recurrent | has_inner_products, Role::simple, nullptr, nullptr, expand_lstm},
          {"RNN", is_recurrent | has_inner_products, Role::simple, nullptr, nullptr, expand_rnn}};
}

}  // namespace tactus::compiler
