// GridSample: elements of images at places that a grid of coordinates names.
#include <algorithm>
#include <cmath>

#include "firmware/reference/call.h"
#include "firmware/reference/cubic.h"

namespace tactus::nn {
namespace {

/// A coordinate beyond the borders, mirrored at them until it is inside.
double mirrored(double x, double low, double high) {
  const double span = high - low;
  if (span <= 0) return low;
  double from_low = std::fmod(std::abs(x - low), 2 * span);
  if (from_low > span) from_low = 2 * span - from_low;
  return low + from_low;
}

struct Sampler {
  std::string mode, padding;
  bool corners = false;

  /// The place on a dimension of `size` elements that a number of the grid, -1 to 1, stands for.
  [[nodiscard]] double place(double x, std::int64_t size) const {
    const auto n = static_cast<double>(size);
    return corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
  }
  /// The element that stands for element `at`; -1: zero.
  [[nodiscard]] std::int64_t element(double at, std::int64_t size) const {
    const auto last = static_cast<double>(size - 1);
    if (padding == "border") at = std::clamp(at, 0.0, last);
    if (padding == "reflection") {
      at = corners ? mirrored(at, 0, last) : mirrored(at, -0.5, last + 0.5);
      at = std::clamp(std::nearbyint(at), 0.0, last);
    }
    return at < 0 || at > last ? -1 : static_cast<std::int64_t>(at);
  }
  /// Elements and weights of a place along one dimension.
  [[nodiscard]] std::vector<std::pair<std::int64_t, double>> taps(double at,
                                                                  std::int64_t size) const {
    if (!std::isfinite(at)) at = -10;
    const auto last = static_cast<double>(size - 1);
    if (mode != "cubic" && padding == "border") at = std::clamp(at, 0.0, last);
    if (mode != "cubic" && padding == "reflection") {
      at = corners ? mirrored(at, 0, last) : mirrored(at, -0.5, last + 0.5);
      at = std::clamp(at, 0.0, last);
    }
    if (mode == "nearest") return {{element(std::nearbyint(at), size), 1}};
    const double reach = mode == "cubic" ? 2 : 1;
    std::vector<std::pair<std::int64_t, double>> all;
    for (double k = std::floor(at) - reach + 1; k <= std::floor(at) + reach; ++k) {
      const double weight = mode == "cubic" ? cubic_weight(at - k, -0.75) : 1 - std::abs(at - k);
      all.emplace_back(element(k, size), weight);
    }
    return all;
  }
};

}  // namespace

void run_grid_sample(Call& call) {
  const Tensor& x = call.floats(0);
  const Tensor& grid = call.floats(1);
  const std::size_t n = x.shape.size() - 2;
  const bool fits = x.shape.size() >= 3 && grid.shape.size() == x.shape.size() &&
                    grid.shape[0] == x.shape[0] &&
                    grid.shape.back() == static_cast<std::int64_t>(n);
  if (!fits) call.fail("a grid of {} does not fit {}", to_string(grid.shape), to_string(x.shape));
  Sampler sampler;
  sampler.mode = call.node.text("mode", call.opset < 20 ? "bilinear" : "linear");
  if (sampler.mode == "bilinear") sampler.mode = "linear";
  if (sampler.mode == "bicubic") sampler.mode = "cubic";
  sampler.padding = call.node.text("padding_mode", "zeros");
  sampler.corners = call.node.integer("align_corners", 0) != 0;
  if (sampler.mode != "linear" && sampler.mode != "cubic" && sampler.mode != "nearest") {
    call.fail("attribute \"mode\" is \"{}\"; allowed are linear, nearest, cubic", sampler.mode);
  }
  if (sampler.padding != "zeros" && sampler.padding != "border" &&
      sampler.padding != "reflection") {
    call.fail("attribute \"padding_mode\" is \"{}\"; allowed are zeros, border, reflection",
              sampler.padding);
  }
  const Shape image(x.shape.begin() + 2, x.shape.end());
  Shape shape{x.shape[0], x.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  static_cast<void>(call.count(shape));
  Tensor out = Tensor::zeros(shape);
  const std::vector<std::int64_t> strides = strides_of(image);
  const std::int64_t plane = element_count(image), channels = shape[1];
  const std::int64_t points =
      shape[0] == 0 ? 0 : grid.size() / static_cast<std::int64_t>(n) / shape[0];
  for (std::int64_t g = 0; g < shape[0] * points; ++g) {
    std::vector<std::vector<std::pair<std::int64_t, double>>> taps;
    Shape counts;
    for (std::size_t d = 0; d < n; ++d) {
      // The grid's numbers are those of the last dimension first.
      const float at = grid.floats[static_cast<std::size_t>(g) * n + n - 1 - d];
      taps.push_back(sampler.taps(sampler.place(static_cast<double>(at), image[d]), image[d]));
      counts.push_back(static_cast<std::int64_t>(taps.back().size()));
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for_each_position(counts, [&](const Shape& which) {
        double weight = 1;
        std::int64_t from = (g / points * channels + c) * plane;
        for (std::size_t d = 0; d < n; ++d) {
          const auto& [element, part] = taps[d][static_cast<std::size_t>(which[d])];
          if (element < 0) weight = 0;
          weight *= part;
          from += std::max<std::int64_t>(element, 0) * strides[d];
        }
        if (weight != 0)
          sum += weight * static_cast<double>(x.floats[static_cast<std::size_t>(from)]);
      });
      const std::int64_t to = (g / points * channels + c) * points + g % points;
      out.floats[static_cast<std::size_t>(to)] = static_cast<float>(sum);
    }
  }
  call.results.push_back(std::move(out));
}

}  // namespace tactus::nn
