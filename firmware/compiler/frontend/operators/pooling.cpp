// MaxPool, AveragePool, GlobalAveragePool.
//
// Windows at the border look at fewer pixels; windows with equally many become one operation.
#include <map>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/windows.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Pool {
  Windows windows;
  std::int64_t images = 0, channels = 0;
  bool average = false;
  std::int64_t divisor = 0;  ///< of averages; 0: the pixels that are there
  std::string input, output;

  void emit(Emitter& e) const;
};

/// Vectors of all windows with one count of pixels.
struct Group {
  std::vector<Addresses> taps;
  Addresses results;
};

void Pool::emit(Emitter& e) const {
  const std::int64_t blocks = (channels + e.array_size() - 1) / e.array_size();
  const Addresses x = e.temps(input);
  const std::int64_t area = windows.output[0] * windows.output[1];
  std::map<std::size_t, Addresses> multipliers;
  std::map<std::size_t, Group> groups;
  std::vector<std::vector<std::int64_t>> pixels_of_window;
  for (std::int64_t y = 0; y < windows.output[0]; ++y) {
    for (std::int64_t column = 0; column < windows.output[1]; ++column) {
      std::vector<std::int64_t> pixels;
      for (std::int64_t tap = 0; tap < windows.taps(); ++tap) {
        const std::int64_t pixel = windows.pixel(y, column, tap);
        if (pixel >= 0) pixels.push_back(pixel);
      }
      if (average && multipliers.count(pixels.size()) == 0) {
        const auto count = divisor != 0 ? divisor : static_cast<std::int64_t>(pixels.size());
        multipliers[pixels.size()] = e.load(e.splat(1.0F / static_cast<float>(count)));
      }
      pixels_of_window.push_back(std::move(pixels));
    }
  }
  const Addresses y = e.allocate(static_cast<std::size_t>(images * area * blocks));
  std::size_t next = 0;
  for (std::int64_t image = 0; image < images; ++image) {
    for (const std::vector<std::int64_t>& pixels : pixels_of_window) {
      Group& group = groups[pixels.size()];
      group.taps.resize(pixels.size());
      for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::size_t k = 0; k < pixels.size(); ++k) {
          const std::int64_t at = image * windows.input[0] * windows.input[1] + pixels[k];
          group.taps[k].push_back(x[static_cast<std::size_t>(at * blocks + block)]);
        }
        group.results.push_back(y[next++]);
      }
    }
  }
  for (auto& [count, group] : groups) {
    if (average) group.taps.emplace_back(group.results.size(), multipliers.at(count).front());
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
  p.reads(0);
  p.output(Layout::activation(
      {pool.images, pool.channels, pool.windows.output[0], pool.windows.output[1]}));
  return [pool](Emitter& e) { pool.emit(e); };
}

/// Every window must see a pixel.
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
  if (p.output_given(1)) p.problem("output 1 (Indices) is not supported");
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
  } else if (p.node.integer("count_include_pad", 0) != 0) {
    pool.divisor = windows->taps();
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t reach = (windows->kernel[d] - 1) * windows->dilation[d] + 1;
      if ((windows->output[d] - 1) * windows->stride[d] + reach >
          windows->before[d] + windows->input[d] + windows->after[d]) {
        p.problem(
            "attributes ceil_mode and count_include_pad together are not supported where a "
            "window reaches beyond the padding");
        return {};
      }
    }
  }
  return finish(p, *x, std::move(pool));
}

Emit plan_global_average_pool(Planner& p) {
  const Layout* x = p.image(0);
  if (x == nullptr) return {};
  Pool pool;
  pool.windows.input = {x->shape[2], x->shape[3]};
  pool.windows.kernel = pool.windows.input;
  pool.windows.output = {1, 1};
  pool.average = true;
  return finish(p, *x, std::move(pool));
}

}  // namespace

Operators pool_operators() {
  return {{"MaxPool", 1, Role::pool, plan_max_pool},
          {"AveragePool", 1, Role::pool, plan_average_pool},
          {"GlobalAveragePool", 1, Role::simple, plan_global_average_pool}};
}

}  // namespace tactus::compiler
