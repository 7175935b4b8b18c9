// MaxPool, AveragePool, GlobalAveragePool, GlobalMaxPool.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/means.h"
#include "firmware/compiler/frontend/operators/windows.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// Plans the pool of an image; `nest` has the work, weight and factors.
Plan finish(Planner& p, const Layout& x, const Windows& windows, LoopNest nest) {
  const Layout result =
      Layout::activation({x.shape[0], x.shape[1], windows.output[0], windows.output[1]});
  slide(nest, windows, Access::of(p.node.inputs[0], x, {}),
        Access::of(p.node.outputs[0], result, {}));
  const LoopNumber channel = nest.add("c", x.shape[1]);
  nest.operands[0].places.push_back(Place1D::of(channel));
  nest.result.places.push_back(Place1D::of(channel));
  p.reads(0);
  p.output(result);
  return nest;
}

/// Checks that every window contains a pixel.
bool check_windows(Planner& p, const Windows& w) {
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::int64_t at = 0; at < w.output[d]; ++at) {
      bool sees = false;
      for (std::int64_t k = 0; k < w.kernel[d] && !sees; ++k) {
        const std::int64_t pixel = at * w.stride[d] - w.before[d] + k * w.dilation[d];
        sees = pixel >= 0 && pixel < w.input[d];
      }
      if (!sees) {
        p.problem("a window lies in the padding altogether; supported are pads below the kernel");
        return false;
      }
    }
  }
  return true;
}

std::optional<Windows> plan_pool_windows(Planner& p, const Layout* x) {
  const std::vector<std::int64_t> kernel = p.node.integers("kernel_shape");
  const std::optional<Windows> windows =
      plan_windows(p, x, kernel, p.compat() ? PadRule::ignore : PadRule::read);
  // A stage of a mean may have sums of padding alone.
  const bool needs_pixels = p.node.op_type != sum_pool;
  if (!windows || p.failed() || (needs_pixels && !check_windows(p, *windows))) return std::nullopt;
  return windows;
}

Plan plan_max_pool(Planner& p) {
  if (p.output_read(1)) p.problem("output 1 (Indices) is not supported");
  const Layout* x = p.image(0);
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (!windows) return {};
  LoopNest nest;
  nest.work = NestWork::maximum;
  return finish(p, *x, *windows, std::move(nest));
}

/// Plans an AveragePool of compatible mode. Others are expanded.
Plan plan_average_pool(Planner& p) {
  const Layout* x = p.image(0);
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (!windows) return {};
  LoopNest nest;
  nest.work = NestWork::sum;
  // Right only where kernel and stride are equal.
  nest.factors = {{1.0F / static_cast<float>(windows->stride[0] * windows->stride[1])}};
  return finish(p, *x, *windows, std::move(nest));
}

/// Factors of a sum pool for each window, or once for all.
std::vector<std::vector<float>> window_factors(const nn::Node& node) {
  if (!node.has("factors")) return {};
  const std::vector<float>& all = node.reals("factors");
  const auto constants =
      static_cast<std::size_t>(node.integer("constants", static_cast<std::int64_t>(all.size())));
  std::vector<std::vector<float>> factors;
  for (std::size_t first = 0; first < all.size(); first += constants) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    factors.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(constants));
  }
  return factors;
}

/// Plans the internal operator sum_pool (expansion.h).
Plan plan_sum_pool(Planner& p) {
  const Layout* x = p.image(0);
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (!windows) return {};
  LoopNest nest;
  nest.work = NestWork::sum;
  nest.weight = p.node.real("weight", 1);
  nest.factors = window_factors(p.node);
  if (p.node.integer("joins the layer before", 0) == 0) p.step().role = Role::simple;
  return finish(p, *x, *windows, std::move(nest));
}

Plan plan_global_pool(Planner& p) {
  const Layout* x = p.image(0);
  if (x == nullptr) return {};
  Windows windows;
  windows.input = {x->shape[2], x->shape[3]};
  windows.kernel = windows.input;
  windows.output = {1, 1};
  LoopNest nest;
  nest.work = NestWork::maximum;
  if (p.node.op_type == "GlobalAveragePool") {
    nest.work = NestWork::sum;
    nest.factors = {{1.0F / static_cast<float>(x->shape[2] * x->shape[3])}};
  }
  p.step().role = Role::simple;
  return finish(p, *x, windows, std::move(nest));
}

/// True if one window covers the whole image.
bool covers_image(const Planner& p, const nn::Shape& image) {
  if (!p.node.has("kernel_shape")) return true;
  const nn::Shape pads = p.node.integers("pads", {});
  return p.node.integers("kernel_shape") == nn::Shape{image[2], image[3]} &&
         std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; }) &&
         p.node.text("auto_pad", "NOTSET") == "NOTSET";
}

/// True if each window is a whole row of the image, without padding.
bool is_whole_row(const Planner& p, const nn::Shape& kernel, const nn::Shape& image) {
  const nn::Shape pads = p.node.integers("pads", {});
  const nn::Shape strides = p.node.integers("strides", {1, 1});
  return kernel == nn::Shape{1, image[3]} && strides == nn::Shape{1, 1} &&
         std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; }) &&
         p.node.text("auto_pad", "NOTSET") == "NOTSET";
}

/// Expands a pool of maxima whose windows have more pixels than there are accumulators: rows, or
/// pieces of a row or column, are pooled first.
bool expand_pool(Planner& p, Expansion& e) {
  if (expand_to_image(p, e)) return true;
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout || value->layout->rank() != 4) return false;
  const nn::Shape& image = value->layout->shape;
  const nn::Shape kernel = p.node.integers("kernel_shape", {image[2], image[3]});
  const bool rows_alone = is_whole_row(p, kernel, image);
  if (p.failed() || kernel.size() != 2 || kernel[0] * kernel[1] <= most_pool_terms(p) ||
      p.output_read(1) || !(rows_alone || covers_image(p, image))) {
    return false;
  }
  const std::string& x = p.node.inputs[0];
  if (rows_alone || image[3] == 1) {
    constexpr std::int64_t piece = 64;
    const nn::Shape pieces = rows_alone ? nn::Shape{1, piece} : nn::Shape{piece, 1};
    const std::int64_t left = ((rows_alone ? image[3] : image[2]) + piece - 1) / piece;
    const std::string maxima =
        e.node("MaxPool", {x},
               {{"kernel_shape", pieces}, {"strides", pieces}, {"ceil_mode", std::int64_t{1}}});
    e.last("MaxPool", {maxima},
           {{"kernel_shape", rows_alone ? nn::Shape{1, left} : nn::Shape{left, 1}}});
    return true;
  }
  const nn::Shape row{1, image[3]}, column{image[2], 1};
  const std::string rows = e.node("MaxPool", {x}, {{"kernel_shape", row}});
  e.last("MaxPool", {rows}, {{"kernel_shape", column}});
  return true;
}

/// Expands a sum of more pixels than there are accumulators: rows are added up first.
bool expand_sum_pool(Planner& p, Expansion& e) {
  if (expand_to_image(p, e)) return true;
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout || value->layout->rank() != 4) return false;
  const nn::Shape& image = value->layout->shape;
  const nn::Shape kernel = p.node.integers("kernel_shape");
  if (kernel[0] * kernel[1] <= most_pool_terms(p) || kernel[0] == 1 || kernel[1] == 1 ||
      !covers_image(p, image)) {
    return false;
  }
  const std::vector<float> one{1};
  const std::string rows = e.node(sum_pool, {p.node.inputs[0]},
                                  {{"kernel_shape", nn::Shape{1, image[3]}}, {"factors", one}});
  e.last(sum_pool, {rows}, {{"kernel_shape", nn::Shape{image[2], 1}}, {"factors", one}});
  return true;
}

// ---- averages -----------------------------------------------------------------------------------

/// 1 if the pool can be part of the layer that makes its operand: weighted sums cannot follow an
/// activation, and a GlobalAveragePool is a layer of its own.
std::int64_t joins_layer(const Planner& p, float weight) {
  return p.node.op_type == "AveragePool" && weight == 1 ? 1 : 0;
}

/// Expands the mean of a whole image. Its pixels are put in one row, of which stages take the sums.
void expand_whole(Planner& p, Expansion& e, const nn::Shape& image) {
  const std::int64_t pixels = image[2] * image[3];
  const MeanPlan plan =
      plan_mean(p.architecture().data_type, pixels, p.bound(p.node.inputs[0]), most_pool_terms(p));
  state_error(p, plan);
  if (pixels == 1) return e.last("Identity", {p.node.inputs[0]});
  if (plan.stages.size() == 1) {
    const MeanStage& stage = plan.stages.front();
    return e.last(sum_pool, {p.node.inputs[0]},
                  {{"kernel_shape", nn::Shape{image[2], image[3]}},
                   {"weight", stage.weight},
                   {"factors", plan.factors},
                   {"joins the layer before", joins_layer(p, stage.weight)}});
  }
  std::string sums = p.node.inputs[0];
  if (image[2] != 1) {
    sums = e.node("Transpose", {sums}, {{"perm", nn::Shape{0, 2, 3, 1}}});
    sums = plainly_reshaped(e, sums, {image[0], 1, pixels, image[1]});
    sums = e.node("Transpose", {sums}, {{"perm", nn::Shape{0, 3, 1, 2}}});
  }
  std::int64_t values = pixels;
  for (std::size_t k = 0; k + 1 < plan.stages.size(); ++k) {
    sums = stage_of_means(e, sums, plan.stages[k], values, {});
    values = plan.stages[k].results;
  }
  e.last(sum_pool, {sums}, stage_attributes(plan.stages.back(), values, plan.factors));
}

/// Windows in one direction as stages of few terms: each takes the sums that the one before has
/// made, at the places where the next one reads them.
struct WindowStage {
  std::int64_t terms = 1, stride = 1, dilation = 1;
};

/// Stages of the prime factors of the kernel, two twos at once.
std::vector<WindowStage> window_stages(std::int64_t kernel, std::int64_t stride,
                                       std::int64_t dilation) {
  std::vector<WindowStage> stages;
  while (kernel > 1) {
    std::int64_t terms = kernel % 4 == 0 ? 4 : 2;
    while (kernel % terms != 0) ++terms;
    kernel /= terms;
    const std::int64_t kept = kernel == 1 ? stride : std::gcd(stride, terms * dilation);
    stages.push_back({terms, kept, dilation});
    dilation = terms * dilation / kept;
    stride /= kept;
  }
  if (stages.empty()) stages.push_back({1, stride, 1});
  return stages;
}

/// The number of values that each window's sum is divided by.
std::vector<std::int64_t> window_divisors(const Windows& w, bool count_padding) {
  const auto counted = [&](std::size_t d, std::int64_t at) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
      const std::int64_t pixel = at * w.stride[d] - w.before[d] + k * w.dilation[d];
      const bool counts =
          count_padding ? pixel < w.input[d] + w.after[d] : pixel >= 0 && pixel < w.input[d];
      count += counts ? 1 : 0;
    }
    return count;
  };
  std::vector<std::int64_t> all;
  for (std::int64_t y = 0; y < w.output[0]; ++y) {
    for (std::int64_t x = 0; x < w.output[1]; ++x) all.push_back(counted(0, y) * counted(1, x));
  }
  return all;
}

/// Constants that divide the sums of windows.
struct WindowFactors {
  std::vector<float> factors;  ///< `constants` for each window, or once for all
  std::size_t constants = 0;
  double relative_error = 0;  ///< of the constants' product, the largest
};

/// `weight` is the one that a value has in its sum, and `largest` the largest mean.
WindowFactors window_factors(Planner& p, const Windows& w, double weight, double largest) {
  WindowFactors made;
  std::map<std::int64_t, Constants> of_divisor;
  const std::vector<std::int64_t> all =
      window_divisors(w, p.node.integer("count_include_pad", 0) != 0);
  for (const std::int64_t divisor : all) {
    const auto [found, is_new] = of_divisor.try_emplace(divisor);
    if (is_new) {
      found->second = constants_for(p.architecture().data_type,
                                    1 / (static_cast<double>(divisor) * weight), largest);
    }
    made.constants = std::max(made.constants, found->second.numbers.size());
    made.relative_error = std::max(made.relative_error, found->second.relative_error);
  }
  for (const std::int64_t divisor : all) {
    std::vector<float> own = of_divisor.at(divisor).numbers;
    own.resize(made.constants, 1);
    made.factors.insert(made.factors.end(), own.begin(), own.end());
    if (of_divisor.size() == 1) break;
  }
  return made;
}

/// Adds a sum pool for each stage, by its dimension; `after` is the padding behind the image. The
/// last pool has the attributes `last`, too.
void add_stages(Planner& p, Expansion& e, const Windows& w,
                const std::array<std::int64_t, 2>& after,
                const std::vector<std::pair<std::size_t, WindowStage>>& stages,
                Expansion::Attributes last) {
  const tcu::DataType type = p.architecture().data_type;
  std::string sums = p.node.inputs[0];
  std::array<bool, 2> padded{};
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const auto& [d, stage] = stages[k];
    const auto pair = [d = d](std::int64_t value, std::int64_t other) {
      return d == 0 ? nn::Shape{value, other} : nn::Shape{other, value};
    };
    Expansion::Attributes attributes{{"kernel_shape", pair(stage.terms, 1)},
                                     {"strides", pair(stage.stride, 1)},
                                     {"dilations", pair(stage.dilation, 1)},
                                     {"weight", weight_of_one_in(type, stage.terms)}};
    if (!padded[d]) {
      const nn::Shape before = pair(w.before[d], 0), behind = pair(after[d], 0);
      attributes["pads"] = nn::Shape{before[0], before[1], behind[0], behind[1]};
      padded[d] = true;
    }
    if (k + 1 < stages.size()) {
      sums = e.node(sum_pool, {sums}, std::move(attributes));
    } else {
      attributes.merge(last);
      e.last(sum_pool, {sums}, std::move(attributes));
    }
  }
}

/// Expands the means of windows. Sums are exact if a bound says that they stay in range; else
/// stages in each direction add up weighted values.
void expand_windows(Planner& p, Expansion& e, const Windows& w) {
  const tcu::DataType type = p.architecture().data_type;
  const double step = tcu::to_real(type, 1), top = tcu::to_real(type, tcu::info(type).max());
  const std::optional<double> bound = p.bound(p.node.inputs[0]);
  const double largest = std::min(top, bound.value_or(top));
  const bool exact = bound && static_cast<double>(w.taps()) * *bound <= top;
  std::vector<std::pair<std::size_t, WindowStage>> stages;
  // A few values are added up at once.
  const bool few = !exact && w.taps() <= 4;
  const float weight_at_once = few ? weight_of_one_in(type, w.taps()) : 1;
  double weight = static_cast<double>(weight_at_once);
  double error = few ? static_cast<double>(w.taps()) / 2 : 0;
  if (!exact && !few) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{0}}) {
      for (const WindowStage& stage : window_stages(w.kernel[d], w.stride[d], w.dilation[d])) {
        if (stage.terms == 1 && stage.stride == 1) continue;
        stages.emplace_back(d, stage);
        weight *= static_cast<double>(weight_of_one_in(type, stage.terms));
        error += static_cast<double>(stage.terms) / 2;
      }
    }
  }
  const WindowFactors divided = window_factors(p, w, weight, largest);
  MeanPlan stated;
  stated.error = step * (error + static_cast<double>(divided.constants) / 2) +
                 divided.relative_error * largest;
  state_error(p, stated);
  Expansion::Attributes last{{"factors", divided.factors},
                             {"constants", static_cast<std::int64_t>(divided.constants)}};
  // Padding on each side that the windows reach; a kernel may also end before the image does.
  std::array<std::int64_t, 2> after{};
  for (std::size_t d = 0; d < 2; ++d) {
    after[d] = std::max<std::int64_t>(0, (w.output[d] - 1) * w.stride[d] +
                                             (w.kernel[d] - 1) * w.dilation[d] + 1 - w.before[d] -
                                             w.input[d]);
  }
  if (stages.empty()) {
    last["kernel_shape"] = nn::Shape{w.kernel[0], w.kernel[1]};
    last["strides"] = nn::Shape{w.stride[0], w.stride[1]};
    last["dilations"] = nn::Shape{w.dilation[0], w.dilation[1]};
    last["pads"] = nn::Shape{w.before[0], w.before[1], after[0], after[1]};
    last["weight"] = weight_at_once;
    last["joins the layer before"] = joins_layer(p, weight_at_once);
    return e.last(sum_pool, {p.node.inputs[0]}, std::move(last));
  }
  add_stages(p, e, w, after, stages, std::move(last));
}

bool expand_average(Planner& p, Expansion& e) {
  if (expand_to_image(p, e)) return true;
  const Layout* x = p.image(0);
  if (x == nullptr) return true;
  if (covers_image(p, x->shape)) {
    expand_whole(p, e, x->shape);
    return true;
  }
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (windows) expand_windows(p, e, *windows);
  return true;
}

}  // namespace

std::int64_t most_pool_terms(const Planner& p) {
  return static_cast<std::int64_t>(p.architecture().accumulator_depth) - 2;
}

Operator sum_pool_operator() {
  return {sum_pool, 0, Role::pool, plan_sum_pool, nullptr, expand_sum_pool};
}

Operators pool_operators() {
  return {{"MaxPool", wants_image | keeps_quantisation, Role::pool, plan_max_pool, nullptr,
           expand_pool},
          {"AveragePool", wants_image | takes_means, Role::pool, plan_average_pool, nullptr,
           expand_average},
          {"GlobalAveragePool", wants_image | takes_means, Role::pool, plan_global_pool, nullptr,
           expand_average},
          {"GlobalMaxPool", wants_image, Role::pool, plan_global_pool, nullptr, expand_pool}};
}

}  // namespace tactus::compiler
