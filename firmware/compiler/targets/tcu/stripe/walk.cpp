#include "firmware/compiler/targets/tcu/stripe/walk.h"

#include <algorithm>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {

Vector Walk::vector_at(const Nest& nest, const View& view, std::int64_t offset) const {
  const std::int64_t scalar = view.origin + offset;
  if (scalar % lanes() != 0) {
    fail(*nest.block,
         fmt::format("refinement {} is {} scalars into buffer {}, which is not a whole number of "
                     "vectors of {}; the unit reads and writes whole vectors only",
                     quote(view.ref->into), scalar, quote(view.buffer->name), lanes()));
  }
  const std::int64_t number = scalar / lanes();
  if (number < 0 || static_cast<std::uint64_t>(number) >= view.buffer->vectors) {
    fail(*nest.block, fmt::format("refinement {} is at vector {} of buffer {}, which has {}",
                                  quote(view.ref->into), number, quote(view.buffer->name),
                                  view.buffer->vectors));
  }
  return {view.buffer, static_cast<std::uint64_t>(number)};
}

Address Walk::splat(double value) {
  const auto [found, added] = splats.emplace(value, 0);
  if (added) found->second = nests.take_dram1(1);
  return {Tag::dram1, 0, found->second};
}

std::optional<std::size_t> Walk::lane_index(const Nest& leaf) const {
  for (const std::size_t i : leaf.ordinary) {
    if (leaf.range(i) <= 1) continue;
    bool fits = true, written = false;
    for (const auto& [into, view] : leaf.views) {
      if (view.made_here) continue;
      const std::int64_t flat = view.flat.factors[i];
      if (stripe::writes(view.ref->direction)) {
        written = true;
        fits = fits && flat == 1;
      } else {
        fits = fits && (flat == 1 || flat == 0);
      }
    }
    if (fits && written) return i;
  }
  return std::nullopt;
}

std::optional<LaneRange> Walk::allowed_lanes(const Nest& leaf,
                                             std::optional<std::size_t> index) const {
  LaneRange range{0, index ? static_cast<std::int64_t>(leaf.range(*index)) - 1 : 0};
  for (const Linear& c : leaf.constraints) {
    const std::int64_t factor = index ? c.factors[*index] : 0;
    const std::int64_t rest =
        c.at(leaf.values) - (index ? factor * leaf.values[*index] : std::int64_t{0});
    if (factor == 0) {
      if (rest < 0) return std::nullopt;
    } else if (factor > 0) {
      if (rest < 0) range.first = std::max(range.first, (-rest + factor - 1) / factor);
    } else {
      if (rest < 0) return std::nullopt;
      range.last = std::min(range.last, rest / -factor);
    }
  }
  if (range.last < range.first) return std::nullopt;
  return range;
}

void Walk::check_row_end(const Nest& leaf, const View& view, std::int64_t last) const {
  if (view.buffer->memory == Tag::local || view.buffer->memory == Tag::accumulators) return;
  const std::int64_t end = view.lane_origin + last + 1;
  if (end % lanes() == 0 || end >= view.buffer->lane_size) return;
  fail(*leaf.block,
       fmt::format("refinement {} ends at lane {} of {} in buffer {}; the unit writes whole "
                   "vectors of {}",
                   quote(view.ref->into), end, view.buffer->lane_size, quote(view.buffer->name),
                   lanes()));
}

BlockCounts& Walk::count(const Nest& leaf) {
  const auto key = std::pair(leaf.block->name, leaf.device());
  const auto [found, added] = count_numbers.emplace(key, counts.size());
  if (added) counts.push_back({key.first, key.second, 0, 0, 0, 0});
  return counts[found->second];
}

void Walk::clear_accumulators(const std::vector<Address>& addresses) {
  for (const Address address : addresses) {
    machine.simd(tcu::SimdOp::zero, Machine::port, Machine::port, address, Address::invalid());
  }
}

std::string aggregation_around(const View& view) {
  for (const View* level = &view; level != nullptr; level = level->parent) {
    const std::string& op = level->ref->agg_op;
    if (!op.empty() && op != "assign") return op;
    if (level->made_here) break;
  }
  return {};
}

/// The outermost level that aggregates decides whether old contents are included.
Fold fold_of(const Nest& nest, const View& view, const std::string& own) {
  Fold fold = Fold::none;
  const View* level = &view;
  for (const Nest* n = &nest; level != nullptr; n = n->parent, level = level->parent) {
    const std::string& op = level->ref->agg_op;
    if (op.empty() || op == "assign") {
      if (level->made_here) break;
      continue;
    }
    if (op != own) {
      fail(*n->block, fmt::format("refinement {} is combined by {}, what it gets by {}; the unit "
                                  "combines in one way only",
                                  quote(level->ref->into), op, own));
    }
    if (level->made_here) return Fold::fresh;
    fold = level->ref->direction == stripe::Direction::inout ? Fold::onto_old : Fold::fresh;
  }
  return fold;
}

}  // namespace tactus::compiler::stripe_tcu
