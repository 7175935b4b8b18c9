// Loop nests: places and guards of windows are those of a plain walk over the padded image, and a
// product that skips a flattening multiplies the same elements by the same weights.
#include "firmware/compiler/frontend/loop_nest.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/operators/windows.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"

namespace tactus::compiler {
namespace {

Windows random_windows(Random& random) {
  Windows w;
  for (std::size_t d = 0; d < 2; ++d) {
    w.spacing[d] = random.pick({1, 1, 2, 3});
    w.input[d] = static_cast<std::int64_t>(random.range(1, 6));
    w.kernel[d] = static_cast<std::int64_t>(random.range(1, 4));
    w.stride[d] = static_cast<std::int64_t>(random.range(1, 3));
    w.dilation[d] = static_cast<std::int64_t>(random.range(1, 3));
    w.before[d] = static_cast<std::int64_t>(random.range(0, 3));
    w.after[d] = static_cast<std::int64_t>(random.range(0, 3));
    const std::int64_t image = (w.input[d] - 1) * w.spacing[d] + 1 + w.before[d] + w.after[d];
    const std::int64_t reach = (w.kernel[d] - 1) * w.dilation[d] + 1;
    w.output[d] = image < reach ? 0 : (image - reach) / w.stride[d] + 1;
  }
  return w;
}

TEST(LoopNest, WindowsReadThePixelsOfThePaddedImage) {
  for (const std::uint64_t seed : test_seeds(1, 300)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Windows w = random_windows(random);
    if (w.output[0] < 1 || w.output[1] < 1) continue;
    // Number of each pixel of the image, spread and padded; -1 elsewhere.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> spread;
    for (std::int64_t y = 0; y < w.input[0]; ++y) {
      for (std::int64_t x = 0; x < w.input[1]; ++x) {
        spread[{w.before[0] + y * w.spacing[0], w.before[1] + x * w.spacing[1]}] =
            y * w.input[1] + x;
      }
    }
    const Layout image = Layout::activation({2, 5, w.input[0], w.input[1]});
    const Layout result = Layout::activation({2, 5, w.output[0], w.output[1]});
    LoopNest nest;
    slide(nest, w, Access::of("x", image, {}), Access::of("y", result, {}));
    const LoopNumber channel = nest.add("c", 5);
    nest.operands[0].places.push_back(Place1D::of(channel));
    nest.result.places.push_back(Place1D::of(channel));

    Point point(nest.loops.size(), 0);
    std::int64_t number = 0;
    do {
      EXPECT_EQ(nest.result.run(point), number);
      const std::int64_t pixels = w.output[0] * w.output[1];
      const std::int64_t n = number / pixels, y = number % pixels / w.output[1],
                         x = number % w.output[1];
      ++number;
      std::int64_t tap = 0;
      do {
        const auto at = spread.find({y * w.stride[0] + tap / w.kernel[1] * w.dilation[0],
                                     x * w.stride[1] + tap % w.kernel[1] * w.dilation[1]});
        const std::optional<std::int64_t> run = nest.operands[0].run(point);
        EXPECT_EQ(run.has_value(), at != spread.end());
        if (run && at != spread.end()) {
          EXPECT_EQ(*run, n * w.input[0] * w.input[1] + at->second);
        }
        ++tap;
      } while (nest.next(point, nest.taps));
      EXPECT_EQ(tap, w.taps());
    } while (nest.next(point, nest.result_loops()));
    EXPECT_EQ(number, 2 * w.output[0] * w.output[1]);
    nest.macs = 7;
    EXPECT_EQ(nest.macs_with_padding(), static_cast<std::uint64_t>(7 * number * w.taps()));
  }
}

TEST(LoopNest, ProductOfAFlattenedValueReadsItAsItWas) {
  for (const std::uint64_t seed : test_seeds(1, 100)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::int64_t lanes = random.pick({1, 2, 4});
    const nn::Shape shape{static_cast<std::int64_t>(random.range(1, 3)),
                          static_cast<std::int64_t>(random.range(1, 9)),
                          static_cast<std::int64_t>(random.range(1, 4)),
                          static_cast<std::int64_t>(random.range(1, 4))};
    const std::int64_t features = shape[1] * shape[2] * shape[3];
    Model model;
    Value& image = model.values["x"];
    image.name = "x";
    image.layout = Layout::activation(shape);
    Value& rows = model.values["rows"];
    rows.name = "rows";
    rows.layout = Layout::plain({shape[0], features});
    rows.reshaped_from = "x";
    LoopNest nest;
    const LoopNumber m = nest.add("m0", shape[0]), k = nest.add("k", features, true),
                     n = nest.add("n", 3, true);
    nest.rows = {k};
    nest.columns = n;
    nest.operands = {Access::of("rows", *rows.layout, {m, k})};
    nest.result = Access::of("y", Layout::plain({shape[0], 3}), {m, n});
    nest.weights.fill = [](std::int64_t, std::int64_t input, float* row) {
      for (int o = 0; o < 3; ++o) row[o] = static_cast<float>(input * 3 + o);
    };
    skip_flattening(nest, model, lanes);
    if (shape[1] % lanes != 0) {
      EXPECT_EQ(nest.operands[0].value, "rows");
      continue;
    }
    EXPECT_EQ(nest.operands[0].value, "x");
    EXPECT_EQ(nest.inputs(), features);
    EXPECT_EQ(nest.outputs(), 3);
    // In memory channels are innermost: pixel by pixel, all channels.
    for (std::int64_t place = 0; place < features; ++place) {
      const std::int64_t pixel = place / shape[1], c = place % shape[1];
      std::vector<float> row(3);
      nest.weights.fill(0, place, row.data());
      EXPECT_EQ(row[0], static_cast<float>((c * shape[2] * shape[3] + pixel) * 3));
      EXPECT_EQ(row[2], row[0] + 2);
    }
    Point point(nest.loops.size(), 0);
    for (std::int64_t image_number = 0; image_number < shape[0]; ++image_number) {
      EXPECT_EQ(nest.operands[0].run(point), image_number * shape[2] * shape[3]);
      EXPECT_EQ(nest.result.run(point), image_number);
      (void)nest.next(point, nest.result_loops());
    }
  }
}

}  // namespace
}  // namespace tactus::compiler
