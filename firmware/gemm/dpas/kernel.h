// Kernels of matrix products for machines with a DPAS array.
//
// All threads run one kernel. Blocks of C are numbered down the columns; thread t computes blocks
// t, t + threads, ... Blocks at the lower and right border have code of their own, so no
// instruction computes rows or tiles outside C.
#pragma once

#include "firmware/gemm/dpas/blocking.h"
#include "firmware/gemm/dpas/task.h"
#include "isa/dpas/program.h"

namespace tactus::gemm {

/// Makes one kernel "gemm", resolved for the profile. Its inputs A, B and C are the addresses of
/// the matrices, laid out by layout_of(). Deterministic. Throws UserError if the blocking does not
/// fit the profile.
[[nodiscard]] dpas::Program make_kernel(const DpasTask& task, const dpas::Profile& profile,
                                        const Blocking& blocking);

}  // namespace tactus::gemm
