// The changes of a plan that the planner tries, and their order.
#include <algorithm>
#include <utility>

#include "firmware/compiler/targets/tcu/optimise/planner.h"

namespace tactus::compiler::optimise {
namespace {

/// Codes that count as one plan of the effort; the plan of a large network counts as several.
constexpr std::uint64_t codes_a_plan = 60000;

}  // namespace

/// Weights that are fetched again for each tile may stay in a larger ring.
void Planner::search_ring() {
  for (const std::uint32_t part : {8, 4, 16, 3, 2}) {
    // A large network has no more than one of these to spare.
    if (spent_ * 4 > budget_) return;
    Plan plan = best_.plan;
    plan.ring = part_of_local(part);
    if (plan.ring > best_.plan.ring) (void)improve(std::move(plan));
  }
}

/// Whether constants are added by zero vectors or by moves, in all groups alike.
void Planner::search_passes() {
  for (const std::uint32_t factor : {2U, 8U, 16U, 64U, 0U}) {
    if (places_.pass_vectors == 0 || spent_ * 4 > budget_) return;
    Plan plan = best_.plan;
    plan.least_zeroes.assign(network_.groups.size(),
                             factor == 0 ? 0xFFFFFFFF : factor * architecture_.array_size);
    (void)improve(std::move(plan));
  }
}

/// Constants take what values leave of local memory, and more.
void Planner::search_resident() {
  const std::uint64_t values = best_.local_end + best_.plan.ring;
  const std::uint64_t free =
      architecture_.local_depth > values ? architecture_.local_depth - values : 0;
  const std::uint64_t more = (architecture_.local_depth - free) / 4;
  for (const std::uint64_t size : {free / 2, free * 3 / 4, free, free + more, free + 2 * more}) {
    if (size == 0 || size <= best_.plan.resident) continue;
    Plan plan = best_.plan;
    plan.resident = static_cast<std::uint32_t>(size);
    (void)improve(std::move(plan));
  }
}

/// Groups between which values went to DRAM0 take turns, in tiles of several sizes.
void Planner::search_segments() {
  constexpr std::size_t longest = 12;
  constexpr std::size_t beyond = 4;
  std::vector<bool> tried(network_.groups.size(), false);
  for (bool again = true; again && has_budget_alone();) {
    Plan changed = best_.plan;
    again = false;
    for (const Displaced& next : best_.displaced) {
      const std::size_t first = next.group;
      if (tried[first] || !has_budget_alone()) continue;
      tried[first] = again = true;
      const GroupRange range{
          first, std::min(network_.groups.size(), next.last_reader + std::size_t{beyond})};
      std::vector<Plan> plans{changed};
      for (std::size_t last = next.last_reader; last < range.end; ++last) {
        if (last - first > longest) break;
        for (const std::uint32_t finer : {1U, 2U, 4U, 8U}) {
          Plan plan = changed;
          for (std::size_t g = first; g <= last; ++g) {
            if (g > first) plan.joins_previous[g] = true;
            const std::uint32_t parts = plan.tiles[g].parts(network_.groups[g]);
            if (finer > 1) set_tile(plan, g, std::min(network_.groups[g].pixels, parts * finer));
          }
          plans.push_back(std::move(plan));
        }
      }
      changed = cheapest(std::move(plans), range);
    }
    if (again) (void)improve(std::move(changed));
  }
}

/// Larger and smaller tiles of a group; constants added by zero vectors or by moves.
std::vector<Plan> Planner::variants(const Plan& plan, std::size_t g) const {
  const Group& group = network_.groups[g];
  std::vector<Plan> plans{plan};
  if (group.activation == Activation::relu) {
    const std::uint32_t results = plan.tiles[g].pixels * plan.tiles[g].blocks;
    plans.push_back(plan);
    std::uint32_t& least = plans.back().least_zeroes[g];
    least = results >= least ? 0xFFFFFFFF : 0;
  }
  if (group.kind != GroupKind::sum) return plans;
  const std::uint32_t parts = plan.tiles[g].parts(group);
  std::uint32_t last = parts;
  for (const std::uint32_t tried : {parts / 2, parts - 1, parts + 1, 2 * parts}) {
    if (tried < 1 || tried > 64 || tried > group.pixels || tried == parts || tried == last) {
      continue;
    }
    last = tried;
    Plan changed = plan;
    set_tile(changed, g, tried);
    if (std::uint64_t{changed.tiles[g].pixels} * group.window * changed.tiles[g].blocks <=
        accumulators()) {
      plans.push_back(std::move(changed));
    }
  }
  return plans;
}

/// Group by group, its neighbours beside it; a whole segment where it takes turns.
void Planner::search_groups() {
  constexpr std::size_t neighbours = 2;
  const std::size_t count = network_.groups.size();
  Plan changed = best_.plan;
  std::size_t verified = 0;
  for (std::size_t g = 0; g < count && has_budget_alone(); ++g) {
    GroupRange range{g > 0 ? g - 1 : 0, std::min(count, g + 1 + neighbours)};
    while (range.first > 0 && changed.joins_previous[range.first]) --range.first;
    while (range.end < count && changed.joins_previous[range.end]) ++range.end;
    changed = cheapest(variants(changed, g), range);
    // What helps a few groups alone need not help the whole.
    if (g + 1 == count || g + 1 - verified == 8 || !has_budget_alone()) {
      verified = g + 1;
      if (!improve(changed)) changed = best_.plan;
    }
  }
}

Candidate Planner::search(const Wishes& wishes) {
  budget_ = wishes.effort * codes_a_plan;
  resident_ = wishes.resident;
  progress_ = wishes.progress;
  best_ = attempt(first_plan());
  if (resident_) search_resident();
  if (wishes.effort > 1) {
    if (!resident_) search_ring();
    search_segments();
    search_passes();
    search_groups();
  }
  return make(best_.plan, all(), true);
}

}  // namespace tactus::compiler::optimise
