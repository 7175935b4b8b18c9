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
// The first row may be a header, which says which of the two it is; without one the number of cells
// does. A comma at the end of a row, empty lines and what follows a # mean nothing. Convolutions
// have no padding: who wants it counts it into the IFMAP. Layers know nothing of each other: each
// has an input of its own and its result is an output.
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
  std::int64_t channels = 1, filters = 1, stride = 1;
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
