// Images with a depth (N C D H W) as images: a convolution is a sum over the kernel's depth of
// convolutions of all planes, a pool is one of planes and then one along the depth.
#include "firmware/compiler/frontend/operators/volumes.h"

#include <algorithm>
#include <array>

#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

using Attributes = Expansion::Attributes;
using Slidings = std::array<nn::Sliding, 3>;

/// Movement of the windows along depth, height and width; nothing after a problem. The padding is
/// that of auto_pad, except for a transposed convolution.
std::optional<Slidings> plan_slidings(Planner& p, const nn::Shape& image, const nn::Shape& kernel) {
  const nn::Shape strides = p.node.integers("strides", nn::Shape(3, 1));
  const nn::Shape dilations = p.node.integers("dilations", nn::Shape(3, 1));
  const nn::Shape pads = p.node.integers("pads", nn::Shape(6, 0));
  const auto within = [](const nn::Shape& values, std::size_t count, std::int64_t least) {
    return values.size() == count && std::all_of(values.begin(), values.end(), [&](std::int64_t v) {
             return v >= least && v <= 1 << 20;
           });
  };
  if (!within(kernel, 3, 1) || !within(strides, 3, 1) || !within(dilations, 3, 1) ||
      !within(pads, 6, 0)) {
    p.problem(
        "kernel {}, strides {}, dilations {} and pads {} do not fit an image with a depth; "
        "supported are 3 values each, and 6 pads",
        nn::to_string(kernel), nn::to_string(strides), nn::to_string(dilations),
        nn::to_string(pads));
    return std::nullopt;
  }
  if (const nn::Shape stated = p.node.integers("kernel_shape", kernel); stated != kernel) {
    p.problem("attribute kernel_shape is {}, weights {} have {}", nn::to_string(stated),
              quote(p.node.inputs[1]), nn::to_string(kernel));
    return std::nullopt;
  }
  const std::string automatic = p.node.text("auto_pad", "NOTSET");
  if (automatic != "NOTSET" && automatic != "VALID" && !nn::pads_to_same(automatic)) {
    p.problem("attribute auto_pad is {}; supported are NOTSET, VALID, SAME_UPPER, SAME_LOWER",
              quote(automatic));
    return std::nullopt;
  }
  Slidings all;
  for (std::size_t d = 0; d < 3; ++d) {
    all[d] = {image[2 + d], kernel[d], strides[d], dilations[d], pads[d], pads[3 + d]};
    if (nn::pads_to_same(automatic) && p.node.op_type != "ConvTranspose") {
      all[d].pad_to_same(automatic);
    }
  }
  return all;
}

/// The attributes of the same windows along two directions.
Attributes flat_attributes(Attributes attributes, const nn::Sliding& y, const nn::Sliding& x) {
  attributes.erase("auto_pad");
  attributes["kernel_shape"] = nn::Shape{y.kernel, x.kernel};
  attributes["strides"] = nn::Shape{y.stride, x.stride};
  attributes["pads"] = nn::Shape{y.before, x.before, y.after, x.after};
  attributes.erase("dilations");
  if (y.dilation != 1 || x.dilation != 1) {
    attributes["dilations"] = nn::Shape{y.dilation, x.dilation};
  }
  return attributes;
}

std::string in_shape(Expansion& e, const std::string& x, nn::Shape shape) {
  return e.node("Reshape", {x, e.constant(std::move(shape))});
}

/// N C D H W as N D C H W, and back.
const nn::Shape planes_first{0, 2, 1, 3, 4};

std::string planes_of(Expansion& e, const std::string& x) {
  return e.node("Transpose", {x}, {{"perm", planes_first}});
}

/// From planes N D C H W those of these numbers; a number of D means zeros.
std::string planes_at(const Planner& p, Expansion& e, std::string planes, std::int64_t depth,
                      const nn::Shape& numbers) {
  if (std::find(numbers.begin(), numbers.end(), depth) != numbers.end()) {
    const nn::Shape pads{0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    planes = p.opset() < 11 ? e.node("Pad", {planes}, {{"pads", pads}})
                            : e.node("Pad", {planes, e.constant(pads)});
  }
  return e.node("Gather", {planes, e.constant(numbers)}, {{"axis", std::int64_t{1}}});
}

/// The weights of one tap along the depth, the third dimension.
nn::Tensor weights_of_tap(const nn::Tensor& all, std::int64_t tap) {
  nn::Tensor part = nn::Tensor::zeros({all.shape[0], all.shape[1], all.shape[3], all.shape[4]});
  const std::int64_t plane = all.shape[3] * all.shape[4];
  for (std::int64_t i = 0; i < part.size(); ++i) {
    const std::int64_t from = (i / plane * all.shape[2] + tap) * plane + i % plane;
    part.floats[static_cast<std::size_t>(i)] = all.floats[static_cast<std::size_t>(from)];
  }
  return part;
}

const nn::Tensor* weights_with_depth(Planner& p) {
  const nn::Tensor* const w = p.need_constant(1, "weights", nn::ElementType::float32);
  if (w == nullptr || (w->shape.size() == 5 && w->size() > 0)) return w;
  p.problem("weights {} have shape {}; supported are 5 dimensions for an image with a depth",
            quote(p.node.inputs[1]), nn::to_string(w->shape));
  return nullptr;
}

/// Reports a problem if a size of the result is below 1.
bool is_possible(Planner& p, const nn::Shape& result) {
  if (*std::min_element(result.begin(), result.end()) >= 1) return true;
  p.problem("its result would have shape {}; the windows do not fit the image",
            nn::to_string(result));
  return false;
}

/// Writes the sum of the products of all taps along the depth. `part(tap)` names the planes of one
/// tap, N D C H W as rows of planes; the last result has shape `result`, N C D H W.
template <typename Part>
void add_up(Expansion& e, std::int64_t taps, const nn::Shape& result, const Part& part) {
  std::string sum;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const std::string one = part(tap);
    sum = sum.empty() ? one : e.node("Add", {sum, one});
  }
  const std::string planes =
      in_shape(e, sum, {result[0], result[2], result[1], result[3], result[4]});
  e.last("Transpose", {planes}, {{"perm", planes_first}});
}

void volume_conv(Planner& p, Expansion& e, const nn::Shape& x) {
  const nn::Tensor* const w = weights_with_depth(p);
  if (w == nullptr) return;
  const auto slidings = plan_slidings(p, x, {w->shape[2], w->shape[3], w->shape[4]});
  if (!slidings) return;
  const auto& [depth, height, width] = *slidings;
  const nn::Shape result{x[0], w->shape[0], depth.windows(false), height.windows(false),
                         width.windows(false)};
  if (!is_possible(p, result)) return;
  const std::string planes = planes_of(e, p.node.inputs[0]);
  add_up(e, depth.kernel, result,
         [&, &depth = depth, &height = height, &width = width](std::int64_t tap) {
           nn::Shape numbers;
           for (std::int64_t k = 0; k < result[2]; ++k) {
             const std::int64_t at = k * depth.stride + tap * depth.dilation - depth.before;
             numbers.push_back(at >= 0 && at < depth.size ? at : depth.size);
           }
           Expansion::Inputs inputs{in_shape(e, planes_at(p, e, planes, depth.size, numbers),
                                             {x[0] * result[2], x[1], x[3], x[4]}),
                                    e.constant(weights_of_tap(*w, tap))};
           if (tap == 0 && p.given(2)) inputs.push_back(p.node.inputs[2]);
           return e.node("Conv", std::move(inputs),
                         flat_attributes(p.node.attributes, height, width));
         });
}

void volume_transposed(Planner& p, Expansion& e, const nn::Shape& x) {
  const nn::Tensor* const w = weights_with_depth(p);
  if (w == nullptr) return;
  auto slidings = plan_slidings(p, x, {w->shape[2], w->shape[3], w->shape[4]});
  const nn::Shape more = p.node.integers("output_padding", nn::Shape(3, 0));
  const std::string automatic = p.node.text("auto_pad", "NOTSET");
  if (!slidings) return;
  if (p.node.has("output_shape") || nn::pads_to_same(automatic) || more.size() != 3) {
    p.problem(
        "attributes output_shape, auto_pad or output_padding are not supported as they are for an "
        "image with a depth; supported are pads and 3 values of output_padding");
    return;
  }
  const auto& [depth, height, width] = *slidings;
  const std::int64_t groups = p.node.integer("group", 1);
  const nn::Shape result{x[0], w->shape[1] * groups, nn::transposed_size(depth, more[0]),
                         nn::transposed_size(height, more[1]), nn::transposed_size(width, more[2])};
  if (!is_possible(p, result)) return;
  const std::string planes =
      in_shape(e, planes_of(e, p.node.inputs[0]), {x[0] * x[2], x[1], x[3], x[4]});
  Attributes attributes = flat_attributes(p.node.attributes, height, width);
  attributes["output_padding"] = nn::Shape{more[1], more[2]};
  add_up(e, depth.kernel, result, [&, &depth = depth](std::int64_t tap) {
    const std::string product =
        e.node("ConvTranspose", {planes, e.constant(weights_of_tap(*w, tap))}, attributes);
    nn::Shape numbers;
    for (std::int64_t k = 0; k < result[2]; ++k) {
      const std::int64_t at = k + depth.before - tap * depth.dilation;
      const bool meets = at >= 0 && at % depth.stride == 0 && at / depth.stride < depth.size;
      numbers.push_back(meets ? at / depth.stride : depth.size);
    }
    const std::string all = in_shape(e, product, {x[0], x[2], result[1], result[3], result[4]});
    const std::string made = planes_at(p, e, all, depth.size, numbers);
    if (tap != 0 || !p.given(2)) return made;
    return e.node("Add", {made, in_shape(e, p.node.inputs[2], {result[1], 1, 1})});
  });
}

void volume_pool(Planner& p, Expansion& e, const nn::Shape& x) {
  const auto slidings = plan_slidings(p, x, p.node.integers("kernel_shape"));
  if (!slidings) return;
  if (p.output_read(1)) {
    p.problem("output 1 (Indices) is not supported for an image with a depth");
    return;
  }
  const bool up = p.node.integer("ceil_mode", 0) != 0;
  const auto& [depth, height, width] = *slidings;
  const nn::Shape result{x[0], x[1], depth.windows(up), height.windows(up), width.windows(up)};
  if (!is_possible(p, result)) return;
  const std::int64_t plane = result[3] * result[4];
  const std::string planes =
      in_shape(e, planes_of(e, p.node.inputs[0]), {x[0] * x[2], x[1], x[3], x[4]});
  const std::string pooled =
      e.node(p.node.op_type, {planes}, flat_attributes(p.node.attributes, height, width));
  // Depth becomes the height of an image whose width is a whole plane.
  const std::string columns = e.node("Transpose", {in_shape(e, pooled, {x[0], x[2], x[1], plane})},
                                     {{"perm", nn::Shape{0, 2, 1, 3}}});
  const nn::Sliding along_plane{plane, 1, 1, 1, 0, 0};
  const std::string all =
      e.node(p.node.op_type, {columns}, flat_attributes(p.node.attributes, depth, along_plane));
  e.last("Reshape", {all, e.constant(result)});
}

}  // namespace

bool expand_volume(Planner& p, Expansion& e) {
  const Value* const value = p.value(0);
  if (value == nullptr || !value->layout || value->layout->rank() != 5) return false;
  const nn::Shape x = value->layout->shape;
  const std::string& op = p.node.op_type;
  if (op == "Conv") {
    volume_conv(p, e, x);
  } else if (op == "ConvTranspose") {
    volume_transposed(p, e, x);
  } else if (op == "GlobalAveragePool" || op == "GlobalMaxPool") {
    const std::string flat_image = in_shape(e, p.node.inputs[0], {x[0], x[1], x[2], x[3] * x[4]});
    e.last("Reshape", {e.node(op, {flat_image}), e.constant(nn::Shape{x[0], x[1], 1, 1, 1})});
  } else {
    volume_pool(p, e, x);
  }
  return true;
}

}  // namespace tactus::compiler
