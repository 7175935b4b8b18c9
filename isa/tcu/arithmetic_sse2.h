// Host of arithmetic_chain.h with the 128-bit registers that every x86-64 has.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

namespace tactus::tcu {

namespace {

inline __m128i load_8_bytes(const char* from) {
  std::int64_t bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return _mm_cvtsi64_si128(bytes);
}

inline void store_8_bytes(__m128i value, char* to) {
  const std::int64_t bytes = _mm_cvtsi128_si64(value);
  std::memcpy(to, &bytes, sizeof bytes);
}

inline __m128i load_16_bytes(const char* from) {
  __m128i bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

inline void store_16_bytes(__m128i value, char* to) { std::memcpy(to, &value, sizeof value); }

// Converts four lanes to float and back; lanes to be stored are in range.

inline __m128 load_floats(const char* lanes, std::int8_t) {
  std::int32_t bytes;
  std::memcpy(&bytes, lanes, sizeof bytes);
  const __m128i once = _mm_cvtsi32_si128(bytes);
  const __m128i twice = _mm_unpacklo_epi8(once, once);
  return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(twice, twice), 24));
}

inline __m128 load_floats(const char* lanes, std::int16_t) {
  const __m128i once = load_8_bytes(lanes);
  return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(once, once), 16));
}

inline void store_floats(__m128 value, char* lanes, std::int8_t) {
  const __m128i words = _mm_packs_epi32(_mm_cvtps_epi32(value), _mm_setzero_si128());
  const std::int32_t bytes = _mm_cvtsi128_si32(_mm_packs_epi16(words, words));
  std::memcpy(lanes, &bytes, sizeof bytes);
}

inline void store_floats(__m128 value, char* lanes, std::int16_t) {
  store_8_bytes(_mm_packs_epi32(_mm_cvtps_epi32(value), _mm_setzero_si128()), lanes);
}

template <class LaneType, class RealType>
struct Sse2Host;

template <class LaneType>
struct Sse2Host<LaneType, float> {
  using Register = __m128;
  static constexpr std::size_t width = 4, max_registers = 4, shared_accumulators = 8;
  static Register broadcast(float value) { return _mm_set1_ps(value); }
  static Register load(const char* lanes) { return load_floats(lanes, LaneType{}); }
  static void store(Register value, char* lanes) { store_floats(value, lanes, LaneType{}); }
  static Register load_real(const float* from) { return _mm_loadu_ps(from); }
  static void store_real(Register value, float* to) { _mm_storeu_ps(to, value); }
  static Register multiply(Register a, Register b) { return _mm_mul_ps(a, b); }
  static Register add(Register a, Register b) { return _mm_add_ps(a, b); }
  static Register multiply_add(Register a, Register b, Register c) {
    return add(multiply(a, b), c);
  }
  static Register magnitude(Register value) { return _mm_andnot_ps(broadcast(-0.0F), value); }
  static Register min(Register a, Register b) { return _mm_min_ps(a, b); }
  static Register max(Register a, Register b) { return _mm_max_ps(a, b); }
};

template <>
struct Sse2Host<std::int32_t, double> {
  using Register = __m128d;
  static constexpr std::size_t width = 2, max_registers = 4, shared_accumulators = 8;
  static Register broadcast(double value) { return _mm_set1_pd(value); }
  static Register load(const char* lanes) { return _mm_cvtepi32_pd(load_8_bytes(lanes)); }
  static void store(Register value, char* lanes) { store_8_bytes(_mm_cvtpd_epi32(value), lanes); }
  static Register load_real(const double* from) { return _mm_loadu_pd(from); }
  static void store_real(Register value, double* to) { _mm_storeu_pd(to, value); }
  static Register multiply(Register a, Register b) { return _mm_mul_pd(a, b); }
  static Register add(Register a, Register b) { return _mm_add_pd(a, b); }
  static Register multiply_add(Register a, Register b, Register c) {
    return add(multiply(a, b), c);
  }
  static Register magnitude(Register value) { return _mm_andnot_pd(broadcast(-0.0), value); }
  static Register min(Register a, Register b) { return _mm_min_pd(a, b); }
  static Register max(Register a, Register b) { return _mm_max_pd(a, b); }
};

}  // namespace

}  // namespace tactus::tcu
