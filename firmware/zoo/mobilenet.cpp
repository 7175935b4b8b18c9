// Networks of depthwise separable convolutions: a convolution that filters each channel separately,
// followed by a 1x1 convolution that mixes the channels.
//
// Every normalisation follows a convolution and is folded into it. With stride 2 the image is
// padded on all sides, as in PyTorch; TensorFlow pads only below and on the right. Sizes,
// parameters and multiply-accumulates are the same.
#include <algorithm>
#include <string>

#include "firmware/zoo/zoo.h"

namespace tactus::nn {
namespace {

using Value = Builder::Value;

/// Standard deviation before the last activation. The global average sums 49 activations, and the
/// sum must stay in the range of 8.8 fixed point.
constexpr double deviation_before_average = 1.5;

/// Adds a `kernel` x `kernel` convolution that keeps the image's size at stride 1.
Value conv(Builder& net, const std::string& name, const Value& x, std::int64_t channels,
           std::int64_t kernel, std::int64_t stride = 1, double deviation = 2) {
  return net.conv(name, x, {channels, kernel, stride, kernel / 2, deviation});
}

Value depthwise(Builder& net, const std::string& name, const Value& x, std::int64_t stride) {
  const std::int64_t channels = net.shape(x)[1];
  Builder::Conv options{channels, 3, stride, 1};
  options.group = channels;
  return net.relu6(name + "_relu", net.conv(name, x, options));
}

/// Adds a global average, a dense layer and a Softmax.
void classify(Builder& net, const Value& x, std::int64_t classes) {
  const Value average = net.squeeze("flatten", net.global_average_pool("global_pool", x), {2, 3});
  net.set_variance(average, 0.05);
  net.output(net.softmax("Identity", net.gemm("predictions", average, classes, 4)), "Identity:0");
}

Value image(Builder& net, std::int64_t size) {
  return net.transpose("x_nchw", net.input("x:0", {1, size, size, 3}), {0, 3, 1, 2});
}

}  // namespace

Network build_mobilenetv1(const std::string& name, double width, std::int64_t size,
                          std::int64_t classes, std::uint64_t seed) {
  Builder net(name, 10, seed);
  const auto wide = [&](std::int64_t channels) {
    return static_cast<std::int64_t>(static_cast<double>(channels) * width);
  };
  Value x = net.relu6("conv1_relu", conv(net, "conv1", image(net, size), wide(32), 3, 2));
  struct Block {
    std::int64_t channels, stride;
  };
  constexpr Block blocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                              {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  for (const Block& block : blocks) {
    const std::string number = std::to_string(&block - blocks + 1);
    x = depthwise(net, "conv_dw_" + number, x, block.stride);
    const bool last = &block == std::end(blocks) - 1;
    x = conv(net, "conv_pw_" + number, x, wide(block.channels), 1, 1,
             last ? deviation_before_average : 2);
    x = net.relu6("conv_pw_" + number + "_relu", x);
  }
  classify(net, x, classes);
  return std::move(net).finish();
}

Network build_mobilenetv2(std::uint64_t seed) {
  Builder net("mobilenetv2", 10, seed);
  Value x = net.relu6("conv1_relu", conv(net, "conv1", image(net, 224), 32, 3, 2));
  struct Stage {
    std::int64_t expansion, channels;
    int blocks;
    std::int64_t stride;  ///< stride of the first block
  };
  int count = 0;
  for (const Stage& stage :
       {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
        Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
    for (int i = 0; i < stage.blocks; ++i) {
      const std::string name = "block_" + std::to_string(count++);
      const std::int64_t channels = net.shape(x)[1];
      Value y = x;
      if (stage.expansion > 1) {
        y = conv(net, name + "_expand", y, stage.expansion * channels, 1);
        y = net.relu6(name + "_expand_relu", y);
      }
      y = depthwise(net, name + "_depthwise", y, i == 0 ? stage.stride : 1);
      y = conv(net, name + "_project", y, stage.channels, 1);
      x = i == 0 ? y : net.add(name + "_add", x, y);
    }
  }
  x = net.relu6("out_relu", conv(net, "conv_1", x, 1280, 1, 1, deviation_before_average));
  classify(net, x, 1000);
  return std::move(net).finish();
}

}  // namespace tactus::nn
