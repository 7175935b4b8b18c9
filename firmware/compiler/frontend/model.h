// The graph as the compiler understands it: every value's layout or constant, and a plan per node.
//
// analyse() walks the nodes that the outputs need, asks the operator table (operators.h) for each
// node's plan, folds what is constant, drops what nobody reads, and gathers every reason why the
// model cannot be compiled.
// Source: toolchain spec section 3.3.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/meaning.h"
#include "firmware/onnx/graph.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

class Emitter;
struct TableCurve;

/// Writes a node's HIR into the running layer. Called once a pass.
using Emit = std::function<void(Emitter&)>;

/// Where a node may stand in a layer (spec 3.3, "Layer formation").
enum class Role : std::uint8_t {
  simple,  ///< a layer of its own
  start,   ///< MatMul, Gemm, Conv: opens a layer
  add,
  normalisation,
  activation,
  pool,
};

struct Value {
  std::string name;
  std::shared_ptr<const nn::Tensor> constant;  ///< known at compile time
  std::optional<Layout> layout;                ///< of a value known at run time only
  std::vector<std::string> readers;            ///< nodes, one entry a reading at run time
  std::string reshaped_from;  ///< a value with the same elements in the same row-major order
  bool output = false;        ///< requested by the user
  /// A tensor of the same type and shape, for values that the host computes before the program and
  /// inputs that only the host reads.
  std::shared_ptr<const nn::Tensor> sample;

  [[nodiscard]] bool known() const { return constant != nullptr || layout.has_value(); }
  /// Whole numbers, which the program has not; truth values become 0 and 1 there.
  [[nodiscard]] bool host_only() const;
};

/// A node that does something at run time.
struct Step {
  const nn::Node* node = nullptr;
  Role role = Role::simple;
  std::vector<std::string> reads;   ///< values, one entry a reading
  std::vector<std::string> writes;  ///< values
  Emit emit;
  Rearrangement rearrangement;
  Windows windows;               ///< of a Conv or a pool
  Resampling resampling;         ///< of a Resize
  std::string note;              ///< for the user, if the step is part of the program
  std::string beyond_optimiser;  ///< what the optimising compiler does not know; empty: it knows
};

/// A node that the host computes before or after the program, and why.
struct HostNode {
  const nn::Node* node = nullptr;
  std::string reason;  ///< empty: only because it reads what the host computes
};

struct Model {
  const nn::Graph* graph = nullptr;
  /// The graph, if it is not the one that was given: sub-graphs stand in their nodes' places.
  std::shared_ptr<const nn::Graph> without_sub_graphs;
  tcu::Architecture architecture;
  bool compat = false;
  std::unordered_map<std::string, Value> values;
  std::unordered_map<std::string, std::vector<const nn::Node*>> nodes_reading;
  std::vector<Step> steps;           ///< in the order of traversal
  std::vector<std::string> inputs;   ///< read at run time, in the graph's order
  std::vector<std::string> outputs;  ///< as requested
  std::vector<HostStep> host_steps;
  std::vector<std::string> notes;
  std::deque<nn::Node> expanded;  ///< nodes that expansions wrote
  std::unordered_set<std::string> node_names;
  /// Scale and zero point of values that QuantizeLinear nodes made.
  std::unordered_map<std::string, std::pair<float, std::int64_t>> quantised;
  /// Functions by the machine's lookup tables, by name.
  std::unordered_map<std::string, std::shared_ptr<const TableCurve>> table_curves;
  /// Nodes of the model, by the nodes that were written for them.
  std::unordered_map<const nn::Node*, const nn::Node*> origins;
  std::unordered_set<const nn::Node*> before_product;  ///< nodes that a product depends on
  std::vector<HostNode> host_nodes;                    ///< after the program, in order
  std::unordered_set<std::string> host_values;         ///< what they make
  std::vector<HostNode> nodes_before;                  ///< before the program, in order
  /// What the host computes before and after the program; see Compiled. No nodes: nothing.
  nn::Graph host_before, host;

  [[nodiscard]] const Value& value(const std::string& name) const;
  /// How a value that has no layout of its own yet shall lie: images with channels innermost, rows
  /// that a convolution or pool reads, too, and those that a Transpose turns. Where products of
  /// matrices read it it lies in the order of the model. One that goes to a Transpose from NHWC to
  /// NCHW (models from TensorFlow), straight or through operators on single elements, lies so
  /// already.
  [[nodiscard]] Layout natural_layout(const std::string& name, nn::Shape shape) const;
};

/// `graph` must outlive the model. Throws UserError with every problem, a line each.
[[nodiscard]] Model analyse(const nn::Graph& graph, const tcu::Architecture& architecture,
                            const Options& options);

}  // namespace tactus::compiler
