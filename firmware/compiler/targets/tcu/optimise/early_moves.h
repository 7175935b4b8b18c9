// Bounds on how early transfers of values may begin, on machines with a queue for transfers beside
// the decoder's head.
//
// A read from DRAM may begin after the last earlier instruction that reads or writes its local
// vectors. A write to DRAM may begin after the last earlier instruction that writes its local
// vectors. Transfers that use the same vectors, in local memory or in DRAM, keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/code.h"

namespace tactus::compiler::optimise {

struct EarlyMove {
  std::size_t code = 0;      ///< number of the transfer's code
  std::size_t earliest = 0;  ///< the transfer may be moved to before this code, no further
  std::size_t latest = 0;    ///< the transfer must come before this code
  bool is_done = false;
};

/// Returns the transfers of values in a program, in program order.
[[nodiscard]] std::vector<EarlyMove> early_moves(const Codes& codes, std::uint64_t local_depth);

/// True if two transfers use the same vectors of a memory and at least one of them writes these.
[[nodiscard]] bool must_keep_order(const Code& a, const Code& b);

}  // namespace tactus::compiler::optimise
