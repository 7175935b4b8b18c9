// The order of jobs. A job computes some pixels and blocks of one group and leaves chunks in local
// memory.
//
// A job has at most as many results as there are accumulators. A chunk is stored contiguously in
// local memory: pixels of one block that one job computes and that the same tiles of the same
// groups read. Jobs of the groups in a segment alternate: the last group whose next pixels can be
// computed goes on, so that few values wait between groups.
//
// A schedule may cover only some groups, so that a change of their plan can be tried alone. Results
// of earlier groups are then in DRAM0, and results that later groups read stay in memory to the
// end. Source: README.md in this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// The choices of the search.
struct Plan {
  struct Tile {
    std::uint32_t pixels = 0, blocks = 0;  ///< pixels and blocks of one job
    /// Number of consecutive jobs that add to the same accumulators, each for a slice of the
    /// inputs.
    std::uint32_t slices = 1;

    /// Number of tiles that the group's pixels make.
    [[nodiscard]] std::uint32_t parts(const Group& group) const {
      return (group.pixels + pixels - 1) / pixels;
    }
  };
  std::vector<Tile> tiles;            ///< by group
  std::vector<bool> joins_previous;   ///< by group: belongs to the segment of the group before it
  std::uint32_t longest_chunk = 128;  ///< vectors
  std::vector<std::uint32_t> least_zeroes;  ///< by group, see Places
  std::uint32_t ring = 0;      ///< fewest vectors of local memory for the ring of weights
  std::uint32_t resident = 0;  ///< vectors of local memory for weights that stay there
};

struct Job {
  std::uint32_t group = 0;
  std::uint32_t first_pixel = 0, end_pixel = 0;
  std::uint32_t first_block = 0, end_block = 0;
  std::uint32_t segment = 0;
  std::uint32_t slice = 0, slices = 1;
  bool loads_tables = false;          ///< the machine does not hold the group's lookup tables yet
  std::vector<std::uint32_t> reads;   ///< chunks
  std::vector<std::uint32_t> writes;  ///< chunk of each block; written by the last slice only

  [[nodiscard]] std::uint32_t pixels() const { return end_pixel - first_pixel; }
  [[nodiscard]] std::uint32_t blocks() const { return end_block - first_block; }
  [[nodiscard]] bool is_last_slice() const { return slice + 1 == slices; }
  [[nodiscard]] bool has(const Group& its_group, const Part& part) const {
    return std::uint64_t{part.source} * slices / its_group.sources == slice;
  }
};

struct Chunk {
  std::vector<Vector> vectors;
  std::vector<std::uint32_t> uses;  ///< jobs that read it, in increasing order
  std::uint8_t port = 0;            ///< DRAM port of the memory that holds it
  std::int64_t dram = -1;           ///< address in that DRAM, or -1
};

inline constexpr std::uint32_t no_chunk = 0xFFFFFFFF;

struct Schedule {
  std::vector<Job> jobs;
  std::vector<Chunk> chunks;
  Vector first_vector = 0;              ///< first vector in the two tables below
  std::vector<std::uint32_t> chunk_of;  ///< chunk of each vector; no_chunk: never in local memory
  std::vector<std::uint32_t> place_in;  ///< index of each vector in its chunk
  /// Constant vectors that are no weights, in the order in which DRAM1 holds them behind the
  /// weights.
  std::vector<Vector> constant_data;
  std::uint32_t segments = 0;

  [[nodiscard]] std::uint32_t chunk(Vector vector) const { return chunk_of[vector - first_vector]; }
  [[nodiscard]] std::uint32_t place(Vector vector) const { return place_in[vector - first_vector]; }
};

/// Groups [first, end).
struct GroupRange {
  std::size_t first = 0, end = 0;
};

/// `input_bases` has the DRAM0 addresses of the graph's inputs.
[[nodiscard]] Schedule make_schedule(const Network& network, const Plan& plan,
                                     const std::vector<std::uint64_t>& input_bases,
                                     const GroupRange& range);

/// Largest number of vectors that a tile of `pixels` pixels of the group reads.
[[nodiscard]] std::uint64_t most_read(const Group& group, std::uint32_t pixels);

/// Range [first, end) of a part's entries that a job computes.
struct Range {
  std::size_t first = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - first; }
};
[[nodiscard]] Range entries_of(const Group& group, const Part& part, const Job& job);

}  // namespace tactus::compiler::optimise
