// The weights that a program fetches: blocks in the order of their uses, and where they are.
//
// A ring in local memory holds fetched blocks. Blocks are staged in the order of their uses: a
// staged block has room in the ring, and is fetched after those staged before it. DRAM1 holds
// blocks in the order in which they were first staged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/code.h"

namespace tactus::compiler::optimise {

struct Ring {
  std::uint32_t first = 0, size = 0;  ///< local vectors
  /// Vectors behind the ring, for blocks that are loaded before the program starts.
  std::uint32_t resident = 0;
};

/// Local vectors for blocks that the host loads once. In DRAM1 these blocks come first, from
/// `first_constant` on.
struct Resident {
  std::uint32_t first = 0, size = 0;
};

/// Vectors fetched by one read if no wait hides it.
inline constexpr std::uint32_t bulk_read = 256;

/// True for weights that are no block.
[[nodiscard]] inline bool loads_other_weights(const Code& code) {
  return code.kind == CodeKind::load_local || code.kind == CodeKind::load_zeroes;
}

class WeightStream {
 public:
  /// `codes`: the program. `read_late`: the machine reads weights some time after their
  /// LoadWeights. `first_constant`: DRAM1 address of the first block.
  WeightStream(const Blocks& blocks, const Codes& codes, const Ring& ring, bool read_late,
               std::uint64_t first_constant);

  /// Throws OutOfConstants if DRAM1 cannot hold the weights behind the other constants. The first
  /// plan tells it, before the search.
  void check_room(std::uint64_t dram1_depth) const;
  /// Chooses resident blocks evenly spread over the program, so that reads of the other blocks find
  /// waits to hide in.
  [[nodiscard]] Resident keep_resident();
  /// For machines with a queue: stages as much as one transfer should fetch. Returns false if there
  /// is no room for it yet.
  [[nodiscard]] bool stage_chunk();
  /// Code of the first use of a block that is staged and not completely fetched; there must be one.
  [[nodiscard]] std::size_t next_code() const { return use_codes_[pending_.front().use]; }
  /// Vectors that are staged and not fetched yet.
  [[nodiscard]] std::uint64_t staged() const { return pending_size_; }
  /// Vectors to fetch so that the block of the next use is in local memory: everything staged up to
  /// it.
  [[nodiscard]] std::uint64_t missing(std::uint32_t block);
  /// Vectors that one read fetches.
  struct Fetch {
    std::uint64_t local = 0, dram = 0, count = 0;
  };
  /// Takes the next ones, `most` at most. Nothing if no block is left or there is no room.
  [[nodiscard]] std::optional<Fetch> take(std::uint64_t most);
  /// The next use has been emitted.
  void use() { ++used_; }
  [[nodiscard]] std::uint64_t local(std::uint32_t block) const {
    return std::uint64_t{ring_.first} + place_[block];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& block_order() const { return block_order_; }

 private:
  [[nodiscard]] bool stage_next();
  [[nodiscard]] bool allocate(std::uint32_t block);

  const Blocks& blocks_;
  const Ring ring_;
  const bool read_late_;
  std::vector<std::uint32_t> uses_;     ///< blocks in the order of the program
  std::vector<std::size_t> use_codes_;  ///< code of each use
  std::size_t used_ = 0;                ///< loads that have been emitted
  std::size_t ahead_ = 0;               ///< uses whose blocks are in local memory or being read
  std::uint64_t next_constant_;
  std::vector<std::uint64_t> dram_;    ///< DRAM1 address by block; 0: none yet
  std::vector<std::uint32_t> place_;   ///< local vector by block, in the ring
  std::vector<std::size_t> last_use_;  ///< by block: one past the last use for which it is kept
  std::deque<std::uint32_t> in_ring_;  ///< oldest first
  std::uint32_t write_ = 0;            ///< next free vector of the ring
  struct Pending {
    std::uint32_t block, fetched;  ///< fetched: number of vectors that have been read
    std::size_t use;               ///< use for which the block was staged
  };
  std::deque<Pending> pending_;     ///< blocks that are staged and not completely fetched
  std::uint64_t pending_size_ = 0;  ///< vectors in pending_ that are not fetched yet
  std::vector<std::uint32_t> block_order_;
};

}  // namespace tactus::compiler::optimise
