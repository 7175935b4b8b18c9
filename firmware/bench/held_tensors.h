// Which tensors of a user's graph the machine holds, and in what numbers.
//
// The graph is the one that the user gave, not the one that the compiler makes of it. The machine
// holds its real tensors, except those that the host computes, those that depend on constants
// alone, those that only stand for whole numbers (scales of DynamicQuantizeLinear, sums of integer
// products), and those that are no more in the graph that was compiled in place of the user's,
// since they were folded into other tensors.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"

namespace tactus::bench {

class HeldTensors {
 public:
  HeldTensors(const nn::Graph& graph, const compiler::Compiled& compiled)
      : HeldTensors(graph, compiled, compiled.scales) {}
  /// With scales of another program. All three must outlive this.
  HeldTensors(const nn::Graph& graph, const compiler::Compiled& compiled,
              const compiler::TensorScales& scales);

  /// True if the tensor depends on constants alone.
  [[nodiscard]] bool is_constant(const std::string& name) const {
    return constants_.count(name) != 0;
  }
  /// True if the host computes the node.
  [[nodiscard]] bool on_host(const nn::Node& node) const;
  /// True if the host computes the node before the program runs.
  [[nodiscard]] bool before_program(const nn::Node& node) const;
  /// True if the result of a node that the host does not compute is held as a real number.
  [[nodiscard]] bool holds(const nn::Node& node, const std::string& result) const;
  /// True if the program reads the model's input.
  [[nodiscard]] bool is_program_input(const std::string& name) const;

  /// Step of the data type for each element of the tensor, in the model's numbers: one, or one for
  /// each index of an axis.
  struct Steps {
    std::vector<double> sizes;
    std::int64_t inner = 1;  ///< number of elements that follow each other with one index
    [[nodiscard]] double operator[](std::size_t element) const {
      return sizes.size() == 1 ? sizes.front()
                               : sizes[element / static_cast<std::size_t>(inner) % sizes.size()];
    }
  };
  [[nodiscard]] Steps steps(const std::string& name, const nn::Shape& shape) const;

  /// The tensor as the machine holds it, each element rounded and saturated once.
  void round(nn::Tensor& tensor, const std::string& name) const;
  /// The tensor with its elements saturated, but not rounded.
  void saturate(nn::Tensor& tensor, const std::string& name) const;
  /// A constant as the machine holds it. Its scale is that of the constant of this name in the
  /// graph that was compiled.
  void round_constant(nn::Tensor& tensor, const std::string& name) const;
  /// Divides values that the machine holds by the tensor's scale.
  void unscale(std::vector<float>& values, const std::string& name, const nn::Shape& shape) const;

  [[nodiscard]] tcu::DataType type() const { return type_; }
  [[nodiscard]] double step() const { return step_; }

 private:
  /// True if the tensor is not in the graph that was compiled.
  [[nodiscard]] bool is_folded(const std::string& name) const {
    return compiled_.scaled != nullptr && !name.empty() && compiled_names_.count(name) == 0;
  }
  void find_constants(const nn::Graph& graph);
  void find_parameters(const nn::Graph& graph);

  const compiler::Compiled& compiled_;
  const compiler::TensorScales& scales_;
  tcu::DataType type_;
  double step_, top_, bottom_;
  std::set<std::string> constants_;
  /// Real tensors that depend on constants and scales of DynamicQuantizeLinear alone.
  std::set<std::string> parameters_;
  std::set<std::string> whole_;  ///< real tensors that are whole numbers converted
  std::set<std::string> before_, behind_;
  std::set<std::string> compiled_names_;  ///< tensors of Compiled::scaled
};

}  // namespace tactus::bench
