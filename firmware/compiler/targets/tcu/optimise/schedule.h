// Jobs: which pixels and blocks of which group are computed when, and the chunks they leave.
//
// A job's results are as many as the accumulators hold. A chunk is what lies together in local
// memory: pixels of one block that one job makes and the same tiles of the same groups read. Groups
// of a segment take turns: the last one whose next pixels can be computed goes on, so that little
// lies between them.
//
// A schedule may cover some groups only, so that a change of their plan can be tried alone: what
// earlier groups make lies in DRAM0 then, and what later groups read stays to the end.
// Source: README.md in this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// What the search chooses.
struct Plan {
  struct Tile {
    std::uint32_t pixels = 0, blocks = 0;  ///< of a job
    /// Jobs that one after the other add to the same accumulators, each a slice of the inputs.
    std::uint32_t slices = 1;
  };
  std::vector<Tile> tiles;                  ///< by group
  std::vector<bool> joins_previous;         ///< by group: in the segment of the one before
  std::uint32_t longest_chunk = 128;        ///< vectors
  std::vector<std::uint32_t> least_zeroes;  ///< by group, see Places
  std::uint32_t ring = 0;                   ///< least vectors of local memory for weights
  std::uint32_t resident = 0;               ///< and those for weights that stay there
};

struct Job {
  std::uint32_t group = 0;
  std::uint32_t first_pixel = 0, end_pixel = 0;
  std::uint32_t first_block = 0, end_block = 0;
  std::uint32_t segment = 0;
  std::uint32_t slice = 0, slices = 1;
  std::vector<std::uint32_t> reads;   ///< chunks
  std::vector<std::uint32_t> writes;  ///< chunks, by block; of the last slice only

  [[nodiscard]] std::uint32_t pixels() const { return end_pixel - first_pixel; }
  [[nodiscard]] std::uint32_t blocks() const { return end_block - first_block; }
  [[nodiscard]] bool is_last_slice() const { return slice + 1 == slices; }
  [[nodiscard]] bool has(const Group& its_group, const Part& part) const {
    return std::uint64_t{part.source} * slices / its_group.sources == slice;
  }
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
  Vector first_vector = 0;              ///< that the two tables below know
  std::vector<std::uint32_t> chunk_of;  ///< no_chunk: never in local memory
  std::vector<std::uint32_t> place_in;  ///< number within its chunk
  /// Constants that are data, in the order of their places behind the weights in DRAM1.
  std::vector<Vector> constant_data;
  std::uint32_t segments = 0;

  [[nodiscard]] std::uint32_t chunk(Vector vector) const { return chunk_of[vector - first_vector]; }
  [[nodiscard]] std::uint32_t place(Vector vector) const { return place_in[vector - first_vector]; }
};

/// Groups [first, end).
struct GroupRange {
  std::size_t first = 0, end = 0;
};

/// `input_bases`: DRAM0 places of the graph's inputs.
[[nodiscard]] Schedule make_schedule(const Network& network, const Plan& plan,
                                     const std::vector<std::uint64_t>& input_bases,
                                     const GroupRange& range);

/// Most vectors that a tile of the group reads, of so many pixels a tile.
[[nodiscard]] std::uint64_t most_read(const Group& group, std::uint32_t pixels);

/// Entries of a group's part that a job computes: [first, end).
struct Range {
  std::size_t first = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - first; }
};
[[nodiscard]] Range entries_of(const Group& group, const Part& part, const Job& job);

}  // namespace tactus::compiler::optimise
