// The search: which tiles, order and memory for weights make the cheapest program.
//
// A plan is costed by making its program and running it through the cost model (isa/tcu/timing.h).
// A change that concerns few groups is tried on these alone; what helped there is then tried on the
// whole. Groups that are alike, as those of repeated blocks of a network, are tried once.
// Deterministic: the effort counts codes, not seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/emission.h"
#include "firmware/compiler/targets/tcu/optimise/lowering.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"

namespace tactus::compiler::optimise {

/// A plan and the program that it makes.
struct Candidate {
  Plan plan;
  Schedule schedule;
  Lowered lowered;
  Emitted emitted;
};

/// What whoever compiles asks for.
struct Wishes {
  std::uint64_t effort = 200;  ///< plans that may be tried
  bool resident = false;       ///< constants may stay in local memory from image to image
  /// Told of the effort that is spent, after each plan; may be empty.
  std::function<void(std::uint64_t spent, std::uint64_t effort)> progress = {};
};

class Planner {
 public:
  /// `places`: where things lie; the rest of local memory is the planner's.
  Planner(const Network& network, Blocks& blocks, const tcu::Architecture& architecture,
          const Machine& machine, Places places);

  /// The cheapest candidate of the effort, with its instructions. Throws UserError where the
  /// network does not fit.
  [[nodiscard]] Candidate search(const Wishes& wishes);
  [[nodiscard]] std::uint64_t plans() const { return plans_; }

 private:
  /// What is left of a candidate while others are tried.
  struct Displaced {
    std::uint32_t group = 0, last_reader = 0;
    std::uint64_t vectors = 0;  ///< of its results, that went to DRAM0
  };
  struct Trial {
    Plan plan;
    std::uint64_t cycles = 0;
    std::uint64_t local_end = 0;
    std::uint64_t codes = 0;
    std::vector<Displaced> displaced;  ///< most vectors first
  };

  [[nodiscard]] Plan first_plan();
  void set_tile(Plan& plan, std::size_t group, std::uint32_t parts) const;
  [[nodiscard]] bool cut_finer(Plan& plan, std::size_t group) const;
  void fit_accumulators(Plan& plan, std::size_t group) const;
  void fit_inputs(Plan& plan, std::size_t group) const;
  [[nodiscard]] double estimate(const Plan& plan, std::size_t group, std::uint64_t read) const;
  [[nodiscard]] bool cut_where_inputs_are_too_large(const Schedule& schedule, const Places& places,
                                                    Plan& plan) const;
  [[nodiscard]] Candidate make(Plan plan, const GroupRange& range, bool keep_instructions);
  [[nodiscard]] Trial attempt(Plan plan);
  [[nodiscard]] std::vector<Displaced> displaced(const Candidate& candidate) const;
  /// Cycles of some groups alone; nothing if they do not fit. The plan may come back finer.
  [[nodiscard]] std::optional<std::uint64_t> attempt_alone(Plan& plan, const GroupRange& range);
  bool improve(Plan plan);
  /// The cheapest of the plans for these groups alone; the first is what there is. Known if groups
  /// alike had the same plans before.
  [[nodiscard]] Plan cheapest(std::vector<Plan> plans, const GroupRange& range);
  /// A hash of the groups' structure and of what the plans say of them.
  [[nodiscard]] std::uint64_t hash_of(const std::vector<Plan>& plans,
                                      const GroupRange& range) const;
  void search_ring();
  void search_passes();
  void search_resident();
  void search_segments();
  void search_groups();
  [[nodiscard]] std::vector<Plan> variants(const Plan& plan, std::size_t group) const;
  [[nodiscard]] bool has_budget() const { return spent_ < budget_; }
  /// For groups alone: what they gain is kept only if the whole can be tried once more.
  [[nodiscard]] bool has_budget_alone() const { return spent_ + best_.codes < budget_; }
  [[nodiscard]] GroupRange all() const { return {0, network_.groups.size()}; }
  [[nodiscard]] std::uint64_t accumulators() const {
    return std::min(architecture_.accumulator_depth, architecture_.local_depth);
  }
  /// Two blocks of weights.
  [[nodiscard]] std::uint32_t least_ring() const { return 2 * (architecture_.array_size + 1); }
  [[nodiscard]] std::uint32_t part_of_local(std::uint32_t part) const {
    return static_cast<std::uint32_t>(architecture_.local_depth / part);
  }
  [[nodiscard]] Codes prologue() const;

  const Network& network_;
  Blocks& blocks_;
  const tcu::Architecture& architecture_;
  Machine machine_;
  Places places_;
  std::vector<std::uint64_t> structures_;                   ///< hashes, by group
  std::unordered_map<std::uint64_t, std::size_t> choices_;  ///< of cheapest(), by hash_of()
  Trial best_;
  bool resident_ = false;  ///< what the prologue loads is there already
  std::uint64_t plans_ = 0;
  std::uint64_t spent_ = 0, budget_ = 0;  ///< codes
  std::function<void(std::uint64_t, std::uint64_t)> progress_;
};

}  // namespace tactus::compiler::optimise
