// The vector kernels of one code variant, for tests and measurements. Users of the arithmetic call
// vector_kernels(type, rounding) of arithmetic.h, which picks the best variant for the processor,
// or the one that TACTUS_KERNELS names.
#pragma once

#include "isa/tcu/arithmetic.h"

namespace tactus::tcu {

/// Variants of the MAC chain; they compute the same lanes.
enum class KernelSet : std::uint8_t {
  reference,  ///< the scalar definitions, for all kernels
  portable,   ///< plain C++
  sse2,       ///< every x86-64
  avx2,       ///< x86-64 with AVX2 and FMA
  avx512,     ///< and with AVX-512 F, BW, DQ and VL
};

/// Whether the variant was compiled in and this processor can run it.
[[nodiscard]] bool supported(KernelSet set);

/// Precondition: supported(set).
[[nodiscard]] const VectorKernels& vector_kernels(DataType type, MacRounding rounding,
                                                  KernelSet set);

// ---- what the variants' source files define for arithmetic_kernels.cpp --------------------------

/// The kernels that have variants; the members of VectorKernels with these names.
struct MacKernels {
  void (*mac_chain)(const void* weights, const void* x, void* out, std::size_t n);
  void (*mac_chains)(const void* weights, const std::uint8_t* const* x, void* out, std::size_t n,
                     std::size_t count);
};

/// Replaces all kernels but those that convert bytes by the scalar definitions.
void use_reference(DataType type, MacRounding rounding, VectorKernels& kernels);

/// By data type and rounding, in the order of their enumerators.
using MacTable = MacKernels[4][2];

/// Null if the variant is not compiled in.
[[nodiscard]] const MacTable* portable_mac_table();
[[nodiscard]] const MacTable* sse2_mac_table();
[[nodiscard]] const MacTable* avx2_mac_table();
[[nodiscard]] const MacTable* avx512_mac_table();

}  // namespace tactus::tcu
