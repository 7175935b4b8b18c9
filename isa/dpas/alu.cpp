#include "isa/dpas/alu.h"

#include <cmath>
#include <cstring>

#include "isa/dpas/formats.h"
#include "isa/dpas/semantics.h"

namespace tactus::dpas {
namespace {

constexpr unsigned most_channels = 32;

/// An element during computation: a 64-bit integer, or a float held in a double.
struct Number {
  bool is_float = false;
  bool is_signed = true;
  std::uint64_t integer = 0;
  double real = 0;

  [[nodiscard]] double as_real() const {
    if (is_float) return real;
    return is_signed ? static_cast<double>(static_cast<std::int64_t>(integer))
                     : static_cast<double>(integer);
  }
};

/// The lower bits of an integer type, extended to 64 bits.
std::uint64_t extend(Type type, std::uint64_t bits) {
  const unsigned width = info(type).bytes * 8U;
  if (width == 64) return bits;
  bits &= (std::uint64_t{1} << width) - 1;
  const bool negative = info(type).is_signed && (bits >> (width - 1)) != 0;
  return negative ? bits | (~std::uint64_t{0} << width) : bits;
}

Number number_of(Type type, std::uint64_t bits) {
  Number number;
  number.is_float = info(type).is_float;
  number.is_signed = info(type).is_signed;
  switch (type) {
    case Type::f:
      number.real = formats::float_of(static_cast<std::uint32_t>(bits));
      break;
    case Type::hf:
      number.real = hf_to_float(static_cast<std::uint16_t>(bits));
      break;
    case Type::bf:
      number.real = bf_to_float(static_cast<std::uint16_t>(bits));
      break;
    case Type::df:
      std::memcpy(&number.real, &bits, sizeof bits);
      break;
    default:
      number.integer = extend(type, bits);
  }
  return number;
}

void apply(Modifier modifier, Number& number) {
  const bool absolute = modifier == Modifier::abs || modifier == Modifier::negate_abs;
  const bool negate = modifier == Modifier::negate || modifier == Modifier::negate_abs;
  if (number.is_float) {
    if (absolute) number.real = std::fabs(number.real);
    if (negate) number.real = -number.real;
    return;
  }
  const bool negative = number.is_signed && (number.integer >> 63) != 0;
  if ((absolute && negative) != negate) number.integer = 0 - number.integer;
}

std::uint64_t load(const std::uint8_t* at, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

std::uint64_t element_bits(const Operand& operand, unsigned channel,
                           const std::uint8_t* registers) {
  if (operand.kind == Operand::Kind::immediate) return operand.immediate;
  const Region& region = operand.region;
  const unsigned element =
      channel / region.width * region.vertical + channel % region.width * region.horizontal;
  const unsigned bytes = info(operand.type).bytes;
  return load(registers + operand.address + std::size_t{element} * bytes, bytes);
}

Number read_element(const Operand& operand, unsigned channel, const std::uint8_t* registers) {
  Number number = number_of(operand.type, element_bits(operand, channel, registers));
  apply(operand.modifier, number);
  return number;
}

/// Smallest value of an integer type.
double smallest(Type type) {
  return info(type).is_signed ? -std::ldexp(1.0, info(type).bytes * 8 - 1) : 0.0;
}
double beyond_largest(Type type) {
  return std::ldexp(1.0, info(type).bytes * 8 - (info(type).is_signed ? 1 : 0));
}

std::uint64_t largest_bits(Type type) {
  const unsigned width = info(type).bytes * 8U;
  return ~std::uint64_t{0} >> (64U - width + (info(type).is_signed ? 1U : 0U));
}
std::uint64_t smallest_bits(Type type) {
  return info(type).is_signed ? std::uint64_t{1} << (info(type).bytes * 8U - 1U) : 0;
}

std::uint64_t integer_bits(Type type, const Number& number, bool saturate) {
  if (number.is_float) {
    if (std::isnan(number.real)) return 0;
    const double whole = std::trunc(number.real);
    if (whole < smallest(type)) return smallest_bits(type);
    if (whole >= beyond_largest(type)) return largest_bits(type);
    return whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                     : static_cast<std::uint64_t>(whole);
  }
  if (saturate) {
    const bool negative = number.is_signed && (number.integer >> 63) != 0;
    if (negative) {
      const auto value = static_cast<std::int64_t>(number.integer);
      const auto least = static_cast<std::int64_t>(extend(type, smallest_bits(type)));
      if (value < (info(type).is_signed ? least : 0)) return smallest_bits(type);
    } else if (number.integer > largest_bits(type)) {
      return largest_bits(type);
    }
  }
  return number.integer;
}

/// The nearest float, rounded once: an integer is not rounded to double first.
float nearest(const Number& number) {
  if (number.is_float) return static_cast<float>(number.real);
  return number.is_signed ? static_cast<float>(static_cast<std::int64_t>(number.integer))
                          : static_cast<float>(number.integer);
}

std::uint64_t float_bits(Type type, Number number, bool saturate) {
  if (saturate) {
    const double real = number.as_real();
    number.is_float = true;
    number.real = !(real > 0) ? 0.0 : real > 1 ? 1.0 : real;  // NaN becomes 0
  }
  if (type == Type::df) {
    const double real = number.as_real();
    std::uint64_t bits;
    std::memcpy(&bits, &real, sizeof bits);
    return bits;
  }
  const float value = nearest(number);
  if (type == Type::hf) return float_to_hf(value);
  if (type == Type::bf) return float_to_bf(value);
  return std::isnan(value) ? formats::canonical_nan : formats::bits_of(value);
}

std::uint64_t bits_of(Type type, const Number& number, bool saturate) {
  return info(type).is_float ? float_bits(type, number, saturate)
                             : integer_bits(type, number, saturate);
}

/// Sum of two elements. Float sums are rounded to fp32, or to fp64 if a side is DF.
Number sum_of(const Instruction& i, const Number& a, const Number& b) {
  Number sum;
  if (!a.is_float && !b.is_float) {
    sum.is_signed = a.is_signed || b.is_signed;
    sum.integer = a.integer + b.integer;
    return sum;
  }
  sum.is_float = true;
  if (i.source[0].type == Type::df || i.source[1].type == Type::df) {
    sum.real = a.as_real() + b.as_real();
  } else {
    sum.real = nearest(a) + nearest(b);
  }
  return sum;
}

bool compare(Comparison comparison, const Number& a, const Number& b) {
  int order = 0;
  if (a.is_float || b.is_float) {
    const double x = a.as_real(), y = b.as_real();
    if (std::isnan(x) || std::isnan(y)) return comparison == Comparison::ne;
    order = x < y ? -1 : x > y ? 1 : 0;
  } else {
    const bool a_negative = a.is_signed && (a.integer >> 63) != 0;
    const bool b_negative = b.is_signed && (b.integer >> 63) != 0;
    if (a_negative != b_negative) {
      order = a_negative ? -1 : 1;
    } else {
      order = a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
    }
  }
  switch (comparison) {
    case Comparison::eq:
      return order == 0;
    case Comparison::ne:
      return order != 0;
    case Comparison::gt:
      return order > 0;
    case Comparison::ge:
      return order >= 0;
    case Comparison::lt:
      return order < 0;
    case Comparison::le:
      return order <= 0;
  }
  return false;
}

std::uint64_t result_bits(const Instruction& i, unsigned channel, const std::uint8_t* registers) {
  const Number a = read_element(i.source[0], channel, registers);
  if (i.opcode == Opcode::mov) {
    // A move without conversion keeps all bits, including those of a NaN.
    if (i.dst.type == i.source[0].type && i.source[0].modifier == Modifier::none && !i.saturate) {
      return element_bits(i.source[0], channel, registers);
    }
    return bits_of(i.dst.type, a, i.saturate);
  }
  const Number b = read_element(i.source[1], channel, registers);
  if (i.opcode == Opcode::cmp) return compare(i.comparison, a, b) ? ~std::uint64_t{0} : 0;
  return bits_of(i.dst.type, sum_of(i, a, b), i.saturate);
}

}  // namespace

std::uint32_t enabled_channels(const Instruction& i, const std::uint32_t* predicates) {
  const std::uint32_t all = ~std::uint32_t{0} >> (32U - i.execution_size);
  if (i.predicate.variable == 0) return all;
  std::uint32_t bits = (predicates[i.predicate.variable - 1] >> i.mask.first_channel()) & all;
  if (i.predicate.combine == PredicateControl::Combine::any) bits = bits != 0 ? all : 0;
  if (i.predicate.combine == PredicateControl::Combine::all) bits = bits == all ? all : 0;
  return i.predicate.inverse ? ~bits & all : bits;
}

bool jump_taken(const Instruction& instruction, const std::uint32_t* predicates) {
  return (enabled_channels(instruction, predicates) & 1U) != 0;
}

void execute_alu(const Instruction& i, std::uint8_t* registers, std::uint32_t* predicates) {
  const std::uint32_t enabled = enabled_channels(i, predicates);
  std::uint64_t results[most_channels];
  for (unsigned n = 0; n < i.execution_size; ++n) {
    if ((enabled >> n & 1U) != 0) results[n] = result_bits(i, n, registers);
  }
  if (i.dst.kind == Operand::Kind::predicate) {
    std::uint32_t& bits = predicates[i.dst.variable - 1];
    for (unsigned n = 0; n < i.execution_size; ++n) {
      if ((enabled >> n & 1U) == 0) continue;
      const std::uint32_t channel = std::uint32_t{1} << (n + i.mask.first_channel()) % 32U;
      bits = results[n] != 0 ? bits | channel : bits & ~channel;
    }
    return;
  }
  const unsigned bytes = info(i.dst.type).bytes;
  for (unsigned n = 0; n < i.execution_size; ++n) {
    if ((enabled >> n & 1U) == 0) continue;
    std::memcpy(registers + i.dst.address + n * i.dst.region.horizontal * bytes, &results[n],
                bytes);
  }
}

std::int64_t scalar_value(const Operand& operand, const std::uint8_t* registers) {
  // Most sizes and addresses in messages are of these types.
  const bool is_unsigned = operand.type == Type::ud || operand.type == Type::uq;
  if (operand.kind == Operand::Kind::immediate && is_unsigned &&
      operand.modifier == Modifier::none) {
    return static_cast<std::int64_t>(operand.immediate);
  }
  const Number number = read_element(operand, 0, registers);
  return static_cast<std::int64_t>(number.integer);
}

}  // namespace tactus::dpas
