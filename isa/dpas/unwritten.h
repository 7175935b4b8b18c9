// Reads of registers that no instruction before them has written, on any way that leads to them.
#pragma once

#include "isa/dpas/profile.h"
#include "isa/dpas/program.h"
#include "isa/support/unwritten_reads.h"

namespace tactus::dpas {

/// Of a resolved kernel, whose inputs and register 0 are set when a thread starts. An instruction
/// under a predicate counts as one that writes; `count` counts registers, `first` names the line.
[[nodiscard]] UnwrittenReads unwritten_reads(const Program& program, const Kernel& kernel,
                                             const Profile& profile);

}  // namespace tactus::dpas
