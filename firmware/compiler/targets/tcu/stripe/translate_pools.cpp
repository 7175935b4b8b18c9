// Windows over images, and pools.
#include <algorithm>

#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

Translator::Window Translator::window(const Sizes& kernel) const {
  Window w;
  const Layout& x = layout(in());
  const Layout& y = layout(out());
  w.input = {x.shape[2], x.shape[3]};
  w.output = {y.shape[2], y.shape[3]};
  w.kernel = kernel;
  w.stride = node().integers("strides", {1, 1});
  w.dilation = node().integers("dilations", {1, 1});
  const std::string automatic = node().text("auto_pad", "NOTSET");
  if (automatic == "NOTSET") {
    const Sizes pads = node().integers("pads", {0, 0, 0, 0});
    w.before = {pads[0], pads[1]};
  } else if (automatic != "VALID") {
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t reach = (w.kernel[d] - 1) * w.dilation[d] + 1;
      const std::int64_t total =
          std::max<std::int64_t>((w.output[d] - 1) * w.stride[d] + reach - w.input[d], 0);
      w.before[d] = automatic == "SAME_UPPER" ? total / 2 : (total + 1) / 2;
    }
  }
  return w;
}

std::vector<Affine> Translator::slide(Kernel& k, const Window& w, std::int64_t images,
                                      std::vector<Affine>& target) const {
  const char* const taps[] = {"ky", "kx"};
  const char* const pixels[] = {"y", "x"};
  const Affine image = k.index("n", images);
  std::vector<Affine> at{image};
  target = {image};
  for (std::size_t d = 0; d < 2; ++d) {
    const Affine tap = k.index(taps[d], w.kernel[d]);
    const Affine pixel = k.index(pixels[d], w.output[d]);
    const Affine place = pixel * w.stride[d] + tap * w.dilation[d] - Affine(w.before[d]);
    if (w.clipped(d)) {
      k.constrain(place);
      k.constrain(Affine(w.input[d] - 1) - place);
    }
    at.push_back(place);
    target.push_back(pixel);
  }
  return at;
}

void Translator::max_pool() {
  const Window w = window(node().integers("kernel_shape"));
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("contraction");
  k.tag("agg_op_max");
  std::vector<Affine> to;
  std::vector<Affine> at = slide(k, w, layout(in()).shape[0], to);
  const Affine c = k.index("c", layout(in()).shape[1]);
  at.push_back(c);
  to.push_back(c);
  read(k, "X", in(), at);
  write(k, target.buffer, to, "max");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));
}

void Translator::average_pool() {
  const bool global = node().op_type == "GlobalAveragePool";
  const Layout& x = layout(in());
  Window w;
  if (global) {
    w.input = {x.shape[2], x.shape[3]};
    w.kernel = w.input;
    w.output = {1, 1};
  } else {
    w = window(node().integers("kernel_shape"));
  }
  const bool padding = !global && node().integer("count_include_pad", 0) != 0;
  const std::int64_t channels = x.shape[1];
  const Sizes pads = global ? Sizes{0, 0, 0, 0} : node().integers("pads", {0, 0, 0, 0});
  const bool stated = !global && node().text("auto_pad", "NOTSET") == "NOTSET";
  const auto divisor = [&](std::int64_t row, std::int64_t column) {
    std::int64_t product = 1;
    const std::int64_t at[] = {row, column};
    for (std::size_t d = 0; d < 2; ++d) {
      std::int64_t count = 0;
      const std::int64_t reach = (w.kernel[d] - 1) * w.dilation[d] + 1;
      const std::int64_t total =
          std::max<std::int64_t>((w.output[d] - 1) * w.stride[d] + reach - w.input[d], 0);
      const std::int64_t after = stated ? pads[2 + d] : total - w.before[d];
      for (std::int64_t tap = 0; tap < w.kernel[d]; ++tap) {
        const std::int64_t p = at[d] * w.stride[d] - w.before[d] + tap * w.dilation[d];
        count += padding ? (p < w.input[d] + after ? 1 : 0) : (p >= 0 && p < w.input[d] ? 1 : 0);
      }
      product *= count;
    }
    return product;
  };
  const std::string sums = make_temporary(out());
  Kernel k = kernel("_sum");
  k.tag("contraction");
  std::vector<Affine> to;
  std::vector<Affine> at = slide(k, w, x.shape[0], to);
  const Affine c = k.index("c", channels);
  at.push_back(c);
  to.push_back(c);
  read(k, "X", in(), at);
  write(k, sums, to, "add");
  k.store("Y", k.call("assign", {k.load("X")}));
  append(std::move(k));

  std::set<std::int64_t> divisors;
  std::vector<float> factors;
  for (std::int64_t row = 0; row < w.output[0]; ++row) {
    for (std::int64_t column = 0; column < w.output[1]; ++column) {
      divisors.insert(divisor(row, column));
      factors.insert(factors.end(), static_cast<std::size_t>(channels),
                     1.0F / static_cast<float>(divisor(row, column)));
    }
  }
  const Place target = make_place(out());
  Kernel mean = kernel();
  mean.tag("eltwise");
  const std::vector<Affine> place = count(mean, layout(out()).memory_shape());
  mean.in("X", shapes_.at(sums), sums, place);
  write(mean, target.buffer, place);
  if (divisors.size() == 1) {
    const std::string x_ = mean.load("X");
    mean.store("Y", mean.call("mul", {x_, mean.real(factors.front())}));
  } else {
    const std::string table = make_constant(
        node().name + "_factors", {w.output[0], w.output[1], channels}, std::move(factors));
    mean.in("F", shapes_.at(table), table, {place[1], place[2], place[3]});
    const std::string x_ = mean.load("X"), f = mean.load("F");
    mean.store("Y", mean.call("mul", {x_, f}));
  }
  append(std::move(mean));
}

}  // namespace tactus::compiler::stripe_tcu
