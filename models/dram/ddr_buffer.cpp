#include "models/dram/ddr_buffer.h"

#include <algorithm>

namespace tactus {
namespace {

/// Calls `f` with the number of each bit that is set.
template <typename F>
void for_each_bit(std::uint64_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<unsigned>(__builtin_ctzll(bits)));
}

}  // namespace

DdrBuffer::DdrBuffer(const DdrConfig& config, const DdrBanks& banks)
    : config_(config),
      banks_state_(banks),
      shared_(config.scheduler == DdrScheduler::fifo || !config.read_priority),
      room_{config.buffer, config.write_buffer},
      slots_(config.buffer + (shared_ ? 0 : config.write_buffer)),
      banks_(config.all_banks()) {
  for (std::size_t i = slots_.size(); i > 0; --i) {
    free_.push_back(static_cast<std::uint16_t>(i - 1));
  }
  for (Bank& bank : banks_) bank.queue.reserve(slots_.size());
}

void DdrBuffer::admit(const DdrAccess& access) {
  const std::uint16_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = access;
  slots_[slot].age = next_age_++;
  ++places_[access.write ? 1 : 0];
  ++used_;
  pending_reads_ += access.write ? 0 : 1;
  pending_.push_back(slot);
}

void DdrBuffer::join(DdrClock refresh_end) {
  const std::uint16_t slot = pending_.front();
  pending_.pop_front();
  DdrAccess& access = slots_[slot];
  if (refresh_end > access.joined) access.refresh = refresh_end - access.joined;
  Bank& bank = banks_[access.address.bank];
  bank.queue.push_back(slot);
  busy_ |= std::uint64_t{1} << access.address.bank;
  touch(access.address.bank);
  if (access.write) {
    ++writes_;
  } else {
    ++reads_;
    ++bank.reads;
    --pending_reads_;
  }
  update_preference();
}

void DdrBuffer::remove(int slot, DdrClock clock) {
  const DdrAccess& access = this->access(slot);
  const unsigned number = access.address.bank;
  Bank& bank = banks_[number];
  auto at = bank.queue.begin();
  for (; *at != slot; ++at) ++slots_[*at].passed;
  bank.queue.erase(at);
  bank.last_access = clock;
  bank.candidate = -1;
  if (bank.queue.empty()) busy_ &= ~(std::uint64_t{1} << number);
  touch(number);
  if (access.write) {
    --writes_;
  } else {
    --reads_;
    --bank.reads;
  }
  --places_[access.write ? 1 : 0];
  --used_;
  free_.push_back(static_cast<std::uint16_t>(slot));
  update_preference();
}

void DdrBuffer::update_preference() {
  if (shared_) return;
  if (writes_ >= config_.write_high_mark) draining_ = true;
  if (writes_ <= config_.write_low_mark) draining_ = false;
  const bool prefers_writes = draining_ || reads_ == 0;
  if (prefers_writes != prefers_writes_) touch_all();
  prefers_writes_ = prefers_writes;
}

void DdrBuffer::add_refresh(DdrClock due, DdrClock end) {
  for_each_bit(busy_, [&](unsigned b) {
    for (const std::uint16_t slot : banks_[b].queue) {
      DdrAccess& access = slots_[slot];
      access.refresh += end - std::max(due, access.joined);
      if (access.row_since < end) access.row_refresh += end - std::max(due, access.row_since);
    }
  });
}

/// The oldest access of the bank to the burst of `slot`.
int DdrBuffer::first_to_burst(const Bank& bank, int slot) const {
  const DdrAddress& to = slots_[static_cast<unsigned>(slot)].address;
  for (const std::uint16_t older : bank.queue) {
    const DdrAddress& from = slots_[older].address;
    if (from.row == to.row && from.column == to.column) return older;
  }
  return slot;
}

int DdrBuffer::pick(const Bank& bank, std::int64_t open_row) const {
  const int oldest = bank.queue.front();
  if (config_.scheduler == DdrScheduler::fifo) return oldest;
  if (config_.cap != 0 && slots_[bank.queue.front()].passed >= config_.cap) return oldest;
  int first = -1;
  for (const std::uint16_t slot : bank.queue) {
    const DdrAccess& access = slots_[slot];
    if (!shared_ && access.write != prefers_writes_) continue;
    if (open_row == access.address.row) {
      first = slot;
      break;
    }
    if (first < 0) {
      first = slot;
      if (open_row == DdrBanks::closed) break;
    }
  }
  return shared_ || first < 0 ? first : first_to_burst(bank, first);
}

void DdrBuffer::refresh_candidate(unsigned number, DdrClock floor) {
  Bank& bank = banks_[number];
  const std::int64_t row = banks_state_.open_row(number);
  const int before = bank.candidate;
  bank.candidate = pick(bank, row);
  if (before >= 0 && before != bank.candidate) {
    // What was prepared for it may be undone; how it finds the bank shows when its turn comes
    // again.
    slots_[static_cast<unsigned>(before)].row_since = never;
    slots_[static_cast<unsigned>(before)].row_state = DdrRowState::hit;
  }
  if (bank.candidate < 0) return;
  DdrAccess& access = slots_[static_cast<unsigned>(bank.candidate)];
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

DdrChoice DdrBuffer::choose(DdrClock floor) {
  for_each_bit(dirty_ & busy_, [&](unsigned b) { refresh_candidate(b, floor); });
  dirty_ = 0;
  DdrChoice best;
  std::uint64_t best_age = never;
  for_each_bit(busy_, [&](unsigned b) {
    const Bank& bank = banks_[b];
    if (bank.candidate < 0) return;
    const DdrAccess& access = slots_[static_cast<unsigned>(bank.candidate)];
    const DdrClock clock = std::max(access.joined, earliest(b, floor));
    if (clock > best.clock || (clock == best.clock && access.age > best_age)) return;
    best = {clock, bank.kind, b, bank.candidate};
    best_age = access.age;
  });
  if (config_.page_policy == DdrPagePolicy::timeout) choose_timeout(floor, best);
  return best;
}

void DdrBuffer::choose_timeout(DdrClock floor, DdrChoice& best) const {
  for_each_bit(banks_state_.open() & ~busy_, [&](unsigned b) {
    const DdrClock timeout = banks_[b].last_access + config_.page_timeout.value_or(0);
    const DdrClock clock = std::max({timeout, floor, banks_state_.earliest_pre(b)});
    if (clock < best.clock) best = {clock, DdrCommandKind::pre, b, -1};
  });
}

}  // namespace tactus
