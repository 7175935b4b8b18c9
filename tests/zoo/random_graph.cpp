#include "tests/zoo/random_graph.h"

#include <algorithm>
#include <cmath>

#include "firmware/reference/reference.h"
#include "firmware/zoo/random.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"

namespace tactus::nn {
namespace {

using Ints = std::vector<std::int64_t>;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    // Resize has coordinate modes from set 11 on; Clip and Pad have attributes up to set 10.
    graph_.opset = chance(50) ? 10 : 11;
    graph_.ir_version = 6;
    graph_.file = "random " + std::to_string(seed);
    graph_.name = "random";
  }

  Graph make() {
    const Shape image{chance(15) ? 2 : 1, range(1, 12), range(2, 8), range(2, 8)};
    std::string x = "input";
    if (chance(50)) {
      add_input(x, {image[0], image[2], image[3], image[1]});
      x = add("Transpose", {x}, {{"perm", Ints{0, 3, 1, 2}}});
    } else {
      add_input(x, image);
    }
    values_.push_back(x);
    for (std::int64_t count = range(1, 5); count > 0; --count) add_image_operator();
    std::string last = values_.back();
    if (chance(35)) last = add_dense_end(last);
    add_output(last);
    if (values_.size() > 2 && chance(25) && values_[1] != last) add_output(values_[1]);
    return std::move(graph_);
  }

 private:
  // ---- random numbers ----
  std::int64_t range(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t percent) { return range(1, 100) <= percent; }
  const std::string& pick(const std::vector<std::string>& names) {
    return names[static_cast<std::size_t>(range(0, static_cast<std::int64_t>(names.size()) - 1))];
  }

  // ---- parts of the graph ----
  [[nodiscard]] const Shape& shape(const std::string& value) const {
    return values_by_name_.at(value).shape;
  }
  void add_input(const std::string& name, const Shape& shape) {
    ValueInfo info{name, ElementType::float32, 0, std::vector<Dimension>()};
    for (const std::int64_t size : shape) info.dims->push_back({size, ""});
    values_by_name_[name] = random_input(info, random_.next());
    inputs_[name] = values_by_name_[name];
    graph_.inputs.push_back(std::move(info));
  }
  void add_output(const std::string& value) {
    graph_.outputs.push_back({value, ElementType::float32, 0, std::nullopt});
  }
  std::string constant(Shape shape, double extent) {
    const std::string name = "c" + std::to_string(graph_.initializers.size());
    Tensor tensor = Tensor::zeros(std::move(shape));
    for (float& value : tensor.floats) value = random_.uniform(extent);
    graph_.initializers[name] = std::move(tensor);
    return name;
  }
  std::string constant(Ints values) {
    const std::string name = "c" + std::to_string(graph_.initializers.size());
    const auto count = static_cast<std::int64_t>(values.size());
    graph_.initializers[name] = Tensor::of({count}, std::move(values));
    return name;
  }
  std::string add(const char* op, std::vector<std::string> inputs,
                  std::map<std::string, Attribute, std::less<>> attributes = {},
                  std::size_t outputs = 1) {
    Node node;
    node.file = graph_.file;
    node.name = std::string(op) + "_" + std::to_string(graph_.nodes.size());
    node.op_type = op;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (std::size_t i = 0; i < outputs; ++i) {
      node.outputs.push_back(node.name + ":" + std::to_string(i));
    }
    evaluate(node);
    graph_.nodes.push_back(node);
    return node.outputs[0];
  }
  /// The shapes of results are taken from the reference.
  void evaluate(const Node& node) {
    Graph one;
    one.file = graph_.file;
    one.opset = graph_.opset;
    one.nodes = {node};
    for (const std::string& input : node.inputs) {
      if (input.empty()) continue;
      const auto known = values_by_name_.find(input);
      one.initializers[input] =
          known != values_by_name_.end() ? known->second : graph_.initializers.at(input);
    }
    for (auto& [name, tensor] : run_reference(one, {})) values_by_name_[name] = std::move(tensor);
  }
  void keep(const std::string& value) { values_.push_back(value); }

  // ---- operators ----
  void add_image_operator();
  void add_conv();
  void add_activation();
  void add_pool();
  void add_binary();
  void add_resize();
  void add_concat();
  void add_split();
  void add_pad();
  void add_slice();
  std::string add_dense_end(const std::string& x);

  Random random_;
  Graph graph_;
  Values inputs_, values_by_name_;
  std::vector<std::string> values_;  ///< images, in the order in which they were made
};

void Generator::add_image_operator() {
  switch (range(0, 14)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return add_conv();
    case 5:
    case 6:
      return add_activation();
    case 7:
    case 8:
      return add_pool();
    case 9:
    case 10:
      return add_binary();
    case 11:
      return add_resize();
    case 12:
      return chance(50) ? add_concat() : add_split();
    case 13:
      return add_pad();
    default:
      return add_slice();
  }
}

void Generator::add_conv() {
  const std::string& x = values_.back();
  const Shape in = shape(x);
  std::int64_t group = 1;
  if (chance(25)) {
    Ints divisors;
    for (std::int64_t d = 1; d <= in[1]; ++d) {
      if (in[1] % d == 0) divisors.push_back(d);
    }
    group = divisors[static_cast<std::size_t>(
        range(0, static_cast<std::int64_t>(divisors.size()) - 1))];
  }
  const std::int64_t outputs = group * range(1, group > 1 ? 2 : 10);
  std::map<std::string, Attribute, std::less<>> attributes;
  Ints kernel, dilations, pads(4, 0);
  for (std::size_t d = 0; d < 2; ++d) {
    kernel.push_back(range(1, std::min<std::int64_t>(3, in[2 + d])));
    dilations.push_back(chance(20) && (kernel[d] - 1) * 2 + 1 <= in[2 + d] ? 2 : 1);
    if (chance(50)) pads[d] = range(0, kernel[d] - 1);
    if (chance(50)) pads[d + 2] = range(0, kernel[d] - 1);
  }
  attributes["strides"] = Ints{range(1, 3), range(1, 3)};
  attributes["kernel_shape"] = kernel;
  if (chance(50)) attributes["dilations"] = dilations;
  if (chance(25)) {
    attributes["auto_pad"] = pick({"SAME_UPPER", "SAME_LOWER", "VALID"});
  } else {
    attributes["pads"] = pads;
  }
  attributes["group"] = group;
  const double fan_in = static_cast<double>(in[1] / group * kernel[0] * kernel[1]);
  std::vector<std::string> inputs{
      x, constant({outputs, in[1] / group, kernel[0], kernel[1]}, 2 / std::sqrt(fan_in))};
  if (chance(70)) inputs.push_back(constant(Shape{outputs}, 1));
  keep(add("Conv", std::move(inputs), std::move(attributes)));
}

void Generator::add_activation() {
  const std::string& x = values_.back();
  const Shape channels{shape(x)[1]};
  switch (range(0, graph_.opset == 10 ? 3 : 2)) {
    case 0:
      return keep(add("Relu", {x}));
    case 1:
      return keep(add("LeakyRelu", {x}, {{"alpha", random_.between(-0.5, 0.9)}}));
    case 2: {
      const std::string gamma = constant(channels, 1.5), beta = constant(channels, 1),
                        mean = constant(channels, 0.5), variance = constant(channels, 0.5);
      for (float& value : graph_.initializers[variance].floats) value += 1;
      return keep(
          add("BatchNormalization", {x, gamma, beta, mean, variance}, {{"epsilon", 0.001F}}));
    }
    default:
      return keep(
          add("Clip", {x}, {{"min", random_.between(-1, 0)}, {"max", random_.between(0, 1)}}));
  }
}

void Generator::add_pool() {
  const std::string& x = values_.back();
  const Shape in = shape(x);
  if (chance(15)) return keep(add("GlobalAveragePool", {x}));
  std::map<std::string, Attribute, std::less<>> attributes;
  Ints kernel, pads(4, 0);
  for (std::size_t d = 0; d < 2; ++d) {
    kernel.push_back(range(1, std::min<std::int64_t>(3, in[2 + d])));
    if (chance(30)) pads[d] = range(0, kernel[d] - 1);
    if (chance(30)) pads[d + 2] = range(0, kernel[d] - 1);
  }
  attributes["kernel_shape"] = kernel;
  attributes["strides"] = Ints{range(1, 3), range(1, 3)};
  if (chance(20)) {
    attributes["auto_pad"] = pick({"SAME_UPPER", "SAME_LOWER"});
  } else {
    attributes["pads"] = pads;
  }
  if (chance(50)) return keep(add("MaxPool", {x}, std::move(attributes)));
  attributes["count_include_pad"] = range(0, 1);
  keep(add("AveragePool", {x}, std::move(attributes)));
}

void Generator::add_binary() {
  const std::string& x = values_.back();
  const Shape in = shape(x);
  std::vector<std::string> operands{x};
  std::vector<std::string> alike;
  for (const std::string& value : values_) {
    if (shape(value) == in) alike.push_back(value);
  }
  if (chance(50)) {
    operands.push_back(pick(alike));
  } else {
    Shape repeated = in;
    for (std::size_t d = 0; d < 4; ++d) {
      if (chance(50)) repeated[d] = 1;
    }
    operands.push_back(constant(repeated, 2));
    if (chance(25)) std::swap(operands[0], operands[1]);
  }
  keep(add(pick({"Add", "Add", "Sub", "Mul"}).c_str(), operands));
}

void Generator::add_resize() {
  const std::string& x = values_.back();
  const Shape in = shape(x);
  const auto scale = [&](std::int64_t size) {
    const float scales[] = {1, 2, 1.5F, 3, 0.5F};
    const float drawn = scales[range(0, size > 1 && size <= 6 ? 4 : size == 1 ? 3 : 0)];
    return drawn;
  };
  const std::string scales = constant(Shape{4}, 0);
  graph_.initializers[scales].floats = {1, 1, scale(in[2]), scale(in[3])};
  std::map<std::string, Attribute, std::less<>> attributes;
  attributes["mode"] = pick({"nearest", "linear", "linear"});
  if (graph_.opset == 10) return keep(add("Resize", {x, scales}, std::move(attributes)));
  if (std::get<std::string>(attributes["mode"]) == "nearest") {
    attributes["nearest_mode"] = pick({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  }
  attributes["coordinate_transformation_mode"] =
      pick({"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"});
  // tf_half_pixel_for_nn shifts by half a pixel, so only "floor" keeps dimensions of scale 1
  // unchanged.
  if (attributes.count("nearest_mode") != 0 && chance(25)) {
    attributes["nearest_mode"] = std::string("floor");
    attributes["coordinate_transformation_mode"] = std::string("tf_half_pixel_for_nn");
  }
  keep(add("Resize", {x, constant(Shape{0}, 0), scales}, std::move(attributes)));
}

void Generator::add_concat() {
  const std::string x = values_.back();
  const std::int64_t axis = chance(60) ? 1 : range(2, 3);
  std::vector<std::string> fitting;
  for (const std::string& value : values_) {
    Shape other = shape(value);
    other[static_cast<std::size_t>(axis)] = shape(x)[static_cast<std::size_t>(axis)];
    if (other == shape(x)) fitting.push_back(value);
  }
  std::vector<std::string> parts{x, pick(fitting)};
  if (chance(30)) parts.push_back(pick(fitting));
  keep(add("Concat", parts, {{"axis", axis}}));
}

void Generator::add_split() {
  const std::string x = values_.back();
  const std::int64_t axis = chance(60) ? 1 : range(2, 3);
  const std::int64_t size = shape(x)[static_cast<std::size_t>(axis)];
  if (size < 2) return add_conv();
  const std::int64_t first = range(1, size - 1);
  const std::string made =
      add("Split", {x},
          {{"axis", chance(30) ? axis - 4 : axis}, {"split", Ints{first, size - first}}}, 2);
  const std::string other = made.substr(0, made.size() - 1) + "1";
  keep(chance(50) ? made : other);
  if (chance(50)) keep(values_.back() == made ? other : made);
}

void Generator::add_pad() {
  const std::string x = values_.back();
  const Shape in = shape(x);
  const std::string mode = pick({"constant", "constant", "edge", "reflect"});
  Ints pads(8, 0);
  for (const std::size_t at : {2U, 3U, 6U, 7U}) {
    const std::int64_t most = mode == "reflect" ? std::min<std::int64_t>(2, in[at % 4] - 1) : 2;
    pads[at] = range(0, most);
  }
  if (graph_.opset == 10) return keep(add("Pad", {x}, {{"mode", mode}, {"pads", pads}}));
  keep(add("Pad", {x, constant(pads)}, {{"mode", mode}}));
}

void Generator::add_slice() {
  const std::string x = values_.back();
  const std::int64_t axis = range(1, 3);
  const std::int64_t size = shape(x)[static_cast<std::size_t>(axis)];
  const std::int64_t start = range(0, size - 1), end = range(start + 1, size);
  keep(add("Slice", {x, constant(Ints{start}), constant(Ints{end}), constant(Ints{axis}),
                     constant(Ints{range(1, 2)})}));
}

std::string Generator::add_dense_end(const std::string& image) {
  std::string x = image;
  Shape in = shape(x);
  if (chance(50)) {
    x = add("Transpose", {x}, {{"perm", Ints{0, 2, 3, 1}}});
    in = shape(x);
  }
  const std::int64_t width = in[1] * in[2] * in[3];
  switch (range(0, 2)) {
    case 0:
      x = add("Flatten", {x}, {{"axis", std::int64_t{1}}});
      break;
    case 1:
      x = add("Reshape", {x, constant(Ints{0, -1})});
      break;
    default:
      // Reshapes to another shape first.
      x = add("Reshape", {x, constant(Ints{in[0], in[1] * in[2], in[3]})});
      x = add("Reshape", {x, constant(Ints{-1, width})});
  }
  if (width > 300) return x;
  const double extent = 2 / std::sqrt(static_cast<double>(width));
  const std::int64_t outputs = range(1, 12);
  if (chance(50)) {
    const bool turned = chance(50);
    std::vector<std::string> inputs{
        x, turned ? constant({outputs, width}, extent) : constant({width, outputs}, extent),
        constant(Shape{outputs}, 1)};
    x = add("Gemm", std::move(inputs), {{"transB", std::int64_t{turned ? 1 : 0}}});
  } else {
    x = add("MatMul", {x, constant({width, outputs}, extent)});
    if (chance(60)) x = add("Add", {x, constant({1, outputs}, 1)});
  }
  if (chance(40)) x = add("Relu", {x});
  if (chance(30)) x = add("Softmax", {x});
  return x;
}

std::string text(const Attribute& attribute) {
  if (const auto* integer = std::get_if<std::int64_t>(&attribute)) return std::to_string(*integer);
  if (const auto* value = std::get_if<float>(&attribute)) return std::to_string(*value);
  if (const auto* word = std::get_if<std::string>(&attribute)) return *word;
  if (const auto* list = std::get_if<Ints>(&attribute)) return to_string(*list);
  return "...";
}

}  // namespace

Graph random_graph(std::uint64_t seed) { return Generator(seed).make(); }

std::string describe(const Graph& graph) {
  std::string out = fmt::format("opset {}\n", graph.opset);
  for (const ValueInfo& input : graph.inputs) {
    out += "input " + input.name;
    for (const Dimension& dimension : *input.dims) out += " " + std::to_string(*dimension.size);
    out += "\n";
  }
  for (const Node& node : graph.nodes) {
    out += fmt::format("{} <- {}(", fmt::join(node.outputs, ", "), node.op_type);
    for (const std::string& input : node.inputs) {
      const Tensor* tensor = graph.initializer(input);
      out += input + (tensor != nullptr ? to_string(tensor->shape) : "") + ", ";
      if (tensor != nullptr && tensor->type == ElementType::int64) {
        out += fmt::format("= {}, ", to_string(tensor->integers));
      }
    }
    for (const auto& [name, attribute] : node.attributes) out += name + "=" + text(attribute) + " ";
    out += ")\n";
  }
  for (const ValueInfo& output : graph.outputs) out += "output " + output.name + "\n";
  return out;
}

}  // namespace tactus::nn
