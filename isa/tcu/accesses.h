// Which vectors an instruction reads and writes: what it moves between memories, its accesses in
// the order in which the hardware makes them, and the range of local memory that it uses.
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

/// Vectors at an operand and at the steps of its stride behind it. Address and size are those of
/// the instruction's fields, before they are cut to the width of the memory's addresses.
struct VectorWalk {
  VectorMemory memory = VectorMemory::none;
  Operand first{0, 0};     ///< of a lookup table: its number
  std::uint64_t size = 0;  ///< number of vectors minus one
};

/// What an instruction moves, by the table of instruction_kind.h. SIMD registers, and the array's
/// weights that a product uses, are not in it.
struct VectorFlow {
  InstructionKind kind = InstructionKind::undefined;
  bool zeroes = false;      ///< `from` is not read
  bool accumulate = false;  ///< what is at `to` is added
  std::uint64_t size = 0;   ///< vectors that it takes minus one, of zeroes too
  VectorWalk from, to;
};
[[nodiscard]] VectorFlow flow_of(const Architecture& architecture, const InstructionLayout& layout,
                                 const Instruction& instruction);

/// Number of vectors that the instruction takes through local memory, the array or the
/// accumulators. The size field, cut to the width of the local streams, plus one; for Dais the
/// vectors of all input samples; for LoadLUT and LoadActivation those of the table or parameters; 1
/// for SIMD; 0 for instructions without vectors. `layout` must be that of the architecture.
[[nodiscard]] std::uint64_t vector_count(const Architecture& architecture,
                                         const InstructionLayout& layout, const Instruction& i);

/// Vectors of local memory from the lowest to the highest that an instruction uses.
struct LocalRange {
  std::uint64_t low = 0, high = 0;
  bool writes = false;

  /// Whether the order of the two matters.
  [[nodiscard]] bool conflicts(const LocalRange& o) const {
    return low <= o.high && o.low <= high && (writes || o.writes);
  }
};
/// Returns the part of local memory that an instruction reads or writes; none if it uses no local
/// memory. The instruction's addresses lie within the memory.
[[nodiscard]] inline std::optional<LocalRange> local_range(const VectorFlow& flow) {
  const bool writes = flow.to.memory == VectorMemory::local;
  if (!writes && flow.from.memory != VectorMemory::local) return std::nullopt;
  const VectorWalk& local = writes ? flow.to : flow.from;
  return LocalRange{local.first.address, local.first.address + (local.size << local.first.stride),
                    writes};
}

/// "local 4", "accumulator 4", "the array's weights", "R5", ...
[[nodiscard]] std::string place_text(VectorMemory memory, std::uint64_t address);
/// Vectors that it has.
[[nodiscard]] std::uint64_t depth(const Architecture& architecture, VectorMemory memory);
/// Width of its addresses; 0 for what has none.
[[nodiscard]] unsigned address_width(const InstructionLayout& layout, VectorMemory memory);

/// Vectors base + offset, or base - offset where it is `reverse`, for the offsets 0, 2^stride,
/// 2 * 2^stride, ... The offset wraps at the memory's depth, the sum at its address width (section
/// 2.4). Without values of its own: programs have millions of instructions.
struct Access {
  VectorMemory memory;
  bool reverse;
  unsigned stride;     ///< 0..63
  std::uint64_t base;  ///< before it is cut to the address width
  std::uint64_t count;
};

/// What one instruction reads, then writes, of memories that programs write. An instruction that
/// accumulates reads what it adds to.
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

/// Returns the hardware's accesses in program order, also for illegal instructions: addresses and
/// sizes are cut as in section 3.3, and an undefined instruction has no accesses.
[[nodiscard]] Accesses accesses(const Architecture& architecture, const InstructionLayout& layout,
                                const Instruction& instruction);

}  // namespace tactus::tcu
