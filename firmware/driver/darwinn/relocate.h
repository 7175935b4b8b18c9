// Programs of the TCU whose memory may be anywhere: behind Configure instructions of the DRAM
// offsets, whose values are fields of a package.
//
// Ahead of a program stand Configure(DRAM0), of scratch memory, and Configure(DRAM1), of the
// parameters. With `tensors_apart` (profile B of the format) inputs and outputs are regions with
// bases of their own: accesses to DRAM0 are cut where regions meet and lose their region's base,
// and a Configure(DRAM0) stands between two accesses of different regions, right behind the first.
//
// The offset is added when a burst's address is issued, not when the move retires. A read retires
// with its last vector, so that all of its addresses are out; a write may still wait in the port's
// queues, and a Configure would send its rest elsewhere. Behind a write, therefore, its first
// vector is read back to where it came from, which changes nothing and retires after all writes
// were answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"
#include "isa/tcu/instruction.h"

namespace tactus {

struct RelocatableProgram {
  /// A Configure whose value is linked.
  struct Base {
    std::size_t instruction = 0;
    std::int16_t desc = 0;  ///< a darwinn::Base
    std::string name;       ///< of an input or output; else empty
  };
  std::vector<tcu::Instruction> instructions;
  std::vector<Base> bases;         ///< in the order of their instructions
  std::size_t ahead = 0;           ///< Configure instructions ahead of the program's first
  std::size_t read_backs = 0;      ///< reads behind writes, each ahead of a Configure
  std::uint64_t scratch_size = 0;  ///< vectors of DRAM0 up to the last that is not a region's
  /// Of each instruction of the model, and of the end: how many instructions are ahead of it.
  std::vector<std::size_t> places;
};

/// Throws UserError for a program with Configure instructions of its own, and one that leaves
/// DRAM0. Inputs and outputs must not share vectors.
[[nodiscard]] RelocatableProgram relocatable(const Model& model, bool tensors_apart);

}  // namespace tactus
