#include "firmware/onnx/loader.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/functions.h"
#include "firmware/onnx/operators.h"
#include "firmware/onnx/tensor_loader.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/names.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

/// Normalises the default operator domain, which ONNX names in two ways. Operators of classical
/// machine learning, and quantisers of any width (QONNX, Brevitas), are read as its own: none has
/// the name of another.
std::string normal_domain(const std::string& domain) {
  static const std::set<std::string_view> own{"ai.onnx", "ai.onnx.ml", "qonnx.custom_op.general",
                                              "finn.custom_op.general", "onnx.brevitas"};
  return own.count(domain) != 0 ? std::string() : domain;
}

/// Makes names printable, since they may contain anything and are shown on terminals and in files.
void make_names_printable(onnx::ModelProto& model) {
  const auto mend = [](std::string* name) { *name = printable_name(*name); };
  const auto mend_all = [&](auto* names) {
    for (std::string& name : *names) mend(&name);
  };
  const auto mend_values = [&](auto* values) {
    for (onnx::ValueInfoProto& value : *values) {
      mend(value.mutable_name());
      if (!value.type().tensor_type().has_shape()) continue;
      for (auto& dim :
           *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim()) {
        if (dim.has_dim_param()) mend(dim.mutable_dim_param());
      }
    }
  };
  std::function<void(onnx::NodeProto&)> mend_node;
  const std::function<void(onnx::GraphProto&)> mend_graph = [&](onnx::GraphProto& graph) {
    mend(graph.mutable_name());
    mend_values(graph.mutable_input());
    mend_values(graph.mutable_output());
    for (auto& initializer : *graph.mutable_initializer()) mend(initializer.mutable_name());
    for (auto& node : *graph.mutable_node()) mend_node(node);
  };
  mend_node = [&](onnx::NodeProto& node) {
    mend(node.mutable_name());
    mend(node.mutable_op_type());
    mend(node.mutable_domain());
    mend_all(node.mutable_input());
    mend_all(node.mutable_output());
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) mend_graph(*attribute.mutable_g());
    }
  };
  mend_graph(*model.mutable_graph());
  for (auto& function : *model.mutable_functions()) {
    mend(function.mutable_name());
    mend(function.mutable_domain());
    mend_all(function.mutable_input());
    mend_all(function.mutable_output());
    for (auto& node : *function.mutable_node()) mend_node(node);
  }
}

class Loader {
 public:
  Loader(const onnx::ModelProto& model, std::string where, std::string file)
      : model_(model), proto_(model.graph()), where_(std::move(where)), file_(std::move(file)) {}

  Graph load() {
    graph_.file = where_;
    graph_.ir_version = model_.ir_version();
    check_model();
    read_opsets();
    read_graph();
    return std::move(graph_);
  }

 private:
  /// Loads a sub-graph of the graph that `around` loads.
  Loader(const Loader& around, const onnx::GraphProto& proto, std::string where)
      : model_(around.model_),
        proto_(proto),
        where_(std::move(where)),
        file_(around.file_),
        inner_(true),
        domains_(around.domains_) {
    graph_.file = around.graph_.file;
    graph_.ir_version = around.graph_.ir_version;
    graph_.opset = around.graph_.opset;
  }

  void read_graph() {
    graph_.name = proto_.name();
    read_initializers();
    for (const auto& proto : proto_.sparse_initializer()) read_sparse_initializer(proto);
    read_inputs();
    name_nodes();
    for (const auto& node : proto_.node()) read_node(node);
    if (!inner_) raise_opset();
    check_inputs();
    sort_nodes();
    read_outputs();
  }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: {}", where_, fmt::format(format, std::forward<Args>(args)...));
  }

  void check_model() const {
    if (model_.ir_version() < 3) {
      fail("IR version {} is not supported; allowed is 3 or later", model_.ir_version());
    }
    if (model_.training_info_size() != 0) {
      fail("the model has training information, which is not supported; export it for inference");
    }
  }

  void read_opsets() {
    for (const auto& import : model_.opset_import()) {
      const std::string& domain = import.domain() == "ai.onnx" ? "" : import.domain();
      if (import.version() < 1) {
        fail("operator set version {} of domain {} is not positive", import.version(),
             quote(import.domain()));
      }
      if (!domains_.insert(domain).second) {
        fail("operator domain {} is imported twice; one version of each is allowed",
             quote(import.domain()));
      }
      if (domain.empty()) graph_.opset = import.version();
    }
    const bool has_default = domains_.count("") != 0;
    for (const auto& import : model_.opset_import()) {
      domains_.insert(normal_domain(import.domain()));
    }
    // A model of classical machine learning alone needs no default operator set.
    if (!has_default && domains_.count("") != 0) graph_.opset = newest_opset;
    if (graph_.opset == 0) fail("no version of the default operator set is imported");
  }

  /// Raises an old operator set version to the first that is supported if the graph means the same
  /// there.
  void raise_opset() {
    const bool same = std::all_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& node) {
      return find_form(node, graph_.opset) != nullptr;
    });
    if (same) graph_.opset = std::max(graph_.opset, first_opset);
  }

  /// Defines a value; each value has one definition.
  void define(const std::string& name, const char* what) {
    if (name.empty()) fail("{} without a name", what);
    if (!values_.insert(name).second) {
      fail("{} {} has the name of another value; names must be unique", what, quote(name));
    }
  }

  void read_initializers() {
    for (const auto& proto : proto_.initializer()) {
      define(proto.name(), "initializer");
      graph_.initializers[proto.name()] =
          load_tensor(proto, where_ + ": initializer " + quote(proto.name()), file_);
    }
  }

  /// Reads a tensor of which the elements that are not zero are listed, with indices in row-major
  /// order or one for each dimension.
  void read_sparse_initializer(const onnx::SparseTensorProto& proto) {
    const std::string& name = proto.values().name();
    define(name, "sparse initializer");
    const std::string subject = where_ + ": sparse initializer " + quote(name);
    const Tensor values = load_tensor(proto.values(), subject, file_);
    const Tensor indices = load_tensor(proto.indices(), subject + ": indices", file_);
    Tensor& dense = graph_.initializers[name];
    dense.shape.assign(proto.dims().begin(), proto.dims().end());
    const std::int64_t count = element_count(dense.shape, subject);
    dense.type = values.type;
    dense.stored = values.stored;
    const bool real = values.type == ElementType::float32;
    if (real) dense.floats.resize(static_cast<std::size_t>(count));
    if (!real) dense.integers.resize(static_cast<std::size_t>(count));
    const std::size_t rank = dense.shape.size();
    const bool flat = indices.shape.size() == 1;
    const Shape wanted =
        flat ? Shape{values.size()} : Shape{values.size(), static_cast<std::int64_t>(rank)};
    if (values.shape.size() != 1 || indices.shape != wanted || indices.type != ElementType::int64) {
      user_error("{}: indices of shape {} do not fit {} values of shape {}", subject,
                 to_string(indices.shape), values.size(), to_string(dense.shape));
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(values.size()); ++k) {
      std::int64_t at = flat ? indices.integers[k] : 0;
      bool inside = !flat || (at >= 0 && at < count);
      for (std::size_t d = 0; !flat && d < rank; ++d) {
        const std::int64_t index = indices.integers[k * rank + d];
        inside = inside && index >= 0 && index < dense.shape[d];
        at = at * dense.shape[d] + index;
      }
      if (!inside) user_error("{}: index {} is outside {}", subject, k, to_string(dense.shape));
      if (real) dense.floats[static_cast<std::size_t>(at)] = values.floats[k];
      if (!real) dense.integers[static_cast<std::size_t>(at)] = values.integers[k];
    }
  }

  ValueInfo value_info(const onnx::ValueInfoProto& proto, const char* what) const {
    const std::string subject = fmt::format("{}: {} {}", where_, what, quote(proto.name()));
    if (!proto.type().has_tensor_type() && (!inner_ || proto.has_type())) {
      user_error("{}: is not a tensor (sequences, maps and sparse tensors are not supported)",
                 subject);
    }
    const auto& type = proto.type().tensor_type();
    ValueInfo info;
    info.name = proto.name();
    // Types of a sub-graph's values follow from the surrounding graph.
    if (inner_ && !proto.has_type()) return info;
    info.type = load_element_type(type.elem_type(), subject);
    info.stored = stored_type(type.elem_type());
    if (!type.has_shape()) return info;
    info.dims.emplace();
    for (const auto& dim : type.shape().dim()) {
      Dimension dimension;
      // Old exporters write an open size as -1 or 0.
      if (dim.has_dim_value() && dim.dim_value() != -1 && dim.dim_value() != 0) {
        dimension.size = dim.dim_value();
      }
      if (dimension.size.value_or(0) < 0) {
        user_error("{}: dimension {} is negative ({})", subject, info.dims->size(),
                   *dimension.size);
      }
      dimension.symbol = dim.dim_param();
      info.dims->push_back(std::move(dimension));
    }
    return info;
  }

  /// Reads the inputs. Old exporters list initializers as inputs too; these are skipped.
  void read_inputs() {
    std::unordered_set<std::string> listed;
    for (const auto& proto : proto_.input()) {
      if (!listed.insert(proto.name()).second) {
        fail("input {} is listed twice", quote(proto.name()));
      }
      ValueInfo info = value_info(proto, "input");
      if (const Tensor* initial = graph_.initializer(proto.name())) {
        check_agrees(info, *initial);
        continue;
      }
      define(proto.name(), "input");
      graph_.inputs.push_back(std::move(info));
    }
  }

  void check_agrees(const ValueInfo& info, const Tensor& initial) const {
    bool agrees = info.type == initial.type;
    if (info.dims) {
      agrees = agrees && info.dims->size() == initial.shape.size();
      for (std::size_t i = 0; agrees && i < initial.shape.size(); ++i) {
        agrees = (*info.dims)[i].size.value_or(initial.shape[i]) == initial.shape[i];
      }
    }
    if (!agrees) {
      fail("input {} is declared with another type or shape than its initializer ({} {})",
           quote(info.name), name_of(initial.type), to_string(initial.shape));
    }
  }

  void read_outputs() {
    std::unordered_set<std::string> listed;
    for (const auto& proto : proto_.output()) {
      if (!listed.insert(proto.name()).second && !inner_) {
        fail("output {} is listed twice", quote(proto.name()));
      }
      if (inner_ && values_.count(proto.name()) == 0) captured_.insert(proto.name());
      if (!inner_ && values_.count(proto.name()) == 0) {
        fail("output {} is neither made by a node nor an input or initializer",
             quote(proto.name()));
      }
      // Types of outputs follow from the nodes, so a file need not state them.
      if (!proto.has_type() || proto.type().tensor_type().elem_type() == 0) {
        graph_.outputs.emplace_back().name = proto.name();
        continue;
      }
      graph_.outputs.push_back(value_info(proto, "output"));
    }
    if (graph_.outputs.empty()) fail("the graph has no outputs");
  }

  /// Names nodes: first those named in the file, so that derived names can avoid them. Of nodes
  /// with the same name the first keeps it.
  void name_nodes() {
    std::unordered_set<std::string> stated, taken;
    for (const auto& node : proto_.node()) stated.insert(node.name());
    taken = stated;
    std::unordered_set<std::string> given;
    std::unordered_map<std::string, unsigned> last_number;
    for (const auto& node : proto_.node()) {
      std::string name = node.name();
      if (name.empty() || !given.insert(name).second) {
        std::string base = name.empty() ? node.op_type() : name;
        for (const std::string& output : node.output()) {
          if (!name.empty() || output.empty()) continue;
          base = output;
          break;
        }
        name = base;
        unsigned& n = last_number[base];
        while (!taken.insert(name).second) name = fmt::format("{}_{}", base, ++n);
      }
      node_names_.push_back(std::move(name));
    }
  }

  void read_node(const onnx::NodeProto& proto) {
    Node node;
    node.file = where_;
    node.name = node_names_[graph_.nodes.size()];
    // Names the columns of probabilities, which stay a tensor here.
    const bool zip_map = proto.op_type() == "ZipMap" && proto.domain() == "ai.onnx.ml";
    node.op_type = zip_map ? "Identity" : proto.op_type();
    node.domain = normal_domain(proto.domain());
    if (node.op_type.empty()) fail("node {} has no operator type", quote(node.name));
    if (domains_.count(node.domain) == 0) {
      fail("node {} ({}) is of operator domain {}, of which no version is imported",
           quote(node.name), printable(node.op_type), quote(proto.domain()));
    }
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    bool has_output = false;
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      has_output = true;
      if (!values_.insert(output).second) {
        user_error("{}: output {} has the name of another value; names must be unique",
                   node.where(), quote(output));
      }
      producers_[output] = graph_.nodes.size();
    }
    if (!has_output) user_error("{}: has no outputs", node.where());
    std::set<std::string> captured;
    for (const auto& attribute : proto.attribute()) {
      if (zip_map) break;
      if (node.graphs.count(attribute.name()) != 0 || node.has(attribute.name())) {
        user_error("{}: attribute {} is given twice", node.where(), quote(attribute.name()));
      }
      if (attribute.type() == onnx::AttributeProto::GRAPH) {
        read_sub_graph(attribute, node, captured);
      } else {
        node.attributes.emplace(attribute.name(), read_attribute(attribute, node));
      }
    }
    captured_by_.emplace_back(captured.begin(), captured.end());
    graph_.nodes.push_back(std::move(node));
  }

  /// Reads a sub-graph. Values of the surrounding graph that it uses are added to `captured`.
  void read_sub_graph(const onnx::AttributeProto& proto, Node& node,
                      std::set<std::string>& captured) const {
    Loader loader(*this, proto.g(),
                  fmt::format("{}: attribute {}", node.where(), quote(proto.name())));
    loader.read_graph();
    captured.insert(loader.captured_.begin(), loader.captured_.end());
    node.graphs.emplace(proto.name(), std::make_shared<const Graph>(std::move(loader.graph_)));
  }

  Attribute read_attribute(const onnx::AttributeProto& proto, const Node& node) const {
    using Proto = onnx::AttributeProto;
    switch (proto.type()) {
      case Proto::INT:
        return proto.i();
      case Proto::FLOAT:
        return proto.f();
      case Proto::STRING:
        return proto.s();
      case Proto::INTS:
        return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
      case Proto::FLOATS:
        return std::vector<float>(proto.floats().begin(), proto.floats().end());
      case Proto::STRINGS:
        return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
      case Proto::TENSOR:
        return load_tensor(
            proto.t(), fmt::format("{}: attribute {}", node.where(), quote(proto.name())), file_);
      default:
        user_error(
            "{}: attribute {} is of type {}; allowed are INT, FLOAT, STRING, TENSOR, INTS, FLOATS "
            "and STRINGS",
            node.where(), quote(proto.name()), Proto::AttributeType_Name(proto.type()));
    }
  }

  /// Checks that every value that a sub-graph reads but does not define is one of the surrounding
  /// graph.
  void check_inputs() {
    for (std::size_t k = 0; k < graph_.nodes.size(); ++k) {
      const Node& node = graph_.nodes[k];
      for (const std::string& input : dependencies(k)) {
        if (input.empty() || values_.count(input) != 0) continue;
        if (inner_) {
          captured_.insert(input);
          continue;
        }
        user_error(
            "{}: input {} is not defined: no initializer, graph input or node output has this "
            "name",
            node.where(), quote(input));
      }
    }
  }

  /// Inputs of the node, and values read by its sub-graphs.
  [[nodiscard]] std::vector<std::string> dependencies(std::size_t node) const {
    std::vector<std::string> all = graph_.nodes[node].inputs;
    all.insert(all.end(), captured_by_[node].begin(), captured_by_[node].end());
    return all;
  }

  /// Sorts nodes so that producers precede consumers; an order that already does is kept.
  void sort_nodes() {
    std::vector<std::size_t> order;
    enum class Mark : std::uint8_t { fresh, open, done };
    std::vector<Mark> marks(graph_.nodes.size(), Mark::fresh);
    struct Visit {
      std::size_t node;
      std::vector<std::string> inputs;
      std::size_t next_input;
    };
    std::vector<Visit> stack;
    const auto enter = [&](std::size_t node) { stack.push_back({node, dependencies(node), 0}); };
    for (std::size_t first = 0; first < graph_.nodes.size(); ++first) {
      if (marks[first] == Mark::fresh) enter(first);
      while (!stack.empty()) {
        Visit& visit = stack.back();
        const Node& node = graph_.nodes[visit.node];
        marks[visit.node] = Mark::open;
        if (visit.next_input == visit.inputs.size()) {
          marks[visit.node] = Mark::done;
          order.push_back(visit.node);
          stack.pop_back();
          continue;
        }
        const std::string& input = visit.inputs[visit.next_input++];
        const auto producer = producers_.find(input);
        if (producer == producers_.end() || marks[producer->second] == Mark::done) continue;
        if (marks[producer->second] == Mark::open) {
          user_error("{}: input {} depends on the node itself: the graph has a cycle", node.where(),
                     quote(input));
        }
        enter(producer->second);
      }
    }
    std::vector<Node> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(std::move(graph_.nodes[i]));
    graph_.nodes = std::move(sorted);
  }

  const onnx::ModelProto& model_;
  const onnx::GraphProto& proto_;
  const std::string where_;
  const std::string file_;
  const bool inner_ = false;  ///< true: a sub-graph
  Graph graph_;
  std::set<std::string> domains_;
  std::set<std::string> captured_;  ///< used values of the surrounding graph
  /// for each node, the values read by its sub-graphs
  std::vector<std::vector<std::string>> captured_by_;
  std::unordered_set<std::string> values_;
  std::unordered_map<std::string, std::size_t> producers_;  ///< node that makes each output
  std::vector<std::string> node_names_;
};

Graph parse(const std::vector<std::uint8_t>& bytes, const std::string& where,
            const std::string& file) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    user_error(
        "{}: has {} bytes; an ONNX file has less than 2 GiB (larger weights go to side "
        "files)",
        where, bytes.size());
  }
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !model.has_ir_version() || !model.has_graph()) {
    user_error("{}: is not an ONNX model, or is cut short", where);
  }
  make_names_printable(model);
  inline_functions(model, where);
  const auto given = model.graph().node();
  if (!inline_runtime_functions(model, where)) return Loader(model, where, file).load();
  Graph graph = Loader(model, where, file).load();
  *model.mutable_graph()->mutable_node() = given;
  graph.nodes_as_given = Loader(model, where, file).load().nodes;
  return graph;
}

}  // namespace

Graph load_graph(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return parse_as(FileKind::onnx, path, as_text(bytes), [&] { return parse(bytes, path, path); });
}

Graph parse_graph(const std::vector<std::uint8_t>& bytes, const std::string& where) {
  return parse(bytes, where, {});
}

}  // namespace tactus::nn
