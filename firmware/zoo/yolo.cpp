#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"

namespace tactus::nn {
namespace {

using Value = Builder::Value;

/// Adds layers and numbers the convolutions in the order in which they are made, as exporters do.
class Layers {
 public:
  explicit Layers(Builder& net) : net_(net) {}

  Value conv(const Value& x, std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1) {
    const std::string name = next();
    const Value y = net_.conv("conv2d_" + name, x, {channels, kernel, stride, kernel / 2});
    return net_.leaky_relu("leaky_re_lu_" + name, y, 0.1F);
  }
  /// Adds a head without activation: three anchors of 85 values each.
  Value head(const Value& x) { return net_.conv("conv2d_" + next(), x, {255}); }

  /// Takes the second half of the channels, by a Split between Transposes, as exported from NHWC
  /// frameworks.
  Value second_half(const Value& x, const std::string& name) {
    const Value nhwc = net_.transpose(name + "_nhwc", x, {0, 2, 3, 1});
    return net_.transpose(name + "_nchw", net_.split(name, nhwc, -1, 2)[1], {0, 3, 1, 2});
  }

  /// Adds a cross-stage partial block and the pooling behind it. `route` receives a value inside
  /// the block that later layers read.
  Value partial(const Value& x, std::int64_t channels, const std::string& name, Value& route) {
    const Value all = conv(x, channels, 3);
    const Value one = conv(second_half(all, name + "_split"), channels / 2, 3);
    const Value two = conv(one, channels / 2, 3);
    route = conv(net_.concat(name + "_inner", {two, one}, 1), channels, 1);
    return net_.max_pool(name + "_pool", net_.concat(name + "_outer", {all, route}, 1), {2, 2});
  }

 private:
  std::string next() { return std::to_string(count_++); }

  Builder& net_;
  int count_ = 0;
};

}  // namespace

Network build_yolov4_tiny(std::int64_t size, std::uint64_t seed) {
  if (size <= 0 || size % 32 != 0) internal_error("zoo: {} pixels are no multiple of 32", size);
  // Resize can specify the pixels' centres from operator set 11 on.
  Builder net("yolov4-tiny-" + std::to_string(size), 11, seed);
  Layers layers(net);
  Value route;
  Value x = net.transpose("x_nchw", net.input("x:0", {1, size, size, 3}), {0, 3, 1, 2});
  x = layers.conv(x, 32, 3, 2);
  x = layers.conv(x, 64, 3, 2);
  x = layers.partial(x, 64, "csp_0", route);
  x = layers.partial(x, 128, "csp_1", route);
  x = layers.partial(x, 256, "csp_2", route);
  x = layers.conv(x, 512, 3);
  const Value neck = layers.conv(x, 256, 1);

  const Value coarse = layers.head(layers.conv(neck, 512, 3));
  const Value up = net.upsample("upsample", layers.conv(neck, 128, 1), 2);
  const Value both = net.concat("neck", {up, route}, 1);
  const Value fine = layers.head(layers.conv(both, 256, 3));
  net.output(coarse, "coarse:0");
  net.output(fine, "fine:0");
  return std::move(net).finish();
}

}  // namespace tactus::nn
