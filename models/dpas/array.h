// The DPAS array: Dp stages of ES lanes, operand buffers for src1 and src2.
//
// It accepts instructions in order, one every II = max(P * RC, Bload) cycles. A result may be used
// L(RC) cycles after issue (isa/dpas/timing.h tells which part is published). Bload is the number
// of registers of src1, one cycle each. It is 0 if src1 is in its operand buffer: an earlier
// instruction of the same macro has read the same 8 registers, which suppresses the reads
// (published; how many groups of registers a buffer holds is Tactus's reading of its size). If the
// profile charges bank conflicts, each row with a conflict delays the end of the instruction and
// its result by bank_conflict_cycles (Tactus's own; off by default). A macro keeps the array: DPAS
// of other threads wait until the macro has ended.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <systemc>

#include "models/dpas/channels.h"
#include "models/dpas/register_file.h"
#include "models/sim/account.h"

namespace tactus::dpas {

class Array final : public sc_core::sc_module {
 public:
  enum State : unsigned { rows, load_src1, conflict, drain, rest };
  static constexpr std::array<UnitState, 5> state_table{{
      {"rows", StateKind::busy,
       "rows of an instruction enter the array, one a cycle, again in each pass"},
      {"load_src1", StateKind::stall, "all rows have entered, but src1 is still being loaded"},
      {"bank_conflict", StateKind::stall, "rows wait for registers of the same bank and bundle"},
      {"drain", StateKind::stall, "no instruction enters, and results are on their way"},
      {"idle", StateKind::idle, "nothing to do"},
  }};
  struct Stats {
    std::uint64_t instructions = 0;
    std::uint64_t rows = 0;  ///< rows that have entered, in all passes
    std::uint64_t macs = 0;
    std::array<std::uint64_t, mac_kinds> macs_by_kind{};
    std::uint64_t conflict_cycles = 0;
    std::uint64_t macros = 0;  ///< macros of two or more instructions
  };

  Array(const sc_core::sc_module_name& name, Clock& clock, const MachineParameters& parameters,
        RegisterFile& registers, Link<Issued>& issued);

  // ---- a cycle
  void drive();  ///< sets ready
  void commit();
  /// First cycle after `now` in which the state that other units see may change without a new
  /// instruction; `never`: none.
  [[nodiscard]] Cycle next_event(Cycle now) const;

  /// True if a DPAS of this thread may enter. If not, `from` receives the first cycle in which it
  /// may (`never`: another thread's macro has not ended).
  [[nodiscard]] bool takes(unsigned thread, Cycle now, Cycle& from) const {
    if (macro_thread_ != nobody && macro_thread_ != thread) return from = never, false;
    return from = free_at_, now >= free_at_;
  }
  /// True if no row enters in cycle `now` and all results are written.
  [[nodiscard]] bool idle(Cycle now) const { return now >= drained_at_ && now >= free_at_; }
  /// First cycle in which the next instruction may enter.
  [[nodiscard]] Cycle free_at() const { return free_at_; }
  /// For the last instruction that entered: first cycle in which its result may be used, and in
  /// which its sources may be overwritten.
  [[nodiscard]] Cycle last_result() const { return last_result_; }
  [[nodiscard]] Cycle last_released() const { return last_released_; }
  [[nodiscard]] bool in_macro() const { return macro_thread_ != nobody; }
  [[nodiscard]] unsigned macro_thread() const { return macro_thread_; }

  [[nodiscard]] State state(Cycle now) const;
  [[nodiscard]] Stats stats(Cycle now) const;
  [[nodiscard]] Account& account() { return account_; }
  void describe(const trace::Scope& scope) const;

 private:
  static constexpr unsigned nobody = ~0U;
  static constexpr unsigned most_in_flight = 128;
  /// An operand buffer. It holds the groups of registers that one thread read last, and replaces
  /// the oldest group first.
  class Buffer {
   public:
    explicit Buffer(std::size_t groups) : groups_(groups) {}
    void clear() { std::fill(groups_.begin(), groups_.end(), RegisterRange{}); }
    /// True if the buffer holds the registers. Otherwise it replaces the oldest group by them.
    bool holds_or_takes(RegisterRange range) {
      if (std::find(groups_.begin(), groups_.end(), range) != groups_.end()) return true;
      if (!groups_.empty()) groups_[next_++ % groups_.size()] = range;
      return false;
    }
    /// Removes the groups that contain a register of `range`, which is written.
    void drop(RegisterRange range) {
      for (RegisterRange& group : groups_) {
        if (group.overlaps(range)) group = {};
      }
    }

   private:
    std::vector<RegisterRange> groups_;  ///< count 0: empty
    std::size_t next_ = 0;
  };
  /// An instruction whose result is not yet written.
  struct InFlight {
    Cycle done;
    std::uint32_t index;
    std::uint8_t thread;
  };
  void accept(const Issued& issued);
  /// Counts reads of the operands and reads saved by the buffers. Returns true if src1 is in its
  /// buffer.
  bool read_operands(const Issued& issued, const DpasForm& form, bool joined);

  Clock& clock_;
  unsigned conflict_cycles_;
  RegisterFile& registers_;
  Link<Issued>& issued_;
  Cycle rows_until_ = 0;  ///< rows of the last instruction enter before this cycle
  Cycle load_until_ = 0;  ///< src1 of the last instruction has been loaded before this cycle
  Cycle free_at_ = 0;     ///< first cycle in which the next instruction may enter
  Cycle drained_at_ = 0;  ///< from this cycle on all results may be used
  Cycle last_result_ = 0, last_released_ = 0;
  unsigned macro_thread_ = nobody;
  Buffer src1_, src2_;  ///< operand buffers, for the thread of the macro
  std::array<InFlight, most_in_flight> in_flight_{};
  unsigned first_ = 0, end_ = 0;  ///< begin and end in in_flight_, modulo its size; they only grow
  Stats stats_;
  Account account_;
};

}  // namespace tactus::dpas
