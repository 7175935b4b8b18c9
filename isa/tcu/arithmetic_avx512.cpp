// The MAC chain for x86-64 with AVX-512. Only this file is compiled for it.
#include "isa/tcu/arithmetic_kernels.h"

#if defined(__x86_64__) && defined(__AVX512F__) && defined(__AVX512BW__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__FMA__)

#include <immintrin.h>

#include "isa/tcu/arithmetic_avx2.h"
#include "isa/tcu/arithmetic_chain.h"

namespace tactus::tcu {

namespace {

// Converts sixteen lanes to float and back; lanes to be stored are in range.

__m512 load_16_floats(const char* lanes, std::int8_t) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load_16_bytes(lanes)));
}

__m512 load_16_floats(const char* lanes, std::int16_t) {
  __m256i words;
  std::memcpy(&words, lanes, sizeof words);
  return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(words));
}

void store_16_floats(__m512 value, char* lanes, std::int8_t) {
  store_16_bytes(_mm512_cvtepi32_epi8(_mm512_cvtps_epi32(value)), lanes);
}

void store_16_floats(__m512 value, char* lanes, std::int16_t) {
  const __m256i words = _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(value));
  std::memcpy(lanes, &words, sizeof words);
}

template <class LaneType, class RealType>
struct Avx512Host;

template <class LaneType>
struct Avx512Host<LaneType, float> {
  using Register = __m512;
  static constexpr std::size_t width = 16, max_registers = 4, shared_accumulators = 16;
  static Register broadcast(float value) { return _mm512_set1_ps(value); }
  static Register load(const char* lanes) { return load_16_floats(lanes, LaneType{}); }
  static void store(Register value, char* lanes) { store_16_floats(value, lanes, LaneType{}); }
  static Register load_real(const float* from) { return _mm512_loadu_ps(from); }
  static void store_real(Register value, float* to) { _mm512_storeu_ps(to, value); }
  static Register multiply(Register a, Register b) { return _mm512_mul_ps(a, b); }
  static Register add(Register a, Register b) { return _mm512_add_ps(a, b); }
  static Register multiply_add(Register a, Register b, Register c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static Register magnitude(Register value) { return _mm512_abs_ps(value); }
  static Register min(Register a, Register b) { return _mm512_min_ps(a, b); }
  static Register max(Register a, Register b) { return _mm512_max_ps(a, b); }
};

template <>
struct Avx512Host<std::int32_t, double> {
  using Register = __m512d;
  static constexpr std::size_t width = 8, max_registers = 4, shared_accumulators = 16;
  static Register broadcast(double value) { return _mm512_set1_pd(value); }
  static Register load(const char* lanes) {
    __m256i words;
    std::memcpy(&words, lanes, sizeof words);
    return _mm512_cvtepi32_pd(words);
  }
  static void store(Register value, char* lanes) {
    const __m256i words = _mm512_cvtpd_epi32(value);
    std::memcpy(lanes, &words, sizeof words);
  }
  static Register load_real(const double* from) { return _mm512_loadu_pd(from); }
  static void store_real(Register value, double* to) { _mm512_storeu_pd(to, value); }
  static Register multiply(Register a, Register b) { return _mm512_mul_pd(a, b); }
  static Register add(Register a, Register b) { return _mm512_add_pd(a, b); }
  static Register multiply_add(Register a, Register b, Register c) {
    return _mm512_fmadd_pd(a, b, c);
  }
  static Register magnitude(Register value) { return _mm512_abs_pd(value); }
  static Register min(Register a, Register b) { return _mm512_min_pd(a, b); }
  static Register max(Register a, Register b) { return _mm512_max_pd(a, b); }
};

}  // namespace

const MacTable* avx512_mac_table() { return &mac_table<Avx512Host, avx2_mac_table>; }

}  // namespace tactus::tcu

#else

namespace tactus::tcu {
const MacTable* avx512_mac_table() { return nullptr; }
}  // namespace tactus::tcu

#endif
