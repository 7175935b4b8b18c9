// A vector type of 256 bits, for the variants that have such registers. Like dpas_core.h it is
// included once by each of their source files and has internal linkage.
#pragma once

#include <immintrin.h>

#include "isa/dpas/dpas_core.h"

namespace tactus::dpas {
namespace {

struct Vector256 {
  static constexpr unsigned floats = 8, words = 8;
  using Floats = __m256;
  using Words = __m256i;
  static Floats load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(Floats value, float* to) { _mm256_storeu_ps(to, value); }
  static Floats broadcast(float value) { return _mm256_set1_ps(value); }
  static Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
  static Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
  static Words zero() { return _mm256_setzero_si256(); }
  static Words load_words(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static void store_words(Words value, void* to) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), value);
  }
  static Words broadcast_word(Bits value) { return _mm256_set1_epi32(static_cast<int>(value)); }
  static Words add_words(Words a, Words b) { return _mm256_add_epi32(a, b); }
};

}  // namespace
}  // namespace tactus::dpas
