// The vector kernels of one code variant, for tests and measurements. Users of the arithmetic call
// vector_kernels(type, rounding) of arithmetic.h, which picks the best variant for the machine.
#pragma once

#include "isa/tcu/arithmetic.h"

namespace tactus::tcu {

/// Variants of the MAC chain; they compute the same lanes.
enum class KernelSet : std::uint8_t {
  portable,  ///< plain C++
  sse2,      ///< every x86-64
  avx2,      ///< x86-64 with AVX2 and FMA
};

/// Whether the variant was compiled in and this machine can run it.
[[nodiscard]] bool supported(KernelSet set);

/// Precondition: supported(set).
[[nodiscard]] const VectorKernels& vector_kernels(DataType type, MacRounding rounding,
                                                  KernelSet set);

// ---- what the variants' source files define for arithmetic_kernels.cpp --------------------------

using MacChain = void (*)(const void* weights, const void* x, void* out, std::size_t n);

/// By data type and rounding, in the order of their enumerators.
using MacChains = MacChain[4][2];

/// Null if the variant is not compiled in.
[[nodiscard]] const MacChains* portable_mac_chains();
[[nodiscard]] const MacChains* sse2_mac_chains();
[[nodiscard]] const MacChains* avx2_mac_chains();

}  // namespace tactus::tcu
