// RNN, GRU and LSTM, computed step by step along the sequence.
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <string>

#include "firmware/reference/call.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

using Activation = std::function<double(double)>;
/// One row, elements of the hidden state.
using Row = std::vector<double>;

/// A function by name, with the next alpha and beta of the lists if it has them.
class Activations {
 public:
  explicit Activations(const Call& call)
      : call_(call),
        alphas_(call.node.reals("activation_alpha", {})),
        betas_(call.node.reals("activation_beta", {})) {}

  Activation next(const std::string& stated) {
    std::string name;
    for (const char letter : stated) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    if (name == "sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
    if (name == "tanh") return [](double x) { return std::tanh(x); };
    if (name == "relu") return [](double x) { return std::max(x, 0.0); };
    if (name == "softsign") return [](double x) { return x / (1 + std::abs(x)); };
    if (name == "softplus") {
      return [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); };
    }
    if (name == "leakyrelu") return [a = alpha(0.01F)](double x) { return x < 0 ? a * x : x; };
    if (name == "elu") {
      return [a = alpha(1.0F)](double x) { return x < 0 ? a * std::expm1(x) : x; };
    }
    if (name == "thresholdedrelu") {
      return [a = alpha(1.0F)](double x) { return x > a ? x : 0.0; };
    }
    if (name == "affine") {
      return [a = alpha(1.0F), b = beta(0.0F)](double x) { return a * x + b; };
    }
    if (name == "scaledtanh") {
      return [a = alpha(1.0F), b = beta(1.0F)](double x) { return a * std::tanh(b * x); };
    }
    if (name == "hardsigmoid") {
      return [a = alpha(0.2F), b = beta(0.5F)](double x) {
        return std::max(0.0, std::min(1.0, a * x + b));
      };
    }
    call_.fail("activation {} is not known", quote(stated));
  }

 private:
  double alpha(float fallback) { return take(alphas_, next_alpha_, fallback); }
  double beta(float fallback) { return take(betas_, next_beta_, fallback); }
  static double take(const std::vector<float>& list, std::size_t& next, float fallback) {
    return static_cast<double>(next < list.size() ? list[next++] : fallback);
  }

  const Call& call_;
  std::vector<float> alphas_, betas_;
  std::size_t next_alpha_ = 0, next_beta_ = 0;
};

/// The common part of the three operators: operands, directions, and iteration over the sequence.
class Recurrence {
 public:
  /// `defaults` are the activations of one direction.
  Recurrence(Call& call, std::int64_t gates, const std::vector<std::string>& defaults)
      : call_(call), gates_(gates), x_(call.floats(0)), w_(call.floats(1)), r_(call.floats(2)) {
    const std::string direction = call.node.text("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
      call.fail("direction is {}; allowed are forward, reverse and bidirectional",
                quote(direction));
    }
    directions_ = direction == "bidirectional" ? 2 : 1;
    reverse_first_ = direction == "reverse";
    layout_ = call.node.integer("layout", 0);
    if (x_.shape.size() != 3 || r_.shape.size() != 3) {
      call.fail("X has shape {} and R {}; three dimensions are allowed", to_string(x_.shape),
                to_string(r_.shape));
    }
    steps_ = x_.shape[layout_ == 0 ? 0 : 1];
    batch_ = x_.shape[layout_ == 0 ? 1 : 0];
    width_ = x_.shape[2];
    hidden_ = call.node.integer("hidden_size", r_.shape[2]);
    check(w_, {directions_, gates_ * hidden_, width_}, "W");
    check(r_, {directions_, gates_ * hidden_, hidden_}, "R");
    bias_ = optional(3, {directions_, 2 * gates_ * hidden_}, "B");
    check_lengths();
    initial_[0] = state(5, "initial_h");
    clip_ = static_cast<double>(call.node.real("clip", 0.0F));
    std::vector<std::string> names = call.node.texts("activations", {});
    if (names.empty()) {
      for (std::int64_t d = 0; d < directions_; ++d) {
        names.insert(names.end(), defaults.begin(), defaults.end());
      }
    }
    if (names.size() != defaults.size() * static_cast<std::size_t>(directions_)) {
      call.fail("has {} activations; {} are allowed", names.size(),
                defaults.size() * static_cast<std::size_t>(directions_));
    }
    Activations activations(call);
    for (const std::string& name : names) functions_.push_back(activations.next(name));
  }

  /// Adds the second state and the weights from it to the gates (LSTM).
  void with_cell() {
    initial_[1] = state(6, "initial_c");
    peepholes_ = optional(7, {directions_, 3 * hidden_}, "P");
  }

  /// Calls step(direction, row of x, states) for each element of the batch; it replaces the states
  /// by those after the step.
  template <typename Step>
  void run(std::size_t states, Step&& step) {
    Tensor y = Tensor::zeros(layout_ == 0 ? Shape{steps_, directions_, batch_, hidden_}
                                          : Shape{batch_, steps_, directions_, hidden_});
    std::array<Tensor, 2> last;
    for (Tensor& tensor : last) {
      tensor = Tensor::zeros(layout_ == 0 ? Shape{directions_, batch_, hidden_}
                                          : Shape{batch_, directions_, hidden_});
    }
    for (std::int64_t d = 0; d < directions_; ++d) {
      for (std::int64_t b = 0; b < batch_; ++b) {
        std::array<Row, 2> now;
        for (std::size_t s = 0; s < states; ++s) now[s] = initial(s, d, b);
        for (std::int64_t k = 0; k < steps_; ++k) {
          const bool backwards = d == 1 || reverse_first_;
          const std::int64_t t = backwards ? steps_ - 1 - k : k;
          const std::int64_t row = layout_ == 0 ? t * batch_ + b : b * steps_ + t;
          step(d, x_.floats.data() + row * width_, now);
          const std::int64_t at = layout_ == 0 ? (t * directions_ + d) * batch_ + b
                                               : (b * steps_ + t) * directions_ + d;
          store(now[0], y, at);
        }
        const std::int64_t at = layout_ == 0 ? d * batch_ + b : b * directions_ + d;
        for (std::size_t s = 0; s < states; ++s) store(now[s], last[s], at);
      }
    }
    call_.results.push_back(std::move(y));
    for (std::size_t s = 0; s < states; ++s) call_.results.push_back(std::move(last[s]));
  }

  /// W x + Wb of a gate.
  [[nodiscard]] Row from_input(std::int64_t d, std::int64_t gate, const float* x) const {
    Row row = bias_row(d, gate);
    add_product(
        w_, width_, d, gate, [&](std::int64_t i) { return static_cast<double>(x[i]); }, row);
    return row;
  }
  /// R h + Rb of a gate.
  [[nodiscard]] Row from_state(std::int64_t d, std::int64_t gate, const Row& h) const {
    Row row = bias_row(d, gates_ + gate);
    add_product(
        r_, hidden_, d, gate, [&](std::int64_t i) { return h[static_cast<std::size_t>(i)]; }, row);
    return row;
  }
  /// Adds the cell's part to gate i, o or f (LSTM).
  void add_peephole(std::int64_t d, std::int64_t gate, const Row& cell, Row& row) const {
    if (peepholes_ == nullptr) return;
    const float* p = peepholes_->floats.data() + (d * 3 + gate) * hidden_;
    for (std::size_t i = 0; i < row.size(); ++i) row[i] += static_cast<double>(p[i]) * cell[i];
  }
  /// Applies the direction's activation number `which` to the clipped row.
  [[nodiscard]] Row activated(std::int64_t d, std::size_t which, Row row) const {
    for (double& value : row) {
      if (clip_ > 0) value = std::max(-clip_, std::min(clip_, value));
      value = function(d, which)(value);
    }
    return row;
  }
  [[nodiscard]] const Activation& function(std::int64_t d, std::size_t which) const {
    const std::size_t of_direction = functions_.size() / static_cast<std::size_t>(directions_);
    return functions_[static_cast<std::size_t>(d) * of_direction + which];
  }

 private:
  void check(const Tensor& tensor, const Shape& shape, const char* what) const {
    if (tensor.shape == shape) return;
    call_.fail("{} has shape {}; {} is needed", what, to_string(tensor.shape), to_string(shape));
  }
  [[nodiscard]] const Tensor* optional(std::size_t i, const Shape& shape, const char* what) const {
    if (call_.optional(i) == nullptr) return nullptr;
    check(call_.floats(i), shape, what);
    return &call_.floats(i);
  }
  [[nodiscard]] const Tensor* state(std::size_t i, const char* what) const {
    return optional(
        i, layout_ == 0 ? Shape{directions_, batch_, hidden_} : Shape{batch_, directions_, hidden_},
        what);
  }
  void check_lengths() const {
    const Tensor* lengths = call_.optional(4);
    if (lengths == nullptr) return;
    for (const std::int64_t length : lengths->integers) {
      if (length == steps_) continue;
      call_.fail("sequence_lens are {}; the length of the sequence ({}) is allowed for all",
                 to_string(lengths->integers), steps_);
    }
  }
  [[nodiscard]] Row initial(std::size_t state, std::int64_t d, std::int64_t b) const {
    Row row(static_cast<std::size_t>(hidden_));
    if (initial_[state] == nullptr) return row;
    const std::int64_t at = layout_ == 0 ? d * batch_ + b : b * directions_ + d;
    const float* from = initial_[state]->floats.data() + at * hidden_;
    std::copy(from, from + hidden_, row.begin());
    return row;
  }
  void store(const Row& row, Tensor& tensor, std::int64_t at) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
      tensor.floats[static_cast<std::size_t>(at * hidden_) + i] = static_cast<float>(row[i]);
    }
  }
  [[nodiscard]] Row bias_row(std::int64_t d, std::int64_t part) const {
    Row row(static_cast<std::size_t>(hidden_));
    if (bias_ == nullptr) return row;
    const float* from = bias_->floats.data() + (d * 2 * gates_ + part) * hidden_;
    std::copy(from, from + hidden_, row.begin());
    return row;
  }
  template <typename Operand>
  void add_product(const Tensor& matrix, std::int64_t width, std::int64_t d, std::int64_t gate,
                   Operand&& operand, Row& row) const {
    for (std::int64_t i = 0; i < hidden_; ++i) {
      const float* weights = matrix.floats.data() + ((d * gates_ + gate) * hidden_ + i) * width;
      double sum = 0;
      for (std::int64_t k = 0; k < width; ++k) sum += static_cast<double>(weights[k]) * operand(k);
      row[static_cast<std::size_t>(i)] += sum;
    }
  }

  Call& call_;
  std::int64_t gates_, directions_ = 1, layout_ = 0;
  bool reverse_first_ = false;
  const Tensor &x_, &w_, &r_;
  const Tensor *bias_ = nullptr, *peepholes_ = nullptr;
  std::array<const Tensor*, 2> initial_{};
  std::int64_t steps_ = 0, batch_ = 0, width_ = 0, hidden_ = 0;
  double clip_ = 0;
  std::vector<Activation> functions_;
};

Row sum_of(Row a, const Row& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace

void run_rnn(Call& call) {
  Recurrence r(call, 1, {"Tanh"});
  r.run(1, [&](std::int64_t d, const float* x, auto& states) {
    Row& h = states[0];
    h = r.activated(d, 0, sum_of(r.from_input(d, 0, x), r.from_state(d, 0, h)));
  });
}

void run_gru(Call& call) {
  enum Gate { update, reset, candidate };
  Recurrence r(call, 3, {"Sigmoid", "Tanh"});
  const bool linear_before_reset = call.node.integer("linear_before_reset", 0) != 0;
  r.run(1, [&](std::int64_t d, const float* x, auto& states) {
    Row& h = states[0];
    const auto gate = [&](std::int64_t which) {
      return r.activated(d, 0, sum_of(r.from_input(d, which, x), r.from_state(d, which, h)));
    };
    const Row z = gate(update), reset_by = gate(reset);
    const auto times_reset = [&](Row row) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] *= reset_by[i];
      return row;
    };
    const Row past = linear_before_reset ? times_reset(r.from_state(d, candidate, h))
                                         : r.from_state(d, candidate, times_reset(h));
    const Row fresh = r.activated(d, 1, sum_of(r.from_input(d, candidate, x), past));
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = (1 - z[i]) * fresh[i] + z[i] * h[i];
  });
}

void run_lstm(Call& call) {
  enum Gate { input, output, forget, cell };
  Recurrence r(call, 4, {"Sigmoid", "Tanh", "Tanh"});
  r.with_cell();
  const bool coupled = call.node.integer("input_forget", 0) != 0;
  r.run(2, [&](std::int64_t d, const float* x, auto& states) {
    Row &h = states[0], &c = states[1];
    const auto row_of = [&](std::int64_t which) {
      return sum_of(r.from_input(d, which, x), r.from_state(d, which, h));
    };
    const auto gate = [&](std::int64_t which, const Row& past) {
      Row row = row_of(which);
      r.add_peephole(d, which, past, row);
      return r.activated(d, 0, std::move(row));
    };
    const Row i = gate(input, c), f = gate(forget, c);
    const Row fresh = r.activated(d, 1, row_of(cell));
    Row next(c.size());
    for (std::size_t k = 0; k < next.size(); ++k) {
      next[k] = (coupled ? 1 - i[k] : f[k]) * c[k] + i[k] * fresh[k];
    }
    const Row o = gate(output, next);
    c = std::move(next);
    for (std::size_t k = 0; k < h.size(); ++k) h[k] = o[k] * r.function(d, 2)(c[k]);
  });
}

}  // namespace tactus::nn
