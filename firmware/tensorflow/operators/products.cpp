// MatMul, BatchMatMul, Conv2D and related operators, and the bias added to them.
#include <algorithm>
#include <array>

#include "firmware/onnx/shapes.h"
#include "firmware/tensorflow/translator.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

// ---- matrices -----------------------------------------------------------------------------------

std::vector<std::int64_t> last_two_swapped(std::size_t rank) {
  std::vector<std::int64_t> permutation;
  for (std::size_t d = 0; d < rank; ++d) permutation.push_back(static_cast<std::int64_t>(d));
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return permutation;
}

/// Operand i; its last two dimensions are swapped if `swap`.
Value operand(Translator& t, std::size_t i, bool swap) {
  Value& x = t.input(i);
  if (x.shape.size() < 2) t.fail("input {} has shape {}", i, nn::to_string(x.shape));
  return swap ? t.transposed(x, last_two_swapped(x.shape.size())) : x;
}

void translate_product(Translator& t, bool swap_a, bool swap_b) {
  Value a = operand(t, 0, swap_a), b = operand(t, 1, swap_b);
  const std::size_t ra = a.shape.size(), rb = b.shape.size();
  if (a.shape[ra - 1] != b.shape[rb - 2]) {
    t.fail("the product of {} and {} does not exist", nn::to_string(a.shape),
           nn::to_string(b.shape));
  }
  nn::Shape shape = broadcast(t, nn::Shape(a.shape.begin(), a.shape.end() - 2),
                              nn::Shape(b.shape.begin(), b.shape.end() - 2));
  shape.push_back(a.shape[ra - 2]);
  shape.push_back(b.shape[rb - 1]);
  t.expect_size(shape);
  const std::string first = t.plain(a), second = t.plain(b);
  t.result(t.plain_value(t.emit("MatMul", {first, second}), std::move(shape)));
}

void translate_mat_mul(Translator& t) {
  for (std::size_t i = 0; i < 2; ++i) t.expect_rank(t.input(i), 2, fmt::format("input {}", i));
  translate_product(t, t.node().flag("transpose_a", false), t.node().flag("transpose_b", false));
}

void translate_batch_mat_mul(Translator& t) {
  translate_product(t, t.node().flag("adj_x", false), t.node().flag("adj_y", false));
}

// ---- windows ------------------------------------------------------------------------------------

/// Entries for rows and columns of an attribute with one entry per dimension; the other entries
/// must be 1.
std::array<std::int64_t, 2> rows_and_columns(const Translator& t, const char* attribute,
                                             DataFormat format) {
  const std::vector<std::int64_t> all = t.node().integers(attribute, {1, 1, 1, 1});
  const bool good = all.size() == 4 && all[0] == 1 && all[format.channel()] == 1 &&
                    std::all_of(all.begin(), all.end(), [](std::int64_t v) { return v > 0; });
  if (!good) {
    t.fail("attribute {} is {}; supported are four numbers, 1 for batch and channels", attribute,
           nn::to_string(all));
  }
  return {all[format.row()], all[format.row() + 1]};
}

struct Convolution {
  std::array<std::int64_t, 2> kernel{}, stride{}, dilation{};
  Attributes attributes;  ///< attributes of the Conv
  nn::Shape result;       ///< N C H W
};

// limit for strides, sizes and padding; prevents overflow
constexpr std::int64_t largest = 1 << 20;

/// Adds the padding to `c` and computes the size of the result.
void pad_convolution(const Translator& t, DataFormat format, const nn::Shape& image,
                     Convolution& c) {
  const std::string padding = t.node().text("padding", "");
  std::array<std::int64_t, 4> pads{};  // top, left, bottom, right
  if (padding == "EXPLICIT") {
    const std::vector<std::int64_t>& all = t.node().integers("explicit_paddings");
    const std::size_t row = format.row();
    bool good = all.size() == 8 && all[0] == 0 && all[1] == 0 && all[2 * format.channel()] == 0 &&
                all[2 * format.channel() + 1] == 0;
    for (const std::int64_t v : all) good = good && v >= 0 && v <= largest;
    if (!good) {
      t.fail(
          "attribute explicit_paddings is {}; supported are eight numbers, 0 for batch and "
          "channels",
          nn::to_string(all));
    }
    pads = {all[2 * row], all[2 * row + 2], all[2 * row + 1], all[2 * row + 3]};
  } else if (padding != "SAME" && padding != "VALID") {
    t.fail("attribute padding is {}; supported are SAME, VALID and EXPLICIT", quote(padding));
  }
  for (std::size_t d = 0; d < 2; ++d) {
    nn::Sliding along{image[2 + d], c.kernel[d], c.stride[d], c.dilation[d], pads[d], pads[d + 2]};
    if (padding == "SAME") along.pad_to_same("SAME_UPPER");
    c.result[2 + d] = along.windows(false);
    if (c.result[2 + d] == 0) {
      t.fail("the kernel spans {} pixels, the padded image has {}", along.reach(),
             along.before + along.size + along.after);
    }
  }
  if (padding == "SAME") {
    c.attributes["auto_pad"] = std::string("SAME_UPPER");
  } else {
    c.attributes["pads"] = std::vector<std::int64_t>(pads.begin(), pads.end());
  }
}

Convolution plan_convolution(const Translator& t, DataFormat format, const nn::Shape& image,
                             const nn::Shape& weights) {
  Convolution c;
  c.kernel = {weights[2], weights[3]};
  c.stride = rows_and_columns(t, "strides", format);
  c.dilation = rows_and_columns(t, "dilations", format);
  for (const auto& pair : {c.kernel, c.stride, c.dilation}) {
    for (const std::int64_t v : pair) {
      if (v < 1 || v > largest) t.fail("a kernel, stride or dilation of {} is not supported", v);
    }
  }
  c.result = {image[0], weights[0], 0, 0};
  pad_convolution(t, format, image, c);
  const auto list = [](const std::array<std::int64_t, 2>& pair) {
    return std::vector<std::int64_t>{pair[0], pair[1]};
  };
  c.attributes["kernel_shape"] = list(c.kernel);
  c.attributes["strides"] = list(c.stride);
  c.attributes["dilations"] = list(c.dilation);
  c.attributes["group"] = image[1] / std::max<std::int64_t>(weights[1], 1);
  return c;
}

/// A convolution whose operand comes from SpaceToBatchND, as a dilated convolution without blocks.
std::shared_ptr<const Unbatched> unbatched_convolution(Translator& t, const Convolution& c,
                                                       const Unbatched& from,
                                                       const std::string& weights,
                                                       const nn::Shape& result_channels) {
  const bool plain = t.node().text("padding", "") == "VALID" && c.stride[0] == 1 &&
                     c.stride[1] == 1 && from.base.shape.size() == 4 && from.block[3] == 1 &&
                     from.before[3] == 0 && from.after[3] == 0;
  if (!plain) return nullptr;
  std::vector<std::int64_t> cut_before(4, 0), cut_after(4, 0), pads(4, 0);
  nn::Shape shape = from.base.shape;
  for (std::size_t d = 0; d < 2; ++d) {
    cut_before[d + 1] = std::min<std::int64_t>(from.before[d + 1], 0);
    cut_after[d + 1] = std::min<std::int64_t>(from.after[d + 1], 0);
    pads[d] = std::max<std::int64_t>(from.before[d + 1], 0);
    pads[d + 2] = std::max<std::int64_t>(from.after[d + 1], 0);
  }
  Value base = from.base;
  base = t.padded(base, cut_before, cut_after);
  Attributes attributes = c.attributes;
  attributes["pads"] = pads;
  std::vector<std::int64_t> dilations;
  for (std::size_t d = 0; d < 2; ++d) {
    dilations.push_back(c.dilation[d] * from.block[d + 1]);
    const std::int64_t padded = base.shape[d + 1] + pads[d] + pads[d + 2];
    shape[d + 1] = padded - (c.kernel[d] - 1) * dilations[d];
    if (shape[d + 1] < 1) return nullptr;
  }
  attributes["dilations"] = dilations;
  shape[3] = result_channels[1];
  auto inner = std::make_shared<Unbatched>(from);
  const std::string source = t.image(base);
  inner->base =
      t.image_value(t.emit("Conv", {source, weights}, attributes), to_channels_first(shape));
  inner->before = inner->after = {0, 0, 0, 0};
  return inner;
}

void convolve(Translator& t, const std::string& weights, const nn::Shape& weights_shape) {
  const DataFormat format = data_format(t);
  const std::string x = image_input(t, 0, format);
  const nn::Shape image = image_shape(t.input(0), format);
  const std::int64_t inputs = weights_shape[1];
  if (inputs < 1 || image[1] % inputs != 0) {
    t.fail("the weights are for {} channels, the image has {}", inputs, image[1]);
  }
  const Convolution c = plan_convolution(t, format, image, weights_shape);
  t.expect_size(c.result);
  Value result = image_result(t, t.emit("Conv", {x, weights}, c.attributes), c.result, format);
  if (const auto& from = t.input(0).unbatched; from != nullptr && !format.channels_first) {
    result.unbatched = unbatched_convolution(t, c, *from, weights, c.result);
  }
  t.result(std::move(result));
}

/// Conv2D; weights: height, width, inputs, outputs.
void translate_convolution(Translator& t) {
  Value& weights = t.input(1);
  t.expect_rank(weights, 4, "the weights");
  (void)t.constant_input(1, "the weights");
  const nn::Shape& s = weights.shape;
  const std::string turned =
      t.emit("Transpose", {t.plain(weights)}, {{"perm", std::vector<std::int64_t>{3, 2, 0, 1}}});
  convolve(t, turned, {s[3], s[2], s[0], s[1]});
}

/// DepthwiseConv2dNative; weights: height, width, channels, outputs per channel.
void translate_depthwise(Translator& t) {
  Value& weights = t.input(1);
  t.expect_rank(weights, 4, "the weights");
  (void)t.constant_input(1, "the weights");
  const nn::Shape s = weights.shape;
  Value turned = t.transposed(weights, {2, 3, 0, 1});
  Value grouped = t.reshaped(turned, {s[2] * s[3], 1, s[0], s[1]});
  const nn::Shape image = image_shape(t.input(0), data_format(t));
  if (image.size() == 4 && image[1] != s[2]) {
    t.fail("the weights are for {} channels, the image has {}", s[2], image[1]);
  }
  convolve(t, t.plain(grouped), grouped.shape);
}

/// Conv2DBackpropInput, a transposed convolution. Inputs: sizes of the result, weights (height,
/// width, outputs, inputs), image.
void translate_transposed_convolution(Translator& t) {
  const DataFormat format = data_format(t);
  const std::vector<std::int64_t> sizes = t.integers(0, "the sizes of the result");
  Value& weights = t.input(1);
  t.expect_rank(weights, 4, "the weights");
  (void)t.constant_input(1, "the weights");
  const nn::Shape s = weights.shape;
  const std::string x = image_input(t, 2, format);
  const nn::Shape image = image_shape(t.input(2), format);
  if (image[1] != s[3]) t.fail("the weights are for {} channels, the image has {}", s[3], image[1]);
  const auto stride = rows_and_columns(t, "strides", format);
  const auto dilation = rows_and_columns(t, "dilations", format);
  const std::string padding = t.node().text("padding", "");
  if (padding != "SAME" && padding != "VALID") {
    t.fail("attribute padding is {}; supported are SAME and VALID", quote(padding));
  }
  // The sizes are those of the whole result or, in new files, only rows and columns.
  if (sizes.size() != 4 && sizes.size() != 2) {
    t.fail("the sizes of the result are {}", nn::to_string(sizes));
  }
  const std::size_t row = sizes.size() == 2 ? 0 : format.row();
  std::vector<std::int64_t> pads(4), more(2);
  nn::Shape shape{image[0], s[2], 0, 0};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t wanted = sizes[row + d], kernel = s[d];
    if (wanted < 1 || wanted > largest || stride[d] > largest || dilation[d] > largest) {
      t.fail("a size of the result is {}", wanted);
    }
    const std::int64_t reach = (kernel - 1) * dilation[d] + 1;
    const std::int64_t full = (image[2 + d] - 1) * stride[d] + reach;
    const std::int64_t forward = padding == "SAME" ? (wanted + stride[d] - 1) / stride[d]
                                                   : (wanted - reach + stride[d]) / stride[d];
    if (forward != image[2 + d]) {
      t.fail("a result of {} pixels comes from {}, the image has {}", wanted, forward,
             image[2 + d]);
    }
    const std::int64_t total = padding == "SAME" ? std::max<std::int64_t>(full - wanted, 0) : 0;
    pads[d] = total / 2;
    pads[d + 2] = total - total / 2;
    more[d] = wanted - (full - total);
    shape[2 + d] = wanted;
  }
  t.expect_size(shape);
  const std::string turned =
      t.emit("Transpose", {t.plain(weights)}, {{"perm", std::vector<std::int64_t>{3, 2, 0, 1}}});
  const std::string name =
      t.emit("ConvTranspose", {x, turned},
             {{"kernel_shape", std::vector<std::int64_t>{s[0], s[1]}},
              {"strides", std::vector<std::int64_t>{stride[0], stride[1]}},
              {"dilations", std::vector<std::int64_t>{dilation[0], dilation[1]}},
              {"pads", pads},
              {"output_padding", more}});
  t.result(image_result(t, name, shape, format));
}

// ---- the bias -----------------------------------------------------------------------------------

/// Makes the bias a part of the product that computes the operand. False if there is no such
/// product.
bool merge_bias(Translator& t, Value& x, Value& bias) {
  nn::Node* product = t.product_of(x);
  if (product == nullptr || t.constant(bias) == nullptr) return false;
  if (product->inputs.size() != 2) return false;
  if (product->op_type == "MatMul") {
    if (x.shape.size() != 2) return false;
    const nn::Tensor* weights = t.graph().initializer(product->inputs[1]);
    if (weights == nullptr || weights->shape.size() != 2) return false;
    product->op_type = "Gemm";
    product->attributes = {{"alpha", 1.0F}, {"beta", 1.0F}};
  }
  product->inputs.push_back(t.plain(bias));
  product->name = t.node().name;
  return true;
}

void translate_bias(Translator& t) {
  Value& x = t.input(0);
  Value& bias = t.input(1);
  const DataFormat format = data_format(t);
  const std::size_t rank = x.shape.size();
  if (rank < 2) t.fail("the operand has shape {}", nn::to_string(x.shape));
  t.expect_rank(bias, 1, "the bias");
  const std::size_t channel = format.channels_first && rank > 2 ? 1 : rank - 1;
  if (bias.shape[0] != x.shape[channel]) {
    t.fail("the bias is for {} channels, the operand has {}", bias.shape[0], x.shape[channel]);
  }
  nn::Shape wide(rank - channel, 1);
  wide[0] = bias.shape[0];
  const auto added = [&](Value& to) {
    Value spread = channel + 1 == rank ? bias : t.reshaped(bias, wide);
    return t.elementwise("Add", {&to, &spread});
  };
  std::shared_ptr<const Unbatched> unbatched;
  if (x.unbatched != nullptr && x.unbatched->before == std::vector<std::int64_t>(rank, 0) &&
      x.unbatched->after == x.unbatched->before) {
    auto inner = std::make_shared<Unbatched>(*x.unbatched);
    inner->base = added(inner->base);
    unbatched = std::move(inner);
  }
  const bool on_channels = channel + 1 == rank ? rank == 2 || !x.image.empty() : true;
  if (on_channels && merge_bias(t, x, bias)) {
    Value result = x;
    std::string& name = result.image.empty() ? result.plain : result.image;
    t.rename(name, t.node().name);
    name = t.node().name;
    if (!result.image.empty()) result.plain.clear();
    result.unbatched = unbatched;
    t.result(std::move(result));
    return;
  }
  Value result = added(x);
  result.unbatched = unbatched;
  t.result(std::move(result));
}

}  // namespace

Operators product_operators() {
  return {{"BatchMatMul", 2, 2, translate_batch_mat_mul},
          {"BatchMatMulV2", 2, 2, translate_batch_mat_mul},
          {"BatchMatMulV3", 2, 2, translate_batch_mat_mul},
          {"BiasAdd", 2, 2, translate_bias},
          {"BiasAddV1", 2, 2, translate_bias},
          {"Conv2D", 2, 2, translate_convolution},
          {"Conv2DBackpropInput", 3, 3, translate_transposed_convolution},
          {"DepthwiseConv2dNative", 2, 2, translate_depthwise},
          {"MatMul", 2, 2, translate_mat_mul}};
}

}  // namespace tactus::tf
