#include "firmware/compiler/frontend/operators/windows.h"

#include <algorithm>

#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t largest =
    1 << 20;  // limit of any attribute, which keeps the arithmetic in range

bool check_list(Planner& p, std::string_view name, const std::vector<std::int64_t>& values,
                std::size_t count, std::int64_t least) {
  const bool good = values.size() == count &&
                    std::all_of(values.begin(), values.end(),
                                [&](std::int64_t v) { return v >= least && v <= largest; });
  if (!good) {
    p.problem("attribute {} is {}; supported are {} values, each {} to {}", name,
              nn::to_string(values), count, least, largest);
  }
  return good;
}

std::array<std::int64_t, 2> pair_of(const std::vector<std::int64_t>& values) {
  return {values[0], values[1]};
}

nn::Sliding sliding(const Windows& w, std::size_t d) {
  // A transposed convolution slides over the image with zeroes between its pixels.
  return {(w.input[d] - 1) * w.spacing[d] + 1,
          w.kernel[d],
          w.stride[d],
          w.dilation[d],
          w.before[d],
          w.after[d]};
}

/// Sets the padding of auto_pad. In compatible mode it is that of a stride of 1, as in the
/// reference.
void pad_same(Windows& w, const std::string& automatic, bool compat) {
  for (std::size_t d = 0; d < 2; ++d) {
    nn::Sliding along = sliding(w, d);
    if (compat) along.stride = 1;
    along.pad_to_same(automatic);
    w.before[d] = along.before;
    w.after[d] = along.after;
  }
}

bool read_padding(Planner& p, Windows& w) {
  const std::string automatic = p.node.text("auto_pad", "NOTSET");
  if (automatic == "NOTSET") {
    const std::vector<std::int64_t> pads = p.node.integers("pads", {0, 0, 0, 0});
    // Pads may be negative for a transposed convolution; only its expansion makes such windows.
    const bool spaced = p.node.has(input_spacing);
    if (!check_list(p, "pads", pads, 4, spaced ? -largest : 0)) return false;
    w.before = {pads[0], pads[1]};
    w.after = {pads[2], pads[3]};
    return true;
  }
  if (automatic == "VALID") return true;
  if (nn::pads_to_same(automatic)) {
    pad_same(w, automatic, p.compat());
    return true;
  }
  p.problem("attribute auto_pad is {}; supported are NOTSET, VALID, SAME_UPPER, SAME_LOWER",
            quote(automatic));
  return false;
}

}  // namespace

std::optional<Windows> plan_windows(Planner& p, const Layout* image,
                                    const std::vector<std::int64_t>& kernel, PadRule rule) {
  const std::vector<std::int64_t> strides = p.node.integers("strides", {1, 1});
  const std::vector<std::int64_t> dilations = p.node.integers("dilations", {1, 1});
  bool good = check_list(p, "kernel_shape", kernel, 2, 1);
  good = check_list(p, "strides", strides, 2, 1) && good;
  good = check_list(p, "dilations", dilations, 2, 1) && good;
  if (!good) return std::nullopt;
  Windows w;
  w.kernel = pair_of(kernel);
  w.stride = pair_of(strides);
  // The reference ignores dilations.
  if (!p.compat()) w.dilation = pair_of(dilations);
  if (p.node.has(input_spacing)) w.spacing = pair_of(p.node.integers(input_spacing));
  if (image != nullptr) w.input = {image->shape[2], image->shape[3]};
  if (rule == PadRule::read && !read_padding(p, w)) return std::nullopt;
  if (image == nullptr) return std::nullopt;
  const bool ceil = rule == PadRule::read && p.node.integer("ceil_mode", 0) != 0;
  for (std::size_t d = 0; d < 2; ++d) {
    const nn::Sliding along = sliding(w, d);
    w.output[d] = along.windows(ceil);
    if (w.output[d] > 0) continue;
    p.problem("the kernel spans {} pixels, the padded image has {}", along.reach(),
              along.before + along.size + along.after);
    return std::nullopt;
  }
  return w;
}

void slide(LoopNest& nest, const Windows& windows, Access source, Access result) {
  const LoopNumber image = nest.add("n", source.sizes[0]);
  source.places = result.places = {Place1D::of(image)};
  const char* const tap_names[] = {"ky", "kx"};
  const char* const pixel_names[] = {"y", "x"};
  for (std::size_t d = 0; d < 2; ++d) {
    const LoopNumber tap = nest.add(tap_names[d], windows.kernel[d]);
    const LoopNumber pixel = nest.add(pixel_names[d], windows.output[d]);
    nest.taps.push_back(tap);
    source.places.push_back({-windows.before[d],
                             {{pixel, windows.stride[d]}, {tap, windows.dilation[d]}},
                             windows.spacing[d]});
    result.places.push_back(Place1D::of(pixel));
  }
  nest.operands = {std::move(source)};
  nest.result = std::move(result);
}

}  // namespace tactus::compiler
