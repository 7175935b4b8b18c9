// Element-wise operators, and reductions along dimensions.
#include <algorithm>
#include <iterator>
#include <map>

#include "firmware/tensorflow/same_operators.h"
#include "firmware/tensorflow/translator.h"

namespace tactus::tf {
namespace {

/// Operators that ONNX has with the same meaning.
void translate_same(Translator& t) {
  const auto* const row = std::find_if(std::begin(same_operators), std::end(same_operators),
                                       [&](const SameOperator& r) { return r.op == t.node().op; });
  std::vector<Value*> values;
  for (std::size_t i = 0; i < t.input_count(); ++i) values.push_back(&t.input(i));
  Value result = t.elementwise(row->onnx, values);
  if (row->result == SameResult::condition) {
    result.type = nn::ElementType::int64;
    result.stored = nn::onnx_bool;
  } else {
    result.type = values.front()->type;
    result.stored = values.front()->stored;
  }
  t.result(std::move(result));
}

void translate_relu_6(Translator& t) {
  Value low = t.constant_value(nn::Tensor::of({}, std::vector{0.0F}));
  Value high = t.constant_value(nn::Tensor::of({}, std::vector{6.0F}));
  t.result(t.elementwise("Clip", {&t.input(0), &low, &high}));
}

void translate_clip(Translator& t) {
  for (std::size_t i : {1U, 2U}) {
    if (t.constant_input(i, "the bound").size() != 1) t.fail("input {} is no single number", i);
  }
  Value low = t.reshaped(t.input(1), {}), high = t.reshaped(t.input(2), {});
  t.result(t.elementwise("Clip", {&t.input(0), &low, &high}));
}

/// NotEqual is the opposite of Equal.
void translate_not_equal(Translator& t) {
  Value equal = t.elementwise("Equal", {&t.input(0), &t.input(1)});
  equal.type = nn::ElementType::int64;
  equal.stored = nn::onnx_bool;
  Value result = t.elementwise("Not", {&equal});
  result.type = nn::ElementType::int64;
  result.stored = nn::onnx_bool;
  t.result(std::move(result));
}

/// HardSwish, of TensorFlow Lite: x * min(max(x / 6 + 1/2, 0), 1).
void translate_hard_swish(Translator& t) {
  Value gate = t.elementwise("HardSigmoid", {&t.input(0)}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}});
  t.result(t.elementwise("Mul", {&t.input(0), &gate}));
}

/// Gelu, of TensorFlow Lite: x / 2 * (1 + erf(x / sqrt(2))), or its approximation by a Tanh.
void translate_gelu(Translator& t) {
  const auto scalar = [&](float value) {
    return t.constant_value(nn::Tensor::of({}, std::vector{value}));
  };
  Value& x = t.input(0);
  Value one = scalar(1), half = scalar(0.5F), curve;
  if (t.node().flag("approximate", false)) {
    Value three = scalar(3), small = scalar(0.044715F), factor = scalar(0.7978845608F);
    Value cube = t.elementwise("Pow", {&x, &three});
    Value part = t.elementwise("Mul", {&cube, &small});
    Value sum = t.elementwise("Add", {&x, &part});
    Value scaled = t.elementwise("Mul", {&sum, &factor});
    curve = t.elementwise("Tanh", {&scaled});
  } else {
    Value root = scalar(1.4142135624F);
    Value scaled = t.elementwise("Div", {&x, &root});
    curve = t.elementwise("Erf", {&scaled});
  }
  Value more = t.elementwise("Add", {&curve, &one});
  Value product = t.elementwise("Mul", {&x, &more});
  t.result(t.elementwise("Mul", {&product, &half}));
}

void translate_leaky_relu(Translator& t) {
  constexpr float usual = 0.2F;
  t.result(t.elementwise("LeakyRelu", {&t.input(0)}, {{"alpha", t.node().real("alpha", usual)}}));
}

void translate_rsqrt(Translator& t) {
  Value root = t.elementwise("Sqrt", {&t.input(0)});
  t.result(t.elementwise("Reciprocal", {&root}));
}

void translate_square(Translator& t) { t.result(t.elementwise("Mul", {&t.input(0), &t.input(0)})); }

void translate_squared_difference(Translator& t) {
  Value difference = t.elementwise("Sub", {&t.input(0), &t.input(1)});
  t.result(t.elementwise("Mul", {&difference, &difference}));
}

/// Select: takes elements of the second operand where the condition is true, else of the third.
void translate_select(Translator& t) {
  Value& condition = t.input(0);
  // In Select, but not in SelectV2, a vector of conditions selects whole rows.
  if (t.node().op == "Select" && condition.shape.size() == 1 && t.input(1).shape.size() > 1) {
    nn::Shape shape(t.input(1).shape.size(), 1);
    shape[0] = condition.shape[0];
    Value rows = t.reshaped(condition, std::move(shape));
    t.result(t.elementwise("Where", {&rows, &t.input(1), &t.input(2)}));
    return;
  }
  Value result = t.elementwise("Where", {&condition, &t.input(1), &t.input(2)});
  result.type = t.input(1).type;
  t.result(std::move(result));
}

/// Softmax and LogSoftmax: along the last dimension.
void translate_softmax(Translator& t) {
  Value& x = t.input(0);
  if (x.shape.empty()) t.fail("the operand is a single number");
  const bool as_image = t.prefers_image({&x}) && x.shape.size() == 4;
  const std::string source = as_image ? t.image(x) : t.plain(x);
  const auto axis = static_cast<std::int64_t>(as_image ? 1 : x.shape.size() - 1);
  const std::string name = t.emit(t.node().op, {source}, {{"axis", axis}});
  t.result(as_image ? t.image_value(name, to_channels_first(x.shape))
                    : t.plain_value(name, x.shape));
}

/// Axes of a reduction. An empty list means no axes, not all.
std::vector<std::size_t> reduction_axes(Translator& t, std::size_t rank) {
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : t.integers(1, "the axes")) axes.push_back(t.axis(axis, rank));
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    t.fail("an axis is given twice");
  }
  return axes;
}

/// Reduces along axes. `whole_image`: the source is N C H W with real numbers, for which the mean
/// over rows and columns is an operator of its own.
std::string reduce(Translator& t, const std::string& source, std::vector<std::int64_t> axes,
                   bool whole_image) {
  static const std::map<std::string_view, const char*> names{{"Max", "ReduceMax"},
                                                             {"Mean", "ReduceMean"},
                                                             {"Min", "ReduceMin"},
                                                             {"Prod", "ReduceProd"},
                                                             {"Sum", "ReduceSum"}};
  const std::string op = names.at(t.node().op);
  std::sort(axes.begin(), axes.end());
  if (op == "ReduceMean" && whole_image && axes == std::vector<std::int64_t>{2, 3}) {
    return t.emit("GlobalAveragePool", {source});
  }
  if (op == "ReduceSum") {
    return t.emit(op, {source, t.constant(axes)}, {{"keepdims", std::int64_t{1}}});
  }
  return t.emit(op, {source}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
}

/// Removes the reduced dimensions. For an image whose remaining dimensions are in the same order,
/// they are removed from the image form.
Value without(Translator& t, Value& reduced, const std::vector<std::size_t>& axes) {
  nn::Shape shape;
  std::vector<std::size_t> left;
  for (std::size_t d = 0; d < reduced.shape.size(); ++d) {
    if (std::find(axes.begin(), axes.end(), d) != axes.end()) continue;
    shape.push_back(reduced.shape[d]);
    left.push_back(image_axis(d % 4));
  }
  if (reduced.image.empty() || !std::is_sorted(left.begin(), left.end())) {
    return t.reshaped(reduced, std::move(shape));
  }
  std::vector<std::int64_t> dropped;
  for (const std::size_t axis : axes)
    dropped.push_back(static_cast<std::int64_t>(image_axis(axis)));
  std::sort(dropped.begin(), dropped.end());
  const std::string axes_name = t.constant(std::move(dropped));
  return t.plain_value(t.emit("Squeeze", {reduced.image, axes_name}), std::move(shape));
}

void translate_reduction(Translator& t) {
  Value& x = t.input(0);
  const std::vector<std::size_t> axes = reduction_axes(t, x.shape.size());
  if (axes.empty()) {
    t.pass_on(0);
    return;
  }
  const bool as_image = x.shape.size() == 4 && t.prefers_image({&x});
  std::vector<std::int64_t> own;
  nn::Shape shape = x.shape;
  for (const std::size_t axis : axes) {
    own.push_back(static_cast<std::int64_t>(as_image ? image_axis(axis) : axis));
    if (x.shape[axis] == 0) t.fail("dimension {} is empty", axis);
    shape[axis] = 1;
  }
  const bool keeps = t.node().flag("keep_dims", t.node().flag("keepdims", false));
  const std::string source = as_image ? t.image(x) : t.plain(x);
  const bool real = x.type == nn::ElementType::float32;
  const std::string name = reduce(t, source, std::move(own), real && x.shape.size() == 4);
  Value kept =
      as_image ? t.image_value(name, to_channels_first(shape)) : t.plain_value(name, shape);
  kept.type = x.type;
  kept.stored = x.stored;
  t.result(keeps ? kept : without(t, kept, axes));
}

/// ArgMax, ArgMin.
void translate_arg(Translator& t) {
  Value& x = t.input(0);
  if (x.shape.empty()) t.fail("the operand is a single number");
  const std::size_t axis =
      t.axis(t.input_count() > 1 ? t.integer(1, "the axis") : 0, x.shape.size());
  const bool as_image = x.shape.size() == 4 && t.prefers_image({&x});
  const auto own = static_cast<std::int64_t>(as_image ? image_axis(axis) : axis);
  const std::string source = as_image ? t.image(x) : t.plain(x);
  const std::string name =
      t.emit(t.node().op, {source}, {{"axis", own}, {"keepdims", std::int64_t{1}}});
  nn::Shape shape = x.shape;
  shape[axis] = 1;
  Value kept = as_image ? t.image_value(name, to_channels_first(shape))
                        : t.plain_value(name, std::move(shape));
  kept.type = nn::ElementType::int64;
  Value result = without(t, kept, {axis});
  result.type = nn::ElementType::int64;
  t.result(std::move(result));
}

}  // namespace

Operators arithmetic_operators() {
  Operators operators{{"ArgMax", 1, 2, translate_arg},
                      {"ArgMin", 1, 2, translate_arg},
                      {"ClipByValue", 3, 3, translate_clip},
                      {"Gelu", 1, 1, translate_gelu},
                      {"HardSwish", 1, 1, translate_hard_swish},
                      {"LeakyRelu", 1, 1, translate_leaky_relu},
                      {"LogSoftmax", 1, 1, translate_softmax},
                      {"Max", 2, 2, translate_reduction},
                      {"Mean", 2, 2, translate_reduction},
                      {"Min", 2, 2, translate_reduction},
                      {"NotEqual", 2, 2, translate_not_equal},
                      {"Prod", 2, 2, translate_reduction},
                      {"Relu6", 1, 1, translate_relu_6},
                      {"Rsqrt", 1, 1, translate_rsqrt},
                      {"Select", 3, 3, translate_select},
                      {"SelectV2", 3, 3, translate_select},
                      {"Softmax", 1, 1, translate_softmax},
                      {"Square", 1, 1, translate_square},
                      {"SquaredDifference", 2, 2, translate_squared_difference},
                      {"Sum", 2, 2, translate_reduction}};
  for (const SameOperator& row : same_operators) {
    const bool any = row.inputs == 0;
    operators.push_back(
        {row.op, any ? 1 : row.inputs, any ? any_number : row.inputs, translate_same});
  }
  return operators;
}

}  // namespace tactus::tf
