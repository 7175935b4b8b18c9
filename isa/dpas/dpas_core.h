// The fast DPAS functions as templates over a vector type. Each variant's source file includes this
// header once. Everything in it has internal linkage, since other files compile the same code for
// other processors.
//
// The elements of both sides are first converted to one size: integers to bytes, four consecutive k
// in a dword; floats to fp32. The computation is then a loop over rows, dwords and channels. Loops
// over channels that use no vector type are written so that compilers vectorise them.
#pragma once

#include <array>
#include <cstring>
#include <type_traits>

#include "isa/dpas/formats.h"
#include "isa/dpas/semantics.h"

namespace tactus::dpas {
namespace {

constexpr unsigned most_rows = 8;
constexpr unsigned most_dwords = 16;  ///< dwords of four bytes along k: K = 64 at most
constexpr unsigned most_k = 64;
constexpr unsigned depth = 8;  ///< SD of all fast functions

using Bits = std::uint32_t;

// ---- integers as bytes --------------------------------------------------------------------------

/// Spreads four 4-bit elements in the lower 16 bits to one per byte.
inline Bits spread_nibbles(Bits x) {
  const Bits y = (x | (x << 8)) & 0x00FF00FFU;
  return (y | (y << 4)) & 0x0F0F0F0FU;
}

/// Spreads four 2-bit elements in the lower 8 bits to one per byte.
inline Bits spread_pairs(Bits x) {
  const Bits y = (x | (x << 12)) & 0x000F000FU;
  return (y | (y << 6)) & 0x03030303U;
}

/// Extends the sign bit `sign` of each byte (0x08 or 0x02) to the byte's upper bits.
inline Bits extend_bytes(Bits x, Bits sign) {
  // Computes (x ^ s) - s in each byte; a guard bit above keeps the borrow inside the byte.
  const Bits guarded = ((x ^ sign) | 0x80808080U) - sign;
  return guarded ^ 0x80808080U;
}

/// Widens `count` dwords of 8-, 4- or 2-bit elements to 1, 2 or 4 times as many dwords of bytes.
/// The dwords made of one are `step` dwords apart; groups of `step` dwords are consecutive.
template <unsigned step>
void widen(Precision precision, const std::uint8_t* from, unsigned groups, Bits* to) {
  const PrecisionInfo& format = info(precision);
  for (unsigned g = 0; g < groups; ++g) {
    Bits x[step];
    std::memcpy(x, from + std::size_t{g} * step * 4, sizeof x);
    if (format.bits == 8) {
      std::memcpy(to + std::size_t{g} * step, x, sizeof x);
    } else if (format.bits == 4) {
      const Bits sign = format.is_signed ? 0x08080808U : 0;
      Bits* const out = to + std::size_t{g} * step * 2;
      for (unsigned n = 0; n < step; ++n) {
        const Bits low = spread_nibbles(x[n] & 0xFFFFU);
        const Bits high = spread_nibbles(x[n] >> 16);
        out[n] = sign == 0 ? low : extend_bytes(low, sign);
        out[step + n] = sign == 0 ? high : extend_bytes(high, sign);
      }
    } else {
      const Bits sign = format.is_signed ? 0x02020202U : 0;
      Bits* const out = to + std::size_t{g} * step * 4;
      for (unsigned part = 0; part < 4; ++part) {
        for (unsigned n = 0; n < step; ++n) {
          const Bits bytes = spread_pairs((x[n] >> (8 * part)) & 0xFFU);
          out[part * step + n] = sign == 0 ? bytes : extend_bytes(bytes, sign);
        }
      }
    }
  }
}

/// Operands as bytes: b[dword][channel], a[row][dword].
template <unsigned channels>
struct IntegerOperands {
  alignas(64) Bits b[most_dwords * channels];
  alignas(64) Bits a[most_rows * most_dwords];
  unsigned dwords;  ///< K / 4
};

template <unsigned channels>
void widen_operands(const DpasConfig& config, const std::uint8_t* src1, const std::uint8_t* src2,
                    IntegerOperands<channels>& out) {
  const unsigned k = depth * ops_per_channel(config.w, config.a);
  out.dwords = k / 4;
  const unsigned b_groups = k * info(config.w).bits / 32;
  const unsigned a_dwords = config.repeat_count * k * info(config.a).bits / 32;
  widen<channels>(config.w, src1, b_groups, out.b);
  widen<1>(config.a, src2, a_dwords, out.a);
}

// ---- floats -------------------------------------------------------------------------------------

/// Applies `convert` to the bits of every element of every dword: `channels` dwords side by side
/// become 32 / bits rows of as many floats.
template <unsigned channels, unsigned bits, class Convert>
void columns_to_floats(const std::uint8_t* from, unsigned groups, float* to, Convert convert) {
  constexpr Bits mask = bits == 32 ? 0xFFFFFFFFU : (1U << (bits % 32)) - 1U;
  for (unsigned g = 0; g < groups; ++g) {
    Bits x[channels];
    std::memcpy(x, from + std::size_t{g} * channels * 4, sizeof x);
    for (unsigned e = 0; e < 32 / bits; ++e) {
      Bits out[channels];
      for (unsigned n = 0; n < channels; ++n) out[n] = convert((x[n] >> (bits * e)) & mask);
      std::memcpy(to, out, sizeof out);
      to += channels;
    }
  }
}

/// Does the same for elements that are consecutive along k.
template <unsigned bits, class Convert>
void row_to_floats(const std::uint8_t* from, unsigned count, float* to, Convert convert) {
  using Element = std::conditional_t<bits == 32, std::uint32_t,
                                     std::conditional_t<bits == 16, std::uint16_t, std::uint8_t>>;
  constexpr unsigned in_element = bits < 8 ? 8 / bits : 1;
  constexpr unsigned block = 64;
  for (unsigned first = 0; first < count; first += block) {
    // Counts are multiples of 8; the last block may be incomplete.
    const unsigned elements = (count - first < block ? count - first : block) / in_element;
    Element x[block];
    Bits out[block];
    std::memcpy(x, from + first * bits / 8, elements * sizeof(Element));
    for (unsigned i = 0; i < elements; ++i) {
      for (unsigned e = 0; e < in_element; ++e) {
        const Bits value =
            bits < 8 ? (Bits{x[i]} >> (bits * e)) & ((1U << (bits % 32)) - 1U) : Bits{x[i]};
        out[i * in_element + e] = convert(value);
      }
    }
    std::memcpy(to + first, out, elements * in_element * sizeof(Bits));
  }
}

/// Calls action with the bits of the precision's elements and a function that converts them to
/// float.
template <class Action>
void with_format(const DpasConfig& config, Precision precision, Action action) {
  const Bits keep = config.numerics.tf32_truncate ? 0xFFFFE000U : 0xFFFFFFFFU;
  using std::integral_constant;
  switch (precision) {
    case Precision::tf32:
      return action(integral_constant<unsigned, 32>(), [keep](Bits x) { return x & keep; });
    case Precision::bf:
      return action(integral_constant<unsigned, 16>(), [](Bits x) { return x << 16; });
    case Precision::hf:
      return action(integral_constant<unsigned, 16>(), [](Bits x) { return formats::hf_bits(x); });
    case Precision::bf8:
      return action(integral_constant<unsigned, 8>(),
                    [](Bits x) { return formats::hf_bits(x << 8); });
    case Precision::hf8:
      return action(integral_constant<unsigned, 8>(), [](Bits x) { return formats::hf8_bits(x); });
    default:
      return action(integral_constant<unsigned, 4>(), [](Bits x) { return formats::e2m1_bits(x); });
  }
}

/// Loads C as floats, row by row.
static inline void load_accumulators(const DpasConfig& config, const std::uint8_t* src0,
                                     unsigned count, float* to) {
  if (config.src0_null) {
    std::memset(to, 0, count * sizeof(float));
  } else if (config.src0_type == Type::f) {
    std::memcpy(to, src0, count * sizeof(float));
  } else {
    std::uint16_t halves[most_rows * 16];
    std::memcpy(halves, src0, count * sizeof(std::uint16_t));
    const bool bf = config.src0_type == Type::bf;
    for (unsigned i = 0; i < count; ++i) {
      to[i] = formats::float_of(bf ? Bits{halves[i]} << 16 : formats::hf_bits(halves[i]));
    }
  }
}

static inline void store_results(const DpasConfig& config, const float* from, unsigned count,
                                 std::uint8_t* dst) {
  if (config.dst_type == Type::f) {
    Bits out[most_rows * 16];
    for (unsigned i = 0; i < count; ++i) {
      const Bits bits = formats::bits_of(from[i]);
      out[i] = (bits & 0x7FFFFFFFU) > 0x7F800000U ? formats::canonical_nan : bits;
    }
    std::memcpy(dst, out, count * sizeof(Bits));
    return;
  }
  std::uint16_t out[most_rows * 16];
  if (config.dst_type == Type::bf) {
    for (unsigned i = 0; i < count; ++i) out[i] = formats::bf_bits(from[i]);
  } else {
    for (unsigned i = 0; i < count; ++i) out[i] = formats::half_bits(from[i]);
  }
  std::memcpy(dst, out, count * sizeof(std::uint16_t));
}

/// Computes `rows` rows of `channels` channels: sums over k in order, each product and each sum
/// rounded.
template <class V, unsigned rows, unsigned channels>
void float_rows(const float* a, const float* b, unsigned k_count, float* sums) {
  constexpr unsigned parts = channels / V::floats;
  typename V::Floats sum[rows][parts];
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned p = 0; p < parts; ++p) {
      sum[r][p] = V::load(sums + r * channels + p * V::floats);
    }
  }
  for (unsigned k = 0; k < k_count; ++k) {
    typename V::Floats weights[parts];
    for (unsigned p = 0; p < parts; ++p) weights[p] = V::load(b + k * channels + p * V::floats);
    for (unsigned r = 0; r < rows; ++r) {
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): `a` has k_count values a row
      const typename V::Floats value = V::broadcast(a[r * k_count + k]);
      for (unsigned p = 0; p < parts; ++p) {
        sum[r][p] = V::add(sum[r][p], V::multiply(value, weights[p]));
      }
    }
  }
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned p = 0; p < parts; ++p) {
      V::store(sum[r][p], sums + r * channels + p * V::floats);
    }
  }
}

/// Float DPAS in mode seq, without flushing of denormals.
template <class V, unsigned channels>
void float_dpas(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
                const std::uint8_t* src1, const std::uint8_t* src2) {
  alignas(64) float b[most_k * channels];
  alignas(64) float a[most_rows * most_k];
  alignas(64) float sums[most_rows * channels];
  const unsigned k = depth * ops_per_channel(config.w, config.a);
  const unsigned rows = config.repeat_count;
  with_format(config, config.w, [&](auto bits, auto convert) {
    columns_to_floats<channels, bits()>(src1, k * bits() / 32, b, convert);
  });
  with_format(config, config.a,
              [&](auto bits, auto convert) { row_to_floats<bits()>(src2, rows * k, a, convert); });
  load_accumulators(config, src0, rows * channels, sums);
  unsigned r = 0;
  for (; r + 4 <= rows; r += 4) float_rows<V, 4, channels>(a + r * k, b, k, sums + r * channels);
  for (; r < rows; ++r) float_rows<V, 1, channels>(a + r * k, b, k, sums + r * channels);
  store_results(config, sums, rows * channels, dst);
}

// ---- integers with products of 16 bits ----------------------------------------------------------

/// Splits a dword of bytes into two dwords of 16-bit numbers: bytes 0 and 2, bytes 1 and 3.
inline void split_bytes(Bits x, bool is_signed, Bits& even, Bits& odd) {
  even = x & 0x00FF00FFU;
  odd = (x >> 8) & 0x00FF00FFU;
  if (!is_signed) return;
  // Copies the sign of each byte to the upper byte: 0x80 * 0x1FE is 0xFF00, in each half.
  even |= (even & 0x00800080U) * 0x1FEU;
  odd |= (odd & 0x00800080U) * 0x1FEU;
}

/// Integer DPAS by pairs of 16-bit products. V::multiply_pairs adds each pair to 32 bits, which is
/// exact.
template <class V, unsigned channels>
void integer_dpas(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
                  const std::uint8_t* src1, const std::uint8_t* src2) {
  constexpr unsigned parts = channels / V::words;
  IntegerOperands<channels> in;
  widen_operands(config, src1, src2, in);
  alignas(64) Bits even[most_dwords * channels], odd[most_dwords * channels];
  const bool w_signed = info(config.w).is_signed;
  const bool a_signed = info(config.a).is_signed;
  for (unsigned i = 0; i < in.dwords * channels; ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): widen_operands() has set it
    split_bytes(in.b[i], w_signed, even[i], odd[i]);
  }
  alignas(64) Bits out[most_rows * channels];
  for (unsigned r = 0; r < config.repeat_count; ++r) {
    typename V::Words sum[parts];
    for (unsigned p = 0; p < parts; ++p) {
      sum[p] =
          config.src0_null ? V::zero() : V::load_words(src0 + (r * channels + p * V::words) * 4);
    }
    for (unsigned j = 0; j < in.dwords; ++j) {
      Bits a_even, a_odd;
      // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): widen_operands() has set it
      split_bytes(in.a[r * in.dwords + j], a_signed, a_even, a_odd);
      const typename V::Words x = V::broadcast_word(a_even);
      const typename V::Words y = V::broadcast_word(a_odd);
      for (unsigned p = 0; p < parts; ++p) {
        const unsigned at = j * channels + p * V::words;
        const auto products = V::add_words(V::multiply_pairs(x, V::load_words(even + at)),
                                           V::multiply_pairs(y, V::load_words(odd + at)));
        sum[p] = V::add_words(sum[p], products);
      }
    }
    for (unsigned p = 0; p < parts; ++p) V::store_words(sum[p], out + r * channels + p * V::words);
  }
  std::memcpy(dst, out, config.repeat_count * channels * sizeof(Bits));
}

}  // namespace
}  // namespace tactus::dpas
