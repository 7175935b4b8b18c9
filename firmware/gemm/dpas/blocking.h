// How a matrix product is cut for a DPAS array, and what that costs by a formula.
//
// A hardware thread computes one block of C at a time, m_tiles x n_tiles results of one instruction
// each, all in registers, over the whole of K. For a step of K (8 * OPS elements) it holds
// operands of A for each row of tiles and of B for each column; within a step, all tiles of a
// column follow each other, so that B stays in the array's operand buffer and is read once.
//
// The formula (ours) takes the longest of four times:
//   array   P * RC of every instruction; the first of a column, and one of another RC, takes as
//           many cycles as src1 has registers at least
//   memory  beats of all loads and stores on the port
//   issue   one cycle an instruction of any kind
//   thread  the blocks of the thread that has most, each a chain of load, multiply, store:
//           with one set of operands the latency of each load counts, with two only where a step's
//           instructions are shorter than it; a step takes L(RC) at least, for each accumulates on
//           the step before
// and adds, of all threads, the first loads and the last stores, with their latencies.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/gemm/dpas/task.h"
#include "isa/dpas/profile.h"

namespace tactus::gemm {

struct Blocking {
  unsigned rows = 8;     ///< RC of all but the last instruction of a column
  unsigned m_tiles = 1;  ///< of `rows` rows, in a block
  unsigned n_tiles = 1;  ///< of execution_size columns, in a block
  unsigned k_steps = 1;  ///< steps of K that a load fetches
  unsigned buffers = 1;  ///< sets of operands: 1, or 2 to load while multiplying
  unsigned threads = 1;

  /// "5x2 tiles of 8 rows, 2 steps of K a load, 1 buffer, 8 threads"
  [[nodiscard]] std::string text() const;
};

/// What the choice knows of the way to memory.
struct MemoryCost {
  unsigned bytes_per_cycle = 64;  ///< a beat
  unsigned latency = 45;          ///< cycles, from a load to its data
  bool whole_rows = false;        ///< each row of a block takes whole beats, else each message
};

/// What a user may fix; 0: chosen.
struct BlockingWishes {
  unsigned rows = 0, m_tiles = 0, n_tiles = 0, k_steps = 0, buffers = 0, threads = 0;
};

/// Registers that a kernel of this blocking declares.
[[nodiscard]] unsigned registers_needed(const DpasTask& task, const dpas::Profile& profile,
                                        const Blocking& blocking);

/// Instructions DPAS of a product: ceil(M / RC) * ceil(N / ES) * ceil(K / (8 * OPS)).
[[nodiscard]] std::uint64_t dpas_count(const DpasTask& task, const dpas::Profile& profile,
                                       unsigned rows = 8);

/// Cycles by the formula above.
[[nodiscard]] std::uint64_t estimated_cycles(const DpasTask& task, const dpas::Profile& profile,
                                             const Blocking& blocking, const MemoryCost& memory);

/// Of the blockings that fit the registers and meet the wishes, those whose estimate is within 2 %
/// of the lowest; of these the one that moves fewest beats, then the one with the lowest estimate,
/// then with fewest registers, then the first of the search. Throws UserError if the profile lacks
/// a precision or nothing fits.
[[nodiscard]] Blocking choose_blocking(const DpasTask& task, const dpas::Profile& profile,
                                       const MemoryCost& memory, const BlockingWishes& wishes = {});

}  // namespace tactus::gemm
