// The register files of all hardware threads, with the marks by which instructions wait.
//
// A register that an instruction will write is marked with the cycle from which it may be used; one
// that will still be read, with the cycle from which it may be overwritten. An instruction is
// issued when all its registers allow it (spec section 8.3, published distances):
//   - a source, and a destination that will be written: from the cycle of the last write on; an
//     ALU instruction need not wait for an earlier one that writes the same register;
//   - a destination that a message still reads: 8 cycles, and one per register, after its issue;
//   - a destination that the array still reads: timing.h, sources_released(). A DPAS need not wait
//     for that: it writes later than earlier DPAS read.
// Marks belong to whole registers. Values already change at issue; no instruction can observe this,
// since all instructions that use them wait.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "models/dpas/operation.h"
#include "models/sim/clock.h"

namespace tactus::dpas {

inline constexpr Cycle never = ~Cycle{0};

/// The hazard for which an instruction waits.
enum class Hazard : std::uint8_t {
  none,
  array_result,   ///< a DPAS has not written its result
  alu_result,     ///< the ALU has not written its result
  load,           ///< data from memory has not arrived
  array_sources,  ///< the array still reads a register that will be overwritten
  send_sources,   ///< a message still reads such a register
};

class RegisterFile final : public sc_core::sc_module {
 public:
  struct Wait {
    Cycle until = 0;  ///< first cycle in which the registers allow it; `never`: not known yet
    Hazard hazard = Hazard::none;
    std::uint16_t grf = 0;  ///< the register that decides
  };
  /// Register accesses since the machine was made.
  struct Stats {
    /// registers read by instructions, without reads saved by the array's buffers
    std::uint64_t reads = 0;
    /// reads saved because an operand buffer of the array held the register
    std::uint64_t saved = 0;
    std::uint64_t writes = 0;
  };

  RegisterFile(const sc_core::sc_module_name& name, const Profile& profile, unsigned threads);

  [[nodiscard]] std::uint8_t* bytes(unsigned thread) {
    return bytes_.data() + std::size_t{thread} * thread_bytes_;
  }
  [[nodiscard]] const std::uint8_t* bytes(unsigned thread) const {
    return bytes_.data() + std::size_t{thread} * thread_bytes_;
  }
  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] unsigned registers() const { return registers_; }

  /// Removes all marks and clears the thread's registers.
  void reset(unsigned thread);
  /// The wait of an operation: until which cycle, and for which hazard. Hazards that are over at
  /// `now` do not count.
  [[nodiscard]] Wait wait(unsigned thread, const Operation& operation, Cycle now) const;
  /// Marks registers that may be used from `cycle` on.
  void writes(unsigned thread, RegisterRange range, Cycle cycle, Hazard writer);
  /// Marks registers that may be overwritten from `cycle` on; `reader` is array_sources or
  /// send_sources.
  void reads(unsigned thread, RegisterRange range, Cycle cycle, Hazard reader);

  [[nodiscard]] Stats& stats() { return stats_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  void describe(const trace::Scope& scope) const;

 private:
  unsigned threads_;
  unsigned registers_;
  unsigned grf_bytes_;
  std::size_t thread_bytes_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Cycle> written_, array_read_, send_read_;  ///< marks by thread and register
  std::vector<Hazard> writer_;
  Stats stats_;
};

}  // namespace tactus::dpas
