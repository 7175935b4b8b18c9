// How early the DRAM moves of values may begin on machines that do them beside the head.
//
// A move may begin once the last instruction is emitted that uses its local vectors: for a read
// from DRAM one that reads or writes them, for a write to DRAM one that writes them. Moves that use
// the same vectors, there or in DRAM, keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/code.h"

namespace tactus::compiler::optimise {

struct EarlyMove {
  std::size_t code = 0;      ///< its number
  std::size_t earliest = 0;  ///< it may come before this code
  std::size_t latest = 0;    ///< it must come before this code
  bool is_done = false;
};

/// The moves of values of a program, in order.
[[nodiscard]] std::vector<EarlyMove> early_moves(const Codes& codes, std::uint64_t local_depth);

/// Whether two moves use the same vectors of a memory, and one of them writes there.
[[nodiscard]] bool must_keep_order(const Code& a, const Code& b);

}  // namespace tactus::compiler::optimise
