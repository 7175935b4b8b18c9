#include "firmware/compiler/frontend/operators/lane_turn.h"

#include <algorithm>
#include <utility>

namespace tactus::compiler {
namespace {

/// Turns lanes. Operands and results have the model's order, so that the steps between the products
/// move whole vectors, which needs no instructions.
class Turn {
 public:
  Turn(Planner& p, Expansion& e, std::int64_t rest, std::int64_t rows, std::int64_t lanes)
      : e_(e), n_(p.architecture().array_size), rest_(rest), rows_(rows), lanes_(lanes) {}

  /// Transposes [rest, rows, lanes] to [rest, lanes, rows].
  std::string of(const std::string& x);

 private:
  /// Transposes a value and gives it the model's order.
  std::string moved(const std::string& x, const nn::Shape& permutation) {
    nn::Shape order(permutation.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::int64_t>(k);
    return e_.node(relayout, {e_.node("Transpose", {x}, {{"perm", permutation}})},
                   {{"order", order}});
  }
  [[nodiscard]] std::int64_t up(std::int64_t size) const { return (size + n_ - 1) / n_ * n_; }
  std::string padded(std::string x);
  /// In blocks of N vectors, exchanges bit `bit` of the vector's number with the same bit of the
  /// lane's number.
  std::string exchanged(const std::string& x, std::int64_t bit);

  Expansion& e_;
  const std::int64_t n_, rest_, rows_, lanes_;
};

/// Pads with zeroes to whole vectors and to whole blocks of N vectors.
std::string Turn::padded(std::string x) {
  if (up(lanes_) != lanes_) {
    nn::Tensor identity = nn::Tensor::zeros({lanes_, up(lanes_)});
    for (std::int64_t i = 0; i < lanes_; ++i) {
      identity.floats[static_cast<std::size_t>(i * up(lanes_) + i)] = 1;
    }
    x = e_.node("MatMul", {x, e_.constant(std::move(identity))}, {{moves_only, std::int64_t{1}}});
  }
  if (up(rows_) == rows_) return x;
  const nn::Tensor zeros = nn::Tensor::zeros({rest_, up(rows_) - rows_, up(lanes_)});
  return e_.node("Concat", {x, e_.constant(zeros)}, {{"axis", std::int64_t{1}}});
}

/// With the two vectors of a pair side by side the exchange is one product: half of the lanes of
/// each stay, the others come from the other vector.
std::string Turn::exchanged(const std::string& x, std::int64_t bit) {
  nn::Tensor weights = nn::Tensor::zeros({2 * n_, 2 * n_});
  for (std::int64_t lane = 0; lane < n_; ++lane) {
    for (std::int64_t half = 0; half < 2; ++half) {
      const bool stays = (lane & bit) == (half != 0 ? bit : 0);
      const std::int64_t from = stays ? half * n_ + lane : (1 - half) * n_ + (lane ^ bit);
      weights.floats[static_cast<std::size_t>(from * 2 * n_ + half * n_ + lane)] = 1;
    }
  }
  const std::int64_t groups = rest_ * up(rows_) / (2 * bit), blocks = up(lanes_) / n_;
  const std::string split = plainly_reshaped(e_, x, {groups, 2, bit, blocks, n_});
  const std::string pairs =
      plainly_reshaped(e_, moved(split, {0, 2, 3, 1, 4}), {groups * bit * blocks, 2 * n_});
  const std::string product =
      e_.node("MatMul", {pairs, e_.constant(std::move(weights))}, {{moves_only, std::int64_t{1}}});
  return moved(plainly_reshaped(e_, product, {groups, bit, blocks, 2, n_}), {0, 3, 1, 2, 4});
}

std::string Turn::of(const std::string& x) {
  const std::int64_t rows = up(rows_), lanes = up(lanes_);
  std::string y = padded(x);
  for (std::int64_t bit = 1; bit < n_; bit *= 2) y = exchanged(y, bit);
  y = plainly_reshaped(e_, y, {rest_, rows / n_, n_, lanes / n_, n_});
  y = plainly_reshaped(e_, moved(y, {0, 3, 2, 1, 4}), {rest_, lanes, rows});
  if (lanes == lanes_ && rows == rows_) return y;
  const Expansion::Inputs part{y, e_.constant({0, 0}), e_.constant({lanes_, rows_}),
                               e_.constant({1, 2})};
  return e_.node("Slice", part);
}

/// Compares the two ways by their products of vectors and loads of weights.
bool is_cheaper(std::int64_t n, std::int64_t rest, std::int64_t rows, std::int64_t lanes) {
  const auto up = [&](std::int64_t size) { return (size + n - 1) / n * n; };
  std::int64_t bits = 0;
  while (std::int64_t{1} << bits < n) ++bits;
  const std::int64_t vectors = rest * up(rows) * up(lanes) / n;
  const std::int64_t by_bits = bits * (2 * vectors + 4 * n) + (up(lanes) != lanes ? vectors : 0);
  const std::int64_t patterns = std::min(n, rows) * std::min(n, lanes);
  const std::int64_t by_lanes = rest * lanes * rows + patterns * n;
  return 2 * by_bits < by_lanes;
}

}  // namespace

bool expand_lane_turn(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout || p.opset() < 10) return false;
  const Layout& x = *value->layout;
  const nn::Shape& order = p.node.integers("order");
  const std::size_t from = x.lane_dimension(), to = static_cast<std::size_t>(order.back());
  const auto n = static_cast<std::int64_t>(p.architecture().array_size);
  const bool power = n > 1 && (n & (n - 1)) == 0;
  if (!power || from == to || p.node.integers("shape", x.shape) != x.shape) return false;
  const std::int64_t rows = x.shape[to], lanes = x.shape[from];
  const std::int64_t rest = x.elements() / rows / lanes;
  if (!is_cheaper(n, rest, rows, lanes)) return false;
  nn::Shape permutation, turned_back(x.rank()), sizes, plain;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    plain.push_back(static_cast<std::int64_t>(d));
    if (d != from && d != to) permutation.push_back(static_cast<std::int64_t>(d));
  }
  for (const std::int64_t d : permutation) sizes.push_back(x.shape[static_cast<std::size_t>(d)]);
  permutation.push_back(static_cast<std::int64_t>(to));
  permutation.push_back(static_cast<std::int64_t>(from));
  std::string y = e.node("Transpose", {p.node.inputs[0]}, {{"perm", permutation}});
  y = e.node(relayout, {y}, {{"order", plain}});
  y = plainly_reshaped(e, y, {rest, rows, lanes});
  y = Turn(p, e, rest, rows, lanes).of(y);
  sizes.push_back(lanes);
  sizes.push_back(rows);
  y = plainly_reshaped(e, y, sizes);
  std::swap(permutation[x.rank() - 1], permutation[x.rank() - 2]);
  for (std::size_t k = 0; k < x.rank(); ++k) {
    turned_back[static_cast<std::size_t>(permutation[k])] = static_cast<std::int64_t>(k);
  }
  y = e.node("Transpose", {y}, {{"perm", turned_back}});
  e.last(relayout, {y}, {{"order", order}});
  return true;
}

}  // namespace tactus::compiler
