// Map from a block's refinements to the allocations that they are views of, through all enclosing
// blocks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// Smallest and largest element of a dimension that is touched.
struct Extent {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// Both ends are included.
[[nodiscard]] bool overlap(const std::vector<Extent>& a, const std::vector<Extent>& b);

struct AliasInfo {
  Block* base_block = nullptr;
  Refinement* base = nullptr;   ///< the allocation
  std::string base_name;        ///< unique in the program: "d2:T"
  std::vector<Affine> access;   ///< access in the allocation, over indexes named "d<depth>:name"
  std::vector<Extent> extents;  ///< over all positions, without constraints
  Location location;            ///< units added level by level
  TensorShape shape;
};

enum class AliasType {
  none,     ///< no element in common
  partial,  ///< maybe some
  exact,    ///< the same view
};
[[nodiscard]] AliasType compare(const AliasInfo& a, const AliasInfo& b);

class AliasMap {
 public:
  AliasMap() = default;
  /// `outer` and `block` must outlive it.
  AliasMap(const AliasMap& outer, Block& block);

  [[nodiscard]] const AliasInfo& at(const std::string& into) const;
  [[nodiscard]] bool has(const std::string& into) const { return info_.count(into) != 0; }
  [[nodiscard]] const AliasMap* outer() const { return outer_; }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// The block's indexes as affines over indexes named "d<depth>:name".
  [[nodiscard]] const Affine::Affines& index_sources() const { return sources_; }
  /// Ranges of the ordinary indexes of all levels.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& index_ranges() const { return ranges_; }

  /// Smallest and largest value of an affine over the block's indexes.
  [[nodiscard]] Extent bounds(const Affine& affine) const;

  /// Writes an affine over indexes of all levels with the indexes of this block. UserError if that
  /// cannot be done.
  [[nodiscard]] Affine translate(const Affine& affine) const;

  /// Keeps positions of a block inside this one within dimension `dim` of what `info` is a view of,
  /// where the block's index `name` counts through it: adds a computed index and constraints where
  /// the extents ask for them. `unindexed`: the dimension has size 1 and no index.
  void add_bounds(Block& inner, const AliasInfo& info, std::size_t dim, const std::string& name,
                  bool unindexed) const;

 private:
  const AliasMap* outer_ = nullptr;
  std::size_t depth_ = 0;
  std::map<std::string, AliasInfo> info_;
  Affine::Affines sources_;
  std::map<std::string, std::uint64_t> ranges_;
};

}  // namespace tactus::stripe
