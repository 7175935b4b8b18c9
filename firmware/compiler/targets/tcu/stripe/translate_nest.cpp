// Nests (firmware/compiler/frontend/loop_nest.h) as kernels of Stripe: products, and sums and
// maxima over windows.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "firmware/compiler/frontend/loop_nest.h"
#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

/// A part of a dimension's windows whose taps are at pixels and not between them (see
/// Place1D::divisor). Output pixel first + period * i with tap first_tap + tap_step * j reads input
/// pixel origin + pixel_step * i + reach * j. With a divisor of 1 there is one phase, of all
/// windows.
struct Phase {
  std::size_t dimension = 0;  ///< of the operand
  LoopNumber pixel = 0, tap = 0;
  std::int64_t first = 0, period = 1, outputs = 0;
  std::int64_t first_tap = 0, tap_step = 1, taps = 0;
  std::int64_t origin = 0, pixel_step = 1, reach = 1;
};

namespace {

using Phases = std::vector<Phase>;

std::vector<Phase> phases_of(const LoopNest& nest, std::size_t dimension) {
  const Place1D& place = nest.operands[0].places[dimension];
  const auto [pixel, stride] = place.terms[0];
  const auto [tap, dilation] = place.terms[1];
  const std::int64_t period = place.divisor / std::gcd(place.divisor, stride);
  std::vector<Phase> all;
  for (std::int64_t first = 0; first < std::min(period, nest.loops[pixel].size); ++first) {
    Phase phase{dimension, pixel, tap, first, period};
    phase.outputs = (nest.loops[pixel].size - first + period - 1) / period;
    phase.tap_step = place.divisor / std::gcd(place.divisor, dilation);
    const auto spaced = [&, dilation = dilation, stride = stride](std::int64_t at) {
      return place.constant + first * stride + at * dilation;
    };
    const std::int64_t taps = nest.loops[tap].size;
    std::int64_t& at = phase.first_tap;
    while (at < taps && spaced(at) % place.divisor != 0) ++at;
    if (at < taps) phase.taps = (taps - at + phase.tap_step - 1) / phase.tap_step;
    phase.origin = spaced(at) / place.divisor;
    phase.pixel_step = period * stride / place.divisor;
    phase.reach = phase.tap_step * dilation / place.divisor;
    all.push_back(phase);
  }
  return all;
}

/// Every combination of phases of the dimensions with windows, outermost first.
std::vector<Phases> combinations(const LoopNest& nest) {
  std::vector<Phases> all{{}};
  for (std::size_t d = 0; d < nest.operands[0].places.size(); ++d) {
    if (nest.operands[0].places[d].terms.size() != 2) continue;
    std::vector<Phases> longer;
    for (const Phases& before : all) {
      for (const Phase& phase : phases_of(nest, d)) {
        longer.push_back(before);
        longer.back().push_back(phase);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The affines of a kernel: the places in operands and the result, and the number of each loop.
class Indexes {
 public:
  /// Makes an index for each loop; loops of matrices have one even if their size is 1. `left_out`
  /// has none.
  Indexes(Kernel& k, const LoopNest& nest, const Phases& phases, bool matrices,
          const std::vector<LoopNumber>& left_out = {})
      : nest_(nest), phases_(phases) {
    for (LoopNumber loop = 0; loop < nest.loops.size(); ++loop) {
      const auto& [name, own_size, matrix] = nest.loops[loop];
      std::int64_t size = own_size;
      for (const Phase& phase : phases) {
        if (phase.pixel == loop) size = phase.outputs;
        if (phase.tap == loop) size = phase.taps;
      }
      const bool out = std::find(left_out.begin(), left_out.end(), loop) != left_out.end();
      at_.push_back(out                  ? Affine()
                    : matrix && matrices ? k.lane_index(name, size)
                                         : k.index(name, size));
    }
    number_ = at_;
    for (const Phase& phase : phases) {
      number_[phase.tap] = at_[phase.tap] * phase.tap_step + Affine(phase.first_tap);
    }
  }

  /// Number of a loop, where places of weights follow it.
  [[nodiscard]] const Affine& number(LoopNumber loop) const { return number_[loop]; }
  void replace(LoopNumber loop, LoopNumber by) { at_[loop] = number_[loop] = at_[by]; }

  /// Places in an operand, with constraints where these leave it.
  [[nodiscard]] std::vector<Affine> places(Kernel& k, const Access& access) const {
    std::vector<Affine> all;
    for (std::size_t d = 0; d < access.places.size(); ++d) {
      const auto phase = std::find_if(phases_.begin(), phases_.end(), [&](const Phase& candidate) {
        return candidate.dimension == d && access.places[d].terms.size() == 2;
      });
      if (phase == phases_.end()) {
        Affine place(access.places[d].constant);
        for (const auto& [loop, factor] : access.places[d].terms) place += at_[loop] * factor;
        all.push_back(std::move(place));
        continue;
      }
      all.push_back(at_[phase->pixel] * phase->pixel_step + at_[phase->tap] * phase->reach +
                    Affine(phase->origin));
      const std::int64_t last = phase->origin + (phase->outputs - 1) * phase->pixel_step +
                                (phase->taps - 1) * phase->reach;
      if (phase->origin >= 0 && last < access.sizes[d]) continue;
      k.constrain(all.back());
      k.constrain(Affine(access.sizes[d] - 1) - all.back());
    }
    return all;
  }

 private:
  const LoopNest& nest_;
  const Phases& phases_;
  std::vector<Affine> at_, number_;
};

}  // namespace

// ---- products -----------------------------------------------------------------------------------

/// The weights of all taps. Those of a diagonal may be stored without the dimension of the rows.
std::string Translator::make_weights(const LoopNest& nest, bool diagonal) {
  const auto inputs = nest.inputs(), outputs = nest.outputs();
  std::vector<float> values;
  std::vector<float> row(static_cast<std::size_t>(outputs));
  for (std::int64_t tap = 0; tap < nest.tap_count(); ++tap) {
    for (std::int64_t input = 0; input < inputs; ++input) {
      std::fill(row.begin(), row.end(), 0.0F);
      nest.weights.fill(tap, input, row.data());
      if (diagonal) {
        values.push_back(row[static_cast<std::size_t>(input)]);
      } else {
        values.insert(values.end(), row.begin(), row.end());
      }
    }
  }
  Sizes sizes;
  for (const LoopNumber tap : nest.taps) sizes.push_back(nest.loops[tap].size);
  for (const LoopNumber loop : nest.rows) {
    if (!diagonal) sizes.push_back(nest.loops[loop].size);
  }
  sizes.push_back(outputs);
  return make_constant(node().name + "_weights", sizes, std::move(values), nest.weights.operand);
}

void Translator::product(const LoopNest& made) {
  LoopNest nest = made;
  // A flattened tensor is summed up in its original layout.
  const bool rows = nest.taps.empty() && nest.operands.size() == 1;
  if (rows && nest.operands[0].value == in()) skip_flattening(nest, model_, 1);
  const std::int64_t n = model_.architecture.array_size;
  // With many groups the matrix is mostly zeroes, and SIMD operations take fewer cycles.
  const bool diagonal = nest.weights.diagonal && (nest.outputs() + n - 1) / n > 4;
  const std::string weights = nest.operands.size() == 1 ? make_weights(nest, diagonal) : "";
  const std::vector<float>& bias = nest.weights.bias;
  const std::string buffer = bias.empty() ? make_place(out()).buffer : make_temporary(out());
  const std::vector<Phases> all = combinations(nest);
  for (const Phases& phases : all) {
    if (all.size() == 1) {
      multiply(nest, phases, weights, diagonal, buffer, "");
      continue;
    }
    // Sums are stored as boxes, so those of one phase are first stored side by side.
    std::string suffix;
    Sizes part = nest.result.sizes;
    bool nothing = false;
    for (const Phase& phase : phases) {
      suffix += fmt::format("_{}", phase.first);
      part[phase.dimension] = phase.outputs;
      nothing = nothing || phase.taps == 0;
    }
    const std::string sums =
        nothing ? table({part.back()}, std::vector<float>(static_cast<std::size_t>(part.back()), 0))
                : make_buffer(buffer + suffix, part, "temporary");
    if (!nothing) multiply(nest, phases, weights, diagonal, sums, suffix);
    Kernel k = kernel(suffix + "_place");
    k.tag("eltwise");
    const std::vector<Affine> at = count(k, part);
    k.in("X", shapes_.at(sums), sums, nothing ? std::vector<Affine>{at.back()} : at);
    std::vector<Affine> to = at;
    for (const Phase& phase : phases) {
      Affine& place = to[phase.dimension];
      place = place * phase.period + Affine(phase.first);
    }
    write(k, buffer, to);
    k.store("Y", k.call("assign", {k.load("X")}));
    append(std::move(k));
  }
  if (!bias.empty()) add_row(buffer, nest.weights);
}

/// Computes the outputs of one phase, stored side by side.
void Translator::multiply(const LoopNest& nest, const std::vector<Phase>& phases,
                          const std::string& weights, bool diagonal, const std::string& target,
                          const std::string& suffix) {
  Kernel k = kernel(suffix);
  k.tag("contraction");
  if (!diagonal) {
    k.tag("agg_op_add");
    k.tag("comb_op_mul");
  }
  Indexes indexes(k, nest, phases, !diagonal, diagonal ? nest.rows : std::vector<LoopNumber>{});
  if (diagonal) {
    indexes.replace(nest.rows.front(), *nest.columns);
  } else {
    const std::vector<LoopNumber> streamed = nest.result_loops();
    std::int64_t points = 1;
    for (std::size_t d = 0; d + 1 < nest.result.sizes.size(); ++d) {
      points *= static_cast<std::int64_t>(shapes_.at(target).dims[d].size);
    }
    const bool has_index = std::any_of(streamed.begin(), streamed.end(),
                                       [&](LoopNumber loop) { return nest.loops[loop].matrix; });
    if (points == 1 && !has_index) k.unit_index("m");
  }
  const std::vector<Affine> source = indexes.places(k, nest.operands[0]);
  if (!weights.empty()) {
    std::vector<Affine> at;
    for (const LoopNumber tap : nest.taps) at.push_back(indexes.number(tap));
    for (const LoopNumber row : nest.rows) {
      if (!diagonal) at.push_back(indexes.number(row));
    }
    at.push_back(indexes.number(*nest.columns));
    k.in("K", shapes_.at(weights), weights, at);
  }
  read(k, "I", nest.operands[0].value, source);
  if (weights.empty()) read(k, "K", nest.operands[1].value, indexes.places(k, nest.operands[1]));
  write(k, target, indexes.places(k, nest.result), "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
}

/// Adds the bias to the sums in a buffer and stores the result in the node's output.
void Translator::add_row(const std::string& buffer, const Weights& weights) {
  const Place target = make_place(out());
  const std::string bias =
      make_constant(node().name + "_bias", {static_cast<std::int64_t>(weights.bias.size())},
                    weights.bias, weights.bias_operand);
  Kernel k = kernel("_bias");
  k.tag("eltwise");
  k.tag("eltwise_add");
  const nn::Shape sizes = layout(out()).memory_shape();
  const std::vector<Affine> at = count(k, sizes);
  k.in("B", shapes_.at(bias), bias, {at.back()});
  k.in("X", shapes_.at(buffer), buffer, at);
  write(k, target.buffer, at);
  const std::string x = k.load("X"), b = k.load("B");
  k.store("Y", k.call("add", {x, b}));
  append(std::move(k));
}

// ---- sums and maxima over windows ---------------------------------------------------------------

void Translator::maximum(const LoopNest& nest) {
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("contraction");
  k.tag("agg_op_max");
  const std::vector<Phases> all = combinations(nest);
  const Indexes indexes(k, nest, all.front(), false);
  read(k, "X", nest.operands[0].value, indexes.places(k, nest.operands[0]));
  write(k, target.buffer, indexes.places(k, nest.result), "max");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

/// Sums of weighted pixels, then one multiplication for each of a window's factors.
void Translator::sum(const LoopNest& nest) {
  const std::int64_t channels = nest.result.sizes.back();
  const auto over_lanes = [&](const std::vector<float>& values) {
    std::vector<float> lanes;
    for (const float value : values) {
      lanes.insert(lanes.end(), static_cast<std::size_t>(channels), value);
    }
    return lanes;
  };
  const auto& factors = nest.factors;
  const Place target = make_place(out());
  const std::string sums = factors.empty() ? target.buffer : make_temporary(out());
  Kernel k = kernel("_sum");
  k.tag("contraction");
  const std::vector<Phases> all = combinations(nest);
  const Indexes indexes(k, nest, all.front(), false);
  const std::vector<Affine> source = indexes.places(k, nest.operands[0]);
  read(k, "X", nest.operands[0].value, source);
  std::string value = k.load("X");
  if (nest.weight != 1) {
    const std::string table =
        make_constant(node().name + "_weight", {channels}, over_lanes({nest.weight}));
    k.in("K", shapes_.at(table), table, {source.back()});
    value = k.call("mul", {value, k.load("K")});
  } else {
    value = k.call("assign", {value});
  }
  write(k, sums, indexes.places(k, nest.result), "add");
  k.store("Y", value);
  append(std::move(k));
  if (factors.empty()) return;

  Kernel mean = kernel();
  mean.tag("eltwise");
  const std::vector<Affine> place = count(mean, nest.result.sizes);
  mean.in("X", shapes_.at(sums), sums, place);
  write(mean, target.buffer, place);
  value = mean.load("X");
  for (std::size_t f = 0; f < factors.front().size(); ++f) {
    if (factors.size() == 1) {
      value = mean.call("mul", {value, mean.real(factors.front()[f])});
      continue;
    }
    std::vector<float> of_windows;
    for (const std::vector<float>& own : factors) of_windows.push_back(own[f]);
    Sizes sizes = nest.result.sizes;  // without that of the images
    sizes.erase(sizes.begin());
    const std::string table =
        make_constant(fmt::format("{}_factors_{}", node().name, f), sizes, over_lanes(of_windows));
    const std::string operand = fmt::format("F{}", f);
    mean.in(operand, shapes_.at(table), table, {place.begin() + 1, place.end()});
    value = mean.call("mul", {value, mean.load(operand)});
  }
  mean.store("Y", value);
  append(std::move(mean));
}

void Translator::translate(const LoopNest& nest) {
  switch (nest.work) {
    case NestWork::product:
      return product(nest);
    case NestWork::sum:
      return sum(nest);
    case NestWork::maximum:
      return maximum(nest);
  }
}

}  // namespace tactus::compiler::stripe_tcu
