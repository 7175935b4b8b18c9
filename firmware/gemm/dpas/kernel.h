// Kernels of matrix products for machines with a DPAS array.
//
// All threads run one kernel. Blocks of C are numbered down the columns; thread t computes blocks
// t, t + threads, ... Blocks at the lower and right border have code of their own, so that no
// instruction computes rows or tiles that are not there.
#pragma once

#include "firmware/gemm/dpas/blocking.h"
#include "firmware/gemm/dpas/task.h"
#include "isa/dpas/program.h"

namespace tactus::gemm {

/// One kernel "gemm", resolved against the profile; its inputs A, B and C are addresses of the
/// matrices, as layout_of() has them. The same arguments give the same program.
/// Throws UserError if the blocking does not fit the profile.
[[nodiscard]] dpas::Program make_kernel(const DpasTask& task, const dpas::Profile& profile,
                                        const Blocking& blocking);

}  // namespace tactus::gemm
