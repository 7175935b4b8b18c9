// Common state and functions for lowering all kinds of blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/stripe/lower.h"
#include "firmware/compiler/targets/tcu/stripe/machine.h"
#include "firmware/compiler/targets/tcu/stripe/nest.h"

namespace tactus::compiler::stripe_tcu {

/// Lanes `first` to `last` of a row; last < first: none.
struct LaneRange {
  std::int64_t first = 0, last = 0;
};

/// A vector of a view, and its number in the view's buffer.
struct Vector {
  Buffer* buffer = nullptr;
  std::uint64_t number = 0;

  [[nodiscard]] Address address() const { return buffer->address(number); }
};

class Walk {
 public:
  Walk(const tcu::Architecture& arch, Nests& all, bool reuse)
      : architecture(arch), machine(arch, reuse), nests(all) {}

  const tcu::Architecture& architecture;
  Machine machine;
  Nests& nests;
  std::map<std::pair<std::string, std::string>, std::size_t> count_numbers;
  std::vector<BlockCounts> counts;
  /// Constants that the lowering needs: value -> vector of DRAM1 with it in all lanes.
  std::map<double, std::uint64_t> splats;

  [[nodiscard]] std::int64_t lanes() const { return architecture.array_size; }

  /// The vector whose lane 0 is the view's scalar at `offset` from its origin.
  [[nodiscard]] Vector vector_at(const Nest& nest, const View& view, std::int64_t offset = 0) const;
  [[nodiscard]] Address splat(double value);

  /// The ordinary index that runs along the lanes of all writes of the leaf.
  [[nodiscard]] std::optional<std::size_t> lane_index(const Nest& leaf) const;
  /// The lanes that constraints allow for the index at the current position; nothing if there are
  /// none.
  [[nodiscard]] std::optional<LaneRange> allowed_lanes(const Nest& leaf,
                                                       std::optional<std::size_t> index) const;
  /// Throws UserError unless `last` is the end of a row in DRAM, since whole vectors are written.
  void check_row_end(const Nest& leaf, const View& view, std::int64_t last) const;

  [[nodiscard]] BlockCounts& count(const Nest& leaf);

  /// First vector of local memory that is free for data in transit. Tiles of the next kernel begin
  /// there, too, which often contain the data that was in transit last.
  [[nodiscard]] static std::uint64_t stage_local(const Nest& nest) { return nest.local_used; }
  [[nodiscard]] std::uint64_t free_local(const Nest& nest) const {
    return nests.local_limit() - stage_local(nest);
  }
  [[nodiscard]] std::uint64_t free_accumulators(const Nest& nest) const {
    return architecture.accumulator_depth - nest.accumulators_used;
  }
  /// Writes zeroes to accumulators.
  void clear_accumulators(const std::vector<Address>& addresses);
};

/// Lowers copies of views between memories: statements load and store.
void lower_copy(Walk& walk, Nest& leaf);
/// Copies pairs of whole vectors, source and target, in order. `stage` is the block whose free
/// local memory and accumulators may be used.
void copy_vectors(Walk& walk, const Nest& stage,
                  const std::vector<std::pair<Vector, Vector>>& pairs);
/// Lowers a block at ARRAY.
void lower_product(Walk& walk, Nest& leaf);
/// Lowers any other block of loads, functions and stores.
void lower_functions(Walk& walk, Nest& leaf);
/// Lowers the specials zero, copy and reshape.
void lower_special(Walk& walk, Nest& nest, const stripe::Special& special);

/// Whether results of the view are added to what was there, and whether that was there before.
enum class Fold { none, fresh, onto_old };
/// The aggregation of writes to the view, in its own block or a surrounding one; "" for none.
[[nodiscard]] std::string aggregation_around(const View& view);
/// Throws UserError unless all levels combine by `op` or not at all.
[[nodiscard]] Fold fold_of(const Nest& nest, const View& view, const std::string& op);

}  // namespace tactus::compiler::stripe_tcu
