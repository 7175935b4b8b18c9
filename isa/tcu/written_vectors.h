// Records the on-chip vectors that programs have written so far, in order to find reads of other
// vectors before a program runs.
//
// Following the program's order is exact: a TCU has no jumps, instructions access local memory one
// after the other, and accumulators, the array and SIMD execute in order (hardware spec section
// 13).
#pragma once

#include <cstdint>
#include <vector>

#include "isa/support/sparse_bits.h"
#include "isa/support/unwritten_reads.h"
#include "isa/tcu/accesses.h"

namespace tactus::tcu {

class WrittenVectors {
 public:
  /// Begins with nothing written, as after reset.
  explicit WrittenVectors(const Architecture& architecture);

  /// Returns the reads of unwritten vectors by a program that runs after the earlier ones. The
  /// program must consist of whole instructions.
  UnwrittenReads run(const std::vector<std::uint8_t>& program);

 private:
  struct Memory {
    std::uint64_t depth = 0;
    std::uint64_t mask = 0;     ///< mask of the address width
    bool reads_beyond = false;  ///< an instruction may read addresses from the depth on
    SparseBits written;

    /// True if no read can find an unwritten vector.
    [[nodiscard]] bool filled() const { return written.complete() && !reads_beyond; }
  };
  [[nodiscard]] bool all_filled() const;
  template <typename Visitor>
  static void visit(const Memory& memory, const Access& access, const Visitor& visitor);
  [[nodiscard]] static bool is_one_written(const Memory& memory, const Access& access) {
    return access.count == 1 && memory.written.contains(access.base & memory.mask);
  }
  [[nodiscard]] SparseBits::Missing missing(const Access& access);
  void write(const Access& access);

  Architecture architecture_;
  InstructionLayout layout_;
  std::vector<Memory> memories_;  ///< one entry for each VectorMemory
};

}  // namespace tactus::tcu
