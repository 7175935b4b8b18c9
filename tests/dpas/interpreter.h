// What a kernel does to registers and memory, one instruction after the other: no units, no time.
//
// Written for the tests from the spec, apart from the machine: integer DPAS by the triple loop on
// unpacked elements, mov and add on dwords, 2D blocks element by element. Floats take
// dpas_reference().
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dpas/profile.h"
#include "isa/dpas/program.h"
#include "isa/dpas/semantics.h"

namespace tactus::dpas {

/// Bytes from address `base` on.
struct InterpretedMemory {
  std::uint64_t base = 0;
  std::vector<std::uint8_t> bytes;
};

/// Runs the kernel from its first instruction to ret; `registers` are those of the thread.
void interpret(const Profile& profile, const Kernel& kernel, const Numerics& numerics,
               std::vector<std::uint8_t>& registers, InterpretedMemory& memory);

}  // namespace tactus::dpas
