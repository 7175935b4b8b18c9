// Resize: sums of pixels with weights from a table, or plain repetition.
#include <algorithm>
#include <limits>
#include <utility>

#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

namespace {

/// True if the result repeats input pixel 0 a number of times, then pixel 1, and so on.
bool repeats(const std::vector<Resampling::Taps>& taps, std::int64_t inputs) {
  const auto outputs = static_cast<std::int64_t>(taps.size());
  if (outputs % inputs != 0) return false;
  for (std::int64_t at = 0; at < outputs; ++at) {
    const Resampling::Taps& own = taps[static_cast<std::size_t>(at)];
    if (own.size() != 1 || own[0] != std::pair(at / (outputs / inputs), 1.0F)) return false;
  }
  return true;
}

}  // namespace

/// Sums over the input pixels of one axis, with weights from a table. Constraints select the band
/// of pixels that have weights.
void Translator::weigh(
    const std::string& target, std::size_t d, const std::vector<Resampling::Taps>& taps,
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
    for (const auto& [p, weight] : taps[static_cast<std::size_t>(at)]) {
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

void Translator::resize() {
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  const auto& [rows, columns] = step_->resampling.axes;
  if (!repeats(rows, x.shape[2]) || !repeats(columns, x.shape[3])) {
    const Sizes between{x.shape[0], y.shape[2], x.shape[3], x.shape[1]};
    const std::string part = make_buffer(out() + "_rows", between, "temporary");
    weigh(
        part, 1, rows, between,
        [this](Kernel& k, const std::string& into, const std::vector<Affine>& at) {
          read(k, into, in(), at);
        },
        "_rows");
    const Place target = make_place(out());
    weigh(
        target.buffer, 2, columns, {y.shape[0], y.shape[2], y.shape[3], y.shape[1]},
        [&](Kernel& k, const std::string& into, const std::vector<Affine>& at) {
          k.in(into, shapes_.at(part), part, at);
        },
        "");
    return;
  }
  const Sizes factor{y.shape[2] / x.shape[2], y.shape[3] / x.shape[3]};
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("eltwise");
  const Affine n = k.index("n", x.shape[0]);
  const Affine row = k.index("y", x.shape[2]), row_part = k.index("dy", factor[0]);
  const Affine column = k.index("x", x.shape[3]), column_part = k.index("dx", factor[1]);
  const Affine c = k.index("c", x.shape[1]);
  read(k, "X", in(), {n, row, column, c});
  write(k, target.buffer, {n, row * factor[0] + row_part, column * factor[1] + column_part, c});
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

}  // namespace tactus::compiler::stripe_tcu
