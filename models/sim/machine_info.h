// Description of a machine by tables, available without building one.
//
// Statistics, reports, timelines, explanations of figures, memory dumps and sweeps know machines
// through these tables only. A row may name a unit that it `needs`: it applies to machines with an
// account of this name, which depends on their configuration. Texts exist as long as the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/events.h"

namespace tactus {

/// A unit with an account; optional units are listed, too.
struct UnitInfo {
  std::string_view name;   ///< name of the account
  std::string_view title;  ///< title for users
  UnitStates states;
  /// The unit has an instruction at its head: contexts of its account are 0 for none and k + 1 for
  /// the kind k of MachineInfo::kinds.
  bool heads = false;
};

/// A reason for which the machine's main unit works or does not; see TimeInfo.
struct ReasonInfo {
  std::string_view title;  ///< title for users
  unsigned group;          ///< place in TimeInfo::groups
};

/// Reasons that a chart draws in one colour.
struct ReasonGroup {
  std::string_view title;
  unsigned colour;  ///< colour in reports: 0 green, 1 blue, 2 violet, 3 amber, 4 red, 5 grey
};

/// The time of the machine's main unit. Its account has a state for each reason; cycles in states
/// other than `busy` are lost.
struct TimeInfo {
  std::string_view subject;         ///< the unit, e.g. "array"
  std::string_view unit;            ///< the account
  UnitStates states;                ///< names, kinds and sentences of the reasons
  std::vector<ReasonInfo> reasons;  ///< reason of each state
  std::vector<ReasonGroup> groups;
  std::string_view lost;          ///< meaning of a lost cycle, such as "no vector multiplied"
  std::string_view introduction;  ///< sentences for a page
};

/// Counts that only grow while a machine runs, found by name and index.
struct CounterInfo {
  std::string_view name;
  unsigned values = 1;  ///< one for each memory port, or a single one
};

struct CounterRef {
  std::string_view name;
  unsigned index = 0;
};

/// An identity that holds in every run: the cycles of a state are the sum of these counters. It
/// does not apply to a machine without this unit.
struct Identity {
  std::string_view unit, state;
  std::vector<CounterRef> counters;
};

/// A figure of a run or of a region of it.
struct FigureInfo {
  enum class Source : std::uint8_t {
    counter,    ///< the counter of this name
    per_cycle,  ///< the counter `of`, divided by the cycles
    own,        ///< computed by the machine's driver
  };
  std::string_view name;  ///< name in JSON; a dot precedes the name of a figure below it
  std::string_view unit;
  std::string_view meaning;  ///< one sentence
  Source source = Source::counter;
  std::string_view of = {};
  std::string_view needs = {};
};

/// Meaning, for this machine, of a figure that all machines have.
struct FigureMeaning {
  std::string_view name;
  std::string_view meaning;
};

/// A kind of instruction.
struct KindInfo {
  std::string_view name;   ///< name in JSON
  std::string_view title;  ///< title, as in program text
  std::string_view needs = {};
};

/// The ports to the memories outside. The counters read_beats, write_beats, read_bursts and
/// write_bursts have a value for each port.
struct PortInfo {
  std::string_view unit;   ///< the account, and the name in JSON
  std::string_view title;  ///< title for users
};
struct TrafficInfo {
  std::string_view name;        ///< the object in JSON
  std::string_view title;       ///< title for users
  std::string_view ports_text;  ///< e.g. "the two DRAM ports"
  std::vector<PortInfo> ports;
};

/// A memory that can be written to a file.
struct MemoryInfo {
  std::string_view name;
};

struct MachineInfo {
  std::string_view name;        ///< on the command line
  std::string_view sentence;    ///< one sentence about the machine
  std::vector<UnitInfo> units;  ///< in the order of reports
  TimeInfo time;
  std::vector<KindInfo> kinds;
  std::string_view kinds_introduction;  ///< a sentence for a page
  std::vector<CounterInfo> counters;
  std::vector<Identity> identities;
  std::string_view work;  ///< counter from which multiply-accumulates are computed
  TrafficInfo traffic;
  std::vector<FigureInfo> run_figures;
  std::vector<FigureInfo> layer_figures;
  std::vector<FigureMeaning> meanings;
  std::vector<EventInfo> events;  ///< in the order of event kinds
  std::vector<MemoryInfo> memories;

  /// Place of a counter's first value in the machine's list of all values. Throws InternalError if
  /// there is no such counter.
  [[nodiscard]] std::size_t counter(const CounterRef& ref) const;
  /// Number of values of all counters.
  [[nodiscard]] std::size_t counter_values() const;
  /// Finds a unit; null if there is none.
  [[nodiscard]] const UnitInfo* unit(std::string_view unit_name) const;
  /// Title of a unit, or its name if there is no such unit.
  [[nodiscard]] std::string_view unit_title(std::string_view unit_name) const;
};

}  // namespace tactus
