// Constants, identities, shapes, and conditions that are known at import.
#include <algorithm>
#include <cmath>

#include "firmware/tensorflow/translator.h"

namespace tactus::tf {
namespace {

void translate_const(Translator& t) {
  const std::string& name = t.node().name;
  t.graph().initializers.emplace(name, t.node().tensor("value"));
  t.result(t.plain_value(name, {}));
}

void translate_identity(Translator& t) { t.pass_on(0); }

void translate_identities(Translator& t) {
  for (std::size_t i = 0; i < t.input_count(); ++i) t.pass_on(i);
}

nn::Tensor whole(nn::Shape shape, std::vector<std::int64_t> values) {
  nn::Tensor tensor = nn::Tensor::of(std::move(shape), std::move(values));
  tensor.stored = nn::onnx_int32;
  return tensor;
}

void translate_shape(Translator& t) {
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    const nn::Shape& shape = t.input(i).shape;
    t.result(t.constant_value(whole({static_cast<std::int64_t>(shape.size())}, shape)));
  }
}

void translate_size(Translator& t) {
  t.result(t.constant_value(whole({}, {nn::element_count(t.input(0).shape, t.node().where())})));
}

void translate_rank(Translator& t) {
  t.result(t.constant_value(whole({}, {static_cast<std::int64_t>(t.input(0).shape.size())})));
}

/// A tensor filled with one value.
nn::Tensor filled(const Translator& t, nn::Shape shape, const nn::Tensor& value) {
  t.expect_size(shape);
  const std::int64_t count = nn::element_count(shape, t.node().where());
  nn::Tensor tensor;
  tensor.type = value.type;
  tensor.stored = value.stored;
  tensor.shape = std::move(shape);
  if (!value.floats.empty()) tensor.floats.assign(static_cast<std::size_t>(count), value.floats[0]);
  if (!value.integers.empty()) {
    tensor.integers.assign(static_cast<std::size_t>(count), value.integers[0]);
  }
  return tensor;
}

void translate_fill(Translator& t) {
  const std::vector<std::int64_t> shape = t.integers(0, "the shape");
  const nn::Tensor& value = t.constant_input(1, "the value");
  if (value.size() != 1) t.fail("the value has {} elements; 1 is allowed", value.size());
  t.result(t.constant_value(filled(t, shape, value)));
}

/// ZerosLike, OnesLike.
void translate_like(Translator& t) {
  const Value& like = t.input(0);
  const bool one = t.node().op == "OnesLike";
  nn::Tensor value = like.type == nn::ElementType::float32
                         ? nn::Tensor::of({}, std::vector<float>{one ? 1.0F : 0.0F})
                         : nn::Tensor::of({}, std::vector<std::int64_t>{one ? 1 : 0});
  value.stored = like.stored;
  t.result(t.constant_value(filled(t, like.shape, value)));
}

void translate_range(Translator& t) {
  std::vector<std::string> inputs;
  const nn::Tensor& start = t.constant_input(0, "the start");
  const nn::Tensor& limit = t.constant_input(1, "the limit");
  const nn::Tensor& delta = t.constant_input(2, "the step");
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1) {
    t.fail("start, limit and step are not one element each");
  }
  const auto number = [](const nn::Tensor& x) {
    return x.floats.empty() ? static_cast<double>(x.integers.front()) : double{x.floats.front()};
  };
  const double count = (number(limit) - number(start)) / number(delta);
  if (!std::isfinite(count) || count > static_cast<double>(most_elements)) {
    t.fail("from {} to {} in steps of {}: supported are {} elements", number(start), number(limit),
           number(delta), most_elements);
  }
  for (std::size_t i = 0; i < 3; ++i) inputs.push_back(t.plain(t.input(i)));
  t.result(t.plain_value(t.emit("Range", std::move(inputs)), {}));
}

void translate_cast(Translator& t) {
  Value& x = t.input(0);
  const std::int32_t to = t.node().type("DstT", tf_float);
  const auto type = number_type(to);
  if (!type) t.fail("a cast to {} is not supported", name_of_type(to));
  if (type->type == x.type &&
      (type->type == nn::ElementType::float32 || type->stored == x.stored)) {
    t.pass_on(0);
    return;
  }
  const std::int64_t number = type->stored != 0 ? std::int64_t{type->stored}
                              : type->type == nn::ElementType::float32
                                  ? std::int64_t{nn::onnx_float}
                                  : std::int64_t{nn::onnx_int64};
  // All real numbers are stored in single precision.
  const std::int64_t kept =
      type->type == nn::ElementType::float32 ? std::int64_t{nn::onnx_float} : number;
  Value result = t.elementwise("Cast", {&x}, {{"to", kept}});
  result.type = type->type;
  result.stored = type->stored;
  t.result(std::move(result));
}

/// FloorDiv and FloorMod of integers, which shape computations use.
void translate_floor_division(Translator& t) {
  const bool quotient = t.node().op == "FloorDiv";
  const nn::Tensor& a = t.constant_input(0, "the dividend");
  const nn::Tensor& b = t.constant_input(1, "the divisor");
  if (a.type != nn::ElementType::int64 || b.type != nn::ElementType::int64) {
    t.fail("supported are constants of whole numbers");
  }
  const nn::Shape shape = broadcast(t, a.shape, b.shape);
  t.expect_size(shape);
  const auto at = [&](const nn::Tensor& x, std::size_t i) {
    return x.integers[x.integers.size() == 1 ? 0 : i];
  };
  const auto count = static_cast<std::size_t>(nn::element_count(shape, t.node().where()));
  if ((a.integers.size() != 1 && a.integers.size() != count) ||
      (b.integers.size() != 1 && b.integers.size() != count)) {
    t.fail("shapes {} and {}: supported are equal shapes and single numbers",
           nn::to_string(a.shape), nn::to_string(b.shape));
  }
  std::vector<std::int64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t x = at(a, i), y = at(b, i);
    if (y == 0) t.fail("the divisor is 0");
    if (y == -1) {
      values[i] = quotient ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)) : 0;
      continue;
    }
    const bool down = x % y != 0 && (x < 0) != (y < 0);
    values[i] = quotient ? x / y - (down ? 1 : 0) : x % y + (down ? y : 0);
  }
  t.result(t.constant_value(whole(shape, std::move(values))));
}

/// Switch and Merge with a known condition; the branch not taken is dead.
void translate_switch(Translator& t) {
  const nn::Tensor& condition = t.constant_input(1, "the condition");
  if (condition.size() != 1 || condition.type != nn::ElementType::int64) {
    t.fail("the condition is no single flag");
  }
  const bool taken = condition.integers.front() != 0;
  Value dead;
  dead.dead = true;
  Value live = t.input(0);
  live.shared = true;
  t.result(taken ? dead : live);
  t.result(taken ? live : dead);
}

void translate_merge(Translator& t) {
  std::int64_t found = -1;
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    if (t.input(i).dead) continue;
    if (found >= 0) t.fail("inputs {} and {} are both alive; supported is one", found, i);
    found = static_cast<std::int64_t>(i);
  }
  Value live;
  live.dead = true;
  if (found >= 0) live = t.input(static_cast<std::size_t>(found));
  live.shared = true;
  t.result(std::move(live));
  t.result(t.constant_value(whole({}, {std::max<std::int64_t>(found, 0)})));
}

}  // namespace

Operators constant_operators() {
  return {{"Cast", 1, 1, translate_cast},
          {"CheckNumerics", 1, 1, translate_identity},
          {"Const", 0, 0, translate_const},
          {"EnsureShape", 1, 1, translate_identity},
          {"Fill", 2, 2, translate_fill},
          {"FloorDiv", 2, 2, translate_floor_division},
          {"FloorMod", 2, 2, translate_floor_division},
          {"Identity", 1, 1, translate_identity},
          {"IdentityN", 1, any_number, translate_identities},
          {"Merge", 1, any_number, translate_merge},
          {"OnesLike", 1, 1, translate_like},
          {"PlaceholderWithDefault", 1, 1, translate_identity},
          {"PreventGradient", 1, 1, translate_identity},
          {"Range", 3, 3, translate_range},
          {"Rank", 1, 1, translate_rank},
          {"Shape", 1, 1, translate_shape},
          {"ShapeN", 1, any_number, translate_shape},
          {"Size", 1, 1, translate_size},
          {"Snapshot", 1, 1, translate_identity},
          {"StopGradient", 1, 1, translate_identity},
          {"Switch", 2, 2, translate_switch},
          {"ZerosLike", 1, 1, translate_like}};
}

}  // namespace tactus::tf
