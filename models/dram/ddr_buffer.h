// The accesses from which a DRAM controller chooses, and its choice.
//
// Every bank works for one access at a time, its candidate. The command of a candidate is RD or WR
// if its row is open, PRE if another row is open, ACT if no row is open.
//   fifo     the candidate is the bank's oldest access
//   frfcfs   the oldest access that was passed over `cap` times; else the oldest to the open row;
//            else the oldest. With read_priority only reads count, or only writes: writes while no
//            read is in the buffer, and from write_high_mark writes on until write_low_mark are
//            left. If there is an older access to the same burst, that one is the candidate.
// The choice is the candidate whose command is allowed first; of several in one clock, that of the
// oldest access. A row that timed out is closed in a clock that no candidate uses.
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
  DdrCommandKind kind = DdrCommandKind::act;  ///< act, rd, wr or pre
  unsigned bank = 0;
  int slot = -1;  ///< slot of the access; -1 for a row that timed out
};

/// The changing state of a DdrBuffer, except the accesses.
struct DdrBufferState {
  struct Bank {
    DdrAccesses::List queue;  ///< oldest first
    int candidate = -1;
    DdrCommandKind kind = DdrCommandKind::act;
    DdrClock last_access = 0;
  };

  unsigned places_[2] = {0, 0};  ///< capacity for reads and writes
  unsigned taken_[2] = {0, 0};   ///< places in use by reads, by writes
  DdrAccesses::List pending_;    ///< accesses that have a place but have not joined their bank
  DdrClock next_join_ = never;
  std::vector<Bank> banks_;
  std::uint64_t busy_ = 0;      ///< bit mask of banks with accesses
  std::uint64_t dirty_ = 0;     ///< bit mask of banks whose candidate must be found again
  bool all_change_ = false;     ///< clocks of all candidates' commands may have changed
  DdrChoice choice_;            ///< as of the last change
  std::uint64_t best_age_ = 0;  ///< age of the choice's access
  /// joined reads; joined writes; reads that have not joined
  unsigned reads_ = 0, writes_ = 0, pending_reads_ = 0;
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
  /// Places in use by reads or by writes.
  [[nodiscard]] unsigned places(bool write) const { return taken_[write ? 1 : 0]; }

  /// Gives a place to an access that is in no list. It joins its bank one clock before `joined`.
  void admit(int slot);
  /// The clock at whose end the next access joins its bank.
  [[nodiscard]] DdrClock next_join() const { return next_join_; }
  void join(DdrClock refresh_end);

  /// The choice, not before `floor`, the first clock that is free for a command. It stays valid
  /// until an access joins or a command is issued; joins are at earlier clocks than the choice.
  [[nodiscard]] const DdrChoice& choose(DdrClock floor) {
    if (dirty_ != 0) choose_again(floor);
    return choice_;
  }
  /// Call after ACT or PRE: the bank's open row has changed.
  void touch(unsigned bank) {
    dirty_ |= std::uint64_t{1} << bank;
    all_change_ = true;
  }
  void touch_all() {
    dirty_ = ~std::uint64_t{0};
    all_change_ = true;
  }
  /// Removes an access for which RD or WR was issued at `clock`. Its place is free and it is in no
  /// list.
  void remove(int slot, DdrClock clock);
  /// Adds the time of a refresh to all waiting accesses.
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
  /// Restores the saved state; accesses that arrived since are lost.
  void rewind();

 private:
  void choose_again(DdrClock floor);
  /// Makes the bank's command the choice if it is earlier than the present one.
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
  bool shared_;  ///< reads and writes share the places, which then are those of reads
  unsigned room_[2];
  DdrBufferState marked_;
  std::vector<DdrAccesses::Saved> marked_accesses_;  ///< as many elements as places
  std::size_t marked_count_ = 0;                     ///< used elements of marked_accesses_
};

}  // namespace tactus
