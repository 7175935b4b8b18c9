// Groups of tensors of one scale, and the nodes that put tensors into one group since they pass a
// scale on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/scaling/network.h"

namespace tactus::compiler::scaling {

[[nodiscard]] inline bool is_one_of(std::string_view name,
                                    std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[nodiscard]] inline std::size_t size_at(const nn::Shape& shape, std::size_t axis) {
  return static_cast<std::size_t>(shape[axis]);
}

/// Number of elements along the axes [first, last).
[[nodiscard]] std::size_t product(const nn::Shape& shape, std::size_t first, std::size_t last);

class Grouping {
 protected:
  explicit Grouping(const nn::Values& values) : values_(values) {}

  [[nodiscard]] const nn::Tensor* value(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_computed(std::string_view name) const {
    return network_.numbers.find(name) != network_.numbers.end();
  }
  [[nodiscard]] std::size_t tensor(std::string_view name) const {
    return network_.numbers.find(name)->second;
  }
  /// Adds a tensor, in a group of its own.
  std::size_t add(const std::string& name);
  [[nodiscard]] std::size_t root(std::size_t group);
  /// Joins the groups of two tensors.
  void tie(std::size_t a, std::size_t b);
  void fix(std::size_t tensor) {
    network_.groups[root(network_.tensors[tensor].group)].fixed = true;
  }
  void fix_all(const nn::Node& node);
  void make_uniform(std::size_t tensor) {
    network_.groups[root(network_.tensors[tensor].group)].uniform = true;
  }
  /// Gives a tensor channels of its own along an axis.
  void set_axis(std::size_t tensor, std::size_t axis);
  /// Gives a tensor the channels of another along the axis; without one both become uniform.
  void follow(std::size_t tensor, std::size_t from, std::size_t axis);

  /// Nodes of one operand that pass a factor on. Returns false for another node.
  bool passes_on(const nn::Node& node);
  /// Nodes of several operands of one scale. Returns false for another node.
  bool passes_sum(const nn::Node& node);

  /// Collects the groups that are left after tying, and gives uniform ones a single channel.
  void finish_groups();

  Network network_;

 private:
  void pass(const nn::Node& node,
            const std::function<std::size_t(const Tensor&, const Tensor&)>& axis);
  void reshape(const nn::Node& node);
  [[nodiscard]] bool pads_zeros(const nn::Node& node) const;
  [[nodiscard]] bool clips_at_zero_only(const nn::Node& node) const;
  [[nodiscard]] bool has_constant_limits(const nn::Node& node) const;
  [[nodiscard]] std::size_t axis_behind_reduction(const nn::Node& node, const Tensor& from,
                                                  const Tensor& to) const;

  const nn::Values& values_;
  std::vector<std::size_t> parents_;  ///< of the groups; a root is its own parent
};

}  // namespace tactus::compiler::scaling
