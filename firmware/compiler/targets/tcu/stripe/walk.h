// What the lowering of every kind of block shares.
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

/// Lanes first to last of a row; last < first: none.
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

  /// The vector with the view's scalar `offset` from its origin, which must be its lane 0.
  [[nodiscard]] Vector vector_at(const Nest& nest, const View& view, std::int64_t offset = 0) const;
  [[nodiscard]] Address splat(double value);

  /// The ordinary index that runs along the lanes of everything the leaf writes.
  [[nodiscard]] std::optional<std::size_t> lane_index(const Nest& leaf) const;
  /// The lanes that the index may take at the position of the others; nothing if constraints forbid
  /// it.
  [[nodiscard]] std::optional<LaneRange> allowed_lanes(const Nest& leaf,
                                                       std::optional<std::size_t> index) const;
  /// Whole vectors are written: lanes up to `last` must be the rest of a row in DRAM.
  void check_row_end(const Nest& leaf, const View& view, std::int64_t last) const;

  [[nodiscard]] BlockCounts& count(const Nest& leaf);

  /// The first vector of local memory that is free for data on its way. It is the place of the next
  /// kernel's tiles, which often want just what was on its way last.
  [[nodiscard]] static std::uint64_t stage_local(const Nest& nest) { return nest.local_used; }
  [[nodiscard]] std::uint64_t free_local(const Nest& nest) const {
    return architecture.local_depth - stage_local(nest);
  }
  [[nodiscard]] std::uint64_t free_accumulators(const Nest& nest) const {
    return architecture.accumulator_depth - nest.accumulators_used;
  }
  /// Zeroes in accumulators.
  void clear_accumulators(const std::vector<Address>& addresses);
};

/// Copies of views between memories: statements load and store.
void lower_copy(Walk& walk, Nest& leaf);
/// Pairs of whole vectors, source and target, in order. `stage` is the block whose free local
/// memory and accumulators may be used.
void copy_vectors(Walk& walk, const Nest& stage,
                  const std::vector<std::pair<Vector, Vector>>& pairs);
/// A block at ARRAY.
void lower_product(Walk& walk, Nest& leaf);
/// Any other block of loads, functions and stores.
void lower_functions(Walk& walk, Nest& leaf);
/// zero, copy, reshape.
void lower_special(Walk& walk, Nest& nest, const stripe::Special& special);

/// Whether results of the view are added to what was there, and whether that was there before.
enum class Fold { none, fresh, onto_old };
/// The way in which writes to the view are combined, by its own block or one around; "" for none.
[[nodiscard]] std::string aggregation_around(const View& view);
/// All levels have to combine by `op`, or not at all.
[[nodiscard]] Fold fold_of(const Nest& nest, const View& view, const std::string& op);

}  // namespace tactus::compiler::stripe_tcu
