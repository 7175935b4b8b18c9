// Records everything observable of a run, to compare two runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "tests/support/random_program.h"

namespace tactus {

struct RunRecord {
  TcuRunResult result;
  std::string error;                   ///< error that ended the run; empty: none
  std::vector<std::uint32_t> retires;  ///< cycle in which each instruction retires
  std::vector<std::string> events;     ///< lines "cycle EVENT ..."
  std::vector<std::uint64_t> samples;  ///< words of the sampler; the last of a block is negated
  std::vector<std::uint8_t> contents;  ///< contents of all memories
  std::vector<std::uint64_t> memory_statistics;  ///< counters of a board's memory
  Cycle simulated = 0;                           ///< cycles simulated by the machine
  /// Number of evaluations of units, and the number if every unit were evaluated in every cycle.
  /// They describe the simulator, so they are not compared.
  std::uint64_t evaluations = 0, most_evaluations = 0;
  std::uint64_t in_sequences = 0;  ///< instructions retired in sequences; not compared
  Cycle skipped = 0;               ///< TcuSequences::skipped(); not compared
  std::uint64_t worked_out = 0;    ///< TcuSequences::worked_out(); not compared
  /// Lines "unit: CODE FROM TO" for the intervals of the observed accounts, as they are told
  std::vector<std::string> intervals;
};

/// Accounts that are observed: none, only the account of time, or all. With `timeline` all accounts
/// are observed, and RunRecord::events has their intervals in place of RunRecord::intervals; if no
/// log of events is requested, the events that a timeline draws are between them, as told.
enum class Observed : std::uint8_t { nobody, time, everybody, timeline };

/// Chooses by the program's seed what is observed. For half of the programs it is `nobody`.
[[nodiscard]] Observed observed_of(const RandomProgram& program);

/// Returns all counters of a board's memory, up to the current cycle.
[[nodiscard]] std::vector<std::uint64_t> memory_statistics(MemorySystem& memory);

/// One of several runs on a machine.
struct RunOrder {
  const RandomProgram* program;
  TcuRunOptions options;  ///< record_runs() sets retire_log
  bool events = false;    ///< true: an observer receives the events
  Observed accounts = Observed::nobody;
};

/// Runs the programs one after the other on a new machine, each with its initial DRAM contents.
/// Cycles and sequences count from the start of the machine to the end of each run.
[[nodiscard]] std::vector<RunRecord> record_runs(const std::vector<RunOrder>& runs,
                                                 const TcuSimulationConfig& config);

struct RecordsTogether {
  std::vector<std::vector<RunRecord>> units;     ///< runs of each unit, without memory_statistics
  std::vector<std::uint64_t> memory_statistics;  ///< at the end of all runs
};

/// Runs programs on `units` units behind one board's memory; runs[u] are those of unit u. After an
/// error a unit runs no more.
[[nodiscard]] RecordsTogether record_together(const std::vector<std::vector<RunOrder>>& runs,
                                              const TcuSimulationConfig& config, unsigned units);

/// Runs the program on a new machine with its initial DRAM contents, for at most `max_cycles` (0:
/// no limit). If `events` is false, no observer receives events.
[[nodiscard]] RunRecord record_run(const RandomProgram& program, const TcuSimulationConfig& config,
                                   Cycle max_cycles = 0, bool events = true,
                                   Observed accounts = Observed::nobody);

/// Describes the first difference between two runs; empty if there is none.
[[nodiscard]] std::string difference(const RunRecord& one, const RunRecord& other);

}  // namespace tactus
