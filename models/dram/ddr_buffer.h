// The accesses a DRAM controller chooses from, and its choice.
//
// Every bank works for one access at a time, its candidate: its command is RD or WR if the access's
// row is open, PRE if another is, ACT if none is.
//   fifo     the candidate is the bank's oldest access
//   frfcfs   its oldest access that was passed over `cap` times; else the oldest to its open row;
//            else its oldest. With read_priority only reads count, or only writes: writes while no
//            read is in the buffer, and from write_high_mark writes on until write_low_mark are
//            left. Never before an older access to the same burst: that one is the candidate then
// Of all candidates' commands the one that is allowed first is the choice, of several in one clock
// that of the oldest access. A row that timed out is closed where no candidate wants the clock.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_access.h"
#include "models/dram/ddr_banks.h"
#include "models/dram/ddr_command.h"

namespace tactus {

struct DdrChoice {
  DdrClock clock = never;
  DdrCommandKind kind = DdrCommandKind::act;  ///< act, rd, wr, pre
  unsigned bank = 0;
  int slot = -1;  ///< of the access; none for a row that timed out
};

/// What changes in a DdrBuffer in the course of time, but for the accesses.
struct DdrBufferState {
  struct Bank {
    DdrAccesses::List queue;  ///< oldest first
    int candidate = -1;
    DdrCommandKind kind = DdrCommandKind::act;
    DdrClock last_access = 0;
  };

  unsigned places_[2] = {0, 0};  ///< of each kind, those taken
  unsigned taken_[2] = {0, 0};   ///< by reads, by writes
  DdrAccesses::List pending_;    ///< that have a place and have not joined
  DdrClock next_join_ = never;
  std::vector<Bank> banks_;
  std::uint64_t busy_ = 0;      ///< banks with accesses
  std::uint64_t dirty_ = 0;     ///< banks whose candidate is to be found again
  bool all_change_ = false;     ///< so may the clocks of all candidates' commands
  DdrChoice choice_;            ///< as of the last time something changed
  std::uint64_t best_age_ = 0;  ///< of the choice's access
  unsigned reads_ = 0, writes_ = 0, pending_reads_ = 0;  ///< joined; joined; not yet
  bool draining_ = false;
  bool prefers_writes_ = false;
  std::uint64_t next_age_ = 0;
};

class DdrBuffer : private DdrBufferState {
 public:
  DdrBuffer(const DdrConfig& config, const DdrBanks& banks, DdrAccesses& accesses);

  [[nodiscard]] bool has_room(bool write) const {
    const unsigned kind = !shared_ && write ? 1 : 0;
    return places_[kind] < room_[kind];
  }
  [[nodiscard]] bool empty() const { return places_[0] + places_[1] == 0; }
  [[nodiscard]] unsigned reads() const { return reads_ + pending_reads_; }
  /// Taken by reads or by writes.
  [[nodiscard]] unsigned places(bool write) const { return taken_[write ? 1 : 0]; }

  /// An access, which is in no list, takes a place; it joins its bank one clock before `joined`.
  void admit(int slot);
  /// The clock at whose end the next access joins its bank.
  [[nodiscard]] DdrClock next_join() const { return next_join_; }
  void join(DdrClock refresh_end);

  /// Not before `floor`, the first clock that is free for a command. It stays as it is until an
  /// access joins or a command is issued; a join is at a clock before it.
  [[nodiscard]] const DdrChoice& choose(DdrClock floor) {
    if (dirty_ != 0) choose_again(floor);
    return choice_;
  }
  /// ACT or PRE was issued, and the bank's open row has changed.
  void touch(unsigned bank) {
    dirty_ |= std::uint64_t{1} << bank;
    all_change_ = true;
  }
  void touch_all() {
    dirty_ = ~std::uint64_t{0};
    all_change_ = true;
  }
  /// A RD or WR was issued for it at `clock`: its place is free, and it is in no list.
  void remove(int slot, DdrClock clock);
  /// A refresh kept everybody waiting.
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
  /// Remembers the present state, in which all accesses are in the buffer.
  void mark();
  /// Returns to it; accesses that came since are gone.
  void rewind();

 private:
  void choose_again(DdrClock floor);
  /// Makes the bank's command the choice if it comes before it.
  void consider(unsigned bank, DdrClock floor);
  void refresh_candidate(unsigned bank, DdrClock floor);
  [[nodiscard]] int pick(const Bank& bank, std::int64_t open_row) const;
  [[nodiscard]] int first_to_burst(const Bank& bank, int slot) const;
  [[nodiscard]] DdrClock earliest(unsigned bank, DdrClock floor) const;
  void choose_timeout(DdrClock floor);
  void find_next_join() {
    next_join_ = pending_.empty() ? never : accesses_[pending_.first].joined - 1;
  }
  void update_preference();

  DdrConfig config_;
  const DdrBanks& banks_state_;
  DdrAccesses& accesses_;
  bool shared_;  ///< reads and writes share the places, which are the first kind then
  unsigned room_[2];
  DdrBufferState marked_;
  std::vector<DdrAccesses::Saved> marked_accesses_;  ///< as many as there are places
  std::size_t marked_count_ = 0;                     ///< of them in use
};

}  // namespace tactus
