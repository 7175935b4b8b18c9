// Result of a matrix product on one machine: what was run, its cost, and whether the product is
// correct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/driver/common/simulation.h"
#include "firmware/driver/tcu/run_request.h"
#include "firmware/energy/table.h"
#include "firmware/gemm/problem.h"

namespace tactus::gemm {

/// Bytes transferred through one level of the machine's memory hierarchy.
struct Level {
  std::string name;
  std::uint64_t bytes_read = 0, bytes_written = 0;
};

/// Size of an on-chip memory.
struct OnChipMemory {
  std::string name;
  std::uint64_t bits = 0;
};

/// Lower bound on the cycles of the product on this array.
struct Bound {
  std::uint64_t cycles = 0;
  std::string text;  ///< explanation of the bound
};

/// Register reads issued by array instructions, and reads avoided because the operand was in a
/// buffer.
struct RegisterReads {
  std::uint64_t read = 0, saved = 0;
};

struct Measurement {
  explicit Measurement(RunResult result) : run(std::move(result)) {}

  Problem problem;
  std::string arithmetic;  ///< such as "s8 x s8 + s32"
  std::string schedule;    ///< description of the schedule
  double clock_mhz = 100;
  MachineRates rates;
  std::uint64_t peak_macs = 0;  ///< MACs of the array in a cycle, in this arithmetic
  Bound bound;
  std::uint64_t estimated_cycles = 0;  ///< estimate of the formula that chose the schedule
  std::uint64_t array_instructions = 0;
  RunResult run;
  std::vector<Level> levels;  ///< outermost first
  std::optional<RegisterReads> registers;
  nlohmann::ordered_json energy;  ///< result of energy::Meter; null without an energy table
  std::uint64_t checked = 0;      ///< number of compared elements of C
  std::string wrong;              ///< describes the first wrong element; empty: all are correct
  double host_seconds = 0;        ///< host time of the simulation alone

  // These figures are 0 if the run did not finish.
  [[nodiscard]] double macs_per_cycle() const;
  /// Share of cycles in which the array multiplies, 0..1, see models/sim/array_figures.h.
  [[nodiscard]] double array_busy() const;
  /// macs_per_cycle() / peak_macs, 0..1.
  [[nodiscard]] double useful_mac() const;
  /// bound.cycles / cycles, 0..1.
  [[nodiscard]] double share_of_bound() const;
  /// Bytes through the outermost level, also of a run that did not finish.
  [[nodiscard]] std::uint64_t bytes_moved() const;
};

/// Options of a run of a product, see request_parameters().
struct ProductRequest : RunRequest {
  std::uint64_t seed = 1;
  /// The table that the option `energy` names; empty: no energies are computed.
  std::optional<energy::Table> energies;
};

/// A configured machine that runs matrix products.
class Runner {
 public:
  virtual ~Runner() = default;
  [[nodiscard]] virtual std::string name() const = 0;  ///< as the user named it
  [[nodiscard]] virtual std::string description() const = 0;
  [[nodiscard]] virtual std::string memory_description() const = 0;
  /// One sentence about the machine's arithmetic; empty: none.
  [[nodiscard]] virtual std::string arithmetic_note() const = 0;
  [[nodiscard]] virtual std::vector<OnChipMemory> on_chip() const = 0;
  [[nodiscard]] std::uint64_t on_chip_bits() const;
  [[nodiscard]] virtual const MachineInfo& info() const = 0;

  /// Events and parts of the machine that an energy table has to cover.
  [[nodiscard]] virtual energy::Machine parts() const = 0;

  /// Runs a product with random data and compares the result with a plain triple loop in the
  /// machine's arithmetic. Measurement::wrong describes a wrong result, or a run that hangs or
  /// reaches its cycle limit. Throws UserError for a product that does not fit the machine.
  [[nodiscard]] virtual Measurement run(const Problem& problem, const ProductRequest& request) = 0;
};

}  // namespace tactus::gemm
