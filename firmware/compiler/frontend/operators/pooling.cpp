// MaxPool, AveragePool, GlobalAveragePool, GlobalMaxPool.
//
// Windows at the border have fewer pixels; windows with equal numbers of pixels become one
// operation.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/windows.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Pool {
  Windows windows;
  std::int64_t images = 0, channels = 0;
  bool average = false;
  bool count_padding = false;  ///< averages include the padding; pixels beyond it do not count
  std::int64_t divisor = 0;    ///< divisor of all windows; 0: the number of pixels that count
  std::optional<float> factor = {};  ///< factor of all sums, in place of a divisor
  std::string input, output;

  /// Taps of a window that are inside the padded image.
  [[nodiscard]] std::int64_t padded_taps(std::int64_t y, std::int64_t x) const;

  void emit(Emitter& e) const;
};

std::int64_t Pool::padded_taps(std::int64_t y, std::int64_t x) const {
  std::int64_t count = 1;
  const std::array<std::int64_t, 2> at{y, x};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t first = at[d] * windows.stride[d] - windows.before[d];
    std::int64_t inside = 0;
    for (std::int64_t k = 0; k < windows.kernel[d]; ++k) {
      inside += first + k * windows.dilation[d] < windows.input[d] + windows.after[d] ? 1 : 0;
    }
    count *= inside;
  }
  return count;
}

/// A window: its pixels, and the divisor of their sum.
struct Window {
  std::vector<std::int64_t> pixels;
  std::int64_t divisor = 1;
};

/// Vectors of all windows that are computed in the same way.
struct Group {
  std::vector<Addresses> taps;
  Addresses results;
};

void Pool::emit(Emitter& e) const {
  const std::int64_t blocks = (channels + e.array_size() - 1) / e.array_size();
  const Addresses x = e.temps(input);
  const std::int64_t area = windows.output[0] * windows.output[1];
  std::map<std::int64_t, Address> multipliers;
  std::vector<Window> all;
  for (std::int64_t y = 0; y < windows.output[0]; ++y) {
    for (std::int64_t column = 0; column < windows.output[1]; ++column) {
      Window window;
      for (std::int64_t tap = 0; tap < windows.taps(); ++tap) {
        const std::int64_t pixel = windows.pixel(y, column, tap);
        if (pixel >= 0) window.pixels.push_back(pixel);
      }
      if (average) {
        window.divisor = factor          ? 1
                         : divisor != 0  ? divisor
                         : count_padding ? padded_taps(y, column)
                                         : static_cast<std::int64_t>(window.pixels.size());
        if (multipliers.count(window.divisor) == 0) {
          multipliers[window.divisor] =
              e.load(e.splat(factor.value_or(1.0F / static_cast<float>(window.divisor)))).front();
        }
      }
      all.push_back(std::move(window));
    }
  }
  const Addresses y = e.allocate(static_cast<std::size_t>(images * area * blocks));
  std::map<std::pair<std::size_t, std::int64_t>, Group> groups;
  std::size_t next = 0;
  for (std::int64_t image = 0; image < images; ++image) {
    for (const Window& window : all) {
      Group& group = groups[{window.pixels.size(), window.divisor}];
      group.taps.resize(window.pixels.size());
      for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::size_t k = 0; k < window.pixels.size(); ++k) {
          const std::int64_t at = image * windows.input[0] * windows.input[1] + window.pixels[k];
          group.taps[k].push_back(x[static_cast<std::size_t>(at * blocks + block)]);
        }
        group.results.push_back(y[next++]);
      }
    }
  }
  for (auto& [key, group] : groups) {
    if (average) group.taps.emplace_back(group.results.size(), multipliers.at(key.second));
    e.hir().add(average ? hir::Kind::average_pool : hir::Kind::max_pool, std::move(group.taps),
                std::move(group.results));
  }
  e.result(output, y);
}

Emit finish(Planner& p, const Layout& x, Pool pool) {
  pool.images = x.shape[0];
  pool.channels = x.shape[1];
  pool.input = p.node.inputs[0];
  pool.output = p.node.outputs[0];
  p.step().windows = pool.windows;
  p.reads(0);
  p.output(Layout::activation(
      {pool.images, pool.channels, pool.windows.output[0], pool.windows.output[1]}));
  return [pool](Emitter& e) { pool.emit(e); };
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
  if (!windows || !check_windows(p, *windows) || p.failed()) return std::nullopt;
  return windows;
}

Emit plan_max_pool(Planner& p) {
  if (p.output_read(1)) p.problem("output 1 (Indices) is not supported");
  const Layout* x = p.image(0);
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (!windows) return {};
  Pool pool;
  pool.windows = *windows;
  return finish(p, *x, std::move(pool));
}

Emit plan_average_pool(Planner& p) {
  const Layout* x = p.image(0);
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (!windows) return {};
  Pool pool;
  pool.windows = *windows;
  pool.average = true;
  if (p.compat()) {
    // Right only where kernel and stride are equal.
    pool.divisor = windows->stride[0] * windows->stride[1];
  } else {
    pool.count_padding = p.node.integer("count_include_pad", 0) != 0;
  }
  return finish(p, *x, std::move(pool));
}

/// Plans the internal operator sum_pool (expansion.h).
Emit plan_sum_pool(Planner& p) {
  const Layout* x = p.image(0);
  const std::optional<Windows> windows = plan_pool_windows(p, x);
  if (!windows) return {};
  Pool pool;
  pool.windows = *windows;
  pool.average = true;
  pool.factor = p.node.real("factor");
  p.step().role = Role::simple;
  return finish(p, *x, std::move(pool));
}

Emit plan_global_pool(Planner& p) {
  const Layout* x = p.image(0);
  if (x == nullptr) return {};
  Pool pool;
  pool.windows.input = {x->shape[2], x->shape[3]};
  pool.windows.kernel = pool.windows.input;
  pool.windows.output = {1, 1};
  pool.average = p.step().work == Work::average_pool;
  p.step().role = Role::simple;
  return finish(p, *x, std::move(pool));
}

/// True if one window covers the whole image.
bool covers_image(const Planner& p, const nn::Shape& image) {
  if (!p.node.has("kernel_shape")) return true;
  const nn::Shape pads = p.node.integers("pads", {});
  return p.node.integers("kernel_shape") == nn::Shape{image[2], image[3]} &&
         std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; }) &&
         p.node.text("auto_pad", "NOTSET") == "NOTSET";
}

/// Expands a pool whose windows have more pixels than there are accumulators: rows are pooled
/// first.
bool expand_pool(Planner& p, Expansion& e) {
  if (expand_to_image(p, e)) return true;
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout || value->layout->rank() != 4) return false;
  const nn::Shape& image = value->layout->shape;
  const std::int64_t pixels = image[2] * image[3];
  // The result and a mean's factor are in accumulators, too.
  const auto room = static_cast<std::int64_t>(p.architecture().accumulator_depth) - 2;
  if (pixels <= room || image[2] == 1 || image[3] == 1 || p.output_read(1)) return false;
  if (!covers_image(p, image)) return false;
  const nn::Shape row{1, image[3]}, column{image[2], 1};
  const std::string& x = p.node.inputs[0];
  if (p.node.op_type == "MaxPool" || p.node.op_type == "GlobalMaxPool") {
    e.last("MaxPool", {e.node("MaxPool", {x}, {{"kernel_shape", row}})},
           {{"kernel_shape", column}});
    return true;
  }
  MeanFactors factors = mean_factors(p, pixels);
  if (p.node.has("factor")) factors = {1, p.node.real("factor")};
  const std::string rows =
      e.node(sum_pool, {x}, {{"kernel_shape", row}, {"factor", factors.before}});
  e.last(sum_pool, {rows}, {{"kernel_shape", column}, {"factor", factors.after}});
  return true;
}

}  // namespace

Operator sum_pool_operator() {
  return {sum_pool, 0, Work::average_pool, plan_sum_pool, nullptr, expand_pool};
}

Operators pool_operators() {
  return {{"MaxPool", wants_image | keeps_quantisation, Work::max_pool, plan_max_pool, nullptr,
           expand_pool},
          {"AveragePool", wants_image | takes_means, Work::average_pool, plan_average_pool, nullptr,
           expand_pool},
          {"GlobalAveragePool", wants_image | takes_means, Work::average_pool, plan_global_pool,
           nullptr, expand_pool},
          {"GlobalMaxPool", wants_image, Work::max_pool, plan_global_pool, nullptr, expand_pool}};
}

}  // namespace tactus::compiler
