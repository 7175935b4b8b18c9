// The register files of all hardware threads, with the marks by which instructions wait.
//
// A register that an instruction is going to write is marked with the cycle from which it may be
// used, and one that is still to be read with the cycle from which it may be overwritten. An
// instruction is issued when all its registers allow it (spec section 8.3, published distances):
//   - sources, and a destination that is being written: from the cycle of the last write on; an
//     ALU instruction need not wait for one before it that writes the same register;
//   - a destination that a message still reads: 8 cycles and a cycle a register after its issue;
//   - a destination that the array still reads: timing.h, sources_released(). A DPAS need not wait
//     for that: it writes later than DPAS before it read.
// Marks belong to whole registers. Values change at issue, which nobody can tell from later, since
// whoever wants them waits.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "models/dpas/operation.h"
#include "models/sim/clock.h"

namespace tactus::dpas {

inline constexpr Cycle never = ~Cycle{0};

/// What an instruction waits for.
enum class Hazard : std::uint8_t {
  none,
  array_result,   ///< a DPAS has not written its result
  alu_result,     ///< the ALU has not
  load,           ///< data from memory has not come
  array_sources,  ///< the array still reads what is to be overwritten
  send_sources,   ///< a message still reads it
};

class RegisterFile final : public sc_core::sc_module {
 public:
  struct Wait {
    Cycle until = 0;  ///< first cycle in which the registers allow it; `never`: not known yet
    Hazard hazard = Hazard::none;
    std::uint16_t grf = 0;  ///< that decides
  };
  /// Registers, in the life of the machine.
  struct Stats {
    std::uint64_t reads = 0;  ///< read by instructions, those of the array's buffers not counted
    std::uint64_t saved = 0;  ///< not read since an operand buffer of the array held them
    std::uint64_t writes = 0;
  };

  RegisterFile(const sc_core::sc_module_name& name, const Profile& profile, unsigned threads);

  [[nodiscard]] std::uint8_t* bytes(unsigned thread) {
    return bytes_.data() + std::size_t{thread} * thread_bytes_;
  }
  [[nodiscard]] const std::uint8_t* bytes(unsigned thread) const {
    return bytes_.data() + std::size_t{thread} * thread_bytes_;
  }
  [[nodiscard]] std::size_t thread_bytes() const { return thread_bytes_; }
  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] unsigned registers() const { return registers_; }

  /// Forgets all marks and clears the thread's registers.
  void reset(unsigned thread);
  /// Until when the registers do not allow the operation; what allows it at `now` counts for
  /// nothing.
  [[nodiscard]] Wait wait(unsigned thread, const Operation& operation, Cycle now) const;
  /// The registers may be used from `cycle` on.
  void writes(unsigned thread, RegisterRange range, Cycle cycle, Hazard writer);
  /// They may be overwritten from `cycle` on; `reader` is array_sources or send_sources.
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
  std::vector<Cycle> written_, array_read_, send_read_;  ///< by thread and register
  std::vector<Hazard> writer_;
  Stats stats_;
};

}  // namespace tactus::dpas
