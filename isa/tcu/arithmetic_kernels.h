// The vector kernels of one code variant, for tests and measurements. Other code calls
// vector_kernels(type, rounding) of arithmetic.h, which chooses the best variant for the processor,
// or the one that TACTUS_KERNELS names.
#pragma once

#include "isa/tcu/arithmetic.h"

namespace tactus::tcu {

/// Variants of the MAC chain; all compute the same lanes.
enum class KernelSet : std::uint8_t {
  reference,  ///< the scalar definitions, for all kernels
  portable,   ///< plain C++
  sse2,       ///< every x86-64
  avx2,       ///< x86-64 with AVX2 and FMA
  avx512,     ///< x86-64 with AVX2, FMA and AVX-512 F, BW, DQ and VL
};

/// True if the variant was compiled in and this processor can run it.
[[nodiscard]] bool supported(KernelSet set);

/// Precondition: supported(set).
[[nodiscard]] const VectorKernels& vector_kernels(DataType type, MacRounding rounding,
                                                  KernelSet set);

// ---- what the variants' source files define for arithmetic_kernels.cpp --------------------------

/// Kernels that have variants; same names as the members of VectorKernels.
struct MacKernels {
  void (*mac_chain)(const void* weights, const void* x, void* out, std::size_t n);
  void (*mac_chains)(const void* weights, const std::uint8_t* const* x, void* out, std::size_t n,
                     std::size_t count);
};

/// Replaces all kernels, except those that convert bytes, by the scalar definitions.
void use_reference(DataType type, MacRounding rounding, VectorKernels& kernels);

/// Kernels by data type and rounding, in the order of their enumerators.
using MacTable = MacKernels[4][2];

/// Kernels of a variant; null if it is not compiled in.
[[nodiscard]] const MacTable* portable_mac_table();
[[nodiscard]] const MacTable* sse2_mac_table();
[[nodiscard]] const MacTable* avx2_mac_table();
[[nodiscard]] const MacTable* avx512_mac_table();

}  // namespace tactus::tcu
