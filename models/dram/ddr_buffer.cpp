#include "models/dram/ddr_buffer.h"

#include <algorithm>

namespace tactus {
namespace {

constexpr unsigned rank_shift = 48;  ///< more than 10^14 accesses

/// Calls `f` with the number of each set bit.
template <typename F>
void for_each_bit(std::uint64_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<unsigned>(__builtin_ctzll(bits)));
}

}  // namespace

DdrBuffer::DdrBuffer(const DdrConfig& config, const DdrBanks& banks, DdrAccesses& accesses)
    : banks_state_(banks),
      accesses_(accesses),
      scheduler_(make_scheduler(config)),
      rows_(make_row_policy(config)),
      timeout_(rows_->timeout()),
      shared_(!scheduler_->separates_writes()),
      room_{config.buffer, config.write_buffer} {
  banks_.resize(config.all_banks());
  marked_accesses_.resize(std::size_t{room_[0]} + room_[1]);
}

void DdrBuffer::mark() {
  marked_ = *this;
  scheduler_->mark();
  DdrAccesses::Saved* to = marked_accesses_.data();
  for_each([&](int slot) {
    to->slot = slot;
    to->access = accesses_[slot];
    ++to;
  });
  marked_count_ = static_cast<std::size_t>(to - marked_accesses_.data());
}

void DdrBuffer::rewind() {
  static_cast<DdrBufferState&>(*this) = marked_;
  scheduler_->rewind();
  accesses_.restore(marked_accesses_, marked_count_);
}

void DdrBuffer::admit(int slot) {
  DdrAccess& access = accesses_[slot];
  ranked_ = ranked_ || access.rank != 0;
  // As ages are compared, accesses of lower ranks are older.
  access.age = std::uint64_t{access.rank} << rank_shift | next_age_++;
  ++places_[!shared_ && access.write ? 1 : 0];
  ++taken_[access.write ? 1 : 0];
  pending_reads_ += access.write ? 0 : 1;
  accesses_.push_back(pending_, slot);
  find_next_join();
}

void DdrBuffer::join(DdrClock refresh_end) {
  const int slot = accesses_.pop_front(pending_);
  find_next_join();
  DdrAccess& access = accesses_[slot];
  if (refresh_end > access.joined) access.refresh = refresh_end - access.joined;
  Bank& bank = banks_[access.address.bank];
  accesses_.push_back(bank.queue, slot);
  const std::uint64_t bit = std::uint64_t{1} << access.address.bank;
  busy_ |= bit;
  // The new access is the youngest. Without ranks it replaces a candidate only if it is the first
  // access to the open row, and then the candidate's command is PRE.
  if (bank.candidate < 0 || bank.kind == DdrCommandKind::pre || ranked_) dirty_ |= bit;
  if (access.write) {
    ++writes_;
  } else {
    ++reads_;
    --pending_reads_;
  }
  count();
}

void DdrBuffer::remove(int slot, DdrClock clock) {
  const DdrAccess& access = accesses_[slot];
  Bank& bank = banks_[access.address.bank];
  int before = -1;
  for (int older = bank.queue.first; older != slot; older = accesses_[older].next) {
    ++accesses_[older].passed;
    before = older;
  }
  accesses_.remove_behind(bank.queue, before);
  bank.last_access = clock;
  bank.candidate = -1;
  if (bank.queue.empty()) busy_ &= ~(std::uint64_t{1} << access.address.bank);
  touch(access.address.bank);
  --(access.write ? writes_ : reads_);
  --places_[!shared_ && access.write ? 1 : 0];
  --taken_[access.write ? 1 : 0];
  count();
}

void DdrBuffer::count() {
  if (!shared_ && scheduler_->count(reads_, writes_)) touch_all();
}

void DdrBuffer::add_refresh(DdrClock due, DdrClock end) {
  for_each_bit(busy_, [&](unsigned b) {
    for (int slot = banks_[b].queue.first; slot >= 0; slot = accesses_[slot].next) {
      DdrAccess& access = accesses_[slot];
      access.refresh += end - std::max(due, access.joined);
      if (access.row_since < end) access.row_refresh += end - std::max(due, access.row_since);
    }
  });
}

void DdrBuffer::refresh_candidate(unsigned number, DdrClock floor) {
  Bank& bank = banks_[number];
  const std::int64_t row = banks_state_.open_row(number);
  const int before = bank.candidate;
  bank.candidate = scheduler_->pick(accesses_, bank.queue, row);
  if (before >= 0 && before != bank.candidate) {
    // The bank may close the row that it opened for this access. The row state is determined again
    // when the access becomes the candidate again.
    accesses_[before].row_since = never;
    accesses_[before].row_state = DdrRowState::hit;
  }
  if (bank.candidate < 0) return;
  DdrAccess& access = accesses_[bank.candidate];
  if (row == access.address.row) {
    bank.kind = access.write ? DdrCommandKind::wr : DdrCommandKind::rd;
    return;
  }
  bank.kind = row == DdrBanks::closed ? DdrCommandKind::act : DdrCommandKind::pre;
  if (access.row_since == never) {
    access.row_since = std::max(access.joined, floor);
    access.row_refresh = 0;
  }
}

DdrClock DdrBuffer::earliest(unsigned bank, DdrClock floor) const {
  switch (banks_[bank].kind) {
    case DdrCommandKind::rd:
      return std::max(floor, banks_state_.earliest_rd(bank));
    case DdrCommandKind::wr:
      return std::max(floor, banks_state_.earliest_wr(bank));
    case DdrCommandKind::act:
      return std::max(floor, banks_state_.earliest_act(bank));
    default:
      return std::max(floor, banks_state_.earliest_pre(bank));
  }
}

/// A new access changes the choice only if it becomes its bank's candidate: the clocks of the other
/// candidates' commands stay the same. After a command all of these clocks may change.
void DdrBuffer::choose_again(DdrClock floor) {
  if (!all_change_) {
    for_each_bit(dirty_ & busy_, [&](unsigned b) {
      const int before = banks_[b].candidate;
      refresh_candidate(b, floor);
      const bool is_new = banks_[b].candidate != before;
      const bool is_any = choice_.clock != never;
      // A choice that closes a timed-out row is void: its bank may have an access now.
      if (is_any && (choice_.slot < 0 || (is_new && choice_.slot == before))) {
        all_change_ = true;
      } else if (is_new) {
        consider(b, floor);
      }
    });
    dirty_ = 0;
    if (!all_change_) return;
  }
  choice_ = {};
  best_age_ = never;
  for_each_bit(busy_, [&](unsigned b) {
    if ((dirty_ >> b & 1) != 0) refresh_candidate(b, floor);
    consider(b, floor);
  });
  if (timeout_ != never) consider_timeouts(floor);
  dirty_ = 0;
  all_change_ = false;
}

void DdrBuffer::consider(unsigned number, DdrClock floor) {
  const Bank& bank = banks_[number];
  if (bank.candidate < 0) return;
  const DdrAccess& access = accesses_[bank.candidate];
  const DdrClock clock = std::max(access.joined, earliest(number, floor));
  if (clock > choice_.clock || (clock == choice_.clock && access.age > best_age_)) return;
  choice_ = {clock, bank.kind, number, bank.candidate};
  best_age_ = access.age;
}

void DdrBuffer::consider_timeouts(DdrClock floor) {
  for_each_bit(banks_state_.open() & ~busy_, [&](unsigned b) {
    const DdrClock timeout = banks_[b].last_access + timeout_;
    const DdrClock clock = std::max({timeout, floor, banks_state_.earliest_pre(b)});
    if (clock >= choice_.clock) return;
    choice_ = {clock, DdrCommandKind::pre, b, -1};
    best_age_ = never;
  });
}

}  // namespace tactus
