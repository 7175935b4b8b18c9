// What of a network decides its scales: groups of tensors that share a scale, the layers of
// products between groups, and figures of the tensors on calibration images.
//
// A group's tensors are linked by nodes that pass a factor on: Relu, pools, Add, Concat, Reshape...
// A layer multiplies by constants, so that its result may have another scale than its operand.
// Tensors of all other nodes, and the model's inputs and outputs, are fixed: they have scale 1.
// A group has a scale for each channel if each of its tensors has an axis of channels.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::compiler::scaling {

inline constexpr std::size_t no_axis = SIZE_MAX;

/// Factor between the largest value on the calibration images and what is expected of others.
inline constexpr double margin = 1.5;

/// A tensor of real numbers that is computed at run time.
struct Tensor {
  std::string name;
  nn::Shape shape;
  std::size_t group = 0;
  std::size_t axis = no_axis;  ///< dimension of the channels; no_axis: unknown
  /// For each index of the axis: its channel in the group. One element without an axis.
  std::vector<std::size_t> channels;
  /// Figures over the calibration images for each index of the axis: the largest absolute value and
  /// the mean square.
  std::vector<double> largest, squares;
  double numbers = 0;  ///< scalars for each index, over all images
  /// Noise of the operation that computes the tensor, as a variance in steps; layers have their
  /// own.
  double noise = 0;

  [[nodiscard]] double mean_square() const;
  /// Largest absolute value to expect of an index of the axis on other images.
  [[nodiscard]] double expected(std::size_t index) const;
};

struct Group {
  bool fixed = false;
  /// One scale for all channels.
  bool uniform = false;
  std::size_t channels = 1;
  std::vector<std::size_t> tensors;
  std::vector<std::size_t> readers, writers;  ///< layers
};

enum class LayerKind { convolution, transposed, gemm, matrix, factor, divisor, normalisation };

/// A node that multiplies by constants. Output channel o of group g = o / outputs_each adds the
/// products of the input channels g * inputs_each and following.
struct Layer {
  std::size_t node = 0;  ///< in the graph
  LayerKind kind = LayerKind::convolution;
  std::size_t input = 0, output = 0;  ///< tensors
  std::size_t outputs = 1, outputs_each = 1, inputs_each = 1;
  double taps = 1;  ///< products for each pair of channels
  /// For each pair [output][input of its group]: largest absolute weight, and sum of the squares.
  std::vector<double> weights, squares;
  std::vector<double> bias;  ///< absolute, for each output channel; empty: none
};

/// A tensor that the host multiplies on its way to or from the program, since its values are beyond
/// the data type.
struct HostEnd {
  std::size_t tensor = 0;
  bool input = false;
};

struct Network {
  const nn::Graph* graph = nullptr;
  std::vector<Tensor> tensors;
  std::map<std::string, std::size_t, std::less<>> numbers;  ///< tensors by name
  std::vector<Group> groups;
  std::vector<Layer> layers;
  std::map<std::size_t, std::size_t> layer_of_node;
  /// Values that follow from constants alone.
  std::map<std::string, nn::Tensor, std::less<>> constants;
  std::vector<HostEnd> host_ends;

  [[nodiscard]] const Tensor* find(std::string_view name) const;
  [[nodiscard]] const nn::Tensor* constant(std::string_view name) const;
};

/// Analyses a graph. `values` are all its values for one image, `outputs` the names of the outputs.
/// Inputs and outputs in `beyond` are scaled by the host.
[[nodiscard]] Network analyse_network(const nn::Graph& graph, const nn::Values& values,
                                      const std::set<std::string>& outputs,
                                      const std::set<std::string>& beyond);

/// Adds an image to the tensors' figures.
void add_figures(Network& network, const nn::Values& values);

}  // namespace tactus::compiler::scaling
