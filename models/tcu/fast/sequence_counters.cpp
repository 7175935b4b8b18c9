#include "models/tcu/fast/sequence_counters.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"

namespace tactus {

void SequenceCounters::list() {
  accounts_ = design_.accounts();
  places_.clear();
  counters_ = events_ = {};
  before_.clear();
  owners_.clear();
  for (Account* account : accounts_) {
    places_.push_back(static_cast<std::uint32_t>(counters_.size()));
    counters_.add(account->counts().data(), account->counts().size());
    owners_.resize(counters_.size(), design_.owner(*account));
  }
  // The time that the array loses to a transfer at the head belongs to nobody:
  // keep_growth_of_moves() adds it.
  std::fill(owners_.end() - ArrayTime::states + ArrayTime::dram0_read_data,
            owners_.end() - ArrayTime::states + ArrayTime::queued_transfers + 1, Owner::nobody);
  first_event_ = counters_.size();
  const auto add = [&](std::uint64_t* first, std::size_t count, Owner owner) {
    counters_.add(first, count);
    events_.add(first, count);
    owners_.resize(counters_.size(), owner);
  };
  add(&design_.clock().progress, 1, Owner::nobody);
  for_each_counter(design_.system(), [&](const TcuCounter& counter, unsigned i, std::uint64_t* at) {
    if (at != nullptr) add(at, counter.length, counter.owners[i]);
  });
  if (counters_.size() > KnownSequences::most_counters) {
    internal_error("{} counters are more than sequences remember", counters_.size());
  }
}

std::size_t SequenceCounters::array() const {
  const Account* const array = &design_.system().tcu().array_account();
  return static_cast<std::size_t>(std::find(accounts_.begin(), accounts_.end(), array) -
                                  accounts_.begin());
}

std::string SequenceCounters::name_of(std::uint32_t counter) const {
  for (std::size_t i = accounts_.size(); i-- > 0;) {
    if (counter < places_[i] || counter >= first_event_) continue;
    const Account& account = *accounts_[i];
    return fmt::format("unit {}, state {}", account.unit(),
                       account.states()[(counter - places_[i]) % account.states().count].name);
  }
  std::string name = fmt::format("counter {} of units", counter - first_event_);
  std::size_t place = first_event_ + 1;  // after the clock's progress
  for_each_counter(design_.system(),
                   [&](const TcuCounter& listed, unsigned i, const std::uint64_t* at) {
                     if (at == nullptr) return;
                     if (!listed.name.empty() && counter == place)
                       name = fmt::format("{}[{}]", listed.name, i);
                     place += listed.length;
                   });
  return name;
}

void SequenceCounters::count() {
  for (Account* account : accounts_) account->count();
}

void SequenceCounters::restart() {
  for (Account* account : accounts_) account->restart();
}

void SequenceCounters::use(const KnownSequences& known, Id interval, std::uint64_t times) {
  if (interval >= uses_.size()) uses_.resize(known.size());
  std::uint64_t& uses = uses_[interval];
  if (uses == 0) used_.push_back(interval);
  uses += times;
}

void SequenceCounters::add(const KnownSequences& known) {
  for (const Id id : used_) add(known, id, std::exchange(uses_[id], 0));
  used_.clear();
  note_change();
}

void SequenceCounters::add(const KnownSequences& known, Id interval, std::uint64_t times) {
  const Count* counts = known.counts(interval);
  for (std::uint32_t i = 0; i < known[interval].counted; ++i) {
    counters_[counts[i].counter] += counts[i].growth * times;
  }
}

void SequenceCounters::begin_interval() {
  restart();
  if (!before_.empty()) return;
  counters_.read(before_);
  events_.read(events_before_);
}

bool SequenceCounters::take_growth(Cycle began) {
  growth_.clear();
  bool fits = true;
  const auto note = [&](std::size_t i, std::uint64_t growth) {
    fits = fits && growth <= KnownSequences::most_growth;
    growth_.push_back({static_cast<std::uint32_t>(i & (KnownSequences::most_counters - 1)),
                       static_cast<std::uint32_t>(growth & KnownSequences::most_growth)});
  };
  const auto take = [&](std::size_t i, std::uint64_t growth) {
    counters_[i] -= growth;
    note(i, growth);
  };
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    Account& account = *accounts_[i];
    if (account.since() == began) {  // it stayed in one state and has counted nothing yet
      note(places_[i] + account.code(), design_.clock().now - began);
      continue;
    }
    account.count();
    counters_.for_each_growth(before_, places_[i], account.counts().size(), take);
  }
  events_.for_each_growth(
      events_before_, [&](std::size_t i, std::uint64_t growth) { take(first_event_ + i, growth); });
  return fits;
}

/// Removes the counts of all other owners.
template <typename IsOwner>
void SequenceCounters::keep_growth(const IsOwner& is_owner) {
  growth_.erase(
      std::remove_if(growth_.begin(), growth_.end(),
                     [&](const Count& count) { return !is_owner(owners_[count.counter]); }),
      growth_.end());
}

void SequenceCounters::keep_growth_of_control(bool move_waits) {
  keep_growth([&](Owner owner) {
    return owner == Owner::control || (owner == Owner::head && !move_waits);
  });
}

void SequenceCounters::keep_growth_of_moves(bool move_waits, bool loses) {
  keep_growth(
      [&](Owner owner) { return owner == Owner::moves || (owner == Owner::head && move_waits); });
  if (!loses) return;
  const std::uint32_t array_time = places_.back();  // the last of the accounts
  growth_.push_back({array_time + design_.array_time().of_head(), 1});
}

}  // namespace tactus
