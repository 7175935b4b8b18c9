// The variants of the fast DPAS functions, for tests and measurements. Other code calls
// select_dpas() of semantics.h, which chooses the best variant for the processor, or the one that
// TACTUS_KERNELS names.
#pragma once

#include "isa/dpas/semantics.h"

namespace tactus::dpas {

/// Variants; all compute the same bits.
enum class KernelSet : std::uint8_t {
  reference,  ///< dpas_reference
  portable,   ///< plain C++, every processor
  avx2,       ///< x86-64 with AVX2
  avx512,     ///< x86-64 with AVX-512 F, BW, DQ, VL and VNNI
};

/// True if the variant was compiled in and this processor can run it.
[[nodiscard]] bool supported(KernelSet set);

/// Returns the variant's function. Configurations without a fast function (SD below 8, float modes
/// other than seq, flushing) get dpas_reference(). Precondition: supported(set).
[[nodiscard]] DpasFunction select_dpas(const DpasConfig& config, KernelSet set);

// ---- what the variants' source files define for dpas_kernels.cpp --------------------------------

/// Functions by execution size: [0] for 8, [1] for 16.
struct DpasKernels {
  DpasFunction integer[2];
  DpasFunction floats[2];
};

/// Null if the variant is not compiled in.
[[nodiscard]] const DpasKernels* portable_dpas_kernels();
[[nodiscard]] const DpasKernels* avx2_dpas_kernels();
[[nodiscard]] const DpasKernels* avx512_dpas_kernels();

}  // namespace tactus::dpas
