// Windows over images, and pools.
#include <algorithm>
#include <numeric>

#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

std::vector<Translator::Phase> Translator::phases(const Windows& w, std::size_t d) {
  const std::int64_t spacing = w.spacing[d];
  const std::int64_t period = spacing / std::gcd(spacing, w.stride[d]);
  const std::int64_t tap_step = spacing / std::gcd(spacing, w.dilation[d]);
  std::vector<Phase> all;
  for (std::int64_t first = 0; first < std::min(period, w.output[d]); ++first) {
    Phase phase;
    phase.first = first;
    phase.period = period;
    phase.outputs = (w.output[d] - first + period - 1) / period;
    phase.tap_step = tap_step;
    const auto place = [&](std::int64_t tap) {
      return first * w.stride[d] - w.before[d] + tap * w.dilation[d];
    };
    std::int64_t& tap = phase.first_tap;
    while (tap < w.kernel[d] && place(tap) % spacing != 0) ++tap;
    if (tap < w.kernel[d]) phase.taps = (w.kernel[d] - tap + tap_step - 1) / tap_step;
    phase.origin = place(tap) / spacing;
    phase.pixel_step = period * w.stride[d] / spacing;
    phase.reach = tap_step * w.dilation[d] / spacing;
    all.push_back(phase);
  }
  return all;
}

Translator::Slide Translator::slide(Kernel& k, const Windows& w, const Phase& rows,
                                    const Phase& columns) const {
  const char* const taps[] = {"ky", "kx"};
  const char* const pixels[] = {"y", "x"};
  const Affine image = k.index("n", layout(in()).shape[0]);
  Slide slide{{image}, {image}, {}, {}};
  for (std::size_t d = 0; d < 2; ++d) {
    const Phase& phase = d == 0 ? rows : columns;
    const Affine tap = k.index(taps[d], phase.taps);
    const Affine pixel = k.index(pixels[d], phase.outputs);
    const Affine place = pixel * phase.pixel_step + tap * phase.reach + Affine(phase.origin);
    const std::int64_t last =
        phase.origin + (phase.outputs - 1) * phase.pixel_step + (phase.taps - 1) * phase.reach;
    if (phase.origin < 0 || last >= w.input[d]) {
      k.constrain(place);
      k.constrain(Affine(w.input[d] - 1) - place);
    }
    slide.source.push_back(place);
    slide.target.push_back(pixel);
    (d == 0 ? slide.ky : slide.kx) = tap * phase.tap_step + Affine(phase.first_tap);
  }
  return slide;
}

void Translator::max_pool() {
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("contraction");
  k.tag("agg_op_max");
  Slide at = slide(k, step_->windows);
  const Affine c = k.index("c", layout(in()).shape[1]);
  at.source.push_back(c);
  at.target.push_back(c);
  read(k, "X", in(), at.source);
  write(k, target.buffer, at.target, "max");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

void Translator::average_pool() {
  const Windows& w = step_->windows;
  const std::int64_t channels = layout(in()).shape[1];
  const bool padding = node().integer("count_include_pad", 0) != 0;
  const bool stated = node().has("factor");
  // Number of taps along one dimension that count: those inside the image or, with padding
  // included, inside the padded image.
  const auto counted = [&](std::size_t d, std::int64_t at) {
    std::int64_t count = 0;
    for (std::int64_t tap = 0; tap < w.kernel[d]; ++tap) {
      const std::int64_t p = at * w.stride[d] - w.before[d] + tap * w.dilation[d];
      count += padding ? (p < w.input[d] + w.after[d] ? 1 : 0) : (p >= 0 && p < w.input[d] ? 1 : 0);
    }
    return count;
  };
  const auto factor = [&](std::int64_t row, std::int64_t column) {
    return stated ? node().real("factor")
                  : 1.0F / static_cast<float>(counted(0, row) * counted(1, column));
  };
  const std::string sums = make_temporary(out());
  Kernel k = kernel("_sum");
  k.tag("contraction");
  Slide at = slide(k, w);
  const Affine c = k.index("c", channels);
  at.source.push_back(c);
  at.target.push_back(c);
  read(k, "X", in(), at.source);
  write(k, sums, at.target, "add");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));

  std::set<float> different;
  std::vector<float> factors;
  for (std::int64_t row = 0; row < w.output[0]; ++row) {
    for (std::int64_t column = 0; column < w.output[1]; ++column) {
      different.insert(factor(row, column));
      factors.insert(factors.end(), static_cast<std::size_t>(channels), factor(row, column));
    }
  }
  const Place target = make_place(out());
  Kernel mean = kernel();
  mean.tag("eltwise");
  const std::vector<Affine> place = count(mean, layout(out()).memory_shape());
  mean.in("X", shapes_.at(sums), sums, place);
  write(mean, target.buffer, place);
  if (different.size() == 1) {
    const std::string value = mean.load("X");
    mean.store("Y", mean.call("mul", {value, mean.real(factors.front())}));
  } else {
    const std::string table = make_constant(
        node().name + "_factors", {w.output[0], w.output[1], channels}, std::move(factors));
    mean.in("F", shapes_.at(table), table, {place[1], place[2], place[3]});
    const std::string value = mean.load("X"), factor = mean.load("F");
    mean.store("Y", mean.call("mul", {value, factor}));
  }
  append(std::move(mean));
}

}  // namespace tactus::compiler::stripe_tcu
