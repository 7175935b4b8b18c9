#include "models/tcu/fast/observed_changes.h"

#include <algorithm>
#include <utility>

namespace tactus {

void ObservedChanges::list(const std::vector<Account*>& accounts) {
  entries_.clear();
  recorded_.clear();
  for (Account* account : accounts) {
    Entry& entry = entries_.emplace_back();
    entry.account = account;
    entry.observed = account->observed();
    entry.recorder = std::make_unique<Recorder>(*this, entries_.size() - 1);
    if (entry.observed) recorded_.push_back(entries_.size() - 1);
  }
  kinds_ = wanted_kinds();
  observed_ = !recorded_.empty() || kinds_ != 0 || has_flags();
}

bool ObservedChanges::holds() const {
  if (kinds_ != wanted_kinds()) return false;
  return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.account->observed() == entry.observed;
  });
}

void ObservedChanges::begin() {
  for (Entry& entry : entries_) {
    entry.code = entry.account->code();
    entry.since = entry.account->told();
    entry.observer = entry.account->observer();
    entry.account->observe(nullptr);
  }
  sink_ = std::exchange(clock_.events, nullptr);
  told_ = clock_.now;
}

void ObservedChanges::tell_cycle(Cycle now) {
  if (sink_ == nullptr) return;
  clock_.now = now;  // observers read the clock
  if (now == told_) return;
  sink_->end_of_cycle(told_);
  if (now > told_ + 1) sink_->end_of_cycle(now - 1);
  told_ = now;
}

void ObservedChanges::tell(std::size_t account, unsigned code, Cycle at) {
  Entry& entry = entries_[account];
  if (at > entry.since) {
    if (entry.observer != nullptr) {
      entry.observer->interval(*entry.account, entry.code, entry.since, at);
    }
    entry.since = at;
  }
  entry.code = code;
}

void ObservedChanges::settle_time(Cycle at) {
  tell_cycle(at);
  Entry& time = entries_.back();
  if (time.observer == nullptr || at <= time.since) return;
  time.observer->interval(*time.account, time.code, time.since, at);
  time.since = at;
}

void ObservedChanges::end(Cycle now) {
  tell_cycle(now);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.account->code() != entry.code) tell(i, entry.account->code(), now);
    entry.account->observe(std::exchange(entry.observer, nullptr), entry.since);
  }
  clock_.events = std::exchange(sink_, nullptr);
}

void ObservedChanges::begin_interval(Cycle from) {
  began_ = from;
  changes_.clear();
  for (const std::size_t i : recorded_) {
    Entry& entry = entries_[i];
    entry.first_code = entry.account->code();
    entry.last = none;
    entry.account->observe(entry.recorder.get(), from, true);
  }
  flags_.reset();
  if (kinds_ != 0 || sampler_ != nullptr) clock_.events = this;
}

/// Notes a change in the current cycle.
void ObservedChanges::note(unsigned what, unsigned port, std::uint64_t code) {
  changes_.push_back({static_cast<std::uint32_t>(clock_.now - began_),
                      static_cast<std::uint16_t>(what + port), static_cast<std::uint16_t>(code)});
}

void ObservedChanges::event(const Event& event) {
  if ((kinds_ >> event.kind & 1) == 0) return;
  note(Change::first_event + event.kind * Change::most_ports, event.port, event.b);
}

void ObservedChanges::level(unsigned queue, std::uint64_t items) {
  if (kinds_ != 0) note(Change::first_level, queue, items);
}

void ObservedChanges::end_of_cycle(Cycle /*cycle*/) {
  if (sampler_ == nullptr || flags_ == sampler_->flags()) return;
  flags_ = sampler_->flags();
  note(Change::flags, 0, *flags_);
}

/// Returns the last change of the sampler's flags among the first `end` changes; null if there is
/// none.
const KnownSequences::Change* ObservedChanges::flags_before(std::size_t end) const {
  while (end > 0 && !changes_[end - 1].of_flags()) --end;
  return end == 0 ? nullptr : &changes_[end - 1];
}

/// Notes that the account was in this state up to cycle `to`, in which the next state begins.
void ObservedChanges::note(std::size_t account, unsigned code, Cycle to) {
  Entry& entry = entries_[account];
  if (entry.last == none) {
    note_first(account, code);
  } else {
    changes_[entry.last].code = static_cast<std::uint16_t>(code);
  }
  entry.last = changes_.size();
  changes_.push_back(
      {static_cast<std::uint32_t>(to - began_), static_cast<std::uint16_t>(account), 0});
}

/// Notes the state in the interval's first cycle.
void ObservedChanges::note_first(std::size_t account, unsigned code) {
  const Entry& entry = entries_[account];
  if (code == entry.first_code) return;
  changes_.insert(changes_.begin(),
                  {0, static_cast<std::uint16_t>(account), static_cast<std::uint16_t>(code)});
  for (const std::size_t i : recorded_) {
    if (entries_[i].last != none) ++entries_[i].last;
  }
}

void ObservedChanges::repeat(Cycle from, Cycle to, std::uint64_t times) {
  for (const std::size_t i : recorded_) {
    const Entry& entry = entries_[i];
    if (entry.last == none) continue;
    changes_[entry.last].code = static_cast<std::uint16_t>(entry.account->code());
  }
  const std::size_t end = changes_.size();
  std::size_t first = end;
  while (first > 0 && changes_[first - 1].offset >= from - began_) --first;
  // The wires before a period are no part of its state, so the flags of the period's first cycle
  // may have changed in one repetition and not in another.
  std::size_t second = first;  // first change after the period's first cycle
  while (second < end && changes_[second].offset == from - began_) ++second;
  const Change* const flags = flags_before(second);
  const std::uint16_t first_flags = flags == nullptr ? std::uint16_t{0} : flags->code;
  for (std::uint64_t k = 1; k <= times; ++k) {
    const auto later = static_cast<std::uint32_t>(k * (to - from));
    for (std::size_t i = first; i <= end; ++i) {
      if (i == second && sampler_ != nullptr &&
          flags_before(changes_.size())->code != first_flags) {
        changes_.push_back(
            {static_cast<std::uint32_t>(from - began_) + later, Change::flags, first_flags});
      }
      if (i == end || (i < second && changes_[i].of_flags())) continue;
      Change change = changes_[i];
      change.offset += later;
      if (change.of_account()) entries_[change.account].last = changes_.size();
      changes_.push_back(change);
    }
  }
}

void ObservedChanges::end_interval(std::vector<Change>& changes) {
  for (const std::size_t i : recorded_) {
    Entry& entry = entries_[i];
    if (entry.last == none) {
      note_first(i, entry.account->code());
    } else {
      changes_[entry.last].code = static_cast<std::uint16_t>(entry.account->code());
    }
    entry.account->observe(nullptr);
  }
  clock_.events = nullptr;
  changes.swap(changes_);
}

}  // namespace tactus
