#include "firmware/compiler/targets/tcu/scheduler/stages.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "firmware/compiler/targets/tcu/scheduler/traversal.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Roots with equal sets of weights.
using Group = std::vector<Index>;

/// Groups the roots, in the order of their first constants; roots without constants come last.
std::vector<Group> group_roots(const Graph& graph) {
  struct Signed {
    Index first;
    Group roots;
  };
  std::vector<Signed> groups;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::size_t> numbers;
  Traversal traversal(graph);
  for (const Index root : graph.roots()) {
    traversal.clear();
    traversal.add(root);
    const Graph::Signature& s = traversal.signature();
    const std::size_t number =
        numbers.try_emplace({s.low, s.high, s.count}, groups.size()).first->second;
    if (number == groups.size()) groups.push_back({s.first, {}});
    groups[number].roots.push_back(root);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Signed& a, const Signed& b) { return a.first < b.first; });
  std::vector<Group> out;
  out.reserve(groups.size());
  for (Signed& group : groups) out.push_back(std::move(group.roots));
  return out;
}

class Planner {
 public:
  Planner(const Graph& graph, const tcu::Architecture& architecture, const std::string& layer_name)
      : graph_(graph),
        architecture_(architecture),
        layer_name_(layer_name),
        traversal_(graph),
        constants_order_(graph),
        groups_(group_roots(graph)) {}

  std::vector<Stage> plan();

 private:
  /// Makes stages of `size` groups each. Returns nothing if a single root does not fit.
  std::optional<std::vector<Stage>> combine(std::size_t size);
  /// Makes a stage of the groups first, first + step, ...
  [[nodiscard]] Stage make_stage(std::size_t first, std::size_t step);
  bool cut(Stage& stage);
  [[nodiscard]] bool fits(const Stage& stage) const;
  [[nodiscard]] std::uint64_t local_needed(const Stage& stage) const {
    return traversal_.constants().distinct.size() + traversal_.variables().distinct.size() +
           traversal_.saves().size() + stage.constants.size();
  }
  [[noreturn]] void refuse();

  const Graph& graph_;
  const tcu::Architecture& architecture_;
  const std::string& layer_name_;
  Traversal traversal_;
  ConstantsOrder constants_order_;
  std::vector<Group> groups_;
  /// Vectors needed by a root that did not fit.
  std::uint64_t local_short_ = 0, accumulators_short_ = 0;
};

std::vector<Stage> Planner::plan() {
  std::vector<Stage> best;
  for (std::size_t size = 1;; size *= 2) {
    std::optional<std::vector<Stage>> stages = combine(size);
    if (!stages) {
      if (best.empty()) refuse();
      return best;
    }
    const bool whole = std::all_of(stages->begin(), stages->end(),
                                   [](const Stage& s) { return s.partitions.size() == 1; });
    if (!whole && !best.empty()) return best;
    best = std::move(*stages);
    if (!whole || size >= groups_.size()) return best;
  }
}

std::optional<std::vector<Stage>> Planner::combine(std::size_t size) {
  const std::size_t chunk = (groups_.size() + size - 1) / size;
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < chunk; ++i) {
    Stage stage = make_stage(i, chunk);
    if (!cut(stage)) return std::nullopt;
    stages.push_back(std::move(stage));
    // A stage with several partitions ends the attempt, unless it is the first one.
    if (size > 1 && stages.back().partitions.size() > 1) break;
  }
  return stages;
}

Stage Planner::make_stage(std::size_t first, std::size_t step) {
  Stage stage;
  traversal_.clear();
  for (std::size_t g = first; g < groups_.size(); g += step) {
    stage.roots.insert(stage.roots.end(), groups_[g].begin(), groups_[g].end());
    // The roots of a group read the same constants, so one of them decides the order of loading.
    traversal_.add(groups_[g].front());
  }
  stage.constants = constants_order_(traversal_.sorted_nodes());
  std::stable_sort(stage.roots.begin(), stage.roots.end(), [&](Index a, Index b) {
    return graph_.first_target(a).raw() < graph_.first_target(b).raw();
  });
  return stage;
}

/// Divides the stage into partitions, each the longest run of roots that fits. Returns false if a
/// single root does not fit.
bool Planner::cut(Stage& stage) {
  std::size_t begin = 0;
  while (begin < stage.roots.size()) {
    traversal_.clear();
    std::size_t end = begin;
    for (; end < stage.roots.size(); ++end) {
      traversal_.add(stage.roots[end]);
      if (!fits(stage)) break;
    }
    if (end == begin) {
      local_short_ = local_needed(stage);
      accumulators_short_ = traversal_.nodes().size();
      return false;
    }
    stage.partitions.push_back(end);
    begin = end;
  }
  return true;
}

bool Planner::fits(const Stage& stage) const {
  return traversal_.nodes().size() <= architecture_.accumulator_depth &&
         local_needed(stage) <= architecture_.local_depth;
}

void Planner::refuse() {
  const bool accumulators = accumulators_short_ > architecture_.accumulator_depth;
  const std::uint64_t needed = accumulators ? accumulators_short_ : local_short_;
  const std::uint64_t there =
      accumulators ? architecture_.accumulator_depth : architecture_.local_depth;
  throw LayerTooLarge(
      fmt::format("layer {}: insufficient {}, required at least {} vectors for one of its results, "
                  "there are {}",
                  quote(layer_name_), accumulators ? "accumulators" : "local memory", needed,
                  there),
      needed, there);
}

}  // namespace

std::vector<Stage> plan_stages(const Graph& graph, const tcu::Architecture& architecture,
                               const std::string& layer_name) {
  return Planner(graph, architecture, layer_name).plan();
}

}  // namespace tactus::compiler
