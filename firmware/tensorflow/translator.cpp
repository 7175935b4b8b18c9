#include "firmware/tensorflow/translator.h"

#include <algorithm>
#include <optional>
#include <set>

#include "firmware/onnx/shapes.h"
#include "firmware/reference/reference.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

/// Text that identifies a node's computation; empty if it has attributes of kinds that are not
/// compared.
std::string recipe(const nn::Node& node) {
  std::string text = node.op_type;
  for (const std::string& input : node.inputs) text += '\n' + input;
  for (const auto& [name, value] : node.attributes) {
    text += '\n' + name + '=';
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      text += std::to_string(*whole);
    } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
      text += nn::to_string(*list);
    } else {
      return "";
    }
  }
  return text;
}

/// Reason why an operator is not in the table.
std::string why_not(const std::string& op) {
  static const std::set<std::string_view> variables{"VarHandleOp", "ReadVariableOp", "Variable",
                                                    "VariableV2"};
  static const std::set<std::string_view> calls{
      "PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If", "StatelessIf"};
  if (variables.count(op) != 0) {
    return "is a variable; the graph has to be frozen (in TensorFlow: "
           "convert_variables_to_constants_v2)";
  }
  if (calls.count(op) != 0) {
    return "calls a function; supported are graphs whose functions are written out (in "
           "TensorFlow: convert_variables_to_constants_v2)";
  }
  return "the operator is not supported";
}

bool is_product(const nn::Node& node) {
  return node.op_type == "Conv" || node.op_type == "ConvTranspose" || node.op_type == "MatMul" ||
         node.op_type == "Gemm";
}

}  // namespace

// ---- the node -----------------------------------------------------------------------------------

Value& Translator::input(std::size_t i) const {
  if (i >= inputs_.size()) fail("input {} is missing", i);
  return *inputs_[i];
}

const nn::Tensor* Translator::constant(const Value& value) const {
  return value.plain.empty() ? nullptr : graph_.initializer(value.plain);
}

const nn::Tensor& Translator::constant_input(std::size_t i, std::string_view what) const {
  const Value& value = input(i);
  if (const nn::Tensor* tensor = constant(value)) return *tensor;
  fail("{} ({}, input {}) is computed at run time; supported are constants only", what,
       quote(node().inputs[i].text()), i);
}

std::vector<std::int64_t> Translator::integers(std::size_t i, std::string_view what) const {
  const nn::Tensor& tensor = constant_input(i, what);
  if (tensor.type != nn::ElementType::int64) fail("{} (input {}) is no list of integers", what, i);
  return tensor.integers;
}

std::int64_t Translator::integer(std::size_t i, std::string_view what) const {
  const std::vector<std::int64_t> values = integers(i, what);
  if (values.size() != 1)
    fail("{} (input {}) has {} elements; 1 is allowed", what, i, values.size());
  return values.front();
}

std::size_t Translator::axis(std::int64_t axis, std::size_t rank) const {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) {
    fail("axis {} is not in a tensor of {} dimensions", axis, rank);
  }
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

void Translator::expect_size(const nn::Shape& shape) const {
  const std::int64_t count = nn::element_count(shape, node().where());
  if (count > most_elements) {
    fail("makes {} elements ({}); supported are {}", count, nn::to_string(shape), most_elements);
  }
}

void Translator::expect_rank(const Value& value, std::size_t rank, std::string_view what) const {
  if (value.shape.size() == rank) return;
  fail("{} has shape {}; supported are {} dimensions", what, nn::to_string(value.shape), rank);
}

// ---- forms --------------------------------------------------------------------------------------

const std::string& Translator::plain(Value& value) {
  if (value.plain.empty()) value.plain = emit("Transpose", {value.image}, {{"perm", from_image}});
  return value.plain;
}

const std::string& Translator::image(Value& value) {
  expect_rank(value, 4, "the image");
  if (value.image.empty()) value.image = emit("Transpose", {value.plain}, {{"perm", to_image}});
  return value.image;
}

bool Translator::prefers_image(const std::vector<Value*>& values) const {
  bool made = false, possible = false;
  for (const Value* value : values) {
    if (value->shape.size() > 4) return false;
    if (constant(*value) != nullptr) continue;
    made = made || !value->image.empty();
    possible = possible || value->shape.size() == 4;
  }
  return made || (images_ && possible);
}

std::string Translator::image_operand(Value& value) {
  if (value.shape.size() == 4) return image(value);
  if (value.shape.empty()) return plain(value);
  nn::Shape wide(4 - value.shape.size(), 1);
  wide.insert(wide.end(), value.shape.begin(), value.shape.end());
  Value four = reshaped(value, std::move(wide));
  return image(four);
}

Value Translator::plain_value(const std::string& name, nn::Shape shape) const {
  Value value;
  value.plain = name;
  value.shape = std::move(shape);
  if (const nn::Tensor* tensor = graph_.initializer(name)) {
    value.shape = tensor->shape;
    value.type = tensor->type;
    value.stored = tensor->stored;
  }
  return value;
}

Value Translator::image_value(const std::string& name, const nn::Shape& shape) const {
  Value value;
  value.image = name;
  value.shape = to_channels_last(shape);
  if (const nn::Tensor* tensor = graph_.initializer(name)) value.type = tensor->type;
  return value;
}

Value Translator::constant_value(nn::Tensor tensor) {
  return plain_value(constant(std::move(tensor)), {});
}

// ---- new nodes ----------------------------------------------------------------------------------

std::string Translator::unused(std::string name) {
  std::string wanted = name;
  for (unsigned number = 1; !names_.insert(wanted).second; ++number) {
    wanted = fmt::format("{}_{}", name, number);
  }
  return wanted;
}

std::vector<std::string> Translator::emit(const std::string& op, std::vector<std::string> inputs,
                                          Attributes attributes, std::size_t outputs) {
  nn::Node made;
  made.file = graph_.file;
  made.op_type = op;
  made.inputs = std::move(inputs);
  made.attributes = std::move(attributes);
  const bool folds =
      std::all_of(made.inputs.begin(), made.inputs.end(), [&](const std::string& input) {
        return input.empty() || graph_.initializer(input) != nullptr;
      });
  if (folds && nn::reference_has(made, graph_.opset)) {
    const std::string how = recipe(made);
    const auto known = folded_.find(how);
    if (outputs == 1 && !how.empty() && known != folded_.end()) return {known->second};
    made.name = node().name;
    std::vector<const nn::Tensor*> operands;
    for (const std::string& input : made.inputs) operands.push_back(graph_.initializer(input));
    made.outputs.resize(outputs);
    std::vector<std::string> names;
    for (nn::Tensor& tensor : nn::run_node(made, graph_.opset, operands)) {
      names.push_back(constant(std::move(tensor)));
    }
    if (names.size() < outputs) fail("{} made {} of {} outputs", op, names.size(), outputs);
    if (outputs == 1 && !how.empty()) folded_[how] = names.front();
    return names;
  }
  made.name = unused(node().name + "/" + op);
  for (std::size_t i = 0; i < outputs; ++i) {
    made.outputs.push_back(unused(fmt::format("{}:{}", made.name, i)));
    producers_[made.outputs.back()] = graph_.nodes.size();
  }
  graph_.nodes.push_back(std::move(made));
  return graph_.nodes.back().outputs;
}

std::string Translator::constant(nn::Tensor tensor) {
  std::string name = unused(node().name + "/constant");
  graph_.initializers.emplace(name, std::move(tensor));
  return name;
}

std::string Translator::constant(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return constant(nn::Tensor::of({count}, std::move(values)));
}

// ---- what several operators do ------------------------------------------------------------------

nn::Shape broadcast(const Translator& t, const nn::Shape& a, const nn::Shape& b) {
  if (std::optional<nn::Shape> shape = nn::broadcast_shape(a, b)) return *std::move(shape);
  t.fail("shapes {} and {} cannot be broadcast", nn::to_string(a), nn::to_string(b));
}

Value Translator::elementwise(const std::string& op, const std::vector<Value*>& values,
                              Attributes attributes) {
  const bool in_blocks = values.size() == 1 && values.front()->unbatched != nullptr;
  const Attributes same = in_blocks ? attributes : Attributes{};
  nn::Shape shape = values.front()->shape;
  for (const Value* value : values) shape = broadcast(*this, shape, value->shape);
  expect_size(shape);
  std::vector<std::string> inputs;
  Value result;
  if (prefers_image(values)) {
    for (Value* value : values) inputs.push_back(image_operand(*value));
    result =
        image_value(emit(op, std::move(inputs), std::move(attributes)), to_channels_first(shape));
  } else {
    for (Value* value : values) inputs.push_back(plain(*value));
    result = plain_value(emit(op, std::move(inputs), std::move(attributes)), std::move(shape));
  }
  if (in_blocks) {
    // Padding that has not been applied yet must be zeroes, too.
    Unbatched inner = *values.front()->unbatched;
    const auto zero = [](std::int64_t v) { return v == 0; };
    const bool settled = std::all_of(inner.before.begin(), inner.before.end(), zero) &&
                         std::all_of(inner.after.begin(), inner.after.end(), zero);
    if (settled) {
      inner.base = elementwise(op, {&inner.base}, same);
      result.unbatched = std::make_shared<Unbatched>(std::move(inner));
    }
  }
  return result;
}

Value Translator::reshaped(Value& value, nn::Shape shape) {
  if (shape == value.shape) return value;
  const std::int64_t count = nn::element_count(shape, node().where());
  if (count != nn::element_count(value.shape, node().where())) {
    fail("shape {} cannot become {}", nn::to_string(value.shape), nn::to_string(shape));
  }
  const std::string source = plain(value);
  const std::string target = constant(shape);
  Value result = plain_value(emit("Reshape", {source, target}), std::move(shape));
  return result;
}

Value Translator::transposed(Value& value, const std::vector<std::int64_t>& permutation) {
  nn::Shape shape;
  for (const std::int64_t d : permutation) {
    shape.push_back(value.shape[static_cast<std::size_t>(d)]);
  }
  const bool runs = constant(value) == nullptr;
  if (runs && permutation == to_image) return plain_value(image(value), std::move(shape));
  if (runs && permutation == from_image) {
    return image_value(plain(value), value.shape);
  }
  return plain_value(emit("Transpose", {plain(value)}, {{"perm", permutation}}), std::move(shape));
}

Value Translator::padded(Value& value, const std::vector<std::int64_t>& before,
                         const std::vector<std::int64_t>& after) {
  const std::size_t rank = value.shape.size();
  std::vector<std::int64_t> start(rank), count(rank), step(rank, 1), begins(rank), ends(rank);
  bool cuts = false, pads = false;
  nn::Shape shape(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    start[d] = std::max<std::int64_t>(-before[d], 0);
    count[d] = value.shape[d] - start[d] - std::max<std::int64_t>(-after[d], 0);
    begins[d] = std::max<std::int64_t>(before[d], 0);
    ends[d] = std::max<std::int64_t>(after[d], 0);
    cuts = cuts || count[d] != value.shape[d];
    pads = pads || begins[d] != 0 || ends[d] != 0;
    shape[d] = begins[d] + count[d] + ends[d];
  }
  Value cut = cuts ? sliced(value, start, count, step) : value;
  if (!pads) return cut;
  expect_size(shape);
  const bool as_image = rank == 4 && prefers_image({&cut});
  const auto ordered = [&](const std::vector<std::int64_t>& v) {
    return as_image ? to_channels_first(v) : v;
  };
  std::vector<std::int64_t> all = ordered(begins);
  const std::vector<std::int64_t> tail = ordered(ends);
  all.insert(all.end(), tail.begin(), tail.end());
  const std::string source = as_image ? image(cut) : plain(cut);
  const std::string name =
      emit("Pad", {source, constant(std::move(all))}, {{"mode", std::string("constant")}});
  return as_image ? image_value(name, ordered(shape)) : plain_value(name, std::move(shape));
}

Value Translator::sliced(Value& value, const std::vector<std::int64_t>& start,
                         const std::vector<std::int64_t>& count,
                         const std::vector<std::int64_t>& step) {
  const std::size_t rank = value.shape.size();
  if (count == value.shape &&
      std::all_of(step.begin(), step.end(), [](std::int64_t s) { return s == 1; })) {
    return value;
  }
  const bool as_image = rank == 4 && prefers_image({&value});
  std::vector<std::int64_t> starts, ends, axes, steps;
  for (std::size_t d = 0; d < rank; ++d) {
    if (count[d] == value.shape[d] && step[d] == 1) continue;
    if (count[d] < 1) fail("the slice is empty in dimension {}", d);
    starts.push_back(start[d]);
    // End position, one step past the last element; before the first element it must be very low,
    // since negative positions count from the end.
    const std::int64_t end = start[d] + (count[d] - 1) * step[d] + (step[d] > 0 ? 1 : -1);
    ends.push_back(end < 0 ? -value.shape[d] - 1 : end);
    axes.push_back(static_cast<std::int64_t>(as_image ? image_axis(d) : d));
    steps.push_back(step[d]);
  }
  const std::string source = as_image ? image(value) : plain(value);
  const std::string name =
      emit("Slice", {source, constant(std::move(starts)), constant(std::move(ends)),
                     constant(std::move(axes)), constant(std::move(steps))});
  return as_image ? image_value(name, to_channels_first(count)) : plain_value(name, count);
}

// ---- results ------------------------------------------------------------------------------------

void Translator::pass_on(std::size_t i) {
  Value value = input(i);
  value.shared = value.shared || readings(i) != 1;
  result(std::move(value));
}

std::size_t Translator::readings(std::size_t i) const {
  const auto found = readings_->find(node().inputs[i].text());
  return found == readings_->end() ? 0 : found->second;
}

nn::Node* Translator::product_of(const Value& value) {
  const std::string& name = value.image.empty() ? value.plain : value.image;
  const auto made = producers_.find(name);
  if (made == producers_.end() || value.shared || readings(0) != 1) return nullptr;
  nn::Node& product = graph_.nodes[made->second];
  return is_product(product) ? &product : nullptr;
}

std::vector<Value> Translator::translate(
    const Node& node, std::vector<Value*> inputs,
    const std::unordered_map<std::string, std::size_t>& readings) {
  node_ = &node;
  inputs_ = std::move(inputs);
  readings_ = &readings;
  results_.clear();
  first_node_ = graph_.nodes.size();
  const Operator* op = find_operator(node.op);
  if (op == nullptr) fail("{}", why_not(node.op));
  if (inputs_.size() < op->least_inputs || inputs_.size() > op->most_inputs) {
    fail("has {} inputs; allowed {}", inputs_.size(),
         op->least_inputs == op->most_inputs ? fmt::format("is {}", op->least_inputs)
         : op->most_inputs == any_number
             ? fmt::format("are {} and more", op->least_inputs)
             : fmt::format("are {} to {}", op->least_inputs, op->most_inputs));
  }
  op->translate(*this);
  name_results();
  return std::move(results_);
}

void Translator::rename(const std::string& from, const std::string& to) {
  renamed_[from] = to;
  const auto made = producers_.find(from);
  if (made != producers_.end()) {
    const std::size_t place = made->second;
    producers_.erase(made);
    producers_[to] = place;
  }
  for (nn::Node& node : graph_.nodes) {
    std::replace(node.inputs.begin(), node.inputs.end(), from, to);
    std::replace(node.outputs.begin(), node.outputs.end(), from, to);
  }
}

std::string Translator::finished(const Node& of, Value& value, const std::string& wanted) {
  node_ = &of;
  first_node_ = graph_.nodes.size();
  for (std::string* name : {&value.plain, &value.image}) {
    for (auto to = renamed_.find(*name); to != renamed_.end(); to = renamed_.find(*name)) {
      *name = to->second;
    }
  }
  std::string made = plain(value);
  if (made == wanted) return made;
  // If the other form of the value has this name, that form gets another name.
  if (producers_.count(wanted) != 0) {
    const std::string moved = unused(wanted + "/image");
    rename(wanted, moved);
    if (value.image == wanted) value.image = moved;
  }
  const bool taken = std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                                 [&](const nn::ValueInfo& info) { return info.name == made; });
  if (!taken && producers_.count(made) != 0) {
    rename(made, wanted);
    value.plain = wanted;
    return wanted;
  }
  const std::string copy = emit("Identity", {made});
  rename(copy, wanted);
  return wanted;
}

/// Gives the node that computes a result the name of the TensorFlow node, and its outputs the names
/// of that node's outputs.
void Translator::name_results() {
  bool named = false;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    Value& value = results_[i];
    std::string& name = value.image.empty() ? value.plain : value.image;
    const auto made = producers_.find(name);
    if (made == producers_.end() || made->second < first_node_) continue;
    const std::size_t place = made->second;
    nn::Node& maker = graph_.nodes[place];
    if (!named) maker.name = node().name;
    named = true;
    const std::string wanted = Output{node().name, i}.text();
    // So far only nodes of this translation can read the value.
    for (std::size_t k = first_node_; k < graph_.nodes.size(); ++k) {
      nn::Node& one = graph_.nodes[k];
      std::replace(one.inputs.begin(), one.inputs.end(), name, wanted);
      std::replace(one.outputs.begin(), one.outputs.end(), name, wanted);
    }
    producers_.erase(name);
    producers_[wanted] = place;
    const std::string old = name;
    for (Value& other : results_) {
      if (other.plain == old) other.plain = wanted;
      if (other.image == old) other.image = wanted;
    }
  }
}

// ---- layouts of images --------------------------------------------------------------------------

DataFormat data_format(const Translator& t) {
  const std::string format = t.node().text("data_format", "NHWC");
  if (format != "NHWC" && format != "NCHW") {
    t.fail("attribute data_format is {}; supported are NHWC and NCHW", quote(format));
  }
  return {format == "NCHW"};
}

std::string image_input(Translator& t, std::size_t i, DataFormat format) {
  Value& value = t.input(i);
  t.expect_rank(value, 4, fmt::format("input {}", i));
  return format.channels_first ? t.plain(value) : t.image(value);
}

nn::Shape image_shape(const Value& value, DataFormat format) {
  return format.channels_first ? value.shape : to_channels_first(value.shape);
}

Value image_result(Translator& t, const std::string& name, const nn::Shape& shape,
                   DataFormat format) {
  return format.channels_first ? t.plain_value(name, shape) : t.image_value(name, shape);
}

}  // namespace tactus::tf
