// Fast DPAS functions for x86-64 with AVX2. Only this file is compiled for AVX2.
#include "isa/dpas/dpas_kernels.h"

#if defined(__x86_64__) && defined(__AVX2__)

#include "isa/dpas/dpas_vector256.h"

namespace tactus::dpas {
namespace {

struct Avx2 : Vector256 {
  static Words multiply_pairs(Words a, Words b) { return _mm256_madd_epi16(a, b); }
};

}  // namespace

const DpasKernels* avx2_dpas_kernels() {
  static constexpr DpasKernels table = {{integer_dpas<Avx2, 8>, integer_dpas<Avx2, 16>},
                                        {float_dpas<Avx2, 8>, float_dpas<Avx2, 16>}};
  return &table;
}

}  // namespace tactus::dpas

#else

namespace tactus::dpas {
const DpasKernels* avx2_dpas_kernels() { return nullptr; }
}  // namespace tactus::dpas

#endif
