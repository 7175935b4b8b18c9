// What sequences count: accounts and events of the design, and their growth in an interval.
#include <algorithm>
#include <memory>

#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

/// Returns the part of a design in two parts that owns an account.
TcuSequences::Owner TcuSequences::owner(const Account& account) const {
  Tcu& tcu = system_.tcu_;
  if (&account == &tcu.decoder_.account()) return Owner::head;
  const bool moves = &account == tcu.local_.accounts()[1] ||
                     &account == tcu.host_router_.accounts()[0] ||
                     &account == &system_.ports_[0]->port.account() ||
                     &account == &system_.ports_[1]->port.account();
  return moves ? Owner::moves : Owner::control;
}

void TcuSequences::list_counters() {
  accounts_.clear();
  places_.clear();
  counters_ = events_ = {};
  before_.clear();
  for (Account* account : system_.accounts()) {
    // The account of a memory depends on its answers, which no interval knows, so it is left out.
    // The slave of a live memory keeps its own account up to date, too.
    const auto keeps = [&](const auto& port) {
      return port->target->memory_account() == account ||
             (memories_ && port->target->account() == account);
    };
    const bool of_memory = std::any_of(system_.ports_.begin(), system_.ports_.end(), keeps) ||
                           system_.source_.memory_account() == account;
    if (!of_memory) accounts_.push_back(account);
  }
  owners_.clear();
  for (Account* account : accounts_) {
    places_.push_back(static_cast<std::uint32_t>(counters_.size()));
    counters_.add(account->counts().data(), account->counts().size());
    owners_.resize(counters_.size(), owner(*account));
  }
  list_observers();
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
  add(&system_.clock_.progress, 1, Owner::nobody);
  for_each_counter(system_, [&](const TcuCounter& counter, unsigned i, std::uint64_t* at) {
    if (at != nullptr) add(at, counter.length, counter.owners[i]);
  });
  if (counters_.size() > KnownSequences::most_counters) {
    internal_error("{} counters are more than sequences remember", counters_.size());
  }
  Tcu& tcu = system_.tcu_;
  data_ = std::make_unique<TcuData>(
      system_.config_.tcu.architecture, system_.config_.tcu.rounding, tcu.local_, tcu.array_,
      tcu.accumulators_, tcu.activation_.get(), tcu.decoder_.registers(),
      std::array<AxiTarget*, 2>{system_.ports_[0]->target, system_.ports_[1]->target});
}

/// Selects the accounts whose changes are recorded, and decides whether the design is taken in two
/// parts. What observers see of a cycle depends on both, so a design that is observed is taken as
/// one.
void TcuSequences::list_observers() {
  changes_.list(accounts_);
  divided_ = memories_ && !changes_.are_observed() && !system_.tcu_.decoder_.has_blocks();
  const auto array = std::find(accounts_.begin(), accounts_.end(), &system_.tcu_.array_.account());
  array_ = static_cast<std::size_t>(array - accounts_.begin());
  if (divided_) changes_.record(array_);
}

void TcuSequences::count_accounts() {
  for (Account* account : accounts_) account->count();
}

/// Takes back what has been counted in the interval that is worked out, and keeps it in growth_.
/// Returns false if a counter grew by too much.
bool TcuSequences::take_growth() {
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
    if (account.since() == began_.now) {  // it stayed in one state and has counted nothing yet
      note(places_[i] + account.code(), system_.clock_.now - began_.now);
      continue;
    }
    account.count();
    counters_.for_each_growth(before_, places_[i], account.counts().size(), take);
  }
  events_.for_each_growth(
      events_before_, [&](std::size_t i, std::uint64_t growth) { take(first_event_ + i, growth); });
  return fits;
}

}  // namespace tactus
