#include "firmware/tensorflow/graph_def.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <unordered_set>
#include <utility>

#include <graph_def.pb.h>

#include "firmware/tensorflow/tensors.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

using Bytes = std::vector<std::uint8_t>;

// ---- what a file is -----------------------------------------------------------------------------

/// A top-level field of a protobuf message.
struct Field {
  std::uint64_t number = 0;
  unsigned kind = 0;  ///< 0: varint, 2: bytes, 1 and 5: fixed width
};

bool read_varint(const Bytes& bytes, std::size_t& at, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const std::uint8_t byte = bytes[at++];
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) return true;
  }
  return false;
}

/// The fields up to and including the first that is broken or truncated.
std::vector<Field> top_fields(const Bytes& bytes) {
  std::vector<Field> fields;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t tag = 0, length = 0;
    if (!read_varint(bytes, at, tag)) break;
    const auto kind = static_cast<unsigned>(tag & 7U);
    if (tag >> 3 == 0 || (kind != 0 && kind != 1 && kind != 2 && kind != 5)) break;
    fields.push_back({tag >> 3, kind});
    if (kind == 0 && !read_varint(bytes, at, length)) break;
    if (kind == 0) continue;
    length = kind == 1 ? 8 : 4;
    if (kind == 2 && !read_varint(bytes, at, length)) break;
    if (length > bytes.size() - at) break;
    at += static_cast<std::size_t>(length);
  }
  return fields;
}

bool has_field(const std::vector<Field>& fields, std::uint64_t number, unsigned kind) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& f) { return f.number == number && f.kind == kind; });
}

bool is_operator_name(const std::string& name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '>' || c == '.';
         });
}

/// True if every node has a plausible operator, so that the message really is a graph.
bool is_graph(const proto::GraphDef& graph) {
  return graph.node_size() != 0 &&
         std::all_of(graph.node().begin(), graph.node().end(),
                     [](const proto::NodeDef& node) { return is_operator_name(node.op()); });
}

bool is_text_form(const Bytes& bytes) {
  constexpr std::size_t enough = 4096;
  const std::string start(
      bytes.begin(),
      bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size(), enough)));
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return false;
  for (const char* word : {"node {", "node{", "versions {", "library {", "meta_info_def {", "#"}) {
    if (start.compare(first, std::string(word).size(), word) == 0) return true;
  }
  return false;
}

/// Guesses what a file that is not a GraphDef is; empty if unknown.
std::string other_kind(const Bytes& bytes) {
  if (is_text_form(bytes)) {
    return "is a graph in text form; allowed is the binary form (in TensorFlow: "
           "tf.io.write_graph(..., as_text=False))";
  }
  const char* const freeze =
      "the graph has to be frozen, its variables turned into constants (in TensorFlow: "
      "convert_variables_to_constants_v2), and written as a GraphDef";
  const auto size = static_cast<int>(bytes.size());
  proto::SavedModel saved;
  if (saved.ParseFromArray(bytes.data(), size) && saved.meta_graphs_size() != 0 &&
      is_graph(saved.meta_graphs(0).graph_def())) {
    return fmt::format("is a SavedModel, whose weights are in files beside it; {}", freeze);
  }
  proto::MetaGraph meta;
  if (meta.ParseFromArray(bytes.data(), size) && is_graph(meta.graph_def())) {
    return fmt::format("is the MetaGraph of a checkpoint, whose weights are in files beside it; {}",
                       freeze);
  }
  if (is_onnx_model(bytes)) {
    return "is an ONNX model, no TensorFlow graph; name it .onnx";
  }
  const std::vector<Field> fields = top_fields(bytes);
  if (has_field(fields, 2, 0) && (has_field(fields, 9, 2) || has_field(fields, 4, 2) ||
                                  has_field(fields, 7, 2) || has_field(fields, 8, 2))) {
    return "is an ONNX tensor, no model; tensors are for --input and --test-data";
  }
  return "";
}

// ---- the graph ----------------------------------------------------------------------------------

PartialShape partial_shape(const proto::TensorShape& message) {
  if (message.unknown_rank()) return std::nullopt;
  PartialShape shape(std::in_place);
  for (const auto& dim : message.dim()) {
    shape->push_back(dim.size() < 0 ? std::nullopt : std::optional<std::int64_t>(dim.size()));
  }
  return shape;
}

template <typename T, typename List>
std::vector<T> list_of(const List& list) {
  return std::vector<T>(list.begin(), list.end());
}

Attribute list_attribute(const proto::AttrValue::List& list) {
  if (list.f_size() != 0) return list_of<float>(list.f());
  if (list.s_size() != 0) return list_of<std::string>(list.s());
  if (list.shape_size() != 0) {
    std::vector<PartialShape> shapes;
    for (const auto& shape : list.shape()) shapes.push_back(partial_shape(shape));
    return shapes;
  }
  return list_of<std::int64_t>(list.i());
}

/// Reads one attribute. Attributes that no supported operator uses are only named in `unread`.
void read_attribute(Node& node, const std::string& key, const proto::AttrValue& value) {
  using Kind = proto::AttrValue::ValueCase;
  switch (value.value_case()) {
    case Kind::kS:
      node.attributes.emplace(key, value.s());
      return;
    case Kind::kI:
      node.attributes.emplace(key, std::int64_t{value.i()});
      return;
    case Kind::kF:
      node.attributes.emplace(key, value.f());
      return;
    case Kind::kB:
      node.attributes.emplace(key, value.b());
      return;
    case Kind::kType:
      node.attributes.emplace(key, TypeName{value.type()});
      return;
    case Kind::kShape:
      node.attributes.emplace(key, partial_shape(value.shape()));
      return;
    case Kind::kTensor:
      if (number_type(value.tensor().dtype())) {
        node.attributes.emplace(
            key, load_tensor(value.tensor(), node.where() + ": attribute " + quote(key)));
      } else {
        node.unread.emplace(key, "a tensor of " + name_of_type(value.tensor().dtype()));
      }
      return;
    case Kind::kList:
      node.attributes.emplace(key, list_attribute(value.list()));
      return;
    case Kind::kFunc:
      node.unread.emplace(key, "function " + quote(value.func().name()));
      return;
    case Kind::kPlaceholder:
      node.unread.emplace(key, "a placeholder for a function's attribute");
      return;
    case Kind::VALUE_NOT_SET:
      node.unread.emplace(key, "without a value");
  }
}

Node read_node(const proto::NodeDef& message, const std::string& where, int number) {
  Node node;
  node.file = where;
  node.name = message.name();
  node.op = message.op();
  if (node.name.empty()) user_error("{}: node {} has no name", where, number);
  if (node.op.empty()) user_error("{}: node {} has no operator", where, quote(node.name));
  for (const std::string& input : message.input()) {
    if (input.empty()) user_error("{}: an input without a name", node.where());
    if (input.front() != '^') node.inputs.push_back(parse_output(input));
  }
  for (const auto& entry : message.attr()) {
    if (node.attributes.count(entry.key()) + node.unread.count(entry.key()) != 0) {
      user_error("{}: attribute {} is given twice", node.where(), quote(entry.key()));
    }
    read_attribute(node, entry.key(), entry.value());
  }
  return node;
}

}  // namespace

bool is_graph_def(const Bytes& bytes) {
  constexpr std::uint8_t node_tag = 0x0A;  // tag of the first node, the first byte of such files
  if (bytes.empty() || bytes.front() != node_tag || !other_kind(bytes).empty()) return false;
  proto::GraphDef message;
  return bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) && is_graph(message);
}

bool is_onnx_model(const Bytes& bytes) {
  const std::vector<Field> fields = top_fields(bytes);
  return has_field(fields, 7, 2) && has_field(fields, 1, 0);
}

GraphDef parse_graph_def(const Bytes& bytes, const std::string& where) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    user_error("{}: has {} bytes; a GraphDef has less than 2 GiB", where, bytes.size());
  }
  if (const std::string other = other_kind(bytes); !other.empty()) {
    user_error("{}: {}", where, other);
  }
  proto::GraphDef message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      message.node_size() == 0) {
    user_error("{}: is not a frozen TensorFlow graph (GraphDef), or is cut short", where);
  }
  GraphDef graph;
  graph.file = where;
  graph.producer = message.versions().producer();
  std::unordered_set<std::string> names;
  for (int i = 0; i < message.node_size(); ++i) {
    graph.nodes.push_back(read_node(message.node(i), where, i));
    if (!names.insert(graph.nodes.back().name).second) {
      user_error("{}: two nodes have the name {}", where, quote(graph.nodes.back().name));
    }
  }
  return graph;
}

GraphDef read_graph_def(const std::string& path) { return parse_graph_def(read_file(path), path); }

}  // namespace tactus::tf
