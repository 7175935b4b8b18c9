// The vectors that an instruction reads and writes: what it moves between memories, its accesses in
// the order of the hardware, and the range of local memory that it uses.
//
// Source: hardware spec sections 3.3, 4.3 and 8.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "isa/tcu/instruction_kind.h"

namespace tactus::tcu {

/// The vectors at an operand's address and at the steps of its stride after it. Address and size
/// are those of the instruction's fields, before they are truncated to the width of the memory's
/// addresses.
struct VectorWalk {
  VectorMemory memory = VectorMemory::none;
  Operand first{0, 0};     ///< for a lookup table: its number
  std::uint64_t size = 0;  ///< number of vectors minus one
};

/// What an instruction moves, by the table of instruction_kind.h. Excludes SIMD registers, and the
/// weights that a product uses.
struct VectorFlow {
  InstructionKind kind = InstructionKind::undefined;
  bool zeroes = false;      ///< `from` is not read
  bool accumulate = false;  ///< the vectors are added to those at `to`
  std::uint64_t size = 0;   ///< number of vectors minus one, including vectors of zeroes
  VectorWalk from, to;
};
[[nodiscard]] VectorFlow flow_of(const Architecture& architecture, const InstructionLayout& layout,
                                 const Instruction& instruction);

/// Number of vectors that the instruction takes through local memory, the array or the
/// accumulators. It is 1 for SIMD and 0 for instructions without vectors. For Dais it counts the
/// vectors of all input samples, for LoadLUT and LoadActivation those of the table or parameters;
/// for all others it is the size field, truncated to the width of the local streams, plus one.
/// `layout` must be that of the architecture.
[[nodiscard]] std::uint64_t vector_count(const Architecture& architecture,
                                         const InstructionLayout& layout, const Instruction& i);

/// The vectors of local memory from the lowest to the highest that an instruction uses.
struct LocalRange {
  std::uint64_t low = 0, high = 0;
  bool writes = false;

  /// True if the order of the two accesses matters.
  [[nodiscard]] bool conflicts(const LocalRange& o) const {
    return low <= o.high && o.low <= high && (writes || o.writes);
  }
};
/// Returns the range of local memory that an instruction reads or writes; empty if it uses no local
/// memory. Precondition: the instruction's addresses lie within the memory.
[[nodiscard]] inline std::optional<LocalRange> local_range(const VectorFlow& flow) {
  const bool writes = flow.to.memory == VectorMemory::local;
  if (!writes && flow.from.memory != VectorMemory::local) return std::nullopt;
  const VectorWalk& local = writes ? flow.to : flow.from;
  return LocalRange{local.first.address, local.first.address + (local.size << local.first.stride),
                    writes};
}

/// Text of a place: "local 4", "accumulator 4", "the array's weights", "R5", ...
[[nodiscard]] std::string place_text(VectorMemory memory, std::uint64_t address);
/// Number of vectors of a memory.
[[nodiscard]] std::uint64_t depth(const Architecture& architecture, VectorMemory memory);
/// Width of a memory's addresses; 0 for a memory without addresses.
[[nodiscard]] unsigned address_width(const InstructionLayout& layout, VectorMemory memory);

/// The vectors base + offset, or base - offset if `reverse`, for the offsets 0, 2^stride, 2 *
/// 2^stride, ... The offset wraps at the memory's depth, the sum at its address width (section
/// 2.4). The members have no initial values, because programs have millions of instructions.
struct Access {
  VectorMemory memory;
  bool reverse;
  unsigned stride;     ///< 0..63
  std::uint64_t base;  ///< before truncation to the address width
  std::uint64_t count;
};

/// What one instruction reads, and then writes, in the memories that programs write. An instruction
/// that accumulates also reads the vectors to which it adds.
struct Accesses {
  class List {
   public:
    void add(const Access& access) { items_[count_++] = access; }
    [[nodiscard]] const Access* begin() const { return items_.data(); }
    [[nodiscard]] const Access* end() const { return items_.data() + count_; }

   private:
    std::array<Access, 5> items_;
    std::size_t count_ = 0;
  };
  List reads, writes;
};

/// Returns the hardware's accesses in program order, for illegal instructions as well: addresses
/// and sizes are truncated as in section 3.3, and an undefined instruction has no accesses.
[[nodiscard]] Accesses accesses(const Architecture& architecture, const InstructionLayout& layout,
                                const Instruction& instruction);

}  // namespace tactus::tcu
