// Where the cycles of a run went: by unit and state, by kind of instruction, by region.
//
// Regions are runs of consecutive instructions, usually layers. A cycle belongs to the region of
// the instruction that retires next: a region begins in the cycle after the last retire before it
// and ends with the retire of its last instruction. What follows the program's last retire, padding
// included, belongs to a region "(end)", instructions outside all regions to "(other)". Work that
// is still under way at a border (array pipeline, writes to DRAM) counts where its cycle falls.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/model_file.h"
#include "models/tcu/system.h"

namespace tactus {

/// One unit in one run; the cycles of its states add up to those of the run.
struct UnitCycles {
  std::string unit;
  UnitStates states;
  std::vector<std::uint64_t> cycles;  ///< by state

  [[nodiscard]] std::uint64_t of(StateKind kind) const;
};

struct KindFigures {
  std::uint64_t count = 0;    ///< retired, padding included
  std::uint64_t vectors = 0;  ///< of those
  /// Cycles at the decoder's head, by Decoder::State.
  std::array<std::uint64_t, Decoder::state_table.size()> head{};

  [[nodiscard]] std::uint64_t head_cycles() const;
};

/// Counters that only grow, and their growth over a stretch of time.
struct Counters {
  std::array<std::uint64_t, ArrayTime::states> array_time{};
  std::array<std::uint64_t, 2> read_beats{}, write_beats{}, read_bursts{}, write_bursts{};
  std::uint64_t array_runs = 0, array_loads = 0, alu_operations = 0;

  Counters& operator+=(const Counters& o);
  Counters& operator-=(const Counters& o);
  [[nodiscard]] std::uint64_t cycles() const;  ///< sum of array_time
};

struct RegionFigures {
  std::string name;
  std::uint64_t instructions = 0;  ///< retired
  Counters counters;
};

/// A stretch of cycles [from, to) in a region; cycles count from the run's first.
struct RegionSpan {
  std::size_t region;
  Cycle from, to;
};

struct Accounting {
  Cycle cycles = 0;               ///< of the run, until the machine was idle again
  std::vector<UnitCycles> units;  ///< the array's time is the last
  std::array<KindFigures, tcu::instruction_kinds> kinds{};
  Counters totals;
  std::vector<RegionFigures> regions;  ///< empty if none were asked for
  std::vector<RegionSpan> spans;

  /// Throws InternalError if there is no such unit.
  [[nodiscard]] const UnitCycles& unit(std::string_view name) const;
};

/// Takes the accounting of one machine, run by run.
class Accountant {
 public:
  Accountant(TcuSystem& system, const Clock& clock) : system_(system), clock_(clock) {}

  /// The clock stands before the run's first cycle. `instructions` is the length of the program
  /// without padding; `regions` lie inside it, in order.
  void begin(std::uint64_t instructions, const std::vector<tcu::LayerEntry>& regions);
  /// Retired instructions at which the present region ends; border() is due in the next cycle.
  [[nodiscard]] std::uint64_t next_border() const { return next_border_; }
  void border(std::uint64_t retired);
  /// Throws InternalError unless every sum is the number of cycles, and every busy state the number
  /// of events that it stands for.
  Accounting end(std::uint64_t retired);

 private:
  struct Segment {
    std::uint64_t end;  ///< instructions retired
    std::size_t region;
  };
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] std::array<std::uint64_t, 6> accesses() const;
  void close_segment(std::uint64_t retired);
  void check(const Accounting& accounting) const;

  TcuSystem& system_;
  const Clock& clock_;
  // The machine's counters run on; a run's figures are their growth since these.
  Cycle first_ = 0;
  std::vector<std::vector<std::uint64_t>> units_at_start_;
  Decoder::Stats decoder_at_start_;
  std::array<std::uint64_t, 6> accesses_at_start_{};
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
