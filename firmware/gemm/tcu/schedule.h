// How a matrix product is cut for a TCU, and what that costs by a formula.
//
// A has tiles of N columns, B blocks of N x N weights behind a bias of zeroes (N + 1 vectors). Rows
// of A are cut into chunks; the accumulators hold a chunk's rows of some columns of tiles of C. In
// a chunk, either all of A stays in local memory and C is computed column by column, or A comes
// tile by tile and each tile is multiplied with a block of each column that the accumulators hold.
// The weights stay in the array while the rows of a chunk pass it. Instructions are decoded in
// order, so transfers and multiplications follow each other; the formula (ours) adds up their
// cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/gemm/problem.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::gemm {

struct TcuMemory {
  unsigned axi_data_bits = 128;
  std::uint64_t read_latency = 1, write_latency = 1;
};

struct TcuSchedule {
  std::uint64_t rows = 0;     ///< M, two at least: accumulates to one vector must not meet
  std::uint64_t k_tiles = 0;  ///< of A's columns
  std::uint64_t n_tiles = 0;  ///< of B's columns
  std::uint64_t chunks = 1;   ///< of rows, as equal as can be
  std::uint64_t columns = 1;  ///< of tiles of C that the accumulators hold
  bool a_stays = false;       ///< all tiles of a chunk of A are in local memory
  std::uint64_t cycles = 0;   ///< by the formula

  [[nodiscard]] std::uint64_t chunk_rows(std::uint64_t chunk) const {
    return rows / chunks + (chunk < rows % chunks ? 1 : 0);
  }
  [[nodiscard]] std::string text() const;
};

/// The schedule with the lowest formula; of equal ones the one with fewer chunks. Throws UserError
/// if the product does not fit the memories.
[[nodiscard]] TcuSchedule choose_schedule(const Problem& problem,
                                          const tcu::Architecture& architecture,
                                          const TcuMemory& memory);

/// DRAM0 holds A, one tile of `rows` vectors after the other, then C likewise. DRAM1 holds B, for
/// each column of tiles its blocks.
[[nodiscard]] std::vector<tcu::Instruction> make_program(const TcuSchedule& schedule,
                                                         const tcu::Architecture& architecture);

/// Cycles of a weight-stationary array of N x N: all weights enter once (N cycles each block), all
/// rows pass each block, and the last of them the array; no memory time.
[[nodiscard]] std::uint64_t weight_stationary_bound(const Problem& problem, std::uint64_t n);

}  // namespace tactus::gemm
