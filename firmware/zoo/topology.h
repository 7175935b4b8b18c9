// Networks as tables of layers, in the form that simulators of systolic arrays share (SCALE-Sim's
// topology files):
//
//   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
//   Strides, Conv1, 224, 224, 7, 7, 3, 64, 2,
//
// or, for matrix products of M x K by K x N:
//
//   Layer, M, N, K,
//
// The number of cells says which of the two it is. The rows are those of read_table(), so that a
// header may be left out. Behind Num Filter a header may name other columns: "Strides" or "Stride
// Height" and "Stride Width"; "Padding" or "Padding Height" and "Padding Width" (zeros on either
// side of the IFMAP; without them none). Without a header a ninth cell is the stride's width.
// Layers know nothing of each other: each has an input of its own and its result is an output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/zoo/builder.h"

namespace tactus::nn {

struct TopologyLayer {
  std::string name;  ///< made unique: "x", "x (2)"
  std::int64_t height = 1, width = 1, filter_height = 1, filter_width = 1;
  std::int64_t channels = 1, filters = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t pad_height = 0, pad_width = 0;  ///< on either side
};

/// Throws UserError with everything that is wrong, a line each: "f.csv:3: ...".
[[nodiscard]] std::vector<TopologyLayer> parse_topology(std::string_view text,
                                                        const std::string& path);

/// A convolution a layer, with weights and biases drawn from a seed; a matrix product is one of
/// 1x1.
[[nodiscard]] Network build_topology(const std::vector<TopologyLayer>& layers,
                                     const std::string& name, std::uint64_t seed);

/// Whether the path is one of a topology rather than of a model: it ends in ".csv".
[[nodiscard]] bool is_topology(const std::string& path);

}  // namespace tactus::nn
