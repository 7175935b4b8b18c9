// The block kernel for any machine.
#include "isa/dais/fast_block.h"

namespace tactus::dais {
const BlockKernels* portable_block_kernels() { return &block_kernels; }
}  // namespace tactus::dais
