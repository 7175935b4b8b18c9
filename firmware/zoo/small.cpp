// Networks that compile and run within seconds.
#include "firmware/zoo/zoo.h"

namespace tactus::nn {

using Value = Builder::Value;

Network build_mlp(std::uint64_t seed) {
  Builder net("mlp", 10, seed);
  Value x = net.input("x:0", {1, 16});
  x = net.relu("hidden_relu", net.gemm("hidden", x, 24, 2));
  x = net.gemm("logits", x, 10, 2);
  net.output(x, "Identity:0");
  return std::move(net).finish();
}

Network build_cnn(std::uint64_t seed) {
  Builder net("cnn", 10, seed);
  Value x = net.transpose("x_nchw", net.input("x:0", {1, 16, 16, 3}), {0, 3, 1, 2});
  x = net.relu("relu_0", net.conv("conv_0", x, {12, 3, 1, 1}));
  x = net.max_pool("pool_0", x, {2, 2});
  x = net.relu("relu_1", net.conv("conv_1", x, {20, 3, 2, 1}));
  x = net.average_pool("pool_1", x, {2, 2});
  x = net.transpose("pool_1_nhwc", x, {0, 2, 3, 1});
  x = net.reshape("flatten", x, {-1, 80});
  x = net.gemm("logits", x, 10, 2);
  net.output(x, "Identity:0");
  return std::move(net).finish();
}

Network build_csp(std::uint64_t seed) {
  Builder net("csp", 11, seed);
  Value x = net.transpose("x_nchw", net.input("x:0", {1, 16, 16, 3}), {0, 3, 1, 2});
  x = net.leaky_relu("leaky_0", net.conv("conv_0", x, {16, 3, 2, 1}), 0.1F);
  const Value nhwc = net.transpose("split_nhwc", x, {0, 2, 3, 1});
  const Value half = net.transpose("split_nchw", net.split("split", nhwc, -1, 2)[1], {0, 3, 1, 2});
  const Value one = net.leaky_relu("leaky_1", net.conv("conv_1", half, {8, 3, 1, 1}), 0.1F);
  x = net.concat("concat", {x, one}, 1);
  const Value main = net.conv("conv_3", net.relu("relu_2", net.conv("conv_2", x, {16})), {24});
  x = net.relu("relu_3", net.batch_normalization("bn", net.add("add", x, main)));
  const Value low = net.max_pool("pool", x, {2, 2});
  const Value up = net.upsample("upsample", net.conv("conv_4", low, {8}), 2);
  x = net.conv("conv_5", net.concat("join", {up, x}, 1), {5});
  net.output(x, "Identity:0");
  return std::move(net).finish();
}

}  // namespace tactus::nn
