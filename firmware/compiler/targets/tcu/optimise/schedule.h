// Jobs: which pixels and blocks of which group are computed when, and the chunks they leave.
//
// A job's results are as many as the accumulators hold. A chunk is what lies together in local
// memory: pixels of one block that one job makes and the same groups read. Groups of a segment take
// turns: the last one whose next pixels can be computed goes on, so that little lies between them.
// Source: the compiler's notes in firmware/README.md, "Optimised programs".
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// What the search chooses.
struct Plan {
  struct Tile {
    std::uint32_t pixels = 0, blocks = 0;  ///< of a job
  };
  std::vector<Tile> tiles;            ///< by group
  std::vector<bool> joins_previous;   ///< by group: in the segment of the one before
  std::uint32_t longest_chunk = 128;  ///< vectors
  std::uint32_t least_zeroes = 0;     ///< see Places
  std::uint32_t ring = 0;             ///< least vectors of local memory for weights
};

struct Job {
  std::uint32_t group = 0;
  std::uint32_t first_pixel = 0, end_pixel = 0;
  std::uint32_t first_block = 0, end_block = 0;
  std::uint32_t segment = 0;
  std::vector<std::uint32_t> reads;   ///< chunks
  std::vector<std::uint32_t> writes;  ///< chunks, by block

  [[nodiscard]] std::uint32_t pixels() const { return end_pixel - first_pixel; }
  [[nodiscard]] std::uint32_t blocks() const { return end_block - first_block; }
};

struct Chunk {
  std::vector<Vector> vectors;
  std::vector<std::uint32_t> uses;  ///< jobs, rising
  std::uint8_t port = 0;            ///< of the memory that holds it
  std::int64_t dram = -1;           ///< place there, or -1
};

inline constexpr std::uint32_t no_chunk = 0xFFFFFFFF;

struct Schedule {
  std::vector<Job> jobs;
  std::vector<Chunk> chunks;
  std::vector<std::uint32_t> chunk_of;  ///< by vector; no_chunk: never in local memory
  std::vector<std::uint32_t> place_in;  ///< by vector: number within its chunk
  /// Constants that are data, in the order of their places behind the weights in DRAM1.
  std::vector<Vector> constant_data;
  std::uint32_t segments = 0;
};

/// `input_bases`: DRAM0 places of the graph's inputs.
[[nodiscard]] Schedule make_schedule(const Network& network, const Plan& plan,
                                     const std::vector<std::uint64_t>& input_bases);

/// Entries of a part whose pixels a job computes: [first, end).
struct Range {
  std::size_t first = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - first; }
};
[[nodiscard]] Range entries_of(const Part& part, const Job& job);

}  // namespace tactus::compiler::optimise
