// Everything observable of one run, for asking whether two runs were the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "tests/support/random_program.h"

namespace tactus {

struct RunRecord {
  TcuRunResult result;
  std::string error;                   ///< that ended it, else empty
  std::vector<std::uint32_t> retires;  ///< cycle of every instruction
  std::vector<std::string> events;     ///< "cycle EVENT ..."
  std::vector<std::uint64_t> samples;  ///< words of the sampler, the last of a block negated
  std::vector<std::uint8_t> contents;  ///< of all memories
  std::vector<std::uint64_t> memory_statistics;  ///< of a board's memory
  Cycle simulated = 0;                           ///< cycles of the machine
  /// Units worked out in full, and if all were in every cycle; how, not what: not compared.
  std::uint64_t evaluations = 0, most_evaluations = 0;
  std::uint64_t in_sequences = 0;  ///< instructions taken in known sequences; not compared
  Cycle skipped = 0;               ///< TcuSequences::skipped(); not compared
  /// "unit CODE FROM TO" of accounts that are observed, joined where the code stays the same.
  std::vector<std::string> intervals;
};

/// Whose accounts are observed.
enum class Observed : std::uint8_t { nobody, time, everybody };

/// By the program's seed: nobody's of one half of the programs.
[[nodiscard]] Observed observed_of(const RandomProgram& program);

/// All that a board's memory has counted, up to the present cycle.
[[nodiscard]] std::vector<std::uint64_t> memory_statistics(MemorySystem& memory);

/// One of several runs on a machine.
struct RunOrder {
  const RandomProgram* program;
  TcuRunOptions options;  ///< retire_log is set by record_runs()
  bool events = false;    ///< somebody hears of the machine's events
  Observed accounts = Observed::nobody;
};

/// Runs them one behind the other on a new machine, each from its program's initial contents of the
/// DRAMs. Cycles and sequences are those of the machine up to the end of each run.
[[nodiscard]] std::vector<RunRecord> record_runs(const std::vector<RunOrder>& runs,
                                                 const TcuSimulationConfig& config);

/// Runs the program from its initial contents on a new machine. At most `max_cycles`; 0: no limit.
/// Without `events` nobody hears of these.
[[nodiscard]] RunRecord record_run(const RandomProgram& program, const TcuSimulationConfig& config,
                                   Cycle max_cycles = 0, bool events = true,
                                   Observed accounts = Observed::nobody);

/// The first difference, or nothing.
[[nodiscard]] std::string difference(const RunRecord& one, const RunRecord& other);

}  // namespace tactus
