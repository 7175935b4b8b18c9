#include "firmware/tensorflow/lite/builder.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "firmware/tensorflow/tensors.h"
#include "isa/darwinn/tflite.h"
#include "isa/support/text.h"

namespace tactus::tf::lite {
namespace {

constexpr std::int32_t custom_code = 32;
constexpr std::int8_t lite_uint8 = 3, lite_int8 = 9, lite_int4 = 17;

/// TensorFlow's codes of TensorFlow Lite's element types; 0: none.
constexpr std::int32_t codes[] = {tf_float,  tf_half,   tf_int32,  tf_uint8,   tf_int64,
                                  0,         tf_bool,   tf_int16,  0,          tf_int8,
                                  tf_double, 0,         tf_uint64, 0,          0,
                                  tf_uint32, tf_uint16, tf_int8,   tf_bfloat16};

std::int32_t code_of(std::int8_t type) {
  // A number of 8 bits, and no character. NOLINTNEXTLINE(bugprone-signed-char-misuse)
  const auto index = static_cast<std::size_t>(type);
  return type >= 0 && index < std::size(codes) ? codes[index] : 0;
}

std::string text(const flatbuffers::String* from) {
  return from == nullptr ? std::string() : std::string(from->c_str(), from->size());
}

bool is_quantised(const Tensor& tensor) {
  const Quantization* q = tensor.quantization();
  return q != nullptr && q->scale() != nullptr && q->scale()->size() > 0 && tensor.type() != 0;
}

/// The integers of the smallest and the largest value of an 8-bit type.
std::pair<double, double> ends_of(std::int8_t type) {
  return type == lite_uint8 ? std::pair{0.0, 255.0} : std::pair{-128.0, 127.0};
}

/// Multiplies the integers of a tensor out: (q - zero point) * scale.
void dequantise(nn::Tensor& tensor, const Quantization& q, const std::string& where) {
  const std::size_t scales = q.scale()->size();
  const std::size_t zeros = q.zero_point() == nullptr ? 0 : q.zero_point()->size();
  std::size_t inner = 1;
  if (scales > 1) {
    const auto axis = static_cast<std::size_t>(q.quantized_dimension());
    if (axis >= tensor.shape.size() || static_cast<std::size_t>(tensor.shape[axis]) != scales) {
      user_error("{}: has {} scales along dimension {} of {}", where, scales,
                 q.quantized_dimension(), nn::to_string(tensor.shape));
    }
    for (std::size_t d = axis + 1; d < tensor.shape.size(); ++d) {
      inner *= static_cast<std::size_t>(tensor.shape[d]);
    }
  }
  if (zeros > 1 && zeros != scales) {
    user_error("{}: has {} scales and {} zero points", where, scales, zeros);
  }
  tensor.floats.resize(tensor.integers.size());
  for (std::size_t i = 0; i < tensor.integers.size(); ++i) {
    const auto channel = static_cast<std::uint32_t>(i / inner % scales);
    const std::int64_t zero = zeros == 0 ? 0 : q.zero_point()->Get(zeros == 1 ? 0 : channel);
    tensor.floats[i] = static_cast<float>(static_cast<double>(tensor.integers[i] - zero) *
                                          double{q.scale()->Get(channel)});
  }
  tensor.integers.clear();
  tensor.type = nn::ElementType::float32;
  tensor.stored = 0;
}

/// Two numbers of 4 bits a byte, the lower half first.
std::vector<std::uint8_t> unpacked(const std::vector<std::uint8_t>& packed, std::size_t count) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < count && i / 2 < packed.size(); ++i) {
    const int bits = packed[i / 2] >> (i % 2 * 4) & 15;
    bytes.push_back(static_cast<std::uint8_t>(bits >= 8 ? bits - 16 : bits));
  }
  return bytes;
}

}  // namespace

std::string name_of(const OperatorCode& code) {
  // Old files have only the field of one byte; the wider field is 0 in them.
  const std::int32_t number =
      std::max<std::int32_t>(code.deprecated_builtin_code(), code.builtin_code());
  if (number != custom_code) return darwinn::builtin_operator_name(number);
  const std::string name = printable(text(code.custom_code()));
  return name.empty() ? "CUSTOM" : name;
}

Builder::Builder(const Model& model, const SubGraph& graph, const std::vector<std::uint8_t>& bytes,
                 const std::string& file)
    : model_(model), graph_(graph), bytes_(bytes), file_(file) {
  made_.file = file;
  made_.supported = lite_operator_names();
}

// ---- tensors ------------------------------------------------------------------------------------

const Tensor& Builder::tensor_at(std::int32_t index) const {
  const std::uint32_t count = graph_.tensors() == nullptr ? 0 : graph_.tensors()->size();
  if (index < 0 || static_cast<std::uint32_t>(index) >= count) {
    user_error("{}: operator {}: there is no tensor {}; the file has {}", file_, number_, index,
               count);
  }
  return *graph_.tensors()->Get(static_cast<std::uint32_t>(index));
}

std::string Builder::subject(const Tensor& tensor) const {
  return fmt::format("{}: tensor {}", file_, quote(text(tensor.name())));
}

std::vector<std::int64_t> Builder::shape(const Tensor& tensor) const {
  std::vector<std::int64_t> sizes;
  if (tensor.shape() == nullptr) return sizes;
  for (const std::int32_t size : *tensor.shape()) {
    if (size < 0) user_error("{}: a dimension is {}", subject(tensor), size);
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::uint8_t> Builder::data(const Tensor& tensor) const {
  if (tensor.sparsity() != nullptr)
    user_error("{}: sparse tensors are not supported", subject(tensor));
  if (tensor.external_buffer() != 0) {
    user_error("{}: its elements are in another file, which is not supported", subject(tensor));
  }
  const std::uint32_t count = model_.buffers() == nullptr ? 0 : model_.buffers()->size();
  if (tensor.buffer() >= count) {
    user_error("{}: there is no buffer {}; the file has {}", subject(tensor), tensor.buffer(),
               count);
  }
  const Buffer& buffer = *model_.buffers()->Get(tensor.buffer());
  if (buffer.offset() > 1) {  // 1 stands for a position that is not known yet
    if (buffer.offset() > bytes_.size() || buffer.size() > bytes_.size() - buffer.offset()) {
      user_error("{}: its elements are beyond the end of the file", subject(tensor));
    }
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(buffer.offset());
    return {begin, begin + static_cast<std::ptrdiff_t>(buffer.size())};
  }
  if (buffer.data() == nullptr) return {};
  return {buffer.data()->begin(), buffer.data()->end()};
}

nn::Tensor Builder::constant_of(const Tensor& tensor) const {
  const std::int32_t code = code_of(tensor.type());
  if (code == 0) {
    user_error("{}: constants of element type {} are not supported", subject(tensor),
               static_cast<int>(tensor.type()));
  }
  proto::Tensor message;
  message.set_dtype(code);
  const std::vector<std::int64_t> sizes = shape(tensor);
  for (const std::int64_t size : sizes) message.mutable_tensor_shape()->add_dim()->set_size(size);
  std::vector<std::uint8_t> bytes = data(tensor);
  if (bytes.empty() && nn::element_count(sizes, subject(tensor)) > 0) {
    user_error("{}: is neither an input, nor a constant, nor computed before it is read",
               subject(tensor));
  }
  if (tensor.type() == lite_int4) {
    bytes = unpacked(bytes, static_cast<std::size_t>(nn::element_count(sizes, subject(tensor))));
  }
  message.set_tensor_content(bytes.data(), bytes.size());
  nn::Tensor made = load_tensor(message, subject(tensor));
  if (is_quantised(tensor) && made.type == nn::ElementType::int64) {
    dequantise(made, *tensor.quantization(), subject(tensor));
  }
  if (made.type == nn::ElementType::float32) made.stored = 0;
  return made;
}

// ---- the operator -------------------------------------------------------------------------------

void Builder::start(std::uint32_t number) {
  number_ = number;
  op_ = graph_.operators()->Get(number);
  const std::uint32_t codes =
      model_.operator_codes() == nullptr ? 0 : model_.operator_codes()->size();
  if (op_->opcode_index() >= codes) {
    user_error("{}: operator {}: there is no operator code {}; the file has {}", file_, number,
               op_->opcode_index(), codes);
  }
  kind_ = name_of(*model_.operator_codes()->Get(op_->opcode_index()));
  name_ = op_->outputs() == nullptr || op_->outputs()->size() == 0
              ? fmt::format("operator_{}", number)
              : text(result_tensor().name());
}

std::size_t Builder::input_count() const {
  return op_->inputs() == nullptr ? 0 : op_->inputs()->size();
}

bool Builder::has(std::size_t i) const {
  return i < input_count() && op_->inputs()->Get(static_cast<std::uint32_t>(i)) != -1;
}

const Tensor& Builder::tensor(std::size_t i) const {
  if (!has(i)) fail("input {} is missing", i);
  return tensor_at(op_->inputs()->Get(static_cast<std::uint32_t>(i)));
}

const Tensor& Builder::result_tensor(std::size_t i) const {
  if (op_->outputs() == nullptr || i >= op_->outputs()->size()) fail("output {} is missing", i);
  return tensor_at(op_->outputs()->Get(static_cast<std::uint32_t>(i)));
}

std::int32_t Builder::result_code() const {
  const std::int32_t code = code_of(result_tensor().type());
  if (code == 0) fail("a result of element type {} is not supported", result_tensor().type());
  return code;
}

bool Builder::is_constant(std::size_t i) const {
  return has(i) && values_.count(op_->inputs()->Get(static_cast<std::uint32_t>(i))) == 0 &&
         !data(tensor(i)).empty();
}

Output Builder::value(std::int32_t index) {
  const auto found = values_.find(index);
  if (found != values_.end()) return found->second;
  const Tensor& tensor = tensor_at(index);
  nn::Tensor constant = constant_of(tensor);
  const Output made = add_constant(unused(text(tensor.name())), std::move(constant));
  return values_.emplace(index, made).first->second;
}

Output Builder::input(std::size_t i) {
  (void)tensor(i);
  return value(op_->inputs()->Get(static_cast<std::uint32_t>(i)));
}

std::vector<Output> Builder::inputs() {
  std::vector<Output> all;
  for (std::size_t i = 0; i < input_count(); ++i) all.push_back(input(i));
  return all;
}

// ---- nodes --------------------------------------------------------------------------------------

std::string Builder::unused(std::string name) {
  const std::string_view first = ":0";
  if (name.size() > 2 && name.compare(name.size() - 2, 2, first) == 0) name.resize(name.size() - 2);
  // A colon separates a node from the number of its output.
  std::replace(name.begin(), name.end(), ':', '_');
  if (name.empty()) name = "tensor";
  std::string wanted = name;
  for (int k = 1; !names_.insert(wanted).second; ++k) wanted = fmt::format("{}_{}", name, k);
  return wanted;
}

Output Builder::add(std::string_view op, std::vector<Output> inputs, NodeAttributes attributes) {
  Node node;
  node.name = unused(name_ + "/" + std::string(op));
  node.op = op;
  node.shown_op = kind_;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  node.file = file_;
  made_.nodes.push_back(std::move(node));
  return {made_.nodes.back().name, 0};
}

Output Builder::add_constant(const std::string& name, nn::Tensor tensor) {
  Node node;
  node.name = name;
  node.op = "Const";
  node.attributes.emplace("value", std::move(tensor));
  node.file = file_;
  made_.nodes.push_back(std::move(node));
  return {name, 0};
}

Output Builder::constant(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return add_constant(unused(name_ + "/constant"), nn::Tensor::of({count}, std::move(values)));
}

Output Builder::constant(float value) {
  return add_constant(unused(name_ + "/constant"), nn::Tensor::of({}, std::vector{value}));
}

Output Builder::activated(Output value, Activation activation) {
  switch (activation) {
    case Activation::none:
      return value;
    case Activation::relu:
      return add("Relu", {value});
    case Activation::relu_n1_to_1:
      return add("ClipByValue", {value, constant(-1.0F), constant(1.0F)});
    case Activation::relu6:
      return add("Relu6", {value});
    case Activation::tanh:
      return add("Tanh", {value});
    case Activation::sign_bit:
      break;
  }
  fail("activation {} is not supported", static_cast<int>(activation));
}

Output Builder::bounded(Output value, const Tensor& tensor) {
  const bool bytes = tensor.type() == lite_int8 || tensor.type() == lite_uint8;
  if (!bytes || !is_quantised(tensor)) return value;
  const Quantization& q = *tensor.quantization();
  if (q.scale()->size() != 1) {
    user_error("{}: has {} scales; a tensor that is computed may have 1", subject(tensor),
               q.scale()->size());
  }
  const std::int64_t zero =
      q.zero_point() == nullptr || q.zero_point()->size() == 0 ? 0 : q.zero_point()->Get(0);
  const auto [least, most] = ends_of(tensor.type());
  const double scale = q.scale()->Get(0);
  return add("FakeQuantWithMinMaxArgs", {std::move(value)},
             {{"min", static_cast<float>((least - static_cast<double>(zero)) * scale)},
              {"max", static_cast<float>((most - static_cast<double>(zero)) * scale)},
              {"num_bits", std::int64_t{8}}});
}

void Builder::finish(const Output& value, std::size_t i) {
  const Tensor& tensor = result_tensor(i);
  const std::int32_t index = op_->outputs()->Get(static_cast<std::uint32_t>(i));
  (void)bounded(value, tensor);
  std::string& name = made_.nodes.back().name;
  name = unused(text(tensor.name()));
  if (!values_.emplace(index, Output{name, 0}).second) {
    fail("tensor {} is computed twice", quote(text(tensor.name())));
  }
}

void Builder::finish_all(const Output& node) {
  const std::size_t results = op_->outputs() == nullptr ? 0 : op_->outputs()->size();
  for (std::size_t i = 0; i < results; ++i) finish(add("Identity", {{node.node, i}}), i);
}

// ---- the whole ----------------------------------------------------------------------------------

void Builder::add_inputs() {
  if (graph_.inputs() == nullptr) return;
  for (const std::int32_t index : *graph_.inputs()) {
    const Tensor& tensor = tensor_at(index);
    const bool real = is_quantised(tensor);
    const std::int32_t code = real ? tf_float : code_of(tensor.type());
    if (code == 0) {
      user_error("{}: inputs of element type {} are not supported", subject(tensor),
                 static_cast<int>(tensor.type()));
    }
    std::vector<std::optional<std::int64_t>> sizes;
    const auto* signature = tensor.shape_signature();
    const std::vector<std::int64_t> stated = shape(tensor);
    for (std::size_t d = 0; d < stated.size(); ++d) {
      const bool open = signature != nullptr && d < signature->size() &&
                        signature->Get(static_cast<std::uint32_t>(d)) < 0;
      sizes.push_back(open ? std::nullopt : std::optional(stated[d]));
    }
    Node node;
    node.name = name_ = unused(text(tensor.name()));
    node.op = "Placeholder";
    node.attributes = {{"dtype", TypeName{code}}, {"shape", PartialShape(std::move(sizes))}};
    node.file = file_;
    made_.nodes.push_back(std::move(node));
    values_.insert_or_assign(index, bounded({name_, 0}, tensor));
  }
}

GraphDef Builder::take() {
  std::unordered_set<std::string> seen;
  if (graph_.outputs() != nullptr) {
    for (const std::int32_t index : *graph_.outputs()) {
      const Output output = value(index);
      if (seen.insert(output.text()).second) made_.outputs.push_back(output);
    }
  }
  if (made_.outputs.empty()) user_error("{}: the model has no outputs", file_);
  return std::move(made_);
}

}  // namespace tactus::tf::lite
