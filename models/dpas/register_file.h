// The register files of all hardware threads, with the marks by which instructions wait.
//
// A register that an instruction will write is marked with the cycle from which it may be used. A
// register that is still to be read is marked with the cycle from which it may be overwritten. An
// instruction is issued when all its registers allow it (spec section 8.3, published distances):
//   - A source, and a destination that an earlier instruction writes, is free from the cycle of the
//     last write on. An ALU instruction does not wait for an earlier ALU instruction that writes
//     its destination.
//   - A destination that a message still reads is free 8 cycles after the message's issue; for a
//     store, one cycle later per register of its data.
//   - A destination that the array still reads is free after sources_released() cycles
//     (isa/dpas/timing.h). A DPAS does not wait for it: it writes later than earlier DPAS read.
// Marks belong to whole registers. DPAS and ALU change the values of their destination at issue, a
// load when its data has arrived. No instruction observes the early change, since all instructions
// that use the values wait.
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
  send_sources,   ///< a message still reads a register that will be overwritten
};

class RegisterFile final : public sc_core::sc_module {
 public:
  struct Wait {
    Cycle until = 0;  ///< first cycle in which the registers allow it; `never`: not known yet
    Hazard hazard = Hazard::none;
    std::uint16_t grf = 0;  ///< the register for which it waits
  };
  /// Register accesses since the machine was made.
  struct Stats {
    /// Registers that instructions read, without the reads that the array's operand buffers saved.
    std::uint64_t reads = 0;
    /// Reads that were saved because an operand buffer held the register.
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
  /// Says until which cycle an operation waits, and for which hazard. Hazards that are over in
  /// cycle `now` do not count.
  [[nodiscard]] Wait wait(unsigned thread, const Operation& operation, Cycle now) const;
  /// Marks registers that `writer` writes: they may be used from `cycle` on.
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
