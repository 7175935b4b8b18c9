#include "firmware/tensorflow/importer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "firmware/onnx/input_shapes.h"
#include "firmware/tensorflow/translator.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

/// Opset of the graphs made here. It has what TensorFlow's operators need, such as Softmax along
/// one axis and Resize by sizes.
constexpr std::int64_t made_opset = 13, made_ir_version = 7;

/// True for nodes without useful data: they order other nodes, or hold and check variables.
bool is_structural(const std::string& op) {
  static const std::set<std::string_view> ops{"NoOp", "Assert", "Const", "SaveV2", "RestoreV2"};
  return ops.count(op) != 0;
}

bool is_input(const Node& node) { return node.op == "Placeholder" || node.op == "PlaceholderV2"; }

class Importer {
 public:
  Importer(const GraphDef& source, const ImportOptions& options)
      : source_(source), options_(options) {
    for (const Node& node : source.nodes) nodes_.emplace(node.name, &node);
  }

  nn::Graph import() {
    graph_.file = source_.file;
    graph_.name = "tensorflow";
    graph_.ir_version = made_ir_version;
    graph_.opset = made_opset;
    find_outputs();
    find_cuts();
    fail_with_problems();
    order_nodes();
    fail_with_problems();
    count_readings();
    Translator translator(graph_, names_of_source(), !has_channels_first());
    for (const Node* node : order_) visit(translator, *node);
    if (!problems_.empty()) add_hints();
    fail_with_problems();
    if (options_.outputs.empty() && source_.outputs.empty()) drop_constant_outputs();
    for (const Output& output : outputs_) declare_output(translator, output);
    fail_with_problems();
    drop_unread();
    return std::move(graph_);
  }

 private:
  template <typename... Args>
  void problem(fmt::format_string<Args...> format, Args&&... args) {
    problems_.push_back(source_.file + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  void fail_with_problems() const {
    if (problems_.empty()) return;
    std::string text;
    for (const std::string& one : problems_) text += (text.empty() ? "" : "\n") + one;
    throw UserError(text);
  }

  [[nodiscard]] const Node* find(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : found->second;
  }

  void unknown_node(const char* what, const std::string& name) {
    std::vector<std::string_view> names;
    for (const Node& node : source_.nodes) names.push_back(node.name);
    problem("{} {} is no node of the graph{}", what, quote(name), suggestion(name, names));
  }

  void find_outputs() {
    std::unordered_set<std::string> seen;
    for (const std::string& name : options_.outputs) {
      const Output output = parse_output(name);
      if (find(output.node) == nullptr) {
        unknown_node("output", name);
      } else if (!seen.insert(output.text()).second) {
        problem("output {} is asked for twice", quote(name));
      } else {
        outputs_.push_back(output);
      }
    }
    if (!options_.outputs.empty()) return;
    outputs_ = source_.outputs;
    if (!outputs_.empty()) return;
    std::unordered_set<std::string> read;
    for (const Node& node : source_.nodes) {
      if (is_structural(node.op)) continue;
      for (const Output& input : node.inputs) read.insert(input.node);
    }
    for (const Node& node : source_.nodes) {
      const bool source = node.inputs.empty() || node.op.rfind("Placeholder", 0) == 0;
      if (read.count(node.name) == 0 && !is_structural(node.op) && !source) {
        outputs_.push_back({node.name, 0});
      }
    }
    if (outputs_.empty()) problem("no node computes anything; name outputs");
  }

  void find_cuts() {
    for (const std::string& name : options_.inputs) {
      const Output output = parse_output(name);
      if (find(output.node) == nullptr) {
        unknown_node("input", name);
      } else if (!cuts_.insert(output.text()).second) {
        problem("input {} is given twice", quote(name));
      }
    }
  }

  /// Collects the nodes on which the outputs depend, up to the cuts, producers first.
  void order_nodes() {
    enum class Mark : std::uint8_t { open, done };
    std::unordered_map<const Node*, Mark> marks;
    struct Visit {
      const Node* node;
      std::size_t next_input = 0;
    };
    std::vector<Visit> stack;
    const auto enter = [&](const Output& value, const Node* reader) {
      if (cuts_.count(value.text()) != 0) {
        reached_cuts_.insert(value.text());
        return;
      }
      const Node* node = find(value.node);
      if (node == nullptr) {
        problem("node {} reads {}, which is no node of the graph", quote(reader->name),
                quote(value.text()));
        return;
      }
      const auto mark = marks.emplace(node, Mark::open);
      if (mark.second) {
        stack.push_back({node});
      } else if (mark.first->second == Mark::open) {
        problem("node {} depends on itself: loops are not supported", quote(node->name));
      }
    };
    for (const Output& output : outputs_) {
      enter(output, nullptr);
      while (!stack.empty()) {
        Visit& visit = stack.back();
        if (visit.next_input < visit.node->inputs.size()) {
          const Node* reader = visit.node;
          enter(reader->inputs[visit.next_input++], reader);
        } else {
          marks[visit.node] = Mark::done;
          order_.push_back(visit.node);
          stack.pop_back();
        }
      }
    }
    for (const std::string& cut : cuts_) {
      if (reached_cuts_.count(cut) == 0) {
        problem("input {} leads to none of the outputs", quote(cut));
      }
    }
  }

  void count_readings() {
    for (const Node* node : order_) {
      for (const Output& input : node->inputs) ++readings_[input.text()];
    }
    // Counts an output as read twice, so that no node is merged into it and it stays as it is.
    for (const Output& output : outputs_) readings_[output.text()] += 2;
  }

  [[nodiscard]] std::unordered_set<std::string> names_of_source() const {
    std::unordered_set<std::string> names;
    for (const Node& node : source_.nodes) names.insert(node.name);
    return names;
  }

  [[nodiscard]] bool has_channels_first() const {
    return std::any_of(order_.begin(), order_.end(), [](const Node* node) {
      const auto format = node->attributes.find("data_format");
      return format != node->attributes.end() && format->second == Attribute(std::string("NCHW"));
    });
  }

  // ---- inputs -----------------------------------------------------------------------------------

  /// Shape that the graph states for an output of a node.
  [[nodiscard]] PartialShape stated_shape(const Node& node, std::size_t number) const {
    const auto shapes = node.attributes.find("_output_shapes");
    if (shapes != node.attributes.end()) {
      const auto* list = std::get_if<std::vector<PartialShape>>(&shapes->second);
      if (list != nullptr && number < list->size() && (*list)[number]) return (*list)[number];
    }
    const auto shape = node.attributes.find("shape");
    const bool placeholder = node.op.rfind("Placeholder", 0) == 0;
    if (placeholder && shape != node.attributes.end()) {
      const auto* stated = std::get_if<PartialShape>(&shape->second);
      // Old files write an unknown shape as a shape without dimensions.
      if (stated != nullptr && *stated && !(*stated)->empty()) return *stated;
    }
    if (node.op == "Reshape" && node.inputs.size() == 2) {
      const Node* target = find(node.inputs[1].node);
      if (target == nullptr || target->op != "Const" || !target->has("value")) return {};
      PartialShape partial(std::in_place);
      for (const std::int64_t size : target->tensor("value").integers) {
        partial->push_back(size < 0 ? std::nullopt : std::optional<std::int64_t>(size));
      }
      return partial;
    }
    return {};
  }

  Value declare_input(const Node& node, std::size_t number) {
    nn::ValueInfo info;
    info.name = Output{node.name, number}.text();
    const std::string where = source_.file + ": input " + quote(info.name);
    const std::int32_t type = node.type("dtype", node.type("T", tf_float));
    const std::optional<NumberType> numbers = number_type(type);
    if (!numbers) {
      user_error(
          "{}: holds elements {}, which are not supported; name the node from whose output on the "
          "graph is to be compiled by --input-tensor",
          node.where(), name_of_type(type));
    }
    info.type = numbers->type;
    info.stored = numbers->stored;
    if (const PartialShape stated = stated_shape(node, number)) {
      info.dims.emplace();
      for (const auto& size : *stated) info.dims->push_back({size, ""});
    }
    std::vector<std::string> found;
    const std::optional<nn::Shape> shape =
        nn::input_shape(where, info, options_.input_shapes, found);
    if (!shape) {
      if (!info.dims) {
        user_error("{}: the graph states no shape; give one: --input-shape {}=D,D,...", where,
                   info.name);
      }
      throw UserError(found.front());
    }
    (void)nn::element_count(*shape, where);
    info.dims.emplace();
    for (const std::int64_t size : *shape) info.dims->push_back({size, ""});
    Value value;
    value.shape = *shape;
    value.type = info.type;
    value.stored = info.stored;
    value.plain = info.name;
    graph_.inputs.push_back(std::move(info));
    return value;
  }

  // ---- nodes ------------------------------------------------------------------------------------

  /// Value of an operand; null if it could not be made.
  Value* operand(const Node& reader, const Output& from) {
    const std::string name = from.text();
    const auto found = values_.find(name);
    if (found != values_.end()) return &found->second;
    if (cuts_.count(name) != 0) {
      return &values_.emplace(name, declare_input(*find(from.node), from.number)).first->second;
    }
    if (failed_.count(from.node) == 0) {
      user_error("{}: reads {}, but node {} has no such output", reader.where(), quote(name),
                 quote(from.node));
    }
    return nullptr;
  }

  void visit(Translator& translator, const Node& node) {
    try {
      if (is_input(node)) {
        values_.emplace(node.name, declare_input(node, 0));
        return;
      }
      std::vector<Value*> inputs;
      bool dead = false;
      for (const Output& input : node.inputs) {
        Value* value = operand(node, input);
        if (value == nullptr) {
          failed_.insert(node.name);
          return;
        }
        dead = dead || value->dead;
        inputs.push_back(value);
      }
      if (dead && node.op != "Merge") {
        Value none;
        none.dead = true;
        constexpr std::size_t most = 16;  // limits the names in a message
        for (std::size_t i = 0; i < most; ++i) {
          values_.emplace(Output{node.name, i}.text(), none);
        }
        return;
      }
      std::vector<Value> results = translator.translate(node, std::move(inputs), readings_);
      for (std::size_t i = 0; i < results.size(); ++i) {
        values_.emplace(Output{node.name, i}.text(), std::move(results[i]));
      }
    } catch (const UserError& error) {
      const std::string text = error.what();
      const bool named = text.find(node.where()) != std::string::npos ||
                         text.rfind(source_.file + ": input", 0) == 0;
      problems_.push_back(named ? text : node.where() + ": " + text);
      failed_.insert(node.name);
      unsupported_ = unsupported_ || (find_operator(node.op) == nullptr && !is_input(node));
    }
  }

  /// Adds suggestions for cuts that leave out the refused nodes.
  void add_hints() {
    if (unsupported_)
      problem("supported operators: {}",
              source_.supported.empty() ? supported_operators() : source_.supported);
    std::set<std::string> before, after;
    for (const Node* node : order_) {
      const bool bad = failed_.count(node->name) != 0;
      for (const Output& input : node->inputs) {
        const auto made = values_.find(input.text());
        const bool runs = made != values_.end() && !made->second.dead &&
                          graph_.initializer(made->second.plain) == nullptr;
        const Node* maker = find(input.node);
        if (bad && runs && maker != nullptr && maker->op.rfind("Placeholder", 0) != 0) {
          before.insert(input.text());
        }
        const bool only_follows = find_operator(node->op) != nullptr;
        if (bad && only_follows && maker != nullptr && failed_.count(input.node) != 0 &&
            find_operator(maker->op) == nullptr && !is_input(*maker)) {
          after.insert(input.text());
        }
      }
    }
    constexpr std::size_t most = 16;
    const auto list = [&](const char* text, const char* option,
                          const std::set<std::string>& names) {
      if (names.empty() || names.size() > most) return;
      std::string line = text;
      for (const std::string& name : names) {
        line +=
            fmt::format(" {} \"{}\"", option, printable(name, SIZE_MAX));  // whole, to be copied
      }
      problem("{}", line);
    };
    list("what comes before can be compiled alone:", "--output-tensor", before);
    list("what comes behind can be compiled alone:", "--input-tensor", after);
  }

  // ---- the whole --------------------------------------------------------------------------------

  /// Drops default outputs that are constants: unread nodes may be remains of shape computations.
  void drop_constant_outputs() {
    const auto is_constant = [&](const Output& output) {
      const auto found = values_.find(output.text());
      return found != values_.end() && graph_.initializer(found->second.plain) != nullptr;
    };
    if (std::all_of(outputs_.begin(), outputs_.end(), is_constant)) return;
    outputs_.erase(std::remove_if(outputs_.begin(), outputs_.end(), is_constant), outputs_.end());
  }

  void declare_output(Translator& translator, const Output& output) {
    const std::string wanted = output.text();
    if (cuts_.count(wanted) != 0) {
      problem("{} is both an input and an output", quote(wanted));
      return;
    }
    const auto found = values_.find(wanted);
    if (found == values_.end() || found->second.dead) {
      problem("output {}: the node has no such output", quote(wanted));
      return;
    }
    Value& value = found->second;
    if (translator.constant(value) != nullptr) {
      problem("output {} is constant", quote(wanted));
      return;
    }
    const std::string name = translator.finished(*find(output.node), value, wanted);
    nn::ValueInfo info;
    info.name = name;
    info.type = value.type;
    info.stored = value.stored;
    info.dims.emplace();
    for (const std::int64_t size : value.shape) info.dims->push_back({size, ""});
    graph_.outputs.push_back(std::move(info));
  }

  /// Removes nodes that lead to no output, and unread constants and inputs.
  void drop_unread() {
    std::unordered_set<std::string> wanted;
    for (const nn::ValueInfo& output : graph_.outputs) wanted.insert(output.name);
    std::vector<nn::Node> kept;
    for (std::size_t k = graph_.nodes.size(); k-- > 0;) {
      nn::Node& node = graph_.nodes[k];
      const bool needed =
          std::any_of(node.outputs.begin(), node.outputs.end(),
                      [&](const std::string& name) { return wanted.count(name) != 0; });
      if (!needed) continue;
      wanted.insert(node.inputs.begin(), node.inputs.end());
      kept.push_back(std::move(node));
    }
    std::reverse(kept.begin(), kept.end());
    graph_.nodes = std::move(kept);
    for (auto it = graph_.initializers.begin(); it != graph_.initializers.end();) {
      it = wanted.count(it->first) != 0 ? std::next(it) : graph_.initializers.erase(it);
    }
  }

  const GraphDef& source_;
  const ImportOptions& options_;
  std::unordered_map<std::string, const Node*> nodes_;
  nn::Graph graph_;
  std::vector<Output> outputs_;
  std::set<std::string> cuts_, reached_cuts_;
  std::vector<const Node*> order_;
  std::unordered_map<std::string, std::size_t> readings_;
  std::unordered_map<std::string, Value> values_;  ///< references to elements stay valid
  std::unordered_set<std::string> failed_;
  bool unsupported_ = false;
  std::vector<std::string> problems_;
};

}  // namespace

nn::Graph import_graph(const GraphDef& graph, const ImportOptions& options) {
  return Importer(graph, options).import();
}

}  // namespace tactus::tf
