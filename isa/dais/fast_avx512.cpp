// The block kernel for x86-64 with AVX-512. Only this file is compiled for AVX-512.
#include "isa/dais/fast_kernels.h"

#if defined(__x86_64__) && defined(__AVX512F__) && defined(__AVX512BW__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__)

#include "isa/dais/fast_block.h"

namespace tactus::dais {
const BlockKernels* avx512_block_kernels() { return &block_kernels; }
}  // namespace tactus::dais

#else

namespace tactus::dais {
const BlockKernels* avx512_block_kernels() { return nullptr; }
}  // namespace tactus::dais

#endif
