// Planner: the interface with which operators plan their nodes during analysis.
//
// A plan function checks attributes and operands, reports every problem with problem(), and defines
// each output with output() or fold(). It returns what the node computes (nest.h), or nothing if
// the node is folded or has problems. Operands whose producers failed are unknown; checks that need
// them are skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/onnx/graph.h"
#include "isa/support/error.h"

namespace tactus::compiler {

/// What a node computes; nothing if it is folded or has problems.
using Plan = std::optional<StepNest>;

class Planner {
 public:
  Planner(Model& model, const nn::Node& planned, std::vector<std::string>& problems)
      : node(planned), model_(model), problems_(problems) {}

  const nn::Node& node;

  [[nodiscard]] std::int64_t opset() const { return model_.graph->opset; }
  [[nodiscard]] bool compat() const { return model_.compat; }
  [[nodiscard]] const tcu::Architecture& architecture() const { return model_.architecture; }

  // ---- operands: numbers are those of the node's inputs -----------------------------------------

  [[nodiscard]] bool given(std::size_t i) const { return !node.input(i).empty(); }
  /// The value of an operand; null if it is left out, or unknown because its producer failed.
  [[nodiscard]] const Value* value(std::size_t i) const;
  [[nodiscard]] const nn::Tensor* constant(std::size_t i) const;
  /// Layout of a run-time operand; reports a constant or missing one. Null: skip further checks.
  [[nodiscard]] const Layout* activation(std::size_t i);
  /// Does the same, and also reports an operand that is not of rank 4 with channels along the
  /// lanes.
  [[nodiscard]] const Layout* image(std::size_t i);
  /// A constant that the operator needs; `what` names it in the message.
  [[nodiscard]] const nn::Tensor* need_constant(std::size_t i, std::string_view what,
                                                nn::ElementType type);
  [[nodiscard]] bool all_constant() const;
  /// A list of integers that moved from an attribute to an input in some opset.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute, std::size_t input,
                                                   std::vector<std::int64_t> fallback);

  // ---- results ----------------------------------------------------------------------------------

  template <typename... Args>
  void problem(fmt::format_string<Args...> format, Args&&... args) {
    ++found_;
    problems_.push_back(node.where() + ": " + fmt::format(format, std::forward<Args>(args)...));
  }
  [[nodiscard]] bool failed() const { return found_ != 0; }
  /// Announces that the nest reads the input; once for each reading.
  void reads(std::size_t i) { reads(node.inputs[i]); }
  void reads(const std::string& value) { step_.reads.push_back(value); }
  void output(std::size_t i, Layout layout);
  void output(Layout layout) { output(0, std::move(layout)); }
  /// Defines output 0 with the elements of input 0 in the same row-major order.
  void output_reshaped(Layout layout);
  void fold(nn::Tensor tensor, std::size_t i = 0);
  /// True if the node has an output of that number.
  [[nodiscard]] bool output_given(std::size_t i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }
  /// True if a node that the model needs reads the output, or it is requested.
  [[nodiscard]] bool output_read(std::size_t i) const;
  /// True if a node that the model needs reads the output.
  [[nodiscard]] bool output_read_by_node(std::size_t i) const;
  void note(std::string text) { model_.notes.push_back(std::move(text)); }
  /// States an error that the node's results have because of the way in which they are computed,
  /// see Compiled::expected_errors. Of several statements about a node of the model the largest
  /// counts.
  void expect_error(double absolute, double relative = 0) {
    ExpectedError& known = model_.expected_errors[origin().name];
    known.absolute = std::max(known.absolute, absolute);
    known.relative = std::max(known.relative, relative);
  }
  /// Largest absolute value of a tensor, if it is known.
  [[nodiscard]] std::optional<double> bound(const std::string& value) const {
    const double any = model_.value_bound;
    const auto found = model_.bounds.find(value);
    if (found == model_.bounds.end()) return any > 0 ? std::optional(any) : std::nullopt;
    return any > 0 ? std::min(any, found->second) : found->second;
  }
  void host_step(HostStep step) { model_.host_steps.push_back(std::move(step)); }

  // ---- for expansions (expansion.h) -------------------------------------------------------------

  [[nodiscard]] nn::Node& new_node() { return model_.expanded.emplace_back(); }
  /// The model's node that this one was written for, or this one.
  [[nodiscard]] const nn::Node& origin() const {
    const auto found = model_.origins.find(&node);
    return found == model_.origins.end() ? node : *found->second;
  }
  void register_node(const nn::Node& made);
  [[nodiscard]] std::string unused_node_name(const std::string& wanted);
  [[nodiscard]] std::string unused_value_name(const std::string& wanted) const;
  std::string new_constant(const std::string& name, nn::Tensor tensor);
  /// True if a product (Conv, Gemm...) depends on the node, so that it cannot be left to the host.
  [[nodiscard]] bool before_product() const { return model_.before_product.count(&node) != 0; }
  /// Marks a node of an expansion like the node that it replaces.
  void set_before_product(const nn::Node& made) {
    if (before_product()) model_.before_product.insert(&made);
  }

  /// Steps of a value that a QuantizeLinear made, which is kept as a real number; null: of no such.
  [[nodiscard]] const QuantisedSteps* quantised(const std::string& value) const;
  void set_quantised(const std::string& value, QuantisedSteps steps) {
    model_.quantised[value] = std::move(steps);
  }

  /// Returns the curve of this name, which is made on its first use.
  [[nodiscard]] std::shared_ptr<const TableCurve> table_curve(
      const std::string& name, const std::function<TableCurve()>& draw);

  [[nodiscard]] Step& step() { return step_; }
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  Model& model_;
  std::vector<std::string>& problems_;
  std::size_t found_ = 0;
  Step step_;
};

}  // namespace tactus::compiler
