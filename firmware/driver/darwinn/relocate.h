// Makes programs of the TCU relocatable: Configure instructions of the DRAM offsets are added,
// whose values are fields of a package.
//
// The program is preceded by Configure(DRAM0), for scratch memory, and Configure(DRAM1), for the
// parameters. With `tensors_apart` (profile B of the format) inputs and outputs are regions with
// bases of their own. Accesses to DRAM0 are split at borders of regions and become relative to
// their region's base, and a Configure(DRAM0) is placed between two accesses to different regions,
// directly behind the first.
//
// The hardware adds the offset when a burst's address is issued, not when the DataMove retires. A
// read retires with its last vector, so all of its addresses have been issued. A write may still
// wait in the port's queues, and a Configure would redirect the rest of it. Therefore, behind a
// write its first vector is read back to where it came from: this changes nothing and retires only
// after all writes are answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/model.h"
#include "isa/tcu/instruction.h"

namespace tactus {

struct RelocatableProgram {
  /// A Configure instruction whose value is linked.
  struct Base {
    std::size_t instruction = 0;
    std::int16_t desc = 0;  ///< a darwinn::Base
    std::string name;       ///< name of an input or output; else empty
  };
  std::vector<tcu::Instruction> instructions;
  std::vector<Base> bases;         ///< in the order of the instructions
  std::size_t ahead = 0;           ///< number of Configure instructions before the program
  std::size_t read_backs = 0;      ///< number of reads placed between a write and a Configure
  std::uint64_t scratch_size = 0;  ///< vectors of DRAM0 up to the last one outside all regions
  /// For each instruction of the model, and for the program's end: number of linked instructions
  /// before it.
  std::vector<std::size_t> places;
};

/// Throws UserError for a program that has Configure instructions or exceeds DRAM0. Precondition:
/// inputs and outputs share no vectors.
[[nodiscard]] RelocatableProgram relocatable(const Model& model, bool tensors_apart);

}  // namespace tactus
