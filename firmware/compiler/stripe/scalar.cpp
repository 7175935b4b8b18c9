#include "firmware/compiler/stripe/scalar.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

using Inputs = std::vector<Scalar>;

bool all_integers(const Inputs& in) {
  return std::all_of(in.begin(), in.end(), [](const Scalar& s) { return s.is_integer; });
}

std::int64_t wrap(std::uint64_t value) {
  std::int64_t result = 0;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

std::uint64_t bits(const Scalar& s) { return static_cast<std::uint64_t>(s.as_integer()); }

Scalar truth(bool value) { return Scalar::of(value ? 1 : 0); }

Scalar assign(const Inputs& in) { return in[0]; }

Scalar add(const Scalar& a, const Scalar& b) {
  if (a.is_integer && b.is_integer) return Scalar::of(wrap(bits(a) + bits(b)));
  return Scalar::of_real(a.as_real() + b.as_real());
}

Scalar subtract(const Inputs& in) {
  if (all_integers(in)) return Scalar::of(wrap(bits(in[0]) - bits(in[1])));
  return Scalar::of_real(in[0].as_real() - in[1].as_real());
}

Scalar multiply(const Scalar& a, const Scalar& b) {
  if (a.is_integer && b.is_integer) return Scalar::of(wrap(bits(a) * bits(b)));
  return Scalar::of_real(a.as_real() * b.as_real());
}

Scalar divide(const Inputs& in) {
  if (!all_integers(in)) return Scalar::of_real(in[0].as_real() / in[1].as_real());
  if (in[1].integer == 0) user_error("division of an integer by zero");
  if (in[1].integer == -1) return Scalar::of(wrap(0 - bits(in[0])));
  return Scalar::of(in[0].integer / in[1].integer);
}

Scalar modulo(const Inputs& in) {
  if (!all_integers(in)) return Scalar::of_real(std::fmod(in[0].as_real(), in[1].as_real()));
  if (in[1].integer == 0) user_error("division of an integer by zero");
  if (in[1].integer == -1) return Scalar::of(0);
  return Scalar::of(in[0].integer % in[1].integer);
}

bool less(const Scalar& a, const Scalar& b) {
  if (a.is_integer && b.is_integer) return a.integer < b.integer;
  return a.as_real() < b.as_real();
}

bool equal(const Scalar& a, const Scalar& b) {
  if (a.is_integer && b.is_integer) return a.integer == b.integer;
  return a.as_real() == b.as_real();
}

/// Leaky ReLU with the slope as second input.
Scalar zelu(const Inputs& in) {
  return less(in[0], Scalar::of(0)) ? multiply(in[0], in[1]) : in[0];
}

unsigned shift_of(const Scalar& s) {
  const std::int64_t by = s.as_integer();
  if (by < 0 || by > 63) user_error("a shift by {}; allowed 0..63", by);
  return static_cast<unsigned>(by);
}

template <double (*function)(double)>
Scalar real_function(const Inputs& in) {
  return Scalar::of_real(function(in[0].as_real()));
}

struct Function {
  std::string_view name;
  std::size_t inputs;
  ScalarFunction function;
};

const Function functions[] = {
    {"assign", 1, assign},
    {"ident", 1, assign},
    {"add", 2, [](const Inputs& in) { return add(in[0], in[1]); }},
    {"sub", 2, subtract},
    {"mul", 2, [](const Inputs& in) { return multiply(in[0], in[1]); }},
    {"div", 2, divide},
    {"mod", 2, modulo},
    {"neg", 1,
     [](const Inputs& in) {
       return in[0].is_integer ? Scalar::of(wrap(0 - bits(in[0]))) : Scalar::of_real(-in[0].real);
     }},
    {"max", 2, [](const Inputs& in) { return less(in[0], in[1]) ? in[1] : in[0]; }},
    {"min", 2, [](const Inputs& in) { return less(in[1], in[0]) ? in[1] : in[0]; }},
    {"cond", 3, [](const Inputs& in) { return in[0].truth() ? in[1] : in[2]; }},
    {"lt", 2, [](const Inputs& in) { return truth(less(in[0], in[1])); }},
    {"lte", 2, [](const Inputs& in) { return truth(less(in[0], in[1]) || equal(in[0], in[1])); }},
    {"gt", 2, [](const Inputs& in) { return truth(less(in[1], in[0])); }},
    {"gte", 2, [](const Inputs& in) { return truth(less(in[1], in[0]) || equal(in[0], in[1])); }},
    {"eq", 2, [](const Inputs& in) { return truth(equal(in[0], in[1])); }},
    {"neq", 2, [](const Inputs& in) { return truth(!equal(in[0], in[1])); }},
    {"bit_and", 2, [](const Inputs& in) { return Scalar::of(wrap(bits(in[0]) & bits(in[1]))); }},
    {"bit_or", 2, [](const Inputs& in) { return Scalar::of(wrap(bits(in[0]) | bits(in[1]))); }},
    {"bit_xor", 2, [](const Inputs& in) { return Scalar::of(wrap(bits(in[0]) ^ bits(in[1]))); }},
    {"bit_not", 1, [](const Inputs& in) { return Scalar::of(wrap(~bits(in[0]))); }},
    {"bit_left", 2,
     [](const Inputs& in) { return Scalar::of(wrap(bits(in[0]) << shift_of(in[1]))); }},
    {"bit_right", 2,
     [](const Inputs& in) { return Scalar::of(in[0].as_integer() >> shift_of(in[1])); }},
    {"as_bool", 1, [](const Inputs& in) { return truth(in[0].truth()); }},
    {"as_int", 1, [](const Inputs& in) { return Scalar::of(in[0].as_integer()); }},
    {"as_uint", 1, [](const Inputs& in) { return Scalar::of(in[0].as_integer()); }},
    {"as_float", 1, [](const Inputs& in) { return Scalar::of_real(in[0].as_real()); }},
    {"zelu", 2, zelu},
    {"pow", 2,
     [](const Inputs& in) { return Scalar::of_real(std::pow(in[0].as_real(), in[1].as_real())); }},
    {"abs", 1,
     [](const Inputs& in) {
       if (!in[0].is_integer) return Scalar::of_real(std::fabs(in[0].real));
       return in[0].integer < 0 ? Scalar::of(wrap(0 - bits(in[0]))) : in[0];
     }},
    {"exp", 1, real_function<std::exp>},
    {"log", 1, real_function<std::log>},
    {"sqrt", 1, real_function<std::sqrt>},
    {"tanh", 1, real_function<std::tanh>},
    {"sin", 1, real_function<std::sin>},
    {"cos", 1, real_function<std::cos>},
    {"tan", 1, real_function<std::tan>},
    {"asin", 1, real_function<std::asin>},
    {"acos", 1, real_function<std::acos>},
    {"atan", 1, real_function<std::atan>},
    {"sinh", 1, real_function<std::sinh>},
    {"cosh", 1, real_function<std::cosh>},
    {"asinh", 1, real_function<std::asinh>},
    {"acosh", 1, real_function<std::acosh>},
    {"atanh", 1, real_function<std::atanh>},
    {"ceil", 1, real_function<std::ceil>},
    {"floor", 1, real_function<std::floor>},
    {"round", 1, real_function<std::round>},
};

unsigned bits_of(DataType type) { return static_cast<unsigned>(8 * byte_width(type)); }

std::int64_t sign_extend(std::int64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return wrap(static_cast<std::uint64_t>(value) << shift) >> shift;
}

std::int64_t zero_extend(std::int64_t value, unsigned width) {
  return wrap(static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << width) - 1));
}

/// Rounds to a float format with `fraction` bits of fraction and exponents from `smallest` to
/// `largest`, ties to even.
double round_to(double value, int fraction, int smallest, int largest) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent - 1, smallest) - fraction;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  const double limit = std::ldexp(2.0 - std::ldexp(1.0, -fraction), largest);
  if (std::fabs(rounded) > limit)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

}  // namespace

std::int64_t Scalar::as_integer() const {
  if (is_integer) return integer;
  if (std::isnan(real)) return 0;
  constexpr double limit = 9223372036854775808.0;
  if (real >= limit) return std::numeric_limits<std::int64_t>::max();
  if (real < -limit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(real);
}

Scalar cast(const Scalar& value, DataType type) {
  switch (type) {
    case DataType::unknown:
      return value;
    case DataType::boolean:
      return truth(value.truth());
    case DataType::i8:
    case DataType::i16:
    case DataType::i32:
      return Scalar::of(sign_extend(value.as_integer(), bits_of(type)));
    case DataType::i64:
    case DataType::u64:
      return Scalar::of(value.as_integer());
    case DataType::u8:
    case DataType::u16:
    case DataType::u32:
      return Scalar::of(zero_extend(value.as_integer(), bits_of(type)));
    case DataType::fp16:
      return Scalar::of_real(round_to(value.as_real(), 10, -14, 15));
    case DataType::bf16:
      return Scalar::of_real(round_to(value.as_real(), 7, -126, 127));
    case DataType::fp32:
      return Scalar::of_real(static_cast<double>(static_cast<float>(value.as_real())));
    case DataType::fp64:
      return Scalar::of_real(value.as_real());
    case DataType::i128:
    case DataType::prng:
      break;
  }
  user_error("the interpreter has no type {}", type_name(type));
}

ScalarFunction find_function(std::string_view name, std::size_t inputs, bool& name_known) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view wanted = lower;
  if (wanted.substr(0, 4) == "cmp_") wanted.remove_prefix(4);
  if (wanted == "le") wanted = "lte";
  if (wanted == "ge") wanted = "gte";
  if (wanted == "ne") wanted = "neq";
  name_known = false;
  for (const Function& function : functions) {
    if (function.name != wanted) continue;
    name_known = true;
    if (function.inputs == inputs) return function.function;
  }
  return nullptr;
}

std::string function_problem(const Intrinsic& op) {
  bool known = false;
  if (find_function(op.name, op.inputs.size(), known) != nullptr && op.outputs.size() == 1) {
    return {};
  }
  if (!known) return "the interpreter has no function " + quote(op.name);
  std::size_t inputs = 0;
  while (find_function(op.name, inputs, known) == nullptr) ++inputs;
  return fmt::format("{} has {} input(s) and {} output(s); allowed: {} and 1", quote(op.name),
                     op.inputs.size(), op.outputs.size(), inputs);
}

Aggregation aggregation_of(std::string_view name) {
  if (name == "add") return Aggregation::add;
  if (name == "mul") return Aggregation::mul;
  if (name == "max") return Aggregation::max;
  if (name == "min") return Aggregation::min;
  return Aggregation::none;
}

Scalar combine(Aggregation op, const Scalar& a, const Scalar& b) {
  switch (op) {
    case Aggregation::none:
      return b;
    case Aggregation::add:
      return add(a, b);
    case Aggregation::mul:
      return multiply(a, b);
    case Aggregation::max:
      return less(a, b) ? b : a;
    case Aggregation::min:
      return less(b, a) ? b : a;
  }
  return b;
}

Scalar identity(Aggregation op, DataType type) {
  const bool real = is_float(type);
  const unsigned width = bits_of(type);
  const bool is_signed = type == DataType::i8 || type == DataType::i16 || type == DataType::i32 ||
                         type == DataType::i64;
  switch (op) {
    case Aggregation::none:
    case Aggregation::add:
      return real ? Scalar::of_real(0) : Scalar::of(0);
    case Aggregation::mul:
      return real ? Scalar::of_real(1) : Scalar::of(1);
    case Aggregation::max:
      if (real) return Scalar::of_real(-std::numeric_limits<double>::infinity());
      return Scalar::of(is_signed ? wrap(~std::uint64_t{0} << (width - 1)) : 0);
    case Aggregation::min:
      if (real) return Scalar::of_real(std::numeric_limits<double>::infinity());
      if (type == DataType::boolean) return Scalar::of(1);
      if (is_signed) return Scalar::of(wrap((std::uint64_t{1} << (width - 1)) - 1));
      return Scalar::of(width >= 64 ? std::numeric_limits<std::int64_t>::max()
                                    : wrap((std::uint64_t{1} << width) - 1));
  }
  return Scalar::of(0);
}

}  // namespace tactus::stripe
