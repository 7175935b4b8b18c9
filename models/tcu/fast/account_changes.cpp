#include "models/tcu/fast/account_changes.h"

#include <algorithm>
#include <utility>

namespace tactus {

void AccountChanges::list(const std::vector<Account*>& accounts) {
  entries_.clear();
  recorded_.clear();
  for (Account* account : accounts) {
    Entry& entry = entries_.emplace_back();
    entry.account = account;
    entry.observed = account->observed();
    entry.recorder = std::make_unique<Recorder>(*this, entries_.size() - 1);
    if (entry.observed) recorded_.push_back(entries_.size() - 1);
  }
  observed_ = !recorded_.empty();
}

void AccountChanges::record(std::size_t account, bool whole) {
  if (!entries_[account].observed) recorded_.push_back(account);
  entries_[account].whole = whole;
}

void AccountChanges::leave_out(std::size_t account) {
  recorded_.erase(std::remove(recorded_.begin(), recorded_.end(), account), recorded_.end());
}

bool AccountChanges::holds() const {
  return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.account->observed() == entry.observed;
  });
}

void AccountChanges::begin() {
  for (Entry& entry : entries_) {
    entry.code = entry.account->code();
    entry.since = entry.account->told();
    entry.observer = entry.account->observer();
    entry.account->observe(nullptr);
  }
}

void AccountChanges::tell(std::size_t account, unsigned code, Cycle at) {
  Entry& entry = entries_[account];
  if (code == entry.code) return;
  if (at > entry.since) {
    if (entry.observer != nullptr) {
      entry.observer->interval(*entry.account, entry.code, entry.since, at);
    }
    entry.since = at;
  }
  entry.code = code;
}

void AccountChanges::settle(Cycle at) {
  for (Entry& entry : entries_) {
    if (entry.observer == nullptr || at <= entry.since) continue;
    entry.observer->interval(*entry.account, entry.code, entry.since, at);
    entry.since = at;
  }
}

void AccountChanges::end(Cycle now) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    tell(i, entry.account->code(), now);
    entry.account->observe(std::exchange(entry.observer, nullptr), entry.since);
  }
}

void AccountChanges::begin_interval(Cycle from) {
  began_ = from;
  changes_.clear();
  for (const std::size_t i : recorded_) {
    Entry& entry = entries_[i];
    entry.first_code = entry.account->code();
    entry.last = none;
    entry.account->observe(entry.recorder.get(), from);
  }
}

/// The account's present state has lasted up to cycle `to`, where the next begins.
void AccountChanges::note(std::size_t account, unsigned code, Cycle to) {
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

/// The state of the interval's first cycle.
void AccountChanges::note_first(std::size_t account, unsigned code) {
  const Entry& entry = entries_[account];
  if (code == entry.first_code && !entry.whole) return;
  changes_.insert(changes_.begin(),
                  {0, static_cast<std::uint16_t>(account), static_cast<std::uint16_t>(code)});
  for (const std::size_t i : recorded_) {
    if (entries_[i].last != none) ++entries_[i].last;
  }
}

void AccountChanges::repeat(Cycle from, Cycle to, std::uint64_t times) {
  for (const std::size_t i : recorded_) {
    const Entry& entry = entries_[i];
    if (entry.last == none) continue;
    changes_[entry.last].code = static_cast<std::uint16_t>(entry.account->code());
  }
  const std::size_t end = changes_.size();
  std::size_t first = end;
  while (first > 0 && changes_[first - 1].offset >= from - began_) --first;
  for (std::uint64_t k = 1; k <= times; ++k) {
    for (std::size_t i = first; i < end; ++i) {
      Change change = changes_[i];
      change.offset += static_cast<std::uint32_t>(k * (to - from));
      entries_[change.account].last = changes_.size();
      changes_.push_back(change);
    }
  }
}

void AccountChanges::end_interval(std::vector<Change>& changes) {
  for (const std::size_t i : recorded_) {
    Entry& entry = entries_[i];
    if (entry.last == none) {
      note_first(i, entry.account->code());
    } else {
      changes_[entry.last].code = static_cast<std::uint16_t>(entry.account->code());
    }
    entry.account->observe(nullptr);
  }
  changes.swap(changes_);
}

}  // namespace tactus
