// Where the cycles of a run went: by unit and state, by kind of instruction, by region.
//
// Regions are consecutive instructions, usually layers. A cycle belongs to the region of the
// instruction that retires next: a region begins in the cycle after the last retire before it and
// ends with the retire of its last instruction. What follows the program's last retire, padding
// included, belongs to a region "(end)", instructions outside all regions to "(other)". Work that
// is still under way at a border (pipelines, writes to memory) counts where its cycle falls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/region.h"
#include "models/sim/machine.h"

namespace tactus {

/// One unit in one run; the cycles of its states add up to those of the run.
struct UnitCycles {
  std::string unit;
  UnitStates states;
  std::vector<std::uint64_t> cycles;  ///< by state

  [[nodiscard]] std::uint64_t of(StateKind kind) const;
};

/// Instructions of one kind, and their cycles at the head of the units that have heads.
struct KindFigures {
  std::uint64_t count = 0;          ///< retired, padding included
  std::uint64_t vectors = 0;        ///< of those
  std::vector<std::uint64_t> head;  ///< cycles by state of the unit
  std::uint64_t busy = 0;           ///< of these cycles, those in a busy state

  [[nodiscard]] std::uint64_t head_cycles() const;
};

/// The machine's counters and the time of its main unit, or their growth over some cycles.
struct Counters {
  explicit Counters(const MachineInfo& machine);

  const MachineInfo* info;
  std::vector<std::uint64_t> time;    ///< cycles by reason, see MachineInfo::time
  std::vector<std::uint64_t> values;  ///< of MachineInfo::counters

  /// Of a counter; by name, which is slow.
  [[nodiscard]] std::uint64_t of(std::string_view name, unsigned index = 0) const {
    return values[info->counter({name, index})];
  }
  Counters& operator+=(const Counters& o);
  Counters& operator-=(const Counters& o);
  [[nodiscard]] std::uint64_t cycles() const;  ///< sum of `time`
};

struct RegionFigures {
  std::string name;
  std::uint64_t instructions = 0;  ///< retired
  Counters counters;
};

/// Cycles [from, to) in a region; they count from the run's first.
struct RegionSpan {
  std::size_t region;
  Cycle from, to;
};

struct Accounting {
  explicit Accounting(const MachineInfo& machine) : totals(machine) {}

  Cycle cycles = 0;               ///< of the run, until the machine was idle again
  std::vector<UnitCycles> units;  ///< the time of the main unit is the last
  std::vector<KindFigures> kinds;
  Counters totals;
  std::vector<RegionFigures> regions;  ///< empty if none were asked for
  std::vector<RegionSpan> spans;

  /// Throws InternalError if there is no such unit.
  [[nodiscard]] const UnitCycles& unit(std::string_view name) const;
  /// Whether the machine has the unit; every machine has "".
  [[nodiscard]] bool has(std::string_view name) const;
};

/// Takes the accounting of one machine, run by run.
class Accountant {
 public:
  Accountant(Machine& machine, const Clock& clock);

  /// The clock stands before the run's first cycle. `instructions` is the length of the program
  /// without padding; `regions` lie inside it, in order.
  void begin(std::uint64_t instructions, const std::vector<Region>& regions);
  /// Retired instructions at which the present region ends; border() is due in the next cycle.
  [[nodiscard]] std::uint64_t next_border() const { return next_border_; }
  void border(std::uint64_t retired);
  /// Throws InternalError unless every sum is the number of cycles, and every identity of the
  /// machine holds.
  Accounting end(std::uint64_t retired);

 private:
  struct Segment {
    std::uint64_t end;  ///< instructions retired
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
  // The machine's counters run on; a run's figures are their growth since these.
  Cycle first_ = 0;
  std::vector<std::vector<std::uint64_t>> units_at_start_;
  std::vector<KindCounts> kinds_at_start_;
  Counters start_;

  Accounting accounting_;  ///< of the run under way
  std::vector<Segment> segments_;
  std::size_t segment_ = 0;  ///< the present one
  std::uint64_t next_border_ = 0;
  Cycle segment_from_ = 0;
  std::uint64_t segment_retired_ = 0;
  Counters segment_start_;
};

}  // namespace tactus
