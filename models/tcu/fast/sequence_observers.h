// Tells observers of accounts and events, and the sampler, what they see of a path: of the
// intervals taken since the last rest.
//
// ObservedChanges remembers the changes of an interval and hands them on. This class puts them in
// the order of time, with those of live memories, and finds the operands that follow from the
// program. The current program must be known (SequenceProgram::begin()).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/sim/events.h"
#include "models/tcu/fast/observed_changes.h"
#include "models/tcu/fast/program_bursts.h"
#include "models/tcu/fast/sequence_counters.h"
#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/fast/sequence_setting.h"

namespace tactus {

class SequenceObservers {
 public:
  SequenceObservers(TcuSystem& system, SequenceProgram& program, ProgramBursts& bursts,
                    const SequenceCounters& counters, ObservedChanges& changes,
                    const SequenceSetting& setting)
      : system_(system),
        program_(program),
        bursts_(bursts),
        counters_(counters),
        changes_(changes),
        setting_(setting) {}

  /// Tells the changes of a path, in the order of time. Call at its end. The path begins at `rest`,
  /// where `executed` instructions have retired. Calls begin(step, cycle) for each step, and
  /// retire(cycle) after each retire, with the cycle after it.
  template <typename Begin, typename Retire>
  void tell_steps(const std::vector<SequenceStep>& path, const SequencePosition& rest,
                  std::uint64_t executed, const Begin& begin, const Retire& retire);
  /// Tells the changes of a path beside live memories, and those of the memories.
  void tell_live(const std::vector<SequenceStep>& path, const SequencePosition& rest,
                 std::uint64_t executed);
  /// Tells the changes of the live memories' accounts in cycles before this one.
  void tell_memories(Cycle before);

  /// Notes that a region begins in this cycle, whose border has been passed on a path that is not
  /// told yet.
  void note_border(Cycle now) { borders_.push_back(now); }
  /// True if such a region begins in this cycle. It is then forgotten, with all before it.
  [[nodiscard]] bool is_border(Cycle now);

 private:
  void tell_changes(KnownSequences::Id interval, Cycle now, std::uint64_t accepted,
                    std::uint64_t retired);
  [[nodiscard]] Event event_of(const KnownSequences::Change& change, std::uint64_t accepted,
                               std::uint64_t retired);
  [[nodiscard]] bool is_of_second_port(const KnownSequences::Change& change) const;
  void sample_until(Cycle end, std::uint64_t retired);

  TcuSystem& system_;
  SequenceProgram& program_;
  ProgramBursts& bursts_;
  const SequenceCounters& counters_;
  ObservedChanges& changes_;
  const SequenceSetting& setting_;
  std::uint64_t executed_ = 0;  ///< instructions retired before the path that is told
  Cycle sampled_ = 0;           ///< the sampler has seen all cycles before this one
  std::uint16_t flags_ = 0;     ///< flags that the sampler sees from this cycle on
  /// Cycles that begin a region, whose borders have been passed and that observers of the array's
  /// time have not been told of
  std::deque<Cycle> borders_;
};

template <typename Begin, typename Retire>
void SequenceObservers::tell_steps(const std::vector<SequenceStep>& path,
                                   const SequencePosition& rest, std::uint64_t executed,
                                   const Begin& begin, const Retire& retire) {
  Cycle now = rest.now;
  std::uint64_t accepted = rest.next, retired = executed;
  executed_ = executed;
  bursts_.begin(executed);
  sampled_ = now;
  for (const SequenceStep& step : path) {
    begin(step, now);
    const KnownSequences::State& interval = setting_[step.interval];
    for (std::uint64_t i = 0; i < step.times; ++i) {
      if (interval.change_count != 0) tell_changes(step.interval, now, accepted, retired);
      now += interval.cycles;
      if (interval.accepts) ++accepted;
      if (!interval.retires) continue;
      sample_until(now, retired - executed);
      ++retired;
      retire(now);
    }
  }
  sample_until(now, retired - executed);
}

}  // namespace tactus
