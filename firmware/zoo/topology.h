// Networks as tables of layers, in the form that simulators of systolic arrays share (topology
// files of SCALE-Sim):
//
//   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
//   Strides,
//   Conv1, 224, 224, 7, 7, 3, 64, 2,
//
// or, for matrix products of M x K by K x N:
//
//   Layer, M, N, K,
//
// The number of cells distinguishes the two forms. read_table() reads the rows, so the header is
// optional; if it is there, its columns have these names and this order (capitals, blanks, "_" and
// a final "s" make no difference, and the first name is free). After Num Filter a header may name
// other columns: "Strides", or "Stride Height" and "Stride Width"; "Padding", or "Padding Height"
// and "Padding Width" (zeroes on each side of the IFMAP; default none). Without a header the eighth
// cell is the stride; if there is a ninth, they are the stride's height and width. Layers are
// independent: each has its own input, and its result is an output of the network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/zoo/builder.h"

namespace tactus::nn {

struct TopologyLayer {
  std::string name;  ///< unique: a second "x" is "x (2)"
  std::int64_t height = 1, width = 1, filter_height = 1, filter_width = 1;
  std::int64_t channels = 1, filters = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t pad_height = 0, pad_width = 0;  ///< zeroes on each side
};

/// Parses a table. Throws UserError with one line for each problem: "f.csv:3: ...".
[[nodiscard]] std::vector<TopologyLayer> parse_topology(std::string_view text,
                                                        const std::string& path);

/// Makes a convolution for each layer, with weights and biases drawn from a seed; a matrix product
/// becomes a 1x1 convolution.
[[nodiscard]] Network build_topology(const std::vector<TopologyLayer>& layers,
                                     const std::string& name, std::uint64_t seed);

/// True if the path is that of a topology, i.e. ends in ".csv".
[[nodiscard]] bool is_topology(const std::string& path);

}  // namespace tactus::nn
