// Residual networks with pre-activation, in which normalisation and Relu precede each convolution.
#include "firmware/zoo/zoo.h"

namespace tactus::nn {
namespace {

using Value = Builder::Value;

const std::vector<std::int64_t> to_nchw{0, 3, 1, 2};
const std::vector<std::int64_t> to_nhwc{0, 2, 3, 1};

}  // namespace

Network build_resnet20v2(std::uint64_t seed) {
  Builder net("resnet20v2", 10, seed);
  int convs = 0, sums = 0;
  // A normalisation behind a convolution is folded into it, so only those behind sums are built.
  const auto conv = [&](const Value& x, const Builder::Conv& options) {
    return net.conv("conv2d_" + std::to_string(convs++), x, options);
  };
  const auto relu = [&](const Value& x) {
    return net.relu("activation_" + x.substr(0, x.size() - 2), x);
  };
  const auto normalized = [&](const Value& x, double gamma_low, double gamma_high) {
    return relu(net.batch_normalization("batch_normalization_" + std::to_string(sums), x, gamma_low,
                                        gamma_high));
  };

  Value x = net.transpose("x_nchw", net.input("x:0", {1, 32, 32, 3}), to_nchw);
  x = relu(conv(x, {16, 3, 1, 1}));
  for (int stage = 0; stage < 3; ++stage) {
    const std::int64_t inner = stage == 0 ? 16 : stage == 1 ? 64 : 128;
    const std::int64_t outer = stage == 0 ? 64 : 2 * inner;
    for (int block = 0; block < 2; ++block) {
      const bool first = block == 0;
      const std::int64_t stride = first && stage > 0 ? 2 : 1;
      // The two convolutions that a first block adds share one bias tensor.
      const std::string shared = first ? "stage_" + std::to_string(stage) + "/bias" : "";
      Value shortcut = x;
      if (first) shortcut = conv(x, {outer, 1, stride, 0, 2, shared});
      Value y = first && stage == 0 ? x : normalized(x, 1, 2);
      y = relu(conv(y, {inner, 1, stride}));
      y = relu(conv(y, {inner, 3, 1, 1}));
      y = conv(y, {outer, 1, 1, 0, 2, shared});
      x = net.add("add_" + std::to_string(sums++), shortcut, y);
    }
  }
  // Gamma is small here: the average sums 64 values, and the sum must stay in range.
  x = normalized(x, 0.5, 1);
  x = net.average_pool("average_pooling2d", x, {8, 8});
  x = net.transpose("average_pooling2d_nhwc", x, to_nhwc);
  x = net.reshape("flatten", x, {-1, 256});
  net.set_variance(x, 0.05);
  x = net.softmax("Identity", net.gemm("dense", x, 10, 4));
  net.output(x, "Identity:0");
  return std::move(net).finish();
}

namespace {

/// Adds a bottleneck block of Keras' ResNet50V2. The 3x3 convolution and the shortcut have
/// `stride`.
Value bottleneck(Builder& net, const std::string& name, const Value& x, std::int64_t filters,
                 std::int64_t stride, bool projected) {
  Value preact = net.relu(name + "_preact_relu", net.batch_normalization(name + "_preact_bn", x));
  Value shortcut = x;
  if (projected) {
    shortcut = net.conv(name + "_0_conv", preact, {4 * filters, 1, stride});
  } else if (stride > 1) {
    shortcut = net.max_pool(name + "_shortcut_pool", x, {1, stride});
  }
  Value y = net.relu(name + "_1_relu", net.conv(name + "_1_conv", preact, {filters}));
  y = net.relu(name + "_2_relu", net.conv(name + "_2_conv", y, {filters, 3, stride, 1}));
  y = net.conv(name + "_3_conv", y, {4 * filters});
  return net.add(name + "_out", shortcut, y);
}

}  // namespace

Network build_resnet50v2(std::uint64_t seed) {
  Builder net("resnet50v2", 10, seed);
  Value x = net.transpose("x_nchw", net.input("x:0", {1, 224, 224, 3}), to_nchw);
  x = net.conv("conv1_conv", x, {64, 7, 2, 3});
  x = net.max_pool("pool1_pool", net.pad("pool1_pad", x, 1), {3, 2});
  struct Stack {
    std::int64_t filters;
    int blocks;
    std::int64_t last_stride;
  };
  int number = 2;
  for (const Stack& stack :
       {Stack{64, 3, 2}, Stack{128, 4, 2}, Stack{256, 6, 2}, Stack{512, 3, 1}}) {
    for (int block = 1; block <= stack.blocks; ++block) {
      const std::string name = "conv" + std::to_string(number) + "_block" + std::to_string(block);
      const std::int64_t stride = block == stack.blocks ? stack.last_stride : 1;
      x = bottleneck(net, name, x, stack.filters, stride, block == 1);
    }
    ++number;
  }
  // Gamma is small here: the average sums 49 values, and the sum must stay in range.
  x = net.relu("post_relu", net.batch_normalization("post_bn", x, 0.5, 1));
  x = net.squeeze("avg_pool_flat", net.global_average_pool("avg_pool", x), {2, 3});
  net.set_variance(x, 0.05);
  x = net.softmax("Identity", net.gemm("predictions", x, 1000, 4));
  net.output(x, "Identity:0");
  return std::move(net).finish();
}

}  // namespace tactus::nn
