// Makes the nodes of one operator of a TensorFlow Lite model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/tensorflow/graph_def.h"
#include "firmware/tensorflow/lite/model_generated.h"
#include "isa/support/error.h"

namespace tactus::tf::lite {

using NodeAttributes = std::map<std::string, Attribute, std::less<>>;

/// The nodes of a model so far, and the values of its tensors.
class Builder {
 public:
  Builder(const Model& model, const SubGraph& graph, const std::vector<std::uint8_t>& bytes,
          const std::string& file);

  /// Starts the operator with this number. Throws UserError if its tensors do not exist.
  void start(std::uint32_t number);

  // ---- the operator -----------------------------------------------------------------------------

  [[nodiscard]] const Operator& op() const { return *op_; }
  /// Name of the operator, "CONV_2D".
  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] std::size_t input_count() const;
  [[nodiscard]] bool has(std::size_t i) const;
  /// The tensor of input i. Throws UserError if it is absent.
  [[nodiscard]] const Tensor& tensor(std::size_t i) const;
  [[nodiscard]] const Tensor& result_tensor(std::size_t i = 0) const;
  /// Shape that the file states for a tensor.
  [[nodiscard]] std::vector<std::int64_t> shape(const Tensor& tensor) const;
  /// TensorFlow's code of the result's element type. Throws UserError if it has none.
  [[nodiscard]] std::int32_t result_code() const;
  [[nodiscard]] bool is_constant(std::size_t i) const;
  /// The value of input i.
  [[nodiscard]] Output input(std::size_t i);
  [[nodiscard]] std::vector<Output> inputs();

  /// The options. Throws UserError if they are absent or of another operator.
  template <typename Options>
  [[nodiscard]] const Options& need(const Options* options) const {
    if (options == nullptr) fail("its options are missing");
    return *options;
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: operator {} ({}): {}", file_, number_, kind_,
               fmt::format(format, std::forward<Args>(args)...));
  }

  // ---- nodes ------------------------------------------------------------------------------------

  /// Adds a node and returns its first output.
  Output add(std::string_view op, std::vector<Output> inputs, NodeAttributes attributes = {});
  Output constant(std::vector<std::int64_t> values);
  Output constant(float value);
  Output activated(Output value, Activation activation);

  /// Makes the value, which is that of the node added last, the operator's result i. A result of 8
  /// bits is bounded by the range of its scale.
  void finish(const Output& value, std::size_t i = 0);
  /// Ends an operator with several results, which are the outputs of one node.
  void finish_all(const Output& node);

  // ---- the whole --------------------------------------------------------------------------------

  /// Adds the inputs of the subgraph; call it first.
  void add_inputs();
  /// The graph with its outputs; the builder is not used any more.
  [[nodiscard]] GraphDef take();

 private:
  [[nodiscard]] const Tensor& tensor_at(std::int32_t index) const;
  [[nodiscard]] std::string subject(const Tensor& tensor) const;
  [[nodiscard]] std::vector<std::uint8_t> data(const Tensor& tensor) const;
  [[nodiscard]] nn::Tensor constant_of(const Tensor& tensor) const;
  [[nodiscard]] Output value(std::int32_t index);
  [[nodiscard]] std::string unused(std::string name);
  Output add_constant(const std::string& name, nn::Tensor tensor);
  [[nodiscard]] Output bounded(Output value, const Tensor& tensor);

  const Model& model_;
  const SubGraph& graph_;
  const std::vector<std::uint8_t>& bytes_;
  std::string file_;
  GraphDef made_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::int32_t, Output> values_;  ///< by the tensor's number
  std::uint32_t number_ = 0;
  const Operator* op_ = nullptr;
  std::string kind_, name_;
};

/// An operator of TensorFlow Lite.
struct LiteOperator {
  std::string_view name;
  std::size_t least_inputs;
  void (*build)(Builder&);
};
/// Null if the operator is not supported.
[[nodiscard]] const LiteOperator* find_lite_operator(std::string_view name);
/// Sorted list of the supported operators, "ABS, ADD, ...".
[[nodiscard]] std::string lite_operator_names();
/// Name of an operator code; that of its custom operator if it is one.
[[nodiscard]] std::string name_of(const OperatorCode& code);

}  // namespace tactus::tf::lite
