// Schedule of a matrix product on a TCU, and a formula for its cycles.
//
// N is the array size here. A consists of tiles of N columns. B consists of blocks of N + 1
// vectors: N x N weights behind a bias of zeroes. The rows of A are divided into chunks; the
// accumulators hold a chunk's rows for some tile columns of C. A chunk is computed in one of two
// ways:
// - all its tiles of A stay in local memory, and C is computed column by column;
// - its tiles of A are loaded one by one, and each is multiplied with one block for each column
//   that the accumulators hold.
// Weights stay in the array while the rows of a chunk are multiplied. Instructions are decoded in
// order, so transfers and multiplications alternate; the formula (Tactus's own) adds their cycles.
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
  /// M, at least 2: two accumulations to one vector must not follow each other directly.
  std::uint64_t rows = 0;
  std::uint64_t k_tiles = 0;  ///< tile columns of A
  std::uint64_t n_tiles = 0;  ///< tile columns of B
  std::uint64_t chunks = 1;   ///< chunks of rows, of nearly equal size
  std::uint64_t columns = 1;  ///< tile columns of C held in the accumulators
  bool a_stays = false;       ///< all tiles of a chunk of A stay in local memory
  std::uint64_t cycles = 0;   ///< estimated by the formula

  [[nodiscard]] std::uint64_t chunk_rows(std::uint64_t chunk) const {
    return rows / chunks + (chunk < rows % chunks ? 1 : 0);
  }
  [[nodiscard]] std::string text() const;
};

/// Returns the schedule with the fewest estimated cycles and, among equals, the fewest chunks.
/// Throws UserError if the product does not fit the memories.
[[nodiscard]] TcuSchedule choose_schedule(const Problem& problem,
                                          const tcu::Architecture& architecture,
                                          const TcuMemory& memory);

/// Makes the program of a schedule. It expects A in DRAM0, tile after tile of `rows` vectors, and
/// writes C behind it in the same form. It expects B in DRAM1, the blocks of a tile column one
/// after the other.
[[nodiscard]] std::vector<tcu::Instruction> make_program(const TcuSchedule& schedule,
                                                         const tcu::Architecture& architecture);

/// Lower bound on the cycles of a weight-stationary N x N array, without time of the memory. Each
/// block's weights are loaded once (N cycles), all rows are multiplied with each block, and the
/// last row leaves the array.
[[nodiscard]] std::uint64_t weight_stationary_bound(const Problem& problem, std::uint64_t n);

}  // namespace tactus::gemm
