// The block kernel for x86-64 with AVX2. Only this file is compiled for AVX2.
#include "isa/dais/fast_kernels.h"

#if defined(__x86_64__) && defined(__AVX2__)

#include "isa/dais/fast_block.h"

namespace tactus::dais {
const BlockKernels* avx2_block_kernels() { return &block_kernels; }
}  // namespace tactus::dais

#else

namespace tactus::dais {
const BlockKernels* avx2_block_kernels() { return nullptr; }
}  // namespace tactus::dais

#endif
