// Comparisons, logic, Where and functions with steps on computed values before a product; others
// are computed exactly by the host (model.cpp).
//
// Truth values are 0 and 1. A difference in fixed point is zero or at least one step; clipped to 0
// .. 1 step and multiplied by the number of steps of 1, it is exactly 0 or 1.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/quantised_clip.h"
#include "firmware/reference/reference.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// The operand as real numbers; values beyond the data type's range saturate.
std::string real_operand(const Planner& p, Expansion& e, std::size_t i) {
  const nn::Tensor* constant = p.constant(i);
  if (constant == nullptr) return p.node.inputs[i];
  const tcu::DataType type = p.architecture().data_type;
  const auto low = static_cast<float>(to_real(type, info(type).min()));
  const auto high = static_cast<float>(to_real(type, info(type).max()));
  nn::Tensor real = nn::Tensor::of(constant->shape, constant->reals());
  for (float& value : real.floats) value = std::clamp(value, low, high);
  return e.constant(std::move(real));
}

/// 1 - x for an operand of truth values.
std::string complement(const Planner& p, Expansion& e, std::size_t i) {
  const nn::Tensor* constant = p.constant(i);
  if (constant == nullptr) return e.node("Sub", {e.constant(1.0F), p.node.inputs[i]});
  nn::Tensor real = nn::Tensor::of(constant->shape, constant->reals());
  for (float& value : real.floats) value = 1 - value;
  return e.constant(std::move(real));
}

/// True if the node is left to the host, since no product follows.
bool left_to_host(Planner& p) {
  if (p.before_product()) return false;
  p.problem("the unit does not have the operator");  // there is no exact implementation
  return true;
}

/// 1 where a is greater than b, else 0.
std::string greater(const Planner& p, Expansion& e, const std::string& a, const std::string& b) {
  const unsigned bits = info(p.architecture().data_type).binary_point;
  const auto step = static_cast<float>(1.0 / static_cast<double>(std::uint64_t{1} << bits));
  const std::string difference = e.node("Sub", {a, b});
  const std::string cut = clipped(p, e, difference, 0, step);
  // Two factors are used, since the number of steps of 1 may exceed the data type's range.
  const auto factor = [&](unsigned power) {
    return e.constant(static_cast<float>(std::uint64_t{1} << power));
  };
  return e.node("Mul", {e.node("Mul", {cut, factor(bits / 2)}), factor(bits - bits / 2)});
}

bool expand_comparison(Planner& p, Expansion& e) {
  if (left_to_host(p)) return true;
  const std::string& op = p.node.op_type;
  const std::string a = real_operand(p, e, 0), b = real_operand(p, e, 1);
  if (op == "Greater" || op == "Less") {
    e.last("Identity", {op == "Greater" ? greater(p, e, a, b) : greater(p, e, b, a)});
    return true;
  }
  const std::string one = e.constant(1.0F);
  if (op == "Equal") {
    e.last("Sub", {one, e.node("Add", {greater(p, e, a, b), greater(p, e, b, a)})});
  } else {
    e.last("Sub", {one, op == "LessOrEqual" ? greater(p, e, a, b) : greater(p, e, b, a)});
  }
  return true;
}

bool expand_logic(Planner& p, Expansion& e) {
  if (left_to_host(p)) return true;
  const std::string a = real_operand(p, e, 0);
  if (p.node.op_type == "Not") {
    e.last("Sub", {e.constant(1.0F), a});
    return true;
  }
  const std::string b = real_operand(p, e, 1);
  if (p.node.op_type == "And") e.last("Mul", {a, b});
  if (p.node.op_type == "Or") e.last("Max", {a, b});
  if (p.node.op_type == "Xor") {
    const std::string both = e.node("Mul", {a, b});
    e.last("Sub", {e.node("Max", {a, b}), both});
  }
  return true;
}

/// condition * a + (1 - condition) * b, of which one term is 0; products with 1 are exact.
bool expand_where(Planner& p, Expansion& e) {
  if (left_to_host(p)) return true;
  const std::string taken = real_operand(p, e, 0), other = complement(p, e, 0);
  const auto term = [&](const std::string& choice, std::size_t i) {
    if (p.constant(0) == nullptr || p.constant(i) == nullptr) {
      return e.node("Mul", {choice, real_operand(p, e, i)});
    }
    // Both are constants, and so is their product.
    const std::string operand = real_operand(p, e, i);
    const nn::Tensor& a = *p.model().value(choice).constant;
    const nn::Tensor& b = *p.model().value(operand).constant;
    nn::Node product;
    product.name = p.node.name;
    product.file = p.node.file;
    product.op_type = "Mul";
    product.inputs = {choice, operand};
    return e.constant(nn::run_node(product, p.opset(), {&a, &b}).front());
  };
  const std::string first = term(taken, 1), second = term(other, 2);
  e.last("Add", {first, second});
  return true;
}

/// Functions with steps, as sums and products with truth values.
bool expand_steps(Planner& p, Expansion& e) {
  if (left_to_host(p)) return true;
  const std::string& op = p.node.op_type;
  const std::string& x = p.node.inputs[0];
  if (op == "Sign") {
    const std::string zero = e.constant(0.0F);
    e.last("Sub", {greater(p, e, x, zero), greater(p, e, zero, x)});
    return true;
  }
  if (op == "ThresholdedRelu") {
    e.last("Mul", {x, greater(p, e, x, e.constant(p.node.real("alpha", 1)))});
    return true;
  }
  const std::string whole = rounded_to_steps(p, e, x, nn::Tensor::of({}, std::vector{1.0F}), 1);
  if (op == "Round") e.last("Identity", {whole});
  if (op == "Floor") e.last("Sub", {whole, greater(p, e, whole, x)});
  if (op == "Ceil") e.last("Add", {whole, greater(p, e, x, whole)});
  return true;
}

/// What exceeds the limits, plus what the bias leaves of the step at a limit.
bool expand_shrink(Planner& p, Expansion& e) {
  const float limit = p.node.real("lambd", 0.5F), bias = p.node.real("bias", 0);
  const bool has_step = bias != limit;
  if (has_step && left_to_host(p)) return true;
  const std::string& x = p.node.inputs[0];
  const Expansion::Inputs beyond{x, clipped(p, e, x, -limit, limit)};
  if (!has_step) {
    e.last("Sub", beyond);
    return true;
  }
  const std::string sign =
      e.node("Sub", {greater(p, e, x, e.constant(limit)), greater(p, e, e.constant(-limit), x)});
  e.last("Add", {e.node("Sub", beyond), e.node("Mul", {sign, e.constant(limit - bias)})});
  return true;
}

}  // namespace

Operators logic_operators() {
  Operators all;
  for (const char* type : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) {
    all.push_back({type, keeps_layout, Role::simple, nullptr, nullptr, expand_comparison});
  }
  for (const char* type : {"And", "Or", "Xor"}) {
    all.push_back({type, keeps_layout, Role::simple, nullptr, nullptr, expand_logic});
  }
  all.push_back({"Not", keeps_layout, Role::simple, nullptr, nullptr, expand_logic});
  all.push_back({"Where", keeps_layout, Role::simple, nullptr, nullptr, expand_where});
  for (const char* type : {"Ceil", "Floor", "Round", "Sign", "ThresholdedRelu"}) {
    all.push_back({type, keeps_layout, Role::simple, nullptr, nullptr, expand_steps});
  }
  all.push_back({"Shrink", keeps_layout, Role::simple, nullptr, nullptr, expand_shrink});
  return all;
}

}  // namespace tactus::compiler
