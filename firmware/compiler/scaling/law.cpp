#include "firmware/compiler/scaling/law.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace tactus::compiler::scaling {
namespace {

constexpr int lowest_exponent = -16, highest_exponent = 24;

double power(int exponent) { return std::ldexp(1.0, exponent); }
/// 4^exponent.
double square(int exponent) { return std::ldexp(1.0, 2 * exponent); }

/// Largest exponent with which `value` stays at or below `limit`.
int room(double value, double limit) {
  if (value <= 0 || !std::isfinite(value)) return highest_exponent;
  const int exponent = static_cast<int>(std::floor(std::log2(limit / value)));
  return std::clamp(exponent, lowest_exponent, highest_exponent);
}

/// What is minimised: first by how much bounds are exceeded, then the noise.
struct Cost {
  int over = 0;
  double noise = 0;

  Cost& operator+=(const Cost& other) {
    over += other.over;
    noise += other.noise;
    return *this;
  }
  [[nodiscard]] bool operator<(const Cost& other) const {
    return over < other.over || (over == other.over && noise < other.noise * (1 - 1e-9));
  }
};

class Law {
 public:
  Law(const Network& network, const Range& range);

  Solution run(bool channels, Multiplies multiplies);

 private:
  using Exponents = std::vector<std::vector<int>>;

  [[nodiscard]] const Tensor& input(const Layer& layer) const {
    return network_.tensors[layer.input];
  }
  [[nodiscard]] const Tensor& output(const Layer& layer) const {
    return network_.tensors[layer.output];
  }
  /// Exponent of a tensor at an index along its axis; tensors of one scale have one for all.
  [[nodiscard]] int exponent(const Tensor& tensor, std::size_t index) const {
    const std::vector<int>& exponents = state_.groups[tensor.group];
    if (exponents.size() == 1) return exponents.front();
    return exponents[tensor.channels[index]];
  }
  [[nodiscard]] double mean_square(const Layer& layer, std::size_t index) const {
    const Tensor& tensor = input(layer);
    const std::size_t inputs = layer.outputs / layer.outputs_each * layer.inputs_each;
    return tensor.squares.size() == inputs ? tensor.squares[index] : tensor.mean_square();
  }
  /// Largest absolute value that sums of each output channel are expected to take on the way.
  [[nodiscard]] std::vector<double> reach(const Layer& layer) const;
  /// Largest exponents of a layer's sums that its weights, bias and results allow.
  [[nodiscard]] std::vector<int> most(std::size_t layer) const;
  /// Exponents of a layer's sums.
  [[nodiscard]] std::vector<int> sums(std::size_t layer) const;
  /// Noise of each output channel as a variance of real numbers.
  [[nodiscard]] std::vector<double> noise(std::size_t layer) const;
  [[nodiscard]] Cost cost(std::size_t layer) const;
  /// Cost of a group's bounds and of its tensors' own noise.
  [[nodiscard]] Cost group_cost(std::size_t group) const;
  [[nodiscard]] Cost cost_around(std::size_t group) const;

  void descend();
  void refine_channels();
  void refine(std::size_t group);
  void choose_multiplies();

  const Network& network_;
  Range range_;
  Solution state_;
  Exponents tops_;             ///< for each group and channel, by the bounds of its tensors
  std::vector<double> means_;  ///< mean squares of the tensors
  std::vector<std::vector<double>> largest_;  ///< weight of each layer's output channels
  std::vector<std::vector<double>> reach_;    ///< of each layer's sums, partial ones included
};

Law::Law(const Network& network, const Range& range) : network_(network), range_(range) {
  for (const Tensor& tensor : network.tensors) {
    means_.push_back(std::max(tensor.mean_square(), 1e-30));
  }
  for (const Layer& layer : network.layers) {
    reach_.push_back(reach(layer));
    std::vector<double>& largest = largest_.emplace_back();
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      const auto row = layer.weights.begin() + static_cast<std::ptrdiff_t>(o * layer.inputs_each);
      largest.push_back(
          *std::max_element(row, row + static_cast<std::ptrdiff_t>(layer.inputs_each)));
    }
  }
  for (const Group& group : network.groups) {
    std::vector<int> tops(group.channels, highest_exponent);
    for (const std::size_t t : group.tensors) {
      const Tensor& tensor = network.tensors[t];
      for (std::size_t i = 0; i < tensor.channels.size(); ++i) {
        int& top = tops[tensor.channels[i]];
        top = std::min(top, room(tensor.expected(i), 0.999 * range.top));
      }
    }
    tops_.push_back(std::move(tops));
  }
}

std::vector<double> Law::reach(const Layer& layer) const {
  // Products of both signs go back and forth like a random walk before they cancel.
  constexpr double walk = 4;
  const Tensor& to = output(layer);
  std::vector<double> result(layer.outputs);
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    const std::size_t first = o / layer.outputs_each * layer.inputs_each;
    double variance = 0;
    for (std::size_t i = 0; i < layer.inputs_each; ++i) {
      variance += layer.squares[o * layer.inputs_each + i] * mean_square(layer, first + i);
    }
    const double bias = layer.bias.empty() ? 0 : layer.bias[o];
    const std::size_t at = to.largest.size() == layer.outputs ? o : 0;
    result[o] = std::max(to.expected(at), bias + walk * std::sqrt(variance));
  }
  return result;
}

std::vector<int> Law::most(std::size_t number) const {
  const Layer& layer = network_.layers[number];
  const double limit = range_.top - range_.step;
  const Tensor& from = input(layer);
  std::vector<int> result(layer.outputs);
  const bool one_scale = state_.groups[from.group].size() == 1;
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    const double* weights = &layer.weights[o * layer.inputs_each];
    double top = 0;
    if (one_scale) {
      top = largest_[number][o] * power(-exponent(from, 0));
    } else {
      const std::size_t first = o / layer.outputs_each * layer.inputs_each;
      for (std::size_t i = 0; i < layer.inputs_each; ++i) {
        top = std::max(top, weights[i] * power(-exponent(from, first + i)));
      }
    }
    result[o] = std::min(room(top, limit), room(reach_[number][o], 0.999 * range_.top));
    if (!layer.bias.empty()) result[o] = std::min(result[o], room(layer.bias[o], limit));
  }
  return result;
}

std::vector<int> Law::sums(std::size_t number) const {
  const Layer& layer = network_.layers[number];
  const Tensor& to = output(layer);
  std::vector<int> result(layer.outputs);
  for (std::size_t o = 0; o < layer.outputs; ++o) result[o] = exponent(to, o);
  if (!state_.multiplies[number]) return result;
  const std::vector<int> limits = most(number);
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    // The factor 2^-k behind is a number of the data type, too.
    result[o] = std::clamp(limits[o], result[o], result[o] + range_.fraction_bits);
  }
  return result;
}

std::vector<double> Law::noise(std::size_t number) const {
  const Layer& layer = network_.layers[number];
  const Tensor& from = input(layer);
  const Tensor& to = output(layer);
  const std::vector<int> exponents = sums(number);
  std::vector<double> result(layer.outputs);
  for (std::size_t first = 0, group = 0; first < layer.outputs;
       first += layer.outputs_each, ++group) {
    double products = 0;
    for (std::size_t i = 0; i < layer.inputs_each; ++i) {
      const std::size_t at = group * layer.inputs_each + i;
      products += mean_square(layer, at) * square(exponent(from, at)) + 1;
    }
    const double steps = (layer.taps * products + 1) / 12 * range_.step * range_.step;
    for (std::size_t o = first; o < first + layer.outputs_each; ++o) {
      result[o] = steps * square(-exponents[o]);
      if (exponents[o] != exponent(to, o)) {
        result[o] += range_.step * range_.step / 12 * square(-exponent(to, o));
      }
    }
  }
  return result;
}

Cost Law::cost(std::size_t number) const {
  const Layer& layer = network_.layers[number];
  const std::vector<double> variances = noise(number);
  Cost cost;
  cost.noise = std::accumulate(variances.begin(), variances.end(), 0.0) /
               static_cast<double>(layer.outputs) / means_[layer.output];
  const std::vector<int> limits = most(number);
  for (std::size_t o = 0; o < layer.outputs; ++o) {
    cost.over += std::max(0, exponent(output(layer), o) - limits[o]);
  }
  return cost;
}

Cost Law::group_cost(std::size_t number) const {
  const Group& group = network_.groups[number];
  const std::vector<int>& exponents = state_.groups[number];
  Cost cost;
  for (std::size_t c = 0; c < group.channels; ++c) {
    cost.over += std::max(0, exponents[exponents.size() == 1 ? 0 : c] - tops_[number][c]);
  }
  for (const std::size_t t : group.tensors) {
    const Tensor& tensor = network_.tensors[t];
    if (tensor.noise == 0) continue;
    double variance = 0;
    for (std::size_t i = 0; i < tensor.channels.size(); ++i) {
      variance += square(-exponent(tensor, i));
    }
    cost.noise += tensor.noise * range_.step * range_.step * variance /
                  static_cast<double>(tensor.channels.size()) / means_[t];
  }
  return cost;
}

Cost Law::cost_around(std::size_t number) const {
  const Group& group = network_.groups[number];
  Cost sum = group_cost(number);
  std::vector<std::size_t> layers = group.readers;
  layers.insert(layers.end(), group.writers.begin(), group.writers.end());
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  for (const std::size_t layer : layers) sum += cost(layer);
  return sum;
}

/// One scale for each group, by coordinate descent.
void Law::descend() {
  constexpr int most_rounds = 60;
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    for (std::size_t g = 0; g < network_.groups.size(); ++g) {
      if (network_.groups[g].fixed) continue;
      int& exponent = state_.groups[g].front();
      Cost least = cost_around(g);
      int best = exponent;
      const int now = exponent;
      for (const int step : {-4, -2, -1, 1, 2, 4}) {
        exponent = std::clamp(now + step, lowest_exponent, highest_exponent);
        const Cost tried = cost_around(g);
        if (tried < least) {
          least = tried;
          best = exponent;
        }
      }
      exponent = best;
      changed = changed || best != now;
    }
    if (!changed) break;
  }
}

/// The closed form for each channel: its producers' noise falls with 4^-d, that of the weights
/// which its readers multiply it by grows with 4^d.
void Law::refine(std::size_t number) {
  const Group& group = network_.groups[number];
  struct Channel {
    double gain = 0;  ///< of the channel's noise, to the relative noise of its readers
    double falls = 0, grows = 0;
    int low = lowest_exponent, high = highest_exponent;
  };
  std::vector<Channel> channels(group.channels);
  const double unit = range_.step * range_.step;
  for (const std::size_t l : group.readers) {
    const Layer& layer = network_.layers[l];
    const Tensor& from = input(layer);
    const std::vector<int> exponents = sums(l);
    const double share = 1 / (static_cast<double>(layer.outputs) * means_[layer.output]);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      const std::size_t first = o / layer.outputs_each * layer.inputs_each;
      for (std::size_t i = 0; i < layer.inputs_each; ++i) {
        const std::size_t w = o * layer.inputs_each + i;
        Channel& channel = channels[from.channels[first + i]];
        channel.gain += layer.squares[w] * share;
        channel.grows +=
            layer.taps / 12 * mean_square(layer, first + i) * unit * square(-exponents[o]) * share;
        // A weight grows when the channel's scale falls.
        channel.low = std::max(channel.low, exponent(output(layer), o) -
                                                room(layer.weights[w], range_.top - range_.step));
      }
    }
  }
  for (const std::size_t l : group.writers) {
    const Layer& layer = network_.layers[l];
    const Tensor& to = output(layer);
    const std::vector<double> variances = noise(l);
    const std::vector<int> limits = most(l), exponents = sums(l);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      Channel& channel = channels[to.channels[o]];
      const int own = exponent(to, o);
      channel.falls += exponents[o] == own ? variances[o] * square(own) : unit / 12;
      channel.high = std::min(channel.high, limits[o]);
    }
  }
  for (const std::size_t t : group.tensors) {
    for (Channel& channel : channels) channel.falls += network_.tensors[t].noise * unit;
  }
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Channel& channel = channels[c];
    const int high = std::min(channel.high, tops_[number][c]);
    if (high < channel.low) continue;
    int best = state_.groups[number][c];
    const double falls = channel.falls * channel.gain;
    if (falls > 0 && channel.grows > 0) {
      best = static_cast<int>(std::lround(std::log2(falls / channel.grows) / 4));
    }
    state_.groups[number][c] = std::clamp(best, channel.low, high);
  }
}

void Law::refine_channels() {
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    const Group& group = network_.groups[g];
    if (group.uniform || group.channels == 1) continue;
    state_.groups[g].assign(group.channels, state_.groups[g].front());
  }
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t g = 0; g < network_.groups.size(); ++g) {
      const Group& group = network_.groups[g];
      if (group.uniform || group.channels == 1 || group.readers.empty() || group.writers.empty()) {
        continue;
      }
      refine(g);
    }
  }
}

/// Keeps the multiplies that save most noise for a scalar of their results.
void Law::choose_multiplies() {
  struct Gain {
    std::size_t layer;
    double saved, each;
  };
  std::vector<Gain> gains;
  double left = 0, open = 0;
  for (std::size_t l = 0; l < network_.layers.size(); ++l) {
    const double with = cost(l).noise;
    state_.multiplies[l] = false;
    const double without = cost(l).noise;
    state_.multiplies[l] = true;
    left += with;
    const Tensor& to = output(network_.layers[l]);
    const double scalars = to.numbers * static_cast<double>(to.channels.size());
    gains.push_back({l, without - with, (without - with) / std::max(scalars, 1.0)});
    open += std::max(0.0, without - with);
  }
  std::sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) {
    return a.each > b.each || (a.each == b.each && a.layer < b.layer);
  });
  constexpr double share = 0.1;  // of the noise that is left at best
  for (const Gain& gain : gains) {
    state_.multiplies[gain.layer] = gain.saved > 0 && open > share * left;
    if (state_.multiplies[gain.layer]) open -= gain.saved;
  }
}

Solution Law::run(bool channels, Multiplies multiplies) {
  state_.groups.assign(network_.groups.size(), {0});
  state_.multiplies.assign(network_.layers.size(), multiplies != Multiplies::none);
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    if (network_.groups[g].fixed) continue;
    const int top = *std::min_element(tops_[g].begin(), tops_[g].end());
    state_.groups[g].front() = std::min(0, top);
  }
  descend();
  if (multiplies == Multiplies::worthwhile) {
    choose_multiplies();
    descend();
  }
  if (channels) refine_channels();
  state_.sums.resize(network_.layers.size());
  for (std::size_t l = 0; l < network_.layers.size(); ++l) {
    const Layer& layer = network_.layers[l];
    const std::vector<int> exponents = sums(l);
    bool differs = false;
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      differs = differs || exponents[o] != exponent(output(layer), o);
    }
    if (differs) state_.sums[l] = exponents;
  }
  return state_;
}

}  // namespace

Solution solve(const Network& network, const Range& range, bool channels, Multiplies multiplies) {
  return Law(network, range).run(channels, multiplies);
}

}  // namespace tactus::compiler::scaling
