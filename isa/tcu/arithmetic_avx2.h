// Host of arithmetic_chain.h with the 256-bit registers of AVX2 and fused multiply-adds.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "isa/tcu/arithmetic_sse2.h"

namespace tactus::tcu {

namespace {

// Converts eight lanes to float and back.

inline __m256 load_8_floats(const char* lanes, std::int8_t) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load_8_bytes(lanes)));
}

inline __m256 load_8_floats(const char* lanes, std::int16_t) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(load_16_bytes(lanes)));
}

inline __m128i to_words(__m256 value) {
  const __m256i wide = _mm256_cvtps_epi32(value);
  return _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256(wide, 1));
}

inline void store_8_floats(__m256 value, char* lanes, std::int8_t) {
  store_8_bytes(_mm_packs_epi16(to_words(value), _mm_setzero_si128()), lanes);
}

inline void store_8_floats(__m256 value, char* lanes, std::int16_t) {
  store_16_bytes(to_words(value), lanes);
}

template <class LaneType, class RealType>
struct Avx2Host;

template <class LaneType>
struct Avx2Host<LaneType, float> {
  using Register = __m256;
  static constexpr std::size_t width = 8, max_registers = 4, shared_accumulators = 8;
  static Register broadcast(float value) { return _mm256_set1_ps(value); }
  static Register load(const char* lanes) { return load_8_floats(lanes, LaneType{}); }
  static void store(Register value, char* lanes) { store_8_floats(value, lanes, LaneType{}); }
  static Register load_real(const float* from) { return _mm256_loadu_ps(from); }
  static void store_real(Register value, float* to) { _mm256_storeu_ps(to, value); }
  static Register multiply(Register a, Register b) { return _mm256_mul_ps(a, b); }
  static Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
  static Register multiply_add(Register a, Register b, Register c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static Register magnitude(Register value) { return _mm256_andnot_ps(broadcast(-0.0F), value); }
  static Register min(Register a, Register b) { return _mm256_min_ps(a, b); }
  static Register max(Register a, Register b) { return _mm256_max_ps(a, b); }
};

template <>
struct Avx2Host<std::int32_t, double> {
  using Register = __m256d;
  static constexpr std::size_t width = 4, max_registers = 4, shared_accumulators = 8;
  static Register broadcast(double value) { return _mm256_set1_pd(value); }
  static Register load(const char* lanes) { return _mm256_cvtepi32_pd(load_16_bytes(lanes)); }
  static void store(Register value, char* lanes) {
    store_16_bytes(_mm256_cvtpd_epi32(value), lanes);
  }
  static Register load_real(const double* from) { return _mm256_loadu_pd(from); }
  static void store_real(Register value, double* to) { _mm256_storeu_pd(to, value); }
  static Register multiply(Register a, Register b) { return _mm256_mul_pd(a, b); }
  static Register add(Register a, Register b) { return _mm256_add_pd(a, b); }
  static Register multiply_add(Register a, Register b, Register c) {
    return _mm256_fmadd_pd(a, b, c);
  }
  static Register magnitude(Register value) { return _mm256_andnot_pd(broadcast(-0.0), value); }
  static Register min(Register a, Register b) { return _mm256_min_pd(a, b); }
  static Register max(Register a, Register b) { return _mm256_max_pd(a, b); }
};

}  // namespace

}  // namespace tactus::tcu
