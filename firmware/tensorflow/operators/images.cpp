// Image operators: pooling, normalisation, resizing, blocks of pixels as channels.
#include <algorithm>

#include "firmware/onnx/shapes.h"
#include "firmware/tensorflow/translator.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

constexpr std::int64_t largest_size = 1 << 20;

// ---- pools --------------------------------------------------------------------------------------

std::vector<std::int64_t> window_sizes(Translator& t, const char* attribute, std::size_t input) {
  return t.input_count() > input ? t.integers(input, attribute) : t.node().integers(attribute);
}

/// MaxPool, MaxPoolV2 (window and strides are inputs), AvgPool.
void translate_pool(Translator& t) {
  const DataFormat format = data_format(t);
  const bool average = t.node().op == "AvgPool";
  const std::vector<std::int64_t> kernel = window_sizes(t, "ksize", 1);
  const std::vector<std::int64_t> strides = window_sizes(t, "strides", 2);
  for (const auto* list : {&kernel, &strides}) {
    const bool good = list->size() == 4 && (*list)[0] == 1 && (*list)[format.channel()] == 1 &&
                      std::all_of(list->begin(), list->end(),
                                  [](std::int64_t v) { return v > 0 && v <= largest_size; });
    if (!good) {
      t.fail(
          "windows {} with strides {}: supported are four numbers each, 1 for batch and channels",
          nn::to_string(kernel), nn::to_string(strides));
    }
  }
  const std::string padding = t.node().text("padding", "");
  const std::size_t row = format.row();
  const std::string x = image_input(t, 0, format);
  nn::Shape shape = image_shape(t.input(0), format);
  Attributes attributes{{"kernel_shape", std::vector<std::int64_t>{kernel[row], kernel[row + 1]}},
                        {"strides", std::vector<std::int64_t>{strides[row], strides[row + 1]}}};
  std::vector<std::int64_t> pads(4, 0);
  if (padding == "EXPLICIT" && !average) {
    const std::vector<std::int64_t>& all = t.node().integers("explicit_paddings");
    bool good = all.size() == 8 && all[0] == 0 && all[1] == 0 && all[2 * format.channel()] == 0 &&
                all[2 * format.channel() + 1] == 0;
    for (const std::int64_t v : all) good = good && v >= 0 && v <= largest_size;
    if (!good) t.fail("attribute explicit_paddings is {}", nn::to_string(all));
    pads = {all[2 * row], all[2 * row + 2], all[2 * row + 1], all[2 * row + 3]};
    attributes["pads"] = pads;
  } else if (padding == "SAME") {
    attributes["auto_pad"] = std::string("SAME_UPPER");
  } else if (padding != "VALID") {
    t.fail("attribute padding is {}; supported are SAME, VALID{}", quote(padding),
           average ? "" : " and EXPLICIT");
  }
  for (std::size_t d = 0; d < 2; ++d) {
    nn::Sliding along{shape[2 + d], kernel[row + d], strides[row + d], 1, pads[d], pads[d + 2]};
    if (padding == "SAME") along.pad_to_same("SAME_UPPER");
    shape[2 + d] = along.windows(false);
    if (shape[2 + d] == 0) {
      t.fail("the window spans {} pixels, the padded image has {}", along.kernel,
             along.before + along.size + along.after);
    }
  }
  t.result(image_result(t, t.emit(average ? "AveragePool" : "MaxPool", {x}, std::move(attributes)),
                        shape, format));
}

// ---- normalisation ------------------------------------------------------------------------------

/// FusedBatchNorm, all versions: image, scale, offset, mean, variance.
void translate_batch_norm(Translator& t) {
  constexpr float usual = 0.0001F;
  const DataFormat format = data_format(t);
  if (t.node().flag("is_training", true)) {
    t.fail("attribute is_training is true; supported is inference: freeze the graph for it");
  }
  const std::string x = image_input(t, 0, format);
  const nn::Shape shape = image_shape(t.input(0), format);
  std::vector<std::string> inputs{x};
  for (std::size_t i = 1; i < 5; ++i) {
    if (t.input(i).shape != nn::Shape{shape[1]}) {
      t.fail("input {} has shape {}; the image has {} channels", i, nn::to_string(t.input(i).shape),
             shape[1]);
    }
    inputs.push_back(t.plain(t.input(i)));
  }
  t.result(image_result(t,
                        t.emit("BatchNormalization", std::move(inputs),
                               {{"epsilon", t.node().real("epsilon", usual)}}),
                        shape, format));
}

/// BatchNormWithGlobalNormalization, the predecessor of FusedBatchNorm: image, mean, variance,
/// offset, scale.
void translate_old_batch_norm(Translator& t) {
  Value& x = t.input(0);
  t.expect_rank(x, 4, "the image");
  const std::int64_t channels = x.shape[3];
  for (std::size_t i = 1; i < 5; ++i) {
    if (t.input(i).shape != nn::Shape{channels}) {
      t.fail("input {} has shape {}; the image has {} channels", i, nn::to_string(t.input(i).shape),
             channels);
    }
  }
  std::string scale = t.plain(t.input(4));
  if (!t.node().flag("scale_after_normalization", true)) {
    scale = t.constant(
        nn::Tensor::of({channels}, std::vector<float>(static_cast<std::size_t>(channels), 1.0F)));
  }
  const std::string name =
      t.emit("BatchNormalization",
             {t.image(x), scale, t.plain(t.input(3)), t.plain(t.input(1)), t.plain(t.input(2))},
             {{"epsilon", t.node().real("variance_epsilon", 0.001F)}});
  t.result(t.image_value(name, to_channels_first(x.shape)));
}

/// Local response normalisation over neighbouring channels.
void translate_lrn(Translator& t) {
  const std::int64_t radius = t.node().integer("depth_radius", 5);
  if (radius < 0 || radius > largest_size) t.fail("attribute depth_radius is {}", radius);
  const std::int64_t size = 2 * radius + 1;
  const float alpha = t.node().real("alpha", 1) * static_cast<float>(size);
  Value& x = t.input(0);
  const std::string name = t.emit("LRN", {t.image(x)},
                                  {{"size", size},
                                   {"alpha", alpha},
                                   {"beta", t.node().real("beta", 0.5F)},
                                   {"bias", t.node().real("bias", 1)}});
  t.result(t.image_value(name, to_channels_first(x.shape)));
}

// ---- sizes --------------------------------------------------------------------------------------

/// ResizeBilinear, ResizeNearestNeighbor; only N H W C.
void translate_resize(Translator& t) {
  Value& x = t.input(0);
  t.expect_rank(x, 4, "the image");
  const std::vector<std::int64_t> size = t.integers(1, "the size");
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || size[0] > largest_size ||
      size[1] > largest_size) {
    t.fail("the size is {}; supported are two numbers of 1 and more", nn::to_string(size));
  }
  const bool nearest = t.node().op == "ResizeNearestNeighbor";
  const bool corners = t.node().flag("align_corners", false);
  const bool centres = t.node().flag("half_pixel_centers", false);
  if (corners && centres) t.fail("align_corners and half_pixel_centers exclude each other");
  const std::string mode = corners ? "align_corners" : centres ? "half_pixel" : "asymmetric";
  Attributes attributes{{"mode", std::string(nearest ? "nearest" : "linear")},
                        {"coordinate_transformation_mode", mode}};
  if (nearest) {
    attributes["nearest_mode"] = std::string(corners || centres ? "round_prefer_ceil" : "floor");
  }
  const std::string source = t.image(x);
  const nn::Shape shape{x.shape[0], x.shape[3], size[0], size[1]};
  t.expect_size(shape);
  const std::string name =
      t.emit("Resize", {source, "", "", t.constant(shape)}, std::move(attributes));
  t.result(t.image_value(name, shape));
}

/// DepthToSpace, SpaceToDepth.
void translate_blocks(Translator& t) {
  const DataFormat format = data_format(t);
  const std::int64_t block = t.node().integer("block_size");
  const std::string x = image_input(t, 0, format);
  nn::Shape shape = image_shape(t.input(0), format);
  if (block < 1 || block > 4096) t.fail("attribute block_size is {}", block);
  const std::optional<nn::Shape> fit = nn::block_shape(shape, block, t.node().op == "SpaceToDepth");
  if (!fit) {
    t.fail("an image of {} channels, {} x {}, has no blocks of {}", shape[1], shape[2], shape[3],
           block);
  }
  shape = *fit;
  t.result(image_result(t, t.emit(t.node().op, {x}, {{"blocksize", block}}), shape, format));
}

}  // namespace

Operators image_operators() {
  return {{"AvgPool", 1, 1, translate_pool},
          {"BatchNormWithGlobalNormalization", 5, 5, translate_old_batch_norm},
          {"DepthToSpace", 1, 1, translate_blocks},
          {"FusedBatchNorm", 5, 5, translate_batch_norm},
          {"FusedBatchNormV2", 5, 5, translate_batch_norm},
          {"FusedBatchNormV3", 5, 5, translate_batch_norm},
          {"LRN", 1, 1, translate_lrn},
          {"MaxPool", 1, 1, translate_pool},
          {"MaxPoolV2", 3, 3, translate_pool},
          {"ResizeBilinear", 2, 2, translate_resize},
          {"ResizeNearestNeighbor", 2, 2, translate_resize},
          {"SpaceToDepth", 1, 1, translate_blocks}};
}

}  // namespace tactus::tf
