// Verifies the fast engine's knowledge of the TCU: every cycle is settled in full, and what the
// fast engine would have known of it is compared with what came out.
//
// In every cycle:
//   - facts that a unit keeps from an earlier cycle are the facts of the present one;
//   - a cycle with the facts of one before has its edges and shows its wires to the outside;
//   - while local memory, array and accumulators could stay behind, their facts do not change;
//   - a stretch that steady(n) promises is n cycles with the same edges, as long as the outside
//     drives the same.
// The first difference is an InternalError that names cycle, unit and fact or member of the edge.
// How stretches move data is not followed here: tests compare memories and counters of whole runs.
#pragma once

#include <string>

#include "models/tcu/fast/tcu_edges.h"

namespace tactus {

class TcuVerifier {
 public:
  TcuVerifier(Tcu& tcu, const Clock& clock) : tcu_(tcu), clock_(clock) {}

  void look();   ///< once the outside has driven, before Tcu::drive(); may be repeated
  void check();  ///< after Tcu::decide(), before Tcu::move()

  // For tests: what a wrong fast engine would do.
  /// From now on cycles are told apart as if this fact did not exist. False: there is none of that
  /// name, such as "array.drained".
  [[nodiscard]] bool leave_out_fact(const std::string& name);
  /// Changes what is remembered of the next cycle that is known.
  void spoil_next_edge() { spoils_ = true; }

  /// Cycles so far that the fast engine would have known.
  [[nodiscard]] std::uint64_t known_cycles() const { return known_count_; }
  /// Cycles so far that were within a promised stretch.
  [[nodiscard]] std::uint64_t promised_cycles() const { return promised_count_; }

 private:
  /// A stretch that the fast engine would have taken at once: cycles up to `until`.
  struct Promise {
    Cycle from = 0, until = 0;
    TcuEdges edges{};
    std::uint64_t inputs = 0;
  };
  /// Local memory, array and accumulators could be behind by so many cycles.
  struct Behind {
    Cycle cycles = 0;
    Cycle most = 0;
    TcuEdges edges{};
    CycleFacts facts;
  };

  void check_kept_facts();
  void check_behind();
  void check_promise(const TcuEdges& edges);
  void stay_behind(const TcuEdges& edges);
  void promise(const TcuEdges& edges);
  [[nodiscard]] Cycle data_steady(Cycle most) const;
  /// Raises the error if the two differ; `why` returns what the expected edges are.
  template <typename Why>
  void compare(const TcuEdges& expected, const TcuEdges& actual, const Why& why) const;
  /// Raises the error if the facts of the present cycle are not `expected`, for units of whose name
  /// `concerns` is true.
  template <typename Concerns>
  void compare_facts(const CycleFacts& expected, const char* why, Concerns concerns) const;
  [[nodiscard]] std::string facts_of(const std::string& field) const;

  Tcu& tcu_;
  const Clock& clock_;
  KnownCycles<TcuEdges> known_;
  CycleFacts left_out_;  ///< bits of facts that a test left out
  bool spoils_ = false;
  CycleFacts facts_;         ///< of the present cycle, inputs included
  bool has_facts_ = false;   ///< units without facts have no work
  bool last_known_ = false;  ///< last_facts_ and last_rests_ are of the cycle before
  bool last_rests_ = false;  ///< the accumulators rested in it
  CycleFacts last_facts_;
  Behind behind_;
  Promise promise_;
  std::uint64_t known_count_ = 0, promised_count_ = 0;
};

}  // namespace tactus
