// Resamplings: sums of pixels with weights from a table.
#include <algorithm>
#include <limits>
#include <utility>

#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

namespace {

using Weighted = std::vector<std::pair<std::int64_t, float>>;  // pixels and weights

/// Input pixels of an output pixel, without those of weight 0.
Weighted pixels_of(const Resampling::Pair& pair) {
  if (pair.first == pair.second || pair.weight == 0.0F) return {{pair.first, 1.0F}};
  return {{pair.first, 1.0F - pair.weight}, {pair.second, pair.weight}};
}

}  // namespace

/// Sums over the input pixels of one axis, with weights from a table. Constraints select the band
/// of pixels that have weights.
void Translator::weigh(
    const std::string& target, std::size_t d, const std::vector<Resampling::Pair>& pairs,
    const Sizes& sizes,
    const std::function<void(Kernel&, const std::string&, const std::vector<Affine>&)>& source,
    const std::string& suffix) {
  Kernel k = kernel(suffix);
  k.tag("contraction");
  const char* const names[] = {"n", "y", "x", "c"};
  std::vector<Affine> to;
  for (std::size_t i = 0; i < 4; ++i) to.push_back(k.index(names[i], sizes[i]));
  const std::int64_t inputs = layout(in()).shape[d + 1], outputs = sizes[d];
  const Affine pixel = k.index("p", inputs);
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -low;
  std::vector<float> weights(static_cast<std::size_t>(inputs * outputs), 0);
  for (std::int64_t at = 0; at < outputs; ++at) {
    for (const auto& [p, weight] : pixels_of(pairs[static_cast<std::size_t>(at)])) {
      weights[static_cast<std::size_t>(at * inputs + p)] = weight;
      low = std::min(low, outputs * p - inputs * at);
      high = std::max(high, outputs * p - inputs * at);
    }
  }
  const Affine band = pixel * outputs - to[d] * inputs;
  k.constrain(band - Affine(low));
  k.constrain(Affine(high) - band);
  std::vector<float> table;
  for (const float value : weights) {
    table.insert(table.end(), static_cast<std::size_t>(sizes[3]), value);
  }
  const std::string buffer = make_constant(node().name + suffix + "_weights",
                                           {outputs, inputs, sizes[3]}, std::move(table));
  k.in("K", shapes_.at(buffer), buffer, {to[d], pixel, to[3]});
  std::vector<Affine> from = to;
  from[d] = pixel;
  source(k, "I", from);
  write(k, target, to, "add");
  const std::string i = k.load("I"), f = k.load("K");
  k.store("Y", k.call("mul", {i, f}));
  append(std::move(k));
}

/// Rows first, then columns.
void Translator::translate(const Resampling& nest) {
  const Layout& x = layout(nest.value);
  const Layout& y = layout(nest.result);
  const Sizes between{x.shape[0], y.shape[2], x.shape[3], x.shape[1]};
  const std::string part = make_buffer(nest.result + "_rows", between, "temporary");
  weigh(
      part, 1, nest.axes[0], between,
      [&](Kernel& k, const std::string& into, const std::vector<Affine>& at) {
        read(k, into, nest.value, at);
      },
      "_rows");
  const Place target = make_place(nest.result);
  weigh(
      target.buffer, 2, nest.axes[1], {y.shape[0], y.shape[2], y.shape[3], y.shape[1]},
      [&](Kernel& k, const std::string& into, const std::vector<Affine>& at) {
        k.in(into, shapes_.at(part), part, at);
      },
      "");
}

}  // namespace tactus::compiler::stripe_tcu
