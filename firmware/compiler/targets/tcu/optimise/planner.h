// The search for the plan (tiles, order, memory for weights) with the cheapest program.
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

/// Requests of the caller.
struct Wishes {
  std::uint64_t effort = 200;  ///< plans that may be tried
  bool resident = false;       ///< constants may stay in local memory from image to image
  /// Called after each plan with the effort spent so far; may be empty.
  std::function<void(std::uint64_t spent, std::uint64_t effort)> progress = {};
};

class Planner {
 public:
  /// `places` has the fixed addresses; the planner divides up the rest of local memory.
  Planner(const Network& network, Blocks& blocks, const tcu::Architecture& architecture,
          const Machine& machine, Places places);

  /// Returns the cheapest candidate found within the effort, with its instructions. Throws
  /// UserError if the network does not fit.
  [[nodiscard]] Candidate search(const Wishes& wishes);
  [[nodiscard]] std::uint64_t plans() const { return plans_; }

 private:
  /// What is kept of a candidate while others are tried.
  struct Displaced {
    std::uint32_t group = 0, last_reader = 0;
    std::uint64_t vectors = 0;  ///< vectors of the group's results that were displaced to DRAM0
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
  /// Returns the cycles of some groups alone; nothing if they do not fit. May divide tiles of the
  /// plan further.
  [[nodiscard]] std::optional<std::uint64_t> attempt_alone(Plan& plan, const GroupRange& range);
  bool improve(Plan plan);
  /// Returns the cheapest of the plans for these groups alone; the first one is the present plan.
  /// The result is remembered for equal groups with equal plans.
  [[nodiscard]] Plan cheapest(std::vector<Plan> plans, const GroupRange& range);
  /// Hash of the groups' structure and of their part of the plans.
  [[nodiscard]] std::uint64_t hash_of(const std::vector<Plan>& plans,
                                      const GroupRange& range) const;
  void search_ring();
  void search_passes();
  void search_resident();
  void search_segments();
  void search_groups();
  [[nodiscard]] std::vector<Plan> variants(const Plan& plan, std::size_t group) const;
  [[nodiscard]] bool has_budget() const { return spent_ < budget_; }
  /// True if there is effort left to try groups alone: after that, the whole network must be tried
  /// once more.
  [[nodiscard]] bool has_budget_alone() const { return spent_ + best_.codes < budget_; }
  [[nodiscard]] GroupRange all() const { return {0, network_.groups.size()}; }
  [[nodiscard]] std::uint64_t accumulators() const {
    return std::min(architecture_.accumulator_depth, architecture_.local_depth);
  }
  /// Fewest vectors of the ring: two blocks of weights.
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
  std::vector<std::uint64_t> structures_;                   ///< hash of each group's structure
  std::unordered_map<std::uint64_t, std::size_t> choices_;  ///< results of cheapest(), by hash_of()
  Trial best_;
  bool resident_ = false;  ///< constants that the prologue would load are in local memory already
  std::uint64_t plans_ = 0;
  std::uint64_t spent_ = 0, budget_ = 0;  ///< effort in codes
  std::function<void(std::uint64_t, std::uint64_t)> progress_;
};

}  // namespace tactus::compiler::optimise
