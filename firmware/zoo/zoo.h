// The networks that Tactus ships, as graphs with seeded weights, and inputs for them.
//
// Topologies are the published ones, without post-processing. Batch normalisations directly behind
// a convolution are folded into it, as exporters do. Image inputs have batch 1 and values -1 .. 1;
// they are NHWC, as in the frameworks for which these networks are published, except DeiT's, which
// is NCHW.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/zoo/builder.h"

namespace tactus::nn {

struct ZooEntry {
  std::string_view name;
  std::string_view source;  ///< publication of the topology
  Network (*build)(std::uint64_t seed);
};

inline constexpr std::uint64_t default_zoo_seed = 1;

/// All networks; the benchmark networks come first.
[[nodiscard]] const std::vector<ZooEntry>& zoo();

/// Finds a network. Throws a UserError that lists the allowed names.
[[nodiscard]] const ZooEntry& zoo_entry(std::string_view name);

/// Draws values -1 .. 1 for a graph input of real numbers. Throws UserError unless its shape is
/// stated completely and its type is FLOAT.
[[nodiscard]] Tensor random_input(const ValueInfo& input, std::uint64_t seed);

Network build_resnet20v2(std::uint64_t seed);
Network build_resnet50v2(std::uint64_t seed);
/// For images of `size` x `size` pixels, where `size` is a multiple of 32.
Network build_yolov4_tiny(std::int64_t size, std::uint64_t seed);
/// For images of `size` x `size` pixels. `width` multiplies the channels.
Network build_mobilenetv1(const std::string& name, double width, std::int64_t size,
                          std::int64_t classes, std::uint64_t seed);
Network build_mobilenetv2(std::uint64_t seed);
/// The encoder of BERT-Tiny (2 layers, 128 wide, 2 heads) with its embeddings, for 128 tokens.
Network build_bert_tiny(std::uint64_t seed);
/// DeiT-Ti (192 wide, 3 heads, 224 x 224 pixels in patches of 16 x 16) with 4 of its 12 layers.
Network build_deit_tiny(std::uint64_t seed);
/// One block of GPT-2 (768 wide, 12 heads) for one token. The keys and values of 63 tokens before
/// it are inputs.
Network build_gpt2_block(std::uint64_t seed);
/// A network with 16 inputs and one hidden layer.
Network build_mlp(std::uint64_t seed);
/// A network of convolutions, pooling and a classifier on 16 x 16 pixels.
Network build_cnn(std::uint64_t seed);
/// A network with Split, Concat, residual Add, normalisation and upsampling on 16 x 16 pixels.
Network build_csp(std::uint64_t seed);

}  // namespace tactus::nn
