// A matrix product on one machine: what was run, what it cost, and whether the result is right.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/driver/common/simulation.h"
#include "firmware/energy/table.h"
#include "firmware/gemm/problem.h"

namespace tactus::gemm {

/// Bytes through one level of the machine.
struct Level {
  std::string name;
  std::uint64_t bytes_read = 0, bytes_written = 0;
};

/// Bytes of a memory on the chip.
struct OnChipMemory {
  std::string name;
  std::uint64_t bits = 0;
};

/// Cycles that no run of the product on this array can be faster than.
struct Bound {
  std::uint64_t cycles = 0;
  std::string text;  ///< how it comes about
};

/// Reads of registers by instructions of the array, and those that its buffers saved.
struct RegisterReads {
  std::uint64_t read = 0, saved = 0;
};

struct Measurement {
  explicit Measurement(RunResult result) : run(std::move(result)) {}

  Problem problem;
  std::string arithmetic;  ///< "s8 x s8 + s32"
  std::string schedule;    ///< how the product was cut, in words
  double clock_mhz = 100;
  MachineRates rates;
  std::uint64_t peak_macs = 0;  ///< of the array in a cycle, in this arithmetic
  Bound bound;
  std::uint64_t estimated_cycles = 0;  ///< by the formula that chose the schedule
  std::uint64_t array_instructions = 0;
  RunResult run;
  std::vector<Level> levels;  ///< the outermost first
  std::optional<RegisterReads> registers;
  nlohmann::ordered_json energy;  ///< see energy::Meter; null without a table
  std::uint64_t checked = 0;      ///< elements of C that were compared
  std::string wrong;              ///< empty: all of them are right
  double host_seconds = 0;        ///< of the simulation alone

  /// This and the shares are 0 of a run that did not finish.
  [[nodiscard]] double macs_per_cycle() const;
  /// 0..1, see models/sim/array_figures.h.
  [[nodiscard]] double array_busy() const;
  [[nodiscard]] double useful_mac() const;
  /// 0..1: bound.cycles / cycles.
  [[nodiscard]] double share_of_bound() const;
  [[nodiscard]] std::uint64_t bytes_moved() const;  ///< through the outermost level
};

struct RunLimits {
  std::uint64_t seed = 1;
  Cycle max_cycles = 0;                   ///< 0: no limit
  std::optional<energy::Table> energies;  ///< none: energies are not worked out
};

/// One machine that products run on, as configured.
class Runner {
 public:
  virtual ~Runner() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< as the user named it
  [[nodiscard]] virtual std::string description() const = 0;
  [[nodiscard]] virtual std::string memory_description() const = 0;
  [[nodiscard]] virtual std::string arithmetic_note() const = 0;  ///< a sentence; empty: none
  [[nodiscard]] virtual std::vector<OnChipMemory> on_chip() const = 0;
  [[nodiscard]] virtual const MachineInfo& info() const = 0;

  /// What of it an energy table is about.
  [[nodiscard]] virtual energy::Machine parts() const = 0;

  /// Runs a product with random data and compares the result with a plain triple loop in the
  /// machine's arithmetic. A run that meets the limit or hangs, and a wrong result, is told in
  /// `wrong`. Throws UserError for a product that does not fit the machine.
  [[nodiscard]] virtual Measurement run(const Problem& problem, const RunLimits& limits) = 0;
};

}  // namespace tactus::gemm
