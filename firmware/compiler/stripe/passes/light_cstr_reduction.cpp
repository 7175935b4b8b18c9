// light_cstr_reduction: constraints that always hold go, ranges that constraints cut shrink.
#include <algorithm>

#include "firmware/compiler/stripe/passes/constraint_reduction.h"
#include "firmware/compiler/stripe/passes/kinds.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {
namespace {

class LightCstrReduction : public ConstraintReduction {
 private:
  void reduce(const AliasMap& map, Statement& stmt) const override {
    Block& block = *stmt.block();
    for (std::size_t c = 0; c < block.constraints.size(); ++c) {
      Extent bounds = map.bounds(block.constraints[c]);
      if (bounds.max < 0) {
        // No position is left; the block stays for dce to take away.
        stmt.set_tag("removed");
        break;
      }
      const std::vector<Affine::Term> terms = block.constraints[c].terms();
      for (const Affine::Term& term : terms) {
        Index& idx = *block.index(term.first);
        if (idx.is_computed() || keeps_range(idx)) continue;
        if (term.second < 0) {
          lower_range(idx, -term.second, bounds);
        } else {
          raise_start(block, idx, term.second, bounds);
        }
      }
    }
    const AliasMap reduced(*map.outer(), block);
    block.constraints.erase(std::remove_if(block.constraints.begin(), block.constraints.end(),
                                           [&reduced](const Affine& constraint) {
                                             return reduced.bounds(constraint).min >= 0;
                                           }),
                            block.constraints.end());
  }

  /// factor * index <= largest value of the rest.
  static void lower_range(Index& idx, std::int64_t factor, Extent& bounds) {
    const auto range = static_cast<std::int64_t>(idx.range);
    const std::int64_t left = std::min(range, bounds.max / factor + 1);
    idx.range = static_cast<std::uint64_t>(left);
    bounds.min = add_checked(bounds.min, multiply_checked(range - left, factor));
  }

  /// The first positions can be left out if even the largest rest does not make up for them.
  static void raise_start(Block& block, Index& idx, std::int64_t factor, Extent& bounds) {
    const auto needed =
        divide_up(static_cast<std::uint64_t>(bounds.max) + 1, static_cast<std::uint64_t>(factor));
    if (needed >= idx.range) return;
    const auto shift = static_cast<std::int64_t>(idx.range - needed);
    idx.range = needed;
    substitute_index(block, idx.name, Affine(idx.name) + Affine(shift));
    bounds.min = add_checked(bounds.min, multiply_checked(shift, factor));
  }
};

}  // namespace

std::unique_ptr<Pass> make_light_cstr_reduction() { return std::make_unique<LightCstrReduction>(); }

}  // namespace tactus::stripe
