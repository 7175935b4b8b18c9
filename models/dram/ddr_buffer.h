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
#include <deque>
#include <vector>

#include "isa/dram/address_map.h"
#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_banks.h"
#include "models/dram/ddr_command.h"

namespace tactus {

/// How an access found its bank: its row open, the bank closed, another row open.
enum class DdrRowState : std::uint8_t { hit, miss, conflict };

struct DdrAccess {
  std::uint32_t tag = 0;
  unsigned port = 0;
  bool write = false;
  DdrAddress address;
  DdrClock arrived = 0;   ///< at the port
  DdrClock admitted = 0;  ///< into the buffer
  DdrClock joined = 0;    ///< first clock at which it may have a command
  std::uint64_t age = 0;  ///< a number: older accesses have lower ones
  unsigned passed = 0;    ///< so many younger ones of its bank went first
  DdrRowState row_state = DdrRowState::hit;
  DdrClock row_since = never;     ///< its bank is being prepared for it since then
  std::uint64_t refresh = 0;      ///< clocks of refreshes since it joined
  std::uint64_t row_refresh = 0;  ///< those of them since row_since
};

struct DdrChoice {
  DdrClock clock = never;
  DdrCommandKind kind = DdrCommandKind::act;  ///< act, rd, wr, pre
  unsigned bank = 0;
  int slot = -1;  ///< of the access; none for a row that timed out
};

class DdrBuffer {
 public:
  DdrBuffer(const DdrConfig& config, const DdrBanks& banks);

  [[nodiscard]] bool has_room(bool write) const {
    return shared_ ? used_ < room_[0] : places_[write ? 1 : 0] < room_[write ? 1 : 0];
  }
  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] unsigned reads() const { return reads_ + pending_reads_; }
  /// Taken by reads or by writes.
  [[nodiscard]] unsigned places(bool write) const { return places_[write ? 1 : 0]; }

  /// Takes a place; the access joins its bank one clock before `joined`.
  void admit(const DdrAccess& access);
  /// The clock at whose end the next access joins its bank.
  [[nodiscard]] DdrClock next_join() const {
    return pending_.empty() ? never : slots_[pending_.front()].joined - 1;
  }
  void join(DdrClock refresh_end);

  /// Not before `floor`.
  [[nodiscard]] DdrChoice choose(DdrClock floor);
  [[nodiscard]] DdrAccess& access(int slot) { return slots_[static_cast<unsigned>(slot)]; }
  /// The bank's open row has changed.
  void touch(unsigned bank) { dirty_ |= std::uint64_t{1} << bank; }
  void touch_all() { dirty_ = ~std::uint64_t{0}; }
  /// A RD or WR was issued for it at `clock`.
  void remove(int slot, DdrClock clock);
  /// A refresh kept everybody waiting.
  void add_refresh(DdrClock due, DdrClock end);

 private:
  struct Bank {
    std::vector<std::uint16_t> queue;  ///< slots, oldest first
    unsigned reads = 0;
    int candidate = -1;
    DdrCommandKind kind = DdrCommandKind::act;
    DdrClock last_access = 0;
  };

  void refresh_candidate(unsigned bank, DdrClock floor);
  [[nodiscard]] int pick(const Bank& bank, std::int64_t open_row) const;
  [[nodiscard]] int first_to_burst(const Bank& bank, int slot) const;
  [[nodiscard]] DdrClock earliest(unsigned bank, DdrClock floor) const;
  void choose_timeout(DdrClock floor, DdrChoice& best) const;
  void update_preference();

  DdrConfig config_;
  const DdrBanks& banks_state_;
  bool shared_;  ///< reads and writes share the places
  unsigned room_[2];
  unsigned places_[2] = {0, 0};  ///< taken by reads, by writes
  unsigned used_ = 0;
  std::vector<DdrAccess> slots_;
  std::vector<std::uint16_t> free_;
  std::deque<std::uint16_t> pending_;
  std::vector<Bank> banks_;
  std::uint64_t busy_ = 0;   ///< banks with accesses
  std::uint64_t dirty_ = 0;  ///< banks whose candidate is to be found again
  unsigned reads_ = 0, writes_ = 0, pending_reads_ = 0;  ///< joined; joined; not yet
  bool draining_ = false;
  bool prefers_writes_ = false;
  std::uint64_t next_age_ = 0;
};

}  // namespace tactus
