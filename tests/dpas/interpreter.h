// Interpreter of kernels: computes the contents of registers and memory, without units and time.
//
// Written for the tests from the spec, independently of the machine: integer DPAS by the triple
// loop on unpacked elements, mov and add on dwords, 2D blocks element by element. Floats use
// dpas_reference().
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dpas/profile.h"
#include "isa/dpas/program.h"
#include "isa/dpas/semantics.h"

namespace tactus::dpas {

/// The memory from address `base` on.
struct InterpretedMemory {
  std::uint64_t base = 0;
  std::vector<std::uint8_t> bytes;
};

/// Runs the kernel from its first instruction to ret; `registers` are those of one thread.
void interpret(const Profile& profile, const Kernel& kernel, const Numerics& numerics,
               std::vector<std::uint8_t>& registers, InterpretedMemory& memory);

}  // namespace tactus::dpas
