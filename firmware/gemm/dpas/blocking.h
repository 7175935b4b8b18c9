// Division of a matrix product into blocks for a DPAS array, and a formula for its cycles.
//
// A hardware thread computes one block of C at a time, over the whole of K. The block is m_tiles x
// n_tiles tiles, each the result of one instruction, and stays in registers. For a step of K (8 *
// OPS elements) the thread holds operands of A for each row of tiles and of B for each column.
// Within a step, the tiles of a column are computed in succession, so that B stays in the array's
// operand buffer and is read once.
//
// The formula (Tactus's own) takes the longest of four times:
//   array   P * RC of every instruction; the first of a column, and one whose RC differs, takes
//           at least as many cycles as src1 has registers
//   memory  beats of all loads and stores on the port
//   issue   one cycle per instruction of any kind
//   thread  the blocks of the thread with the most blocks, each a chain of load, multiply, store.
//           With one set of operands, loads and multiplications alternate. With two sets they
//           overlap, and the longer of the two counts. A step takes at least L(RC), since each
//           accumulates on the step before.
// To the longest time it adds the first loads and the last stores of all threads, with their
// latencies.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/gemm/dpas/task.h"
#include "isa/dpas/profile.h"

namespace tactus::gemm {

struct Blocking {
  unsigned rows = 8;     ///< RC of all but the last instruction of a column
  unsigned m_tiles = 1;  ///< rows of tiles in a block; a tile has `rows` rows
  unsigned n_tiles = 1;  ///< columns of tiles in a block; a tile has execution_size columns
  unsigned k_steps = 1;  ///< steps of K per load
  unsigned buffers = 1;  ///< sets of operands: 1, or 2 to load during multiplication
  unsigned threads = 1;

  /// Text such as "5x2 tiles of 8 rows, 2 steps of K a load, 1 buffer, 8 threads".
  [[nodiscard]] std::string text() const;
};

/// Properties of the memory path that the choice uses.
struct MemoryCost {
  unsigned bytes_per_cycle = 64;  ///< bytes of a beat
  unsigned latency = 45;          ///< cycles from a load to its data
  /// true: each row of a block takes whole beats; false: each message does
  bool whole_rows = false;
};

/// Members of a Blocking that a user may fix; 0: choose_blocking() chooses.
struct BlockingWishes {
  unsigned rows = 0, m_tiles = 0, n_tiles = 0, k_steps = 0, buffers = 0, threads = 0;
};

/// Registers that a kernel of this blocking declares.
[[nodiscard]] unsigned registers_needed(const DpasTask& task, const dpas::Profile& profile,
                                        const Blocking& blocking);

/// Number of DPAS instructions of a product: ceil(M / RC) * ceil(N / ES) * ceil(K / (8 * OPS)).
[[nodiscard]] std::uint64_t dpas_count(const DpasTask& task, const dpas::Profile& profile,
                                       unsigned rows = 8);

/// Cycles by the formula above.
[[nodiscard]] std::uint64_t estimated_cycles(const DpasTask& task, const dpas::Profile& profile,
                                             const Blocking& blocking, const MemoryCost& memory);

/// Chooses a blocking that fits the registers and fulfils the wishes. Blockings whose estimate is
/// within 2 % of the lowest are candidates. The candidate with the fewest beats is chosen; ties are
/// broken by the lower estimate, then by fewer registers, then by the order of the search. Throws
/// UserError if the profile lacks a precision or no blocking fits.
[[nodiscard]] Blocking choose_blocking(const DpasTask& task, const dpas::Profile& profile,
                                       const MemoryCost& memory, const BlockingWishes& wishes = {});

}  // namespace tactus::gemm
