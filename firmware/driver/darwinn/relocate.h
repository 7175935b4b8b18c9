// Makes programs of the TCU relocatable. Configure instructions are added that set the offsets of
// the DRAMs; their values are fields of a package.
//
// Configure(DRAM0), for scratch memory, and Configure(DRAM1), for the parameters, precede the
// program. With `tensors_apart` (profile B of the format) inputs and outputs are regions with bases
// of their own. Accesses to DRAM0 are then split at the borders of regions and become relative to
// their region's base. Between two accesses to different regions there is a Configure(DRAM0),
// directly behind the first of them.
//
// The hardware adds the offset when a burst's address is issued, not when the DataMove retires. A
// read retires with its last vector, so all of its addresses have been issued by then. A write may
// still wait in the port's queues, and a Configure would redirect the rest of it. A read is
// therefore placed between a write and a Configure. It reads the write's first vector back to where
// that came from, which changes nothing, and retires only after all writes are answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"
#include "isa/tcu/instruction.h"

namespace tactus {

struct RelocatableProgram {
  /// A Configure instruction whose value the linker fills in.
  struct Base {
    std::size_t instruction = 0;  ///< index of the Configure
    std::int16_t desc = 0;        ///< what the base is for, a darwinn::Base
    std::string name;             ///< name of the input or output; empty for other bases
  };
  std::vector<tcu::Instruction> instructions;
  std::vector<Base> bases;     ///< in the order of the instructions
  std::size_t ahead = 0;       ///< number of Configure instructions before the program
  std::size_t read_backs = 0;  ///< number of reads placed between a write and a Configure
  /// Vectors of scratch memory: up to the last used one that is in no region with a base of its
  /// own.
  std::uint64_t scratch_size = 0;
  /// For each instruction of the model, and for the program's end: number of instructions of this
  /// program before it.
  std::vector<std::size_t> places;
};

/// Makes the program of a model relocatable. Precondition: inputs and outputs share no vectors.
/// Throws UserError for a program that has Configure instructions or exceeds DRAM0.
[[nodiscard]] RelocatableProgram relocatable(const Model& model, bool tensors_apart);

}  // namespace tactus
