// The vectors inside the machine that an instruction reads and writes.
//
// Source: hardware spec sections 3.3, 4.3 and 8.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "isa/tcu/instruction.h"

namespace tactus::tcu {

/// Memories of vectors inside the machine. The activation unit's parameters are none of them: they
/// have values of their own at reset, which programs rely on.
enum class VectorMemory : std::uint8_t {
  local,
  accumulators,
  /// The array's weights count as one vector, which any load writes: they are 0 after reset, and a
  /// block with fewer vectors than the array has inputs relies on it.
  weights,
  registers,      ///< SIMD registers R1, R2, ... from 0 on
  lookup_tables,  ///< a whole table is one place
};
inline constexpr std::size_t vector_memories = 5;

/// "local 4", "accumulator 4", "the array's weights", "R5", ...
[[nodiscard]] std::string place_text(VectorMemory memory, std::uint64_t address);
/// Vectors that it has.
[[nodiscard]] std::uint64_t depth(const Architecture& architecture, VectorMemory memory);

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

/// The vectors that one instruction reads and then writes. An instruction that accumulates also
/// reads the vectors that it adds to.
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
