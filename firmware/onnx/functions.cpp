#include "firmware/onnx/functions.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "firmware/onnx/runtime_functions.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

using Attributes = std::map<std::string, onnx::AttributeProto>;
using Names = std::map<std::string, std::string>;
using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

std::string domain_of(const std::string& domain) {
  return domain == "ai.onnx" ? std::string() : domain;
}

/// Default values of a function's attributes: field 11 of the message, in ONNX from 1.13 on.
Attributes defaults_of(const onnx::FunctionProto& function) {
  using google::protobuf::internal::WireFormatLite;
  constexpr int attribute_proto = 11;
  const std::string bytes = function.SerializeAsString();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  Attributes defaults;
  while (const std::uint32_t tag = stream.ReadTag()) {
    if (WireFormatLite::GetTagFieldNumber(tag) != attribute_proto) {
      if (!WireFormatLite::SkipField(&stream, tag)) break;
      continue;
    }
    std::uint32_t size = 0;
    std::string text;
    onnx::AttributeProto attribute;
    if (!stream.ReadVarint32(&size) || !stream.ReadString(&text, static_cast<int>(size)) ||
        !attribute.ParseFromString(text)) {
      break;
    }
    defaults[attribute.name()] = std::move(attribute);
  }
  return defaults;
}

class Inliner {
 public:
  Inliner(onnx::ModelProto& model, std::string where) : model_(model), where_(std::move(where)) {
    for (const auto& import : model_.opset_import()) {
      versions_[domain_of(import.domain())] = import.version();
    }
  }

  /// Writes out the calls of the model's own functions.
  void write_out_local() {
    for (const auto& function : model_.functions()) {
      const Key key{domain_of(function.domain()), function.name()};
      std::vector<Known>& known = functions_[key];
      if (!known.empty()) {
        user_error("{}: local function {} is there twice", where_, text(function));
      }
      known.push_back({&function, nullptr});
      check_versions(function);
    }
    write_out(*model_.mutable_graph()->mutable_node());
    for (const auto& [domain, version] : versions_) {
      const auto& imports = model_.opset_import();
      const bool there = std::any_of(imports.begin(), imports.end(), [&, d = domain](auto& import) {
        return domain_of(import.domain()) == d;
      });
      if (there) continue;
      auto& import = *model_.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
    }
    model_.clear_functions();
    functions_.clear();
  }

  /// Writes out the calls of functions of ONNX Runtime; false: there are none.
  bool write_out_runtime() {
    for (const RuntimeFunction& function : runtime_) {
      const onnx::FunctionProto& proto = function.proto;
      if (versions_.count(proto.domain()) == 0) continue;
      functions_[Key{proto.domain(), proto.name()}].push_back({&proto, &function});
    }
    write_out(*model_.mutable_graph()->mutable_node());
    return calls_ != 0;
  }

 private:
  using Key = std::pair<std::string, std::string>;
  struct Known {
    const onnx::FunctionProto* proto = nullptr;
    const RuntimeFunction* runtime = nullptr;  ///< null: one of the model's
  };

  static std::string text(const onnx::FunctionProto& function) {
    return quote(domain_of(function.domain()).empty() ? function.name()
                                                      : function.domain() + "." + function.name());
  }

  /// Checks that a node has the same operator set version in the function and at the call.
  void check_versions(const onnx::FunctionProto& function) {
    for (const auto& import : function.opset_import()) {
      const auto [known, added] = versions_.emplace(domain_of(import.domain()), import.version());
      if (!added && known->second != import.version()) {
        user_error(
            "{}: local function {} is written for version {} of operator set {}, the model for {}; "
            "supported are functions of the model's versions",
            where_, text(function), import.version(),
            quote(import.domain().empty() ? "ai.onnx" : import.domain()), known->second);
      }
    }
  }

  static bool is_given(const onnx::NodeProto& node, std::size_t input) {
    return input < static_cast<std::size_t>(node.input_size()) &&
           !node.input(static_cast<int>(input)).empty();
  }

  Known function_of(const onnx::NodeProto& node) const {
    const auto found = functions_.find({domain_of(node.domain()), node.op_type()});
    if (found == functions_.end()) return {};
    for (const Known& known : found->second) {
      if (known.runtime == nullptr || is_call(*known.runtime, node)) return known;
    }
    return {};
  }

  /// True if the node has an attribute that is as RuntimeFunction::conditions says.
  static bool meets(const std::string& condition, const onnx::NodeProto& node) {
    const std::size_t equals = condition.find('=');
    const std::string name = condition.substr(0, equals);
    return std::any_of(node.attribute().begin(), node.attribute().end(), [&](const auto& given) {
      if (given.name() != name) return false;
      if (equals != std::string::npos) return given.s() == condition.substr(equals + 1);
      return given.type() == onnx::AttributeProto::FLOAT ? given.f() != 1 : given.i() != 0;
    });
  }

  /// True if the node has the inputs and the attributes of a call of the function.
  static bool is_call(const RuntimeFunction& function, const onnx::NodeProto& node) {
    return std::all_of(function.required.begin(), function.required.end(),
                       [&](std::size_t i) { return is_given(node, i); }) &&
           std::all_of(function.conditions.begin(), function.conditions.end(),
                       [&](const std::string& condition) { return meets(condition, node); });
  }

  void write_out(Nodes& nodes) {
    Nodes result;
    for (onnx::NodeProto& node : nodes) add(std::move(node), result);
    nodes.Swap(&result);
  }

  void add(onnx::NodeProto node, Nodes& result) {
    for (auto& attribute : *node.mutable_attribute()) {
      for_each_graph(attribute, [&](onnx::GraphProto& graph) { write_out(*graph.mutable_node()); });
    }
    const Known known = function_of(node);
    const onnx::FunctionProto* function = known.proto;
    if (function == nullptr) {
      if (++written_ > most_nodes) {
        user_error("{}: has more than {} nodes when its local functions are written out", where_,
                   most_nodes);
      }
      *result.Add() = std::move(node);
      return;
    }
    if (std::find(open_.begin(), open_.end(), function) != open_.end()) {
      user_error("{}: local function {} calls itself", where_, text(*function));
    }
    open_.push_back(function);
    ++calls_;
    if (known.runtime != nullptr) check_call(*known.runtime, node);
    call(known, node, result);
    open_.pop_back();
  }

  /// Checks that the node has no input that the function lacks. An attribute that the function does
  /// not hand on may only be 0, and a scale 1.
  void check_call(const RuntimeFunction& function, const onnx::NodeProto& node) const {
    for (const std::size_t input : function.refused) {
      if (!is_given(node, input)) continue;
      user_error("{}: node {} ({}): input {} is not supported", where_, quote(node.name()),
                 function.proto.name(), input);
    }
    const auto is_in = [](const auto& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto decides = [&](const std::string& name) {
      return std::any_of(
          function.conditions.begin(), function.conditions.end(),
          [&](const std::string& text) { return text.substr(0, text.find('=')) == name; });
    };
    for (const auto& attribute : node.attribute()) {
      // The operator set that a node was made for is the model's.
      if (is_in(function.proto.attribute(), attribute.name()) || decides(attribute.name()) ||
          attribute.name() == "opset") {
        continue;
      }
      if (attribute.type() == onnx::AttributeProto::INT && attribute.i() == 0) continue;
      const bool factor = attribute.name() == "scale" || attribute.name() == "alpha";
      if (factor && attribute.f() == 1) continue;
      user_error("{}: node {} ({}): attribute {} is not supported", where_, quote(node.name()),
                 function.proto.name(), quote(attribute.name()));
    }
  }

  /// Whether a node of a function of ONNX Runtime has the operands that it needs; see
  /// RuntimeFunction.
  static bool has_operands(onnx::NodeProto& node, Names& names) {
    const auto is_absent = [&](int i) {
      const auto found = names.find(node.input(i));
      return found != names.end() && found->second.empty();
    };
    if (node.input_size() == 0) return true;
    const bool sum = node.op_type() == "Add", first = is_absent(0);
    if (first && !(sum && !is_absent(1))) {
      for (const std::string& output : node.output()) names[output] = "";
      return false;
    }
    if (sum && (first || is_absent(1))) {
      const std::string given = node.input(first ? 1 : 0);
      node.set_op_type("Identity");
      node.clear_input();
      node.add_input(given);
    }
    return true;
  }

  void call(const Known& known, const onnx::NodeProto& node, Nodes& result) {
    const onnx::FunctionProto& function = *known.proto;
    int inputs = node.input_size();
    while (inputs > 0 && node.input(inputs - 1).empty()) --inputs;
    if (inputs > function.input_size() || node.output_size() > function.output_size()) {
      user_error("{}: node {} has {} inputs and {} outputs; local function {} has {} and {}",
                 where_, quote(node.name()), inputs, node.output_size(), text(function),
                 function.input_size(), function.output_size());
    }
    Attributes attributes = defaults_of(function);
    for (const auto& attribute : node.attribute()) attributes[attribute.name()] = attribute;
    std::string prefix = node.name();
    for (const std::string& output : node.output()) {
      if (output.empty()) continue;
      prefix = output;
      break;
    }
    Names names;
    for (int i = 0; i < function.input_size(); ++i) {
      names[function.input(i)] = i < node.input_size() ? node.input(i) : "";
    }
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const auto taken = names.find(function.output(i));
      if (taken == names.end()) {
        names[function.output(i)] = node.output(i);
        continue;
      }
      // Passes an input on, or an output that is named twice.
      onnx::NodeProto copy;
      copy.set_op_type("Identity");
      copy.add_input(taken->second);
      copy.add_output(node.output(i));
      add(std::move(copy), result);
    }
    for (const onnx::NodeProto& inner : function.node()) {
      onnx::NodeProto made = inner;
      if (known.runtime != nullptr && !has_operands(made, names)) continue;
      made.set_name(node.name().empty() ? "" : node.name() + "/" + inner.name());
      rename(made, names, prefix, attributes);
      add(std::move(made), result);
    }
  }

  /// Replaces names and attributes by the caller's; values made inside get the prefix.
  void rename(onnx::NodeProto& node, Names& names, const std::string& prefix,
              const Attributes& attributes) {
    const auto renamed = [&](std::string* name) {
      if (name->empty()) return;
      const auto [found, added] = names.emplace(*name, prefix + "/" + *name);
      *name = found->second;
    };
    for (std::string& input : *node.mutable_input()) renamed(&input);
    for (std::string& output : *node.mutable_output()) renamed(&output);
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> kept;
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (!attribute.ref_attr_name().empty()) {
        const auto given = attributes.find(attribute.ref_attr_name());
        if (given == attributes.end() && !attribute.has_f())
          continue;  // the operator has a default
        const std::string name = attribute.name();
        const bool other = attribute.type() == onnx::AttributeProto::UNDEFINED &&
                           name != attribute.ref_attr_name();
        if (given != attributes.end()) attribute = given->second;
        attribute.clear_ref_attr_name();
        attribute.set_name(name);
        if (other && attribute.floats_size() == 1) {
          // A list of parameters of which the operator has one.
          attribute.set_f(attribute.floats(0));
          attribute.set_type(onnx::AttributeProto::FLOAT);
          attribute.clear_floats();
        }
        const bool number = attribute.type() == onnx::AttributeProto::FLOAT;
        if (number && node.op_type() == "Constant" && name == "value") make_tensor(attribute);
      }
      for_each_graph(attribute, [&](onnx::GraphProto& graph) {
        for (auto& value : *graph.mutable_input()) renamed(value.mutable_name());
        for (auto& value : *graph.mutable_initializer()) renamed(value.mutable_name());
        for (auto& inner : *graph.mutable_node()) rename(inner, names, prefix, attributes);
        for (auto& value : *graph.mutable_output()) renamed(value.mutable_name());
      });
      *kept.Add() = std::move(attribute);
    }
    node.mutable_attribute()->Swap(&kept);
  }

  /// Makes a tensor of the number that a Constant of runtime_functions() takes from an attribute.
  /// Older operator sets have no other constants.
  static void make_tensor(onnx::AttributeProto& attribute) {
    attribute.set_type(onnx::AttributeProto::TENSOR);
    attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    attribute.mutable_t()->add_float_data(attribute.f());
  }

  template <typename F>
  static void for_each_graph(onnx::AttributeProto& attribute, F f) {
    if (attribute.type() == onnx::AttributeProto::GRAPH) f(*attribute.mutable_g());
    for (onnx::GraphProto& graph : *attribute.mutable_graphs()) f(graph);
  }

  static constexpr std::size_t most_nodes = 1'000'000;

  onnx::ModelProto& model_;
  const std::string where_;
  std::size_t written_ = 0;                       ///< number of nodes written
  std::size_t calls_ = 0;                         ///< number of calls written out
  std::map<std::string, std::int64_t> versions_;  ///< version of each domain
  const std::vector<RuntimeFunction> runtime_ = runtime_functions();
  std::map<Key, std::vector<Known>> functions_;   ///< forms of each; the first that fits is called
  std::vector<const onnx::FunctionProto*> open_;  ///< functions being expanded
};

}  // namespace

void inline_functions(onnx::ModelProto& model, const std::string& where) {
  Inliner(model, where).write_out_local();
}

bool inline_runtime_functions(onnx::ModelProto& model, const std::string& where) {
  return Inliner(model, where).write_out_runtime();
}

}  // namespace tactus::nn
