// Resize: sums of pixels that a table weighs, or plain repetition.
#include <algorithm>
#include <cmath>

#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

/// Row-major weights of an output pixel's input pixels along one axis.
Translator::Weights Translator::weights_of(std::size_t d) const {
  const std::int64_t opset = model_.graph->opset;
  const std::int64_t input = layout(in()).shape[d], output = layout(out()).shape[d];
  const std::string transform =
      opset < 11 ? "asymmetric" : node().text("coordinate_transformation_mode", "half_pixel");
  const nn::Tensor* scales = constant(opset < 11 ? 1 : 2);
  const float scale = scales != nullptr && scales->floats.size() == 4
                          ? scales->floats[d]
                          : static_cast<float>(output) / static_cast<float>(input);
  const std::string rounding = opset < 11 ? (scale < 1.0F ? "ceil" : "floor")
                                          : node().text("nearest_mode", "round_prefer_floor");
  const bool linear = node().text("mode", "nearest") == "linear";
  Weights weights{input, output, std::vector<float>(static_cast<std::size_t>(input * output), 0)};
  const auto add = [&](std::int64_t at, std::int64_t pixel, float weight) {
    pixel = std::clamp<std::int64_t>(pixel, 0, input - 1);
    weights.values[static_cast<std::size_t>(at * input + pixel)] += weight;
  };
  for (std::int64_t at = 0; at < output; ++at) {
    const auto x = static_cast<float>(at);
    float place = (x + 0.5F) / scale - 0.5F;
    if (transform == "pytorch_half_pixel" && output == 1) place = 0;
    if (transform == "align_corners") {
      place = output > 1 ? x * static_cast<float>(input - 1) / static_cast<float>(output - 1) : 0;
    }
    if (transform == "asymmetric") place = x / scale;
    if (transform == "tf_half_pixel_for_nn") place = (x + 0.5F) / scale;
    if (linear) {
      place = std::max(place, 0.0F);
      const float low = std::floor(place);
      add(at, static_cast<std::int64_t>(low), 1.0F - (place - low));
      add(at, static_cast<std::int64_t>(low) + 1, place - low);
      continue;
    }
    const float pixel = rounding == "round_prefer_floor"  ? std::ceil(place - 0.5F)
                        : rounding == "round_prefer_ceil" ? std::floor(place + 0.5F)
                        : rounding == "ceil"              ? std::ceil(place)
                                                          : std::floor(place);
    add(at, static_cast<std::int64_t>(pixel), 1.0F);
  }
  return weights;
}

/// Every pixel again and again.
bool Translator::Weights::repeats() const {
  if (output % input != 0) return false;
  for (std::int64_t at = 0; at < output; ++at) {
    if (values[static_cast<std::size_t>(at * input + at / (output / input))] != 1.0F) return false;
  }
  return true;
}

/// Sums over the input pixels of one axis, weighed by a table. The band of pixels that have weights
/// is cut out by constraints.
void Translator::weigh(
    const std::string& target, std::size_t d, const Weights& weights, const Sizes& sizes,
    const std::function<void(Kernel&, const std::string&, const std::vector<Affine>&)>& source,
    const std::string& suffix) {
  Kernel k = kernel(suffix);
  k.tag("contraction");
  const char* const names[] = {"n", "y", "x", "c"};
  std::vector<Affine> to;
  for (std::size_t i = 0; i < 4; ++i) to.push_back(k.index(names[i], sizes[i]));
  const Affine pixel = k.index("p", weights.input);
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = -low;
  for (std::int64_t at = 0; at < weights.output; ++at) {
    for (std::int64_t p = 0; p < weights.input; ++p) {
      if (weights.values[static_cast<std::size_t>(at * weights.input + p)] == 0) continue;
      low = std::min(low, weights.output * p - weights.input * at);
      high = std::max(high, weights.output * p - weights.input * at);
    }
  }
  const Affine band = pixel * weights.output - to[d] * weights.input;
  k.constrain(band - Affine(low));
  k.constrain(Affine(high) - band);
  std::vector<float> table;
  for (const float value : weights.values) {
    table.insert(table.end(), static_cast<std::size_t>(sizes[3]), value);
  }
  const std::string buffer =
      make_constant(node().name + suffix + "_weights", {weights.output, weights.input, sizes[3]},
                    std::move(table));
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
  const Weights rows = weights_of(2), columns = weights_of(3);
  if (!rows.repeats() || !columns.repeats()) {
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
