// Functions of one element that the unit has no form of its own for, bits, and normalisations of
// rows.
#include <algorithm>
#include <cmath>
#include <map>

#include "firmware/onnx/number_types.h"
#include "firmware/reference/call.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {
namespace {

using Real = double (*)(double);

/// Calls visit(first element, distance of elements) for each line along an axis.
template <typename Visit>
void each_line(const Tensor& x, std::size_t axis, Visit&& visit) {
  const auto length = static_cast<std::size_t>(x.shape[axis]);
  const auto step = static_cast<std::size_t>(strides_of(x.shape)[axis]);
  for (std::size_t first = 0; first < static_cast<std::size_t>(x.size()); ++first) {
    if (first / step % length == 0) visit(first, step, length);
  }
}

}  // namespace

void run_trigonometry(Call& call) {
  static const std::map<std::string, Real> functions{
      {"Sin", std::sin},     {"Cos", std::cos},     {"Tan", std::tan},    {"Asin", std::asin},
      {"Acos", std::acos},   {"Atan", std::atan},   {"Sinh", std::sinh},  {"Cosh", std::cosh},
      {"Asinh", std::asinh}, {"Acosh", std::acosh}, {"Atanh", std::atanh}};
  const Real function = functions.at(call.node.op_type);
  Tensor out = call.floats(0);
  for (float& value : out.floats) value = static_cast<float>(function(static_cast<double>(value)));
  call.results.push_back(std::move(out));
}

void run_shrink(Call& call) {
  const float limit = call.node.real("lambd", 0.5F), bias = call.node.real("bias", 0);
  Tensor out = call.floats(0);
  for (float& x : out.floats) x = x < -limit ? x + bias : x > limit ? x - bias : 0;
  call.results.push_back(std::move(out));
}

void run_swiglu(Call& call) {
  const auto alpha = static_cast<double>(call.node.real("alpha", 1));
  call.results.push_back(call.combined(call.floats(0), call.floats(1), [=](float a, float b) {
    const double gate = static_cast<double>(a);
    return static_cast<float>(gate / (1 + std::exp(-alpha * gate)) * static_cast<double>(b));
  }));
}

/// Tells which elements are infinite, or no numbers.
void run_special(Call& call) {
  const Tensor& x = call.floats(0);
  const bool infinite = call.node.op_type == "IsInf";
  const bool below = call.node.integer("detect_negative", 1) != 0;
  const bool above = call.node.integer("detect_positive", 1) != 0;
  std::vector<std::int64_t> flags;
  for (const float value : x.floats) {
    const bool found =
        infinite ? std::isinf(value) && (value < 0 ? below : above) : std::isnan(value);
    flags.push_back(found ? 1 : 0);
  }
  Tensor out = Tensor::of(x.shape, std::move(flags));
  out.stored = onnx_bool;
  call.results.push_back(std::move(out));
}

void run_bitwise(Call& call) {
  const std::string& op = call.node.op_type;
  const Tensor& first = call.input(0);
  if (first.type != ElementType::int64) call.fail("input 0 is FLOAT; allowed are integers");
  Tensor out = first;
  if (op == "BitwiseNot") {
    for (std::int64_t& value : out.integers) value = ~value;
  } else {
    out = call.combined(first, call.input(1), [&](auto a, auto b) {
      const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
      const std::uint64_t bits = op == "BitwiseAnd" ? x & y : op == "BitwiseOr" ? x | y : x ^ y;
      return static_cast<decltype(a)>(static_cast<std::int64_t>(bits));
    });
  }
  call.results.push_back(as_type(out, type_of(first)));
}

void run_bit_shift(Call& call) {
  const std::string direction = call.node.text("direction");
  if (direction != "LEFT" && direction != "RIGHT") {
    call.fail("attribute \"direction\" is \"{}\"; allowed are LEFT, RIGHT", direction);
  }
  const bool left = direction == "LEFT";
  const std::int32_t type = type_of(call.input(0));
  const std::int64_t width = type == onnx_int8 || type == onnx_uint8     ? 8
                             : type == onnx_int16 || type == onnx_uint16 ? 16
                             : type == onnx_int32 || type == onnx_uint32 ? 32
                                                                         : 64;
  const Tensor result = call.combined(call.input(0), call.input(1), [&](auto value, auto places) {
    const auto x = static_cast<std::int64_t>(value), by = static_cast<std::int64_t>(places);
    const bool all = by < 0 || by >= width;
    const std::int64_t right = all ? (x < 0 ? -1 : 0) : x >> by;
    const std::uint64_t up = all ? 0 : static_cast<std::uint64_t>(x) << static_cast<unsigned>(by);
    return static_cast<decltype(value)>(left ? static_cast<std::int64_t>(up) : right);
  });
  call.results.push_back(as_type(result, type));
}

/// 1 for the first of the largest elements along an axis, 0 for the others. Before operator set 13
/// the axis and those behind it are one.
void run_hardmax(Call& call) {
  Tensor out = call.floats(0);
  const Shape shape = out.shape;
  const std::size_t axis =
      call.axis(call.node.integer("axis", call.opset < 13 ? 1 : -1), shape.size());
  if (call.opset < 13) {
    Shape rows(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis));
    rows.push_back(
        element_count(Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end())));
    out.shape = std::move(rows);
  }
  each_line(out, axis, [&](std::size_t first, std::size_t step, std::size_t length) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < length; ++k) {
      if (out.floats[first + k * step] > out.floats[first + best * step]) best = k;
    }
    for (std::size_t k = 0; k < length; ++k) out.floats[first + k * step] = k == best ? 1.0F : 0.0F;
  });
  out.shape = shape;
  call.results.push_back(std::move(out));
}

void run_lp_normalization(Call& call) {
  Tensor out = call.floats(0);
  const std::int64_t power = call.node.integer("p", 2);
  if (power != 1 && power != 2) call.fail("attribute \"p\" is {}; allowed are 1 and 2", power);
  const std::size_t axis = call.axis(call.node.integer("axis", -1), out.shape.size());
  each_line(out, axis, [&](std::size_t first, std::size_t step, std::size_t length) {
    double norm = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const double x = static_cast<double>(out.floats[first + k * step]);
      norm += power == 1 ? std::abs(x) : x * x;
    }
    if (power == 2) norm = std::sqrt(norm);
    for (std::size_t k = 0; norm != 0 && k < length; ++k) {
      float& x = out.floats[first + k * step];
      x = static_cast<float>(static_cast<double>(x) / norm);
    }
  });
  call.results.push_back(std::move(out));
}

void run_mean_variance_normalization(Call& call) {
  const Tensor& x = call.floats(0);
  std::vector<bool> reduced(x.shape.size());
  for (const std::int64_t axis : call.node.integers("axes", {0, 2, 3})) {
    reduced[call.axis(axis, x.shape.size())] = true;
  }
  const std::vector<std::int64_t> strides = strides_of(reduced_shape(x.shape, reduced, true));
  std::vector<std::size_t> group;
  for_each_position(x.shape, [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < position.size(); ++d)
      at += reduced[d] ? 0 : position[d] * strides[d];
    group.push_back(static_cast<std::size_t>(at));
  });
  std::vector<double> sums(x.floats.size()), squares(sums), counts(sums);
  for (std::size_t k = 0; k < group.size(); ++k) {
    const double value = static_cast<double>(x.floats[k]);
    sums[group[k]] += value;
    squares[group[k]] += value * value;
    ++counts[group[k]];
  }
  Tensor out = x;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const double mean = sums[group[k]] / counts[group[k]];
    const double variance = squares[group[k]] / counts[group[k]] - mean * mean;
    out.floats[k] = static_cast<float>((static_cast<double>(x.floats[k]) - mean) /
                                       (std::sqrt(std::max(variance, 0.0)) + 1e-9));
  }
  call.results.push_back(std::move(out));
}

}  // namespace tactus::nn
