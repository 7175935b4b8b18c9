// Windows over images, and pools.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

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

/// Sums of weighted pixels, then one multiplication for each of a window's factors.
void Translator::average_pool() {
  const std::int64_t channels = layout(in()).shape[1];
  const auto over_lanes = [&](const std::vector<float>& values) {
    std::vector<float> lanes;
    for (const float value : values) {
      lanes.insert(lanes.end(), static_cast<std::size_t>(channels), value);
    }
    return lanes;
  };
  const std::vector<float> factors =
      node().has("factors") ? node().reals("factors") : std::vector<float>{};
  const float weight = node().real("weight", 1);
  const Place target = make_place(out());
  const std::string sums = factors.empty() ? target.buffer : make_temporary(out());
  Kernel k = kernel("_sum");
  k.tag("contraction");
  Slide at = slide(k, step_->windows);
  const Affine c = k.index("c", channels);
  at.source.push_back(c);
  at.target.push_back(c);
  read(k, "X", in(), at.source);
  std::string value = k.load("X");
  if (weight != 1) {
    const std::string table =
        make_constant(node().name + "_weight", {channels}, over_lanes({weight}));
    k.in("K", shapes_.at(table), table, {c});
    value = k.call("mul", {value, k.load("K")});
  } else {
    value = k.call("assign", {value});
  }
  write(k, sums, at.target, "add");
  k.store("Y", value);
  append(std::move(k));
  if (factors.empty()) return;

  const auto constants = static_cast<std::size_t>(
      node().integer("constants", static_cast<std::int64_t>(factors.size())));
  Kernel mean = kernel();
  mean.tag("eltwise");
  const std::vector<Affine> place = count(mean, layout(out()).memory_shape());
  mean.in("X", shapes_.at(sums), sums, place);
  write(mean, target.buffer, place);
  value = mean.load("X");
  for (std::size_t f = 0; f < constants; ++f) {
    if (factors.size() == constants) {
      value = mean.call("mul", {value, mean.real(factors[f])});
      continue;
    }
    std::vector<float> of_windows;
    for (std::size_t i = f; i < factors.size(); i += constants) of_windows.push_back(factors[i]);
    const std::string table = make_constant(
        fmt::format("{}_factors_{}", node().name, f),
        {layout(out()).shape[2], layout(out()).shape[3], channels}, over_lanes(of_windows));
    const std::string operand = fmt::format("F{}", f);
    mean.in(operand, shapes_.at(table), table, {place[1], place[2], place[3]});
    value = mean.call("mul", {value, mean.load(operand)});
  }
  mean.store("Y", value);
  append(std::move(mean));
}

}  // namespace tactus::compiler::stripe_tcu
