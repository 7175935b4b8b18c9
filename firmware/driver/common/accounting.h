// Accounting of a run: cycles by unit and state, by kind of instruction, by region.
//
// Regions are consecutive instructions, usually layers. A cycle belongs to the region of the
// instruction that retires next: a region begins one cycle after the previous instruction's
// retirement and ends in the cycle in which its last instruction retires. Cycles after the
// program's last retirement, including those of padding, belong to a region "(end)". Instructions
// outside all regions belong to "(other)". Work that is still in progress at a border (in
// pipelines, or writes to memory) counts in the region of the cycle in which it is done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/region.h"
#include "models/sim/machine.h"

namespace tactus {

/// Cycles of one unit in one run. The cycles of all states add up to those of the run.
struct UnitCycles {
  std::string unit;
  UnitStates states;
  std::vector<std::uint64_t> cycles;  ///< indexed like `states`

  [[nodiscard]] std::uint64_t of(StateKind kind) const;
};

/// Instructions of one kind, and the cycles that they spend at the head of a unit's queue.
struct KindFigures {
  std::uint64_t count = 0;          ///< retired instructions, including padding
  std::uint64_t vectors = 0;        ///< vectors of these instructions
  std::vector<std::uint64_t> head;  ///< cycles at the head, by state of the unit
  std::uint64_t busy = 0;           ///< cycles at the head in a busy state

  [[nodiscard]] std::uint64_t head_cycles() const;
};

/// Counters of a machine and the account of its main unit: their values, or their growth over some
/// cycles.
struct Counters {
  explicit Counters(const MachineInfo& machine);

  const MachineInfo* info;
  std::vector<std::uint64_t> time;    ///< cycles by reason, see MachineInfo::time
  std::vector<std::uint64_t> values;  ///< values of MachineInfo::counters

  /// Value of a counter. Searches by name, which is slow.
  [[nodiscard]] std::uint64_t of(std::string_view name, unsigned index = 0) const {
    return values[info->counter({name, index})];
  }
  Counters& operator+=(const Counters& o);
  Counters& operator-=(const Counters& o);
  [[nodiscard]] std::uint64_t cycles() const;  ///< sum of `time`
};

struct RegionFigures {
  std::string name;
  std::uint64_t instructions = 0;  ///< retired instructions
  Counters counters;
};

/// Cycles [from, to) of a region, counted from the run's first cycle.
struct RegionSpan {
  std::size_t region;
  Cycle from, to;
};

struct Accounting {
  explicit Accounting(const MachineInfo& machine) : totals(machine) {}

  Cycle cycles = 0;               ///< cycles of the run, until the machine is idle again
  std::vector<UnitCycles> units;  ///< the last one is the account of the main unit
  std::vector<KindFigures> kinds;
  Counters totals;
  std::vector<RegionFigures> regions;  ///< empty if no regions were requested
  std::vector<RegionSpan> spans;

  /// Throws InternalError if there is no such unit.
  [[nodiscard]] const UnitCycles& unit(std::string_view name) const;
  /// True if the machine has the unit, or if `name` is empty.
  [[nodiscard]] bool has(std::string_view name) const;
};

/// Makes the accounting of each run of a machine.
class Accountant {
 public:
  Accountant(Machine& machine, const Clock& clock);

  /// Starts the accounting. Call it before the run's first cycle. `instructions` is the length of
  /// the program without padding; `regions` must be inside it and in order.
  void begin(std::uint64_t instructions, const std::vector<Region>& regions);
  /// Number of retired instructions at which the current region ends.
  [[nodiscard]] std::uint64_t next_border() const { return next_border_; }
  /// Begins the next region. Call it in the cycle after the one in which next_border() was reached.
  void border(std::uint64_t retired);
  /// Ends the accounting. Throws InternalError unless the cycles of every unit add up to those of
  /// the run and every identity of the machine holds.
  Accounting end(std::uint64_t retired);

 private:
  /// Consecutive instructions of one region.
  struct Segment {
    std::uint64_t end;  ///< number of instructions that have retired when it ends
    std::size_t region;
  };
  [[nodiscard]] Counters counters() const;
  void close_segment(std::uint64_t retired);
  void add_kinds(const UnitInfo& unit, const Account& account,
                 const std::vector<std::uint64_t>& before);
  void check(const Accounting& accounting) const;

  Machine& machine_;
  const MachineInfo& info_;
  const Clock& clock_;
  // Values at the start of the run. Counters continue from run to run, so a run's figures are their
  // growth since these values.
  Cycle first_ = 0;
  std::vector<std::vector<std::uint64_t>> units_at_start_;
  std::vector<KindCounts> kinds_at_start_;
  Counters start_;

  Accounting accounting_;  ///< accounting of the current run
  std::vector<Segment> segments_;
  std::size_t segment_ = 0;  ///< index of the current segment
  std::uint64_t next_border_ = 0;
  Cycle segment_from_ = 0;
  std::uint64_t segment_retired_ = 0;
  Counters segment_start_;
};

}  // namespace tactus
