#include "firmware/tensorflow/writer.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <graph_def.pb.h>

#include "firmware/onnx/shapes.h"
#include "firmware/reference/reference.h"
#include "firmware/tensorflow/graph_def.h"
#include "firmware/tensorflow/same_operators.h"
#include "firmware/tensorflow/tensors.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

using nn::Shape;
using Numbers = std::vector<std::int64_t>;

/// Graph format version of TensorFlow 2, and the oldest version that reads the operators used.
constexpr std::int32_t graph_producer = 1087, graph_min_consumer = 12;

template <typename T>
std::vector<T> channels_last(const std::vector<T>& v) {
  return {v[0], v[2], v[3], v[1]};
}

/// A value of the graph: its plain form and, if it is N C H W in the graph, its N H W C form.
struct Known {
  Shape shape;
  std::string plain, image;
};

class Writer {
 public:
  explicit Writer(const nn::Graph& graph) : graph_(graph) {}

  /// What writes a node of each operator.
  static const std::map<std::string_view, void (Writer::*)()>& methods() {
    static const auto all = [] {
      std::map<std::string_view, void (Writer::*)()> list{
          {"AveragePool", &Writer::write_pool},
          {"BatchNormalization", &Writer::write_batch_normalization},
          {"Clip", &Writer::write_clip},
          {"Concat", &Writer::write_concat},
          {"Conv", &Writer::write_conv},
          {"Flatten", &Writer::write_reshape},
          {"Gemm", &Writer::write_gemm},
          {"GlobalAveragePool", &Writer::write_global_average},
          {"Identity", &Writer::write_identity},
          {"LeakyRelu", &Writer::write_elementwise},
          {"MatMul", &Writer::write_mat_mul},
          {"MaxPool", &Writer::write_pool},
          {"Pad", &Writer::write_pad},
          {"Reshape", &Writer::write_reshape},
          {"Resize", &Writer::write_resize},
          {"Softmax", &Writer::write_softmax},
          {"Split", &Writer::write_split},
          {"Squeeze", &Writer::write_squeeze},
          {"Transpose", &Writer::write_transpose}};
      for (const SameOperator& row : same_operators) {
        if (row.result == SameResult::written) list.emplace(row.onnx, &Writer::write_elementwise);
      }
      return list;
    }();
    return all;
  }

  proto::GraphDef write() {
    for (const nn::ValueInfo& input : graph_.inputs) write_input(input);
    for (const nn::ValueInfo& output : graph_.outputs) names_.insert(tensor_name(output.name));
    for (const nn::Node& node : graph_.nodes) {
      node_ = &node;
      write_node();
    }
    for (const nn::ValueInfo& output : graph_.outputs) write_output(output);
    message_.mutable_versions()->set_producer(graph_producer);
    message_.mutable_versions()->set_min_consumer(graph_min_consumer);
    return std::move(message_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: {}", node_->where(), fmt::format(format, std::forward<Args>(args)...));
  }

  // ---- names and messages -----------------------------------------------------------------------

  /// Replaces "x:0" by "x", and characters that TensorFlow's names cannot have by '_'.
  static std::string tensor_name(std::string name) {
    if (name.size() > 2 && name.compare(name.size() - 2, 2, ":0") == 0)
      name.resize(name.size() - 2);
    for (char& c : name) {
      const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                        c == '/' || c == '-';
      if (!good) c = '_';
    }
    if (name.empty() || name.front() == '_' || name.front() == '-' || name.front() == '/') {
      name.insert(name.begin(), 'n');
    }
    return name;
  }

  std::string unused(const std::string& wanted) {
    std::string name = wanted;
    for (unsigned number = 1; !names_.insert(name).second; ++number) {
      name = fmt::format("{}_{}", wanted, number);
    }
    return name;
  }

  /// A TensorFlow node under construction.
  class Made {
   public:
    explicit Made(proto::NodeDef& message) : message_(&message) {}
    proto::AttrValue& attribute(const char* key) {
      auto& entry = *message_->add_attr();
      entry.set_key(key);
      return *entry.mutable_value();
    }
    Made& type(const char* key, std::int32_t number) {
      attribute(key).set_type(number);
      return *this;
    }
    Made& text(const char* key, const std::string& value) {
      attribute(key).set_s(value);
      return *this;
    }
    Made& flag(const char* key, bool value) {
      attribute(key).set_b(value);
      return *this;
    }
    Made& number(const char* key, std::int64_t value) {
      attribute(key).set_i(value);
      return *this;
    }
    Made& real(const char* key, float value) {
      attribute(key).set_f(value);
      return *this;
    }
    Made& numbers(const char* key, const Numbers& values) {
      auto& list = *attribute(key).mutable_list();
      for (const std::int64_t value : values) list.add_i(value);
      return *this;
    }
    [[nodiscard]] const std::string& name() const { return message_->name(); }

   private:
    proto::NodeDef* message_;
  };

  Made add(const std::string& name, const char* op, const std::vector<std::string>& inputs) {
    proto::NodeDef& node = *message_.add_node();
    node.set_name(unused(name));
    node.set_op(op);
    for (const std::string& input : inputs) node.add_input(input);
    return Made(node);
  }

  std::string constant(const std::string& name, const nn::Tensor& tensor) {
    Made made = add(name, "Const", {});
    made.type("dtype", tensor.type == nn::ElementType::float32 ? tf_float : tf_int32);
    save_tensor(tensor, *made.attribute("value").mutable_tensor());
    return made.name();
  }
  std::string constant(const std::string& name, const Numbers& values) {
    return constant(name, nn::Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  }

  // ---- values -----------------------------------------------------------------------------------

  Known& value(std::size_t i) {
    const std::string name(node_->input(i));
    const auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    const nn::Tensor* tensor = graph_.initializer(name);
    if (tensor == nullptr) fail("input {} has no value", i);
    Known known;
    known.shape = tensor->shape;
    known.plain = constant(tensor_name(name), *tensor);
    return values_.emplace(name, std::move(known)).first->second;
  }

  const nn::Tensor* initializer(std::size_t i) const { return graph_.initializer(node_->input(i)); }
  const nn::Tensor& needed(std::size_t i) const {
    if (const nn::Tensor* tensor = initializer(i)) return *tensor;
    fail("input {} is no constant", i);
  }

  static nn::Tensor reordered(const nn::Tensor& tensor, const Numbers& order) {
    nn::Node transpose;
    transpose.name = "order of a constant";
    transpose.op_type = "Transpose";
    transpose.attributes["perm"] = order;
    transpose.inputs = {"x"};
    transpose.outputs = {"y"};
    return nn::run_node(transpose, 13, {&tensor}).front();
  }

  /// Operand i, a constant, with permuted dimensions; shared by all readers.
  std::string turned(std::size_t i, const Numbers& order) {
    const std::string name(node_->input(i));
    const std::string key = name + nn::to_string(order);
    const auto found = turned_.find(key);
    if (found != turned_.end()) return found->second;
    return turned_[key] = constant(tensor_name(name), reordered(needed(i), order));
  }

  std::string transposed(const std::string& from, const Numbers& order, const std::string& name) {
    const std::string permutation = constant(name + "/perm", order);
    return add(name, "Transpose", {from, permutation})
        .type("T", tf_float)
        .type("Tperm", tf_int32)
        .name();
  }
  const std::string& plain(Known& known) {
    if (known.plain.empty()) {
      known.plain = transposed(known.image, to_image, known.image + "/nchw");
    }
    return known.plain;
  }
  const std::string& image(Known& known) {
    if (known.shape.size() != 4) fail("an image of shape {}", nn::to_string(known.shape));
    if (known.image.empty()) {
      known.image = transposed(known.plain, from_image, known.plain + "/nhwc");
    }
    return known.image;
  }

  void made_plain(const Made& made, Shape shape) {
    values_[node_->outputs.front()] = {std::move(shape), made.name(), ""};
  }
  void made_image(const Made& made, Shape shape) {
    values_[node_->outputs.front()] = {std::move(shape), "", made.name()};
  }
  /// Name of the TensorFlow node that stands for this node.
  [[nodiscard]] std::string own() const { return tensor_name(node_->name); }

  // ---- inputs and outputs -----------------------------------------------------------------------

  void write_input(const nn::ValueInfo& input) {
    Known known;
    Made made = add(tensor_name(input.name), "Placeholder", {});
    made.type("dtype", tf_float);
    auto& shape = *made.attribute("shape").mutable_shape();
    if (!input.dims) user_error("{}: input {} has no shape", graph_.file, quote(input.name));
    for (const nn::Dimension& dimension : *input.dims) {
      shape.add_dim()->set_size(dimension.size.value_or(-1));
      known.shape.push_back(dimension.size.value_or(1));
    }
    known.plain = made.name();
    values_[input.name] = std::move(known);
  }

  void write_output(const nn::ValueInfo& output) {
    Known& known = values_.at(output.name);
    const std::string wanted = tensor_name(output.name);
    // Images are output as N H W C.
    const std::string& from = known.image.empty() ? known.plain : known.image;
    if (from == wanted) return;
    names_.erase(wanted);
    (void)add(wanted, "Identity", {from}).type("T", tf_float);
  }

  // ---- nodes ------------------------------------------------------------------------------------

  void write_node() {
    const auto method = methods().find(node_->op_type);
    if (method == methods().end()) {
      fail("cannot be written as a TensorFlow node; supported are {}",
           fmt::join(written_operators(), ", "));
    }
    (this->*method->second)();
  }

  void write_identity() { values_[node_->outputs.front()] = value(0); }

  void write_elementwise() {
    std::string op = node_->op_type;
    for (const SameOperator& row : same_operators) {
      if (row.result == SameResult::written && row.onnx == node_->op_type) op = row.op;
    }
    bool as_image = false;
    std::size_t rank = 0;
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
      const Known& known = value(i);
      as_image = as_image || !known.image.empty();
      rank = std::max(rank, known.shape.size());
    }
    std::vector<std::string> inputs;
    Shape shape;
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
      Known& known = value(i);
      if (as_image && known.shape.size() != 4 && known.shape.size() != 0) {
        fail("operands of {} and {} dimensions", rank, known.shape.size());
      }
      inputs.push_back(as_image && !known.shape.empty() ? image(known) : plain(known));
      if (nn::element_count(known.shape) >= nn::element_count(shape)) shape = known.shape;
    }
    Made made = add(own(), op.c_str(), inputs);
    made.type("T", tf_float);
    if (op == "LeakyRelu") made.real("alpha", node_->real("alpha", 0.01F));
    as_image ? made_image(made, shape) : made_plain(made, shape);
  }

  void write_clip() {
    const bool listed = node_->inputs.size() > 1;
    const auto bound = [&](std::size_t i, const char* attribute) -> std::optional<float> {
      if (!listed) {
        return node_->has(attribute) ? std::optional<float>(node_->real(attribute)) : std::nullopt;
      }
      if (node_->input(i).empty() || needed(i).floats.size() != 1) return std::nullopt;
      return needed(i).floats.front();
    };
    const auto low = bound(1, "min"), high = bound(2, "max");
    if (low != 0.0F || high != 6.0F) fail("only a Clip to 0..6, Relu6, can be written");
    Known& x = value(0);
    const bool as_image = !x.image.empty();
    const Made made = add(own(), "Relu6", {as_image ? x.image : x.plain}).type("T", tf_float);
    as_image ? made_image(made, x.shape) : made_plain(made, x.shape);
  }

  /// Height and width of an attribute, expanded to one entry per dimension.
  [[nodiscard]] Numbers wide(const char* attribute, const Numbers& usual) const {
    const Numbers pair = node_->integers(attribute, usual);
    if (pair.size() != 2) fail("attribute {} is {}", attribute, nn::to_string(pair));
    return {1, pair[0], pair[1], 1};
  }

  /// Sets the padding, with explicit paddings if necessary, and completes the result's shape.
  void set_padding(Made& made, const Numbers& kernel, Shape& shape) {
    const Numbers strides = wide("strides", {1, 1}), dilations = wide("dilations", {1, 1});
    Numbers pads = node_->integers("pads", {0, 0, 0, 0});
    const std::string automatic = node_->text("auto_pad", "NOTSET");
    if (node_->integer("ceil_mode", 0) != 0) fail("ceil_mode cannot be written");
    bool none = true, same = automatic == "SAME_UPPER";
    if (automatic == "SAME_LOWER" || pads.size() != 4) fail("its padding cannot be written");
    bool as_same = true;
    for (std::size_t d = 0; d < 2; ++d) {
      nn::Sliding along{shape[2 + d],     kernel[1 + d], strides[1 + d],
                        dilations[1 + d], pads[d],       pads[d + 2]};
      nn::Sliding padded = along;
      padded.pad_to_same("SAME_UPPER");
      none = none && pads[d] == 0 && pads[d + 2] == 0;
      as_same = as_same && along.before == padded.before && along.after == padded.after;
      shape[2 + d] = (same ? padded : along).windows(false);
    }
    same = same || (as_same && !none);
    made.text("padding", same ? "SAME" : none ? "VALID" : "EXPLICIT");
    if (same || none) return;
    if (node_->op_type == "AveragePool") fail("padding of an average that is not SAME");
    made.numbers("explicit_paddings", {0, 0, pads[0], pads[2], pads[1], pads[3], 0, 0});
  }

  void write_conv() {
    Known& x = value(0);
    const nn::Tensor& weights = needed(1);
    if (weights.shape.size() != 4 || x.shape.size() != 4) fail("only images can be written");
    const std::int64_t group = node_->integer("group", 1);
    const Numbers kernel{1, weights.shape[2], weights.shape[3], 1};
    Shape shape{x.shape[0], weights.shape[0], x.shape[2], x.shape[3]};
    const bool depthwise = group > 1 && weights.shape[1] == 1 && group == x.shape[1];
    const bool has_bias = node_->inputs.size() > 2 && !node_->input(2).empty();
    std::string filter;
    if (depthwise) {
      // In TensorFlow's weights, the outputs of a channel are adjacent: height, width, channel,
      // output of the channel.
      nn::Tensor split = weights;
      split.shape = {group, weights.shape[0] / group, weights.shape[2], weights.shape[3]};
      filter = constant(tensor_name(std::string(node_->input(1))), reordered(split, {2, 3, 0, 1}));
    } else {
      filter = turned(1, {2, 3, 1, 0});
    }
    const std::string source = image(x);
    Made made = add(has_bias ? own() + "/product" : own(),
                    depthwise ? "DepthwiseConv2dNative" : "Conv2D", {source, filter});
    made.type("T", tf_float).text("data_format", "NHWC");
    made.numbers("strides", wide("strides", {1, 1}))
        .numbers("dilations", wide("dilations", {1, 1}));
    set_padding(made, kernel, shape);
    if (has_bias) made = bias(made.name(), 2);
    made_image(made, shape);
  }

  Made bias(const std::string& product, std::size_t input) {
    const std::string values = value(input).plain;
    Made made = add(own(), "BiasAdd", {product, values});
    made.type("T", tf_float).text("data_format", "NHWC");
    return made;
  }

  void write_gemm() {
    if (node_->real("alpha", 1) != 1 || node_->real("beta", 1) != 1) fail("alpha or beta is not 1");
    const bool swap_a = node_->integer("transA", 0) != 0, swap_b = node_->integer("transB", 0) != 0;
    Known &a = value(0), &b = value(1);
    const std::string first = plain(a), second = plain(b);
    const Shape shape{a.shape[swap_a ? 1 : 0], b.shape[swap_b ? 0 : 1]};
    const bool has_bias = node_->inputs.size() > 2 && !node_->input(2).empty();
    if (has_bias && needed(2).shape != Shape{shape[1]}) fail("only a bias for each column");
    Made made = add(has_bias ? own() + "/product" : own(), "MatMul", {first, second});
    made.type("T", tf_float).flag("transpose_a", swap_a).flag("transpose_b", swap_b);
    if (has_bias) made = bias(made.name(), 2);
    made_plain(made, shape);
  }

  void write_mat_mul() {
    Known &a = value(0), &b = value(1);
    if (a.shape.size() != 2 || b.shape.size() != 2) fail("only matrices can be written");
    const std::string first = plain(a), second = plain(b);
    Made made = add(own(), "MatMul", {first, second});
    made.type("T", tf_float).flag("transpose_a", false).flag("transpose_b", false);
    made_plain(made, {a.shape[0], b.shape[1]});
  }

  void write_batch_normalization() {
    Known& x = value(0);
    std::vector<std::string> inputs{image(x)};
    for (std::size_t i = 1; i < 5; ++i) inputs.push_back(value(i).plain);
    Made made = add(own(), "FusedBatchNormV3", inputs);
    made.type("T", tf_float).type("U", tf_float).text("data_format", "NHWC");
    made.real("epsilon", node_->real("epsilon", 1e-5F)).flag("is_training", false);
    made_image(made, x.shape);
  }

  void write_pool() {
    Known& x = value(0);
    Shape shape = x.shape;
    const Numbers kernel = wide("kernel_shape", {});
    if (node_->integer("count_include_pad", 0) != 0) fail("count_include_pad cannot be written");
    const std::string source = image(x);
    Made made = add(own(), node_->op_type == "MaxPool" ? "MaxPool" : "AvgPool", {source});
    made.type("T", tf_float).text("data_format", "NHWC");
    made.numbers("ksize", kernel).numbers("strides", wide("strides", {1, 1}));
    set_padding(made, kernel, shape);
    made_image(made, shape);
  }

  void write_global_average() {
    Known& x = value(0);
    const std::string source = image(x);
    const std::string axes = constant(own() + "/axes", Numbers{1, 2});
    Made made = add(own(), "Mean", {source, axes});
    made.type("T", tf_float).type("Tidx", tf_int32).flag("keep_dims", true);
    made_image(made, {x.shape[0], x.shape[1], 1, 1});
  }

  /// Position of an axis of the graph's value, counted from the front.
  [[nodiscard]] std::int64_t axis_of(const Known& known, std::int64_t axis) const {
    const std::optional<std::size_t> normal = nn::normal_axis(axis, known.shape.size());
    if (!normal) fail("axis {} is not in {} dimensions", axis, known.shape.size());
    return static_cast<std::int64_t>(*normal);
  }
  static std::int64_t last_axis(std::int64_t axis) {
    constexpr std::int64_t places[] = {0, 3, 1, 2};
    return places[axis];
  }

  void write_concat() {
    const std::int64_t axis = axis_of(value(0), node_->integer("axis"));
    bool as_image = false;
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
      as_image = as_image || !value(i).image.empty();
    }
    std::vector<std::string> inputs;
    Shape shape = value(0).shape;
    shape[static_cast<std::size_t>(axis)] = 0;
    for (std::size_t i = 0; i < node_->inputs.size(); ++i) {
      Known& known = value(i);
      inputs.push_back(as_image ? image(known) : plain(known));
      shape[static_cast<std::size_t>(axis)] += known.shape[static_cast<std::size_t>(axis)];
    }
    inputs.push_back(
        constant(own() + "/axis", nn::Tensor::of({}, Numbers{as_image ? last_axis(axis) : axis})));
    const auto count = static_cast<std::int64_t>(node_->inputs.size());
    Made made = add(own(), "ConcatV2", inputs);
    made.number("N", count).type("T", tf_float).type("Tidx", tf_int32);
    as_image ? made_image(made, shape) : made_plain(made, shape);
  }

  void write_split() {
    Known& x = value(0);
    const std::int64_t axis = axis_of(x, node_->integer("axis", 0));
    const auto parts = static_cast<std::int64_t>(node_->outputs.size());
    Shape shape = x.shape;
    std::int64_t& size = shape[static_cast<std::size_t>(axis)];
    const bool listed = node_->has("split") || node_->inputs.size() > 1;
    if (listed || size % parts != 0) fail("only equal parts can be written");
    size /= parts;
    // A plain value that is the N H W C form of an image is an image to TensorFlow.
    const std::string source = plain(x);
    const std::string place = constant(own() + "/axis", nn::Tensor::of({}, Numbers{axis}));
    Made made = add(own(), "Split", {place, source});
    made.number("num_split", parts).type("T", tf_float);
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
      values_[node_->outputs[i]] = {shape, Output{made.name(), i}.text(), ""};
    }
  }

  void write_pad() {
    Known& x = value(0);
    const Numbers pads = node_->inputs.size() > 1 ? needed(1).integers : node_->integers("pads");
    const bool zero = node_->inputs.size() > 2 && !node_->input(2).empty()
                          ? needed(2).floats == std::vector<float>{0}
                          : node_->real("value", 0) == 0;
    if (node_->text("mode", "constant") != "constant" || !zero) fail("only zeroes can be written");
    const std::size_t rank = x.shape.size();
    if (pads.size() != 2 * rank || rank != 4) fail("its pads are {}", nn::to_string(pads));
    Shape shape = x.shape;
    nn::Tensor pairs = nn::Tensor::of({4, 2}, Numbers(8));
    for (std::size_t d = 0; d < rank; ++d) {
      if (pads[d] < 0 || pads[d + rank] < 0) fail("its pads are {}", nn::to_string(pads));
      shape[d] += pads[d] + pads[d + rank];
      const auto place = static_cast<std::size_t>(last_axis(static_cast<std::int64_t>(d)));
      pairs.integers[2 * place] = pads[d];
      pairs.integers[2 * place + 1] = pads[d + rank];
    }
    const std::string source = image(x);
    const std::string paddings = constant(own() + "/paddings", pairs);
    Made made = add(own(), "Pad", {source, paddings});
    made.type("T", tf_float).type("Tpaddings", tf_int32);
    made_image(made, shape);
  }

  void write_reshape() {
    Known& x = value(0);
    const std::optional<Shape> fit =
        node_->op_type == "Flatten"
            ? nn::flattened(x.shape, node_->integer("axis", 1))
            : nn::reshaped(x.shape, needed(1).integers, node_->integer("allowzero", 0) != 0);
    if (!fit) fail("its shape does not fit {}", nn::to_string(x.shape));
    const Shape& shape = *fit;
    const std::string source = plain(x);
    const std::string target = constant(own() + "/shape", shape);
    Made made = add(own(), "Reshape", {source, target});
    made.type("T", tf_float).type("Tshape", tf_int32);
    made_plain(made, shape);
  }

  void write_squeeze() {
    Known& x = value(0);
    const Numbers axes = node_->inputs.size() > 1 ? needed(1).integers : node_->integers("axes");
    Shape shape;
    Numbers dropped;
    bool only_pixels = !x.image.empty();
    for (std::size_t d = 0; d < x.shape.size(); ++d) {
      const bool drop = std::any_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
        return axis_of(x, axis) == static_cast<std::int64_t>(d);
      });
      if (!drop) {
        shape.push_back(x.shape[d]);
        only_pixels = only_pixels && d < 2;
      } else {
        dropped.push_back(static_cast<std::int64_t>(d));
      }
    }
    // Without rows and columns, both orders are the same.
    if (only_pixels) {
      for (std::int64_t& axis : dropped) axis = last_axis(axis);
    }
    const std::string source = only_pixels ? image(x) : plain(x);
    Made made = add(own(), "Squeeze", {source});
    made.type("T", tf_float).numbers("squeeze_dims", dropped);
    made_plain(made, shape);
  }

  void write_resize() {
    Known& x = value(0);
    Shape shape = x.shape;
    const std::size_t last = node_->inputs.size() - 1;
    const nn::Tensor& sizes = needed(last);
    if (x.shape.size() != 4 || sizes.size() != 4) fail("only images can be written");
    for (std::size_t d = 0; d < 4; ++d) {
      shape[d] = sizes.type == nn::ElementType::int64 ? sizes.integers[d]
                                                      : nn::scaled_size(shape[d], sizes.floats[d]);
    }
    const std::string mode = node_->text("mode", "nearest");
    const std::string place = node_->text("coordinate_transformation_mode",
                                          graph_.opset < 11 ? "asymmetric" : "half_pixel");
    const std::string rounds = node_->text("nearest_mode", "round_prefer_floor");
    const bool centres = place == "half_pixel", corners = place == "align_corners";
    const bool nearest = mode == "nearest";
    const bool known_rounding = rounds == (centres || corners ? "round_prefer_ceil" : "floor");
    if ((!nearest && mode != "linear") || (!centres && !corners && place != "asymmetric") ||
        (nearest && !known_rounding && graph_.opset > 10) || shape[0] != x.shape[0] ||
        shape[1] != x.shape[1]) {
      fail("this form of it cannot be written");
    }
    const std::string source = image(x);
    const std::string size = constant(own() + "/size", Numbers{shape[2], shape[3]});
    Made made = add(own(), nearest ? "ResizeNearestNeighbor" : "ResizeBilinear", {source, size});
    made.type("T", tf_float).flag("align_corners", corners).flag("half_pixel_centers", centres);
    made_image(made, shape);
  }

  void write_softmax() {
    Known& x = value(0);
    const std::int64_t axis = axis_of(x, node_->integer("axis", graph_.opset < 13 ? 1 : -1));
    const bool as_image = !x.image.empty();
    const auto rank = static_cast<std::int64_t>(x.shape.size());
    const bool last = as_image ? axis == 1 : axis + 1 == rank;
    if (!last || (graph_.opset < 13 && rank != 2)) fail("only along the channels can be written");
    Made made = add(own(), "Softmax", {as_image ? x.image : x.plain});
    made.type("T", tf_float);
    as_image ? made_image(made, x.shape) : made_plain(made, x.shape);
  }

  void write_transpose() {
    Known& x = value(0);
    Numbers order = node_->integers("perm", {});
    if (order.empty()) {
      for (std::size_t d = x.shape.size(); d-- > 0;) order.push_back(static_cast<std::int64_t>(d));
    }
    const Shape shape = nn::permuted(x.shape, order);
    Known& result = values_[node_->outputs.front()];
    result.shape = shape;
    if (order == to_image) {
      result.image = plain(x);
    } else if (order == from_image) {
      result.plain = image(x);
    } else {
      const std::string source = plain(x);
      result.plain = transposed(source, order, own());
    }
  }

  const nn::Graph& graph_;
  proto::GraphDef message_;
  const nn::Node* node_ = nullptr;
  std::map<std::string, Known> values_;
  std::map<std::string, std::string> turned_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<std::string_view> written_operators() {
  std::vector<std::string_view> names;
  for (const auto& entry : Writer::methods()) names.push_back(entry.first);
  return names;
}

std::vector<std::uint8_t> write_graph_def(const nn::Graph& graph) {
  const proto::GraphDef message = Writer(graph).write();
  const std::size_t size = message.ByteSizeLong();
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    user_error("{}: the graph needs {} bytes; a GraphDef has less than 2 GiB", graph.name, size);
  }
  std::vector<std::uint8_t> bytes(size);
  google::protobuf::io::ArrayOutputStream stream(bytes.data(), static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  if (!message.SerializeToCodedStream(&coded)) internal_error("the graph cannot be serialized");
  return bytes;
}

}  // namespace tactus::tf
