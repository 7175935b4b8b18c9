// The compiler's view of the graph: layout or constant of every value, and a plan for each node.
//
// analyse() visits the nodes that the outputs depend on, plans each by the operator table
// (operators.h), folds constants, removes unread values, and collects all reasons why the model
// cannot be compiled. Source: toolchain spec section 3.3.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/nest.h"
#include "firmware/onnx/graph.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

struct TableCurve;

/// Where a node may stand in a layer (spec 3.3, "Layer formation").
enum class Role : std::uint8_t {
  simple,  ///< a layer of its own
  start,   ///< MatMul, Gemm, Conv: opens a layer
  factor,  ///< products with constants; several may follow each other
  add,
  normalisation,
  activation,
  pool,
};

struct Value {
  std::string name;
  std::shared_ptr<const nn::Tensor> constant;  ///< known at compile time
  std::optional<Layout> layout;                ///< layout of a value that is known at run time only
  /// Nodes, with one entry for each reading at run time.
  std::vector<std::string> readers;
  std::string reshaped_from;  ///< a value with the same elements in the same row-major order
  bool output = false;        ///< requested by the user
  /// A tensor of the same type and shape, for values that the host computes before the program and
  /// inputs that only the host reads.
  std::shared_ptr<const nn::Tensor> sample;

  [[nodiscard]] bool known() const { return constant != nullptr || layout.has_value(); }
  /// True for integers, which programs cannot compute with. (Truth values are 0 and 1 in programs.)
  [[nodiscard]] bool host_only() const;
};

/// A node with work at run time.
struct Step {
  const nn::Node* node = nullptr;
  Role role = Role::simple;
  std::vector<std::string> reads;   ///< values, with one entry for each reading
  std::vector<std::string> writes;  ///< values
  StepNest nest;                    ///< what it computes
  std::string note;                 ///< for the user, if the step is part of the program
};

/// A node that the host computes before or after the program, and why.
struct HostNode {
  const nn::Node* node = nullptr;
  std::string reason;  ///< empty: only because it reads what the host computes
};

/// Functions by the machine's lookup tables, by name.
using TableCurves = std::unordered_map<std::string, std::shared_ptr<const TableCurve>>;

/// Nodes that are divided (parts.h), by name, and into how many parts.
using Parts = std::map<std::string, std::int64_t>;

/// Scales (FLOAT) and zero points (INT64) of a value that QuantizeLinear made, in a shape that is
/// broadcast over it: one of each, or one for each position of an axis.
struct QuantisedSteps {
  nn::Tensor scale, zero;

  [[nodiscard]] bool is_one() const { return scale.size() == 1; }
  [[nodiscard]] bool operator==(const QuantisedSteps& other) const {
    return scale == other.scale && zero == other.zero;
  }
};

struct Model {
  const nn::Graph* graph = nullptr;
  /// The graph in which sub-graphs have replaced their nodes; null if there were none.
  std::shared_ptr<const nn::Graph> without_sub_graphs;
  tcu::Architecture architecture;
  bool compat = false;
  Parts parts;
  std::unordered_map<std::string, Value> values;
  std::unordered_map<std::string, std::vector<const nn::Node*>> nodes_reading;
  std::vector<Step> steps;           ///< in the order of traversal
  std::vector<std::string> inputs;   ///< read at run time, in the graph's order
  std::vector<std::string> outputs;  ///< as requested
  std::vector<HostStep> host_steps;
  std::vector<std::string> notes;
  ExpectedErrors expected_errors;        ///< see Compiled
  double value_bound = 0;                ///< see Choices
  std::map<std::string, double> bounds;  ///< see Options
  std::deque<nn::Node> expanded;         ///< nodes that expansions wrote
  std::unordered_set<std::string> node_names;
  /// Scale and zero point of values that QuantizeLinear nodes made.
  std::unordered_map<std::string, QuantisedSteps> quantised;
  TableCurves table_curves;
  /// Nodes of the model, by the nodes that were written for them.
  std::unordered_map<const nn::Node*, const nn::Node*> origins;
  std::unordered_set<const nn::Node*> before_product;  ///< nodes that a product depends on
  std::vector<HostNode> host_nodes;                    ///< after the program, in order
  /// Values that the host computes after the program.
  std::unordered_set<std::string> host_values;
  std::set<std::string> early;         ///< results of nodes left to the host, see EarlyNodes
  std::vector<HostNode> nodes_before;  ///< before the program, in order
  /// Values known before the program that outputs of the model or the host's work after the program
  /// need; they do not pass through the machine.
  std::set<std::string> carried;
  /// Graphs that the host computes before and after the program, see Compiled; empty if there is no
  /// work.
  nn::Graph host_before, host;

  [[nodiscard]] const Value& value(const std::string& name) const;
  /// Null if the value is unknown.
  [[nodiscard]] const Value* find(const std::string& name) const;
  /// The name under which ConstantLosses has a constant of this node: that of the constant value if
  /// it is the user's, else the node's.
  [[nodiscard]] std::string source_of(const nn::Node& node, const std::string& value = "") const;
  /// The layout of a value that may have any. Images have channels innermost, and so have rows read
  /// by a convolution or pool and those that a Transpose turns. A value read by matrix products has
  /// the model's order. A value that goes to a Transpose from NHWC to NCHW (models from
  /// TensorFlow), directly or through operators on single elements, has the order that makes the
  /// Transpose a renaming.
  [[nodiscard]] Layout natural_layout(const std::string& name, nn::Shape shape) const;
};

/// `graph` must outlive the model. `curves` are those that are known already: of the same graph for
/// an architecture that differs at most in its array size. Throws UserError with every problem, a
/// line each.
[[nodiscard]] Model analyse(const nn::Graph& graph, const tcu::Architecture& architecture,
                            const Options& options, const TableCurves& curves = {},
                            const Parts& parts = {});

}  // namespace tactus::compiler
