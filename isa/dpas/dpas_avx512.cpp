// Fast DPAS functions for x86-64 with AVX-512 and VNNI. Only this file is compiled for them.
#include "isa/dpas/dpas_kernels.h"

#if defined(__x86_64__) && defined(__AVX512F__) && defined(__AVX512BW__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)

#include "isa/dpas/dpas_vector256.h"

namespace tactus::dpas {
namespace {

struct Avx512 {
  static constexpr unsigned channels = 16, floats = 16;
  using Floats = __m512;
  using Words = __m512i;
  static Floats load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(Floats value, float* to) { _mm512_storeu_ps(to, value); }
  static Floats broadcast(float value) { return _mm512_set1_ps(value); }
  static Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
  static Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
  static Words zero() { return _mm512_setzero_si512(); }
  static Words load_words(const void* from) { return _mm512_loadu_si512(from); }
  static void store_words(Words value, void* to) { _mm512_storeu_si512(to, value); }
  static Words broadcast_word(Bits value) { return _mm512_set1_epi32(static_cast<int>(value)); }
  static Words add_words(Words a, Words b) { return _mm512_add_epi32(a, b); }
  static Words subtract_words(Words a, Words b) { return _mm512_sub_epi32(a, b); }
  static Words exclusive_or(Words a, Words b) { return _mm512_xor_si512(a, b); }
  /// Adds four products of an unsigned and a signed byte to `sum`, exactly.
  static Words dot(Words sum, Words unsigned_bytes, Words signed_bytes) {
    return _mm512_dpbusd_epi32(sum, unsigned_bytes, signed_bytes);
  }
};

struct Avx512Half : Vector256 {
  static constexpr unsigned channels = 8;
  static Words subtract_words(Words a, Words b) { return _mm256_sub_epi32(a, b); }
  static Words exclusive_or(Words a, Words b) { return _mm256_xor_si256(a, b); }
  static Words dot(Words sum, Words unsigned_bytes, Words signed_bytes) {
    return _mm256_dpbusd_epi32(sum, unsigned_bytes, signed_bytes);
  }
};

/// Which operand is the unsigned one in the processor's products. If neither is unsigned, or both
/// are, one operand is offset by 128 and 128 times the sum of the other corrects the result.
enum class Sides : std::uint8_t { a_unsigned, b_unsigned, both_signed, both_unsigned };

Sides sides_of(const DpasConfig& config) {
  const PrecisionInfo& w = info(config.w);
  const PrecisionInfo& a = info(config.a);
  // Unsigned elements of fewer than 8 bits are valid signed bytes too.
  const bool w_fits_signed = w.is_signed || w.bits < 8;
  const bool a_fits_signed = a.is_signed || a.bits < 8;
  if (!a.is_signed && w_fits_signed) return Sides::a_unsigned;
  if (!w.is_signed && a_fits_signed) return Sides::b_unsigned;
  return w.is_signed ? Sides::both_signed : Sides::both_unsigned;
}

/// Multiplies a row of A, `dwords` dwords, with all of B.
template <class V, Sides sides, unsigned dwords>
typename V::Words dot_row(typename V::Words sum, const Bits* a, const typename V::Words* b) {
  for (unsigned j = 0; j < dwords; ++j) {
    typename V::Words x = V::broadcast_word(a[j]);
    if constexpr (sides == Sides::b_unsigned) {
      sum = V::dot(sum, b[j], x);
    } else if constexpr (sides == Sides::both_signed) {
      sum = V::dot(sum, V::broadcast_word(a[j] ^ 0x80808080U), b[j]);
    } else {
      sum = V::dot(sum, x, b[j]);
    }
  }
  return sum;
}

template <class V, Sides sides, unsigned dwords>
void integer_rows(const DpasConfig& config, const Bits* a, const void* b_bytes,
                  const std::uint8_t* src0, std::uint8_t* out) {
  constexpr unsigned row_bytes = V::channels * 4;
  typename V::Words b[dwords];
  typename V::Words b_sum = V::zero();
  const typename V::Words eighties = V::broadcast_word(0x80808080U);
  for (unsigned j = 0; j < dwords; ++j) {
    b[j] = V::load_words(static_cast<const std::uint8_t*>(b_bytes) + j * row_bytes);
    if constexpr (sides == Sides::both_signed) b_sum = V::dot(b_sum, eighties, b[j]);
    if constexpr (sides == Sides::both_unsigned) b[j] = V::exclusive_or(b[j], eighties);
  }
  for (unsigned r = 0; r < config.repeat_count; ++r) {
    typename V::Words sum = config.src0_null ? V::zero() : V::load_words(src0 + r * row_bytes);
    if constexpr (sides == Sides::both_signed) sum = V::subtract_words(sum, b_sum);
    if constexpr (sides == Sides::both_unsigned) {
      Bits total = 0;
      for (unsigned j = 0; j < dwords; ++j) {
        const Bits pairs = (a[j] & 0x00FF00FFU) + ((a[j] >> 8) & 0x00FF00FFU);
        total += (pairs & 0xFFFFU) + (pairs >> 16);
      }
      sum = V::add_words(sum, V::broadcast_word(total * 128));
    }
    V::store_words(dot_row<V, sides, dwords>(sum, a, b), out + r * row_bytes);
    a += dwords;
  }
}

template <class V, unsigned dwords>
void integer_sides(const DpasConfig& config, const Bits* a, const void* b, const std::uint8_t* src0,
                   std::uint8_t* out) {
  switch (sides_of(config)) {
    case Sides::a_unsigned:
      return integer_rows<V, Sides::a_unsigned, dwords>(config, a, b, src0, out);
    case Sides::b_unsigned:
      return integer_rows<V, Sides::b_unsigned, dwords>(config, a, b, src0, out);
    case Sides::both_signed:
      return integer_rows<V, Sides::both_signed, dwords>(config, a, b, src0, out);
    case Sides::both_unsigned:
      return integer_rows<V, Sides::both_unsigned, dwords>(config, a, b, src0, out);
  }
}

template <class V>
void vnni_dpas(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
               const std::uint8_t* src1, const std::uint8_t* src2) {
  alignas(64) std::uint8_t out[most_rows * V::channels * 4];
  if (info(config.w).bits == 8 && info(config.a).bits == 8) {
    // The operands are bytes already: B is used in place; A also, once it is known to be aligned to
    // dwords.
    Bits a[most_rows * 8];
    std::memcpy(a, src2, config.repeat_count * 8 * sizeof(Bits));
    integer_sides<V, 8>(config, a, src1, src0, out);
  } else {
    IntegerOperands<V::channels> in;
    widen_operands(config, src1, src2, in);
    if (in.dwords == 8) {
      integer_sides<V, 8>(config, in.a, in.b, src0, out);
    } else {
      integer_sides<V, 16>(config, in.a, in.b, src0, out);
    }
  }
  std::memcpy(dst, out, config.repeat_count * V::channels * 4);
}

}  // namespace

const DpasKernels* avx512_dpas_kernels() {
  static constexpr DpasKernels table = {{vnni_dpas<Avx512Half>, vnni_dpas<Avx512>},
                                        {float_dpas<Avx512Half, 8>, float_dpas<Avx512, 16>}};
  return &table;
}

}  // namespace tactus::dpas

#else

namespace tactus::dpas {
const DpasKernels* avx512_dpas_kernels() { return nullptr; }
}  // namespace tactus::dpas

#endif
