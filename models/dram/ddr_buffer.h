// The scheduler's buffer of a DRAM controller: the accesses that need commands, and the choice of
// the next command.
//
// Each bank works for one access at a time, its candidate. The candidate's next command is RD or WR
// if its row is open, PRE if another row is open, ACT if no row is open.
// The scheduler (scheduler/scheduler.h) says which access is the candidate.
//
// The buffer chooses the candidate whose command is allowed first; if several are allowed at one
// clock, that of the lowest rank and then of the oldest access. A row that timed out
// (row_policy/row_policy.h) is closed at a clock before the command of every candidate.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_access.h"
#include "models/dram/ddr_banks.h"
#include "models/dram/ddr_command.h"
#include "models/dram/row_policy/row_policy.h"
#include "models/dram/scheduler/scheduler.h"

namespace tactus {

/// The next command, and the clock at which it is issued; `never`: there is none.
struct DdrChoice {
  DdrClock clock = never;
  DdrCommandKind kind = DdrCommandKind::act;  ///< act, rd, wr or pre
  unsigned bank = 0;
  int slot = -1;  ///< slot of the access; -1: the command closes a row that timed out
};

/// The part of a DdrBuffer that changes, without the accesses.
struct DdrBufferState {
  struct Bank {
    DdrAccesses::List queue;  ///< oldest first
    int candidate = -1;       ///< slot; -1: none
    DdrCommandKind kind = DdrCommandKind::act;
    DdrClock last_access = 0;  ///< clock of the last RD or WR
  };

  unsigned places_[2] = {0, 0};  ///< places in use, counted as in room_
  unsigned taken_[2] = {0, 0};   ///< places in use by reads and by writes
  DdrAccesses::List pending_;    ///< accesses that have a place but have not yet joined their bank
  DdrClock next_join_ = never;
  std::vector<Bank> banks_;
  std::uint64_t busy_ = 0;      ///< bit mask of banks with accesses
  std::uint64_t dirty_ = 0;     ///< bit mask of banks whose candidate must be picked again
  bool all_change_ = false;     ///< true if the clocks of all candidates' commands may have changed
  DdrChoice choice_;            ///< the result of the last choose()
  std::uint64_t best_age_ = 0;  ///< age of the access in choice_
  /// Reads and writes that have joined a bank, and reads that have not.
  unsigned reads_ = 0, writes_ = 0, pending_reads_ = 0;
  bool ranked_ = false;  ///< true from the first access on whose rank is not 0
  std::uint64_t next_age_ = 0;
};

class DdrBuffer : private DdrBufferState {
 public:
  DdrBuffer(const DdrConfig& config, const DdrBanks& banks, DdrAccesses& accesses);

  /// True if there is a place for an access. Those of rank 0 keep one place to themselves.
  [[nodiscard]] bool has_room(bool write, unsigned rank = 0) const {
    const unsigned kind = !shared_ && write ? 1 : 0;
    const unsigned kept = rank != 0 && room_[kind] > 1 ? 1 : 0;
    return places_[kind] + kept < room_[kind];
  }
  [[nodiscard]] bool empty() const { return places_[0] + places_[1] == 0; }
  [[nodiscard]] unsigned reads() const { return reads_ + pending_reads_; }
  /// Places in use by reads or by writes.
  [[nodiscard]] unsigned places(bool write) const { return taken_[write ? 1 : 0]; }

  /// Gives a place to an access that is in no list. The access joins its bank at the end of the
  /// clock `joined` - 1.
  void admit(int slot);
  /// The clock at whose end the next access joins its bank; `never`: no access is pending.
  [[nodiscard]] DdrClock next_join() const { return next_join_; }
  /// Moves the first pending access to its bank. The account of the access includes the refresh
  /// that ends at `refresh_end`, if that is later than `joined`.
  void join(DdrClock refresh_end);

  /// Returns the next command. Its clock is not before `floor`, the first clock at which a command
  /// may be issued. The choice is valid until an access joins or a command is issued. Accesses that
  /// join before the clock of the choice must join first.
  [[nodiscard]] const DdrChoice& choose(DdrClock floor) {
    if (dirty_ != 0) choose_again(floor);
    return choice_;
  }
  /// Tells the buffer that the bank's open row or its accesses have changed: call it after ACT and
  /// PRE.
  void touch(unsigned bank) {
    dirty_ |= std::uint64_t{1} << bank;
    all_change_ = true;
  }
  /// Tells the buffer that all banks may have changed: call it after a refresh.
  void touch_all() {
    dirty_ = ~std::uint64_t{0};
    all_change_ = true;
  }
  /// True if RD or WR for the access closes its row.
  [[nodiscard]] bool closes_behind(int slot) const {
    return rows_->closes_behind(accesses_, banks_[accesses_[slot].address.bank].queue, slot);
  }
  /// Removes an access for which RD or WR was issued at `clock`. Its place becomes free. The access
  /// is then in no list.
  void remove(int slot, DdrClock clock);
  /// Adds a refresh, clocks [due, end), to the account of each access that has joined its bank.
  void add_refresh(DdrClock due, DdrClock end);

  /// Calls `f` with the slot of each access that has a place.
  template <typename F>
  void for_each(F&& f) const {
    const auto each = [&](const DdrAccesses::List& list) {
      for (int slot = list.first; slot >= 0; slot = accesses_[slot].next) f(slot);
    };
    each(pending_);
    for (std::uint64_t banks = busy_; banks != 0; banks &= banks - 1) {
      each(banks_[static_cast<unsigned>(__builtin_ctzll(banks))].queue);
    }
  }
  /// Saves the state. Precondition: all accesses are in the buffer.
  void mark();
  /// Restores the saved state. Accesses that arrived after mark() are lost.
  void rewind();

 private:
  void choose_again(DdrClock floor);
  /// Makes the command of the bank's candidate the choice, if it is earlier than the present
  /// choice, or at its clock and for an older access.
  void consider(unsigned bank, DdrClock floor);
  /// Picks the bank's candidate and its command again.
  void refresh_candidate(unsigned bank, DdrClock floor);
  [[nodiscard]] DdrClock earliest(unsigned bank, DdrClock floor) const;
  /// Makes PRE of a row that timed out the choice, if it is earlier than the present choice.
  void consider_timeouts(DdrClock floor);
  void find_next_join() {
    next_join_ = pending_.empty() ? never : accesses_[pending_.first].joined - 1;
  }
  /// Gives the scheduler the numbers of reads and writes, if it wants them.
  void count();

  const DdrBanks& banks_state_;
  DdrAccesses& accesses_;
  std::unique_ptr<DdrBankScheduler> scheduler_;
  std::unique_ptr<DdrRowPolicy> rows_;
  DdrClock timeout_;  ///< of rows_
  bool shared_;       ///< true if reads and writes share the places room_[0]
  unsigned room_[2];  ///< number of places for reads and for writes
  DdrBufferState marked_;
  std::vector<DdrAccesses::Saved> marked_accesses_;  ///< one element for each place
  std::size_t marked_count_ = 0;                     ///< used elements of marked_accesses_
};

}  // namespace tactus
