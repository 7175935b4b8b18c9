// Element formats of the systolic array, and data types of variables.
//
// Codes are those of the vISA binary form. Source: spec sections 2 and 7.2 (published).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::dpas {

/// Element formats of src1 (W) and src2 (A). Codes 0 and 13 are unused. u1 and s1 are reserved:
/// they have a name but no meaning.
enum class Precision : std::uint8_t {
  u1 = 1,
  s1 = 2,
  u2 = 3,
  s2 = 4,
  u4 = 5,
  s4 = 6,
  u8 = 7,
  s8 = 8,
  bf = 9,     ///< 1-8-7, the upper half of a float
  hf = 10,    ///< IEEE binary16
  bf8 = 11,   ///< 1-5-2, the upper half of an hf
  tf32 = 12,  ///< 1-8-10 in the upper 19 bits of a dword
  hf8 = 14,   ///< 1-4-3
  e2m1 = 15,  ///< 1-2-1: 0, 0.5, 1, 1.5, 2, 3, 4, 6
};

inline constexpr unsigned precision_codes = 16;

/// All precisions of an instruction must be of one class.
enum class PrecisionClass : std::uint8_t { reserved, integer, bf, hf, tf32, fp8, fp4 };

struct PrecisionInfo {
  std::string_view name;  ///< empty for unused codes
  std::uint8_t bits;      ///< bits of an element in registers; tf32 takes 32
  bool is_signed;
  PrecisionClass kind;
};

/// Defined for every code; codes without a meaning have the class `reserved`.
[[nodiscard]] const PrecisionInfo& info(Precision precision);
/// Finds a precision by its name, as in `dpas.s8.u4.8.8`. Capital and small letters are equal,
/// except in tf32 and e2m1.
[[nodiscard]] std::optional<Precision> find_precision(std::string_view name);
[[nodiscard]] inline bool is_reserved(Precision precision) {
  return info(precision).kind == PrecisionClass::reserved;
}
[[nodiscard]] inline bool is_integer(Precision precision) {
  return info(precision).kind == PrecisionClass::integer;
}

/// OPS: products of one channel in one stage of the array. 1 for tf32; 2 for bf and hf; 4 if a side
/// has 8 bits; 8 if both are narrower; 0 for pairs without a meaning.
[[nodiscard]] unsigned ops_per_channel(Precision w, Precision a);

/// Hardware cost class of a multiply-accumulate: the width of its factors, with sums of 32 bits.
/// Depends only on the precision class, so that both sides of a product agree.
enum class MacKind : std::uint8_t { integer, float8, float16, float32 };
inline constexpr unsigned mac_kinds = 4;
[[nodiscard]] MacKind mac_kind(Precision precision);

/// A set of precisions: bit n stands for code n.
using PrecisionSet = std::uint16_t;
[[nodiscard]] constexpr PrecisionSet bit(Precision precision) {
  return static_cast<PrecisionSet>(1U << static_cast<unsigned>(precision));
}

/// Data types of variables and immediate operands.
enum class Type : std::uint8_t {
  ud = 0,
  d = 1,
  uw = 2,
  w = 3,
  ub = 4,
  b = 5,
  df = 6,
  f = 7,
  v = 8,
  vf = 9,
  boolean = 10,
  uq = 11,
  uv = 12,
  q = 13,
  hf = 14,
  bf = 15,
};

inline constexpr unsigned type_codes = 16;

struct TypeInfo {
  std::string_view name;
  std::uint8_t bytes;
  bool is_float;
  bool is_signed;
};

[[nodiscard]] const TypeInfo& info(Type type);
[[nodiscard]] std::optional<Type> find_type(std::string_view name);  ///< either case

}  // namespace tactus::dpas
