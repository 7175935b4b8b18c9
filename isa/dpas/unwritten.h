// Finds reads of registers that no earlier instruction has written on any path to the read.
#pragma once

#include "isa/dpas/profile.h"
#include "isa/dpas/program.h"
#include "isa/support/unwritten_reads.h"

namespace tactus::dpas {

/// Analyses a resolved kernel. Its inputs and register 0 are set when a thread starts. An
/// instruction with a predicate counts as writing. In the result `count` counts registers, `first`
/// names the line.
[[nodiscard]] UnwrittenReads unwritten_reads(const Program& program, const Kernel& kernel,
                                             const Profile& profile);

}  // namespace tactus::dpas
