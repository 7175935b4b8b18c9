// Engine check: works known intervals out again and compares the results. All engines compare an
// interval that happens to be worked out twice.
#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

void TcuSequences::check_interval(const KnownSequences::State& known,
                                  const KnownSequences::State& found) const {
  const char* what = known.cycles != found.cycles             ? "number of cycles"
                     : known.accepts != found.accepts         ? "instruction that enters"
                     : known.retires != found.retires         ? "instruction that retires"
                     : known.busy != found.busy               ? "busy DRAM ports"
                     : known.timer != found.timer             ? "decoder's timer"
                     : known.array_works != found.array_works ? "work of the array"
                     : !(known.passing == found.passing)      ? "handshakes at the AXI pins"
                     : known.response != found.response       ? "last write response"
                                                              : nullptr;
  if (what == nullptr) return;
  internal_error(
      "engine check: the interval of {} cycles that begins in cycle {}, where instruction {} is "
      "next, began in the same state as one of {} cycles, and differs in: {}",
      found.cycles, began_.now, next_, known.cycles, what);
}

void TcuSequences::check_growth(Id interval,
                                const std::vector<KnownSequences::Count>& growth) const {
  const KnownSequences::Count* remembered = known_->counts(interval);
  const std::size_t count = known(interval).counted;
  std::size_t i = 0;
  const auto same = [](const KnownSequences::Count& a, const KnownSequences::Count& b) {
    return a.counter == b.counter && a.growth == b.growth;
  };
  while (i < count && i < growth.size() && same(remembered[i], growth[i])) ++i;
  if (i == count && i == growth.size()) return;
  const std::uint32_t counter = i < growth.size() ? growth[i].counter : remembered[i].counter;
  internal_error(
      "engine check: the interval of {} cycles that begins in cycle {}, where instruction {} is "
      "next, counts something else in {} than the one before that began in the same state",
      known(interval).cycles, began_.now, next_, name_of_counter(counter));
}

void TcuSequences::check_changes(Id interval,
                                 const std::vector<KnownSequences::Change>& changes) const {
  const KnownSequences::Change* remembered = known_->changes(interval);
  const std::size_t count = known(interval).change_count;
  std::size_t i = 0;
  while (i < count && i < changes.size() && remembered[i] == changes[i]) ++i;
  if (i == count && i == changes.size()) return;
  const KnownSequences::Change& change = i < changes.size() ? changes[i] : remembered[i];
  const std::string what =
      change.of_account()
          ? fmt::format("unit {} changes its state", accounts_[change.account]->unit())
          : std::string(change.of_level()   ? "a queue's level changes"
                        : change.of_flags() ? "the sampler's flags change"
                                            : "an event happens");
  internal_error(
      "engine check: in the interval of {} cycles that begins in cycle {}, where instruction {} is "
      "next, {} in other cycles than in the one before that began in the same state",
      known(interval).cycles, began_.now, next_, what);
}

std::string TcuSequences::name_of_counter(std::uint32_t counter) const {
  for (std::size_t i = accounts_.size(); i-- > 0;) {
    if (counter < places_[i] || counter >= first_event_) continue;
    const Account& account = *accounts_[i];
    return fmt::format("unit {}, state {}", account.unit(),
                       account.states()[(counter - places_[i]) % account.states().count].name);
  }
  std::string name = fmt::format("counter {} of units", counter - first_event_);
  std::size_t place = first_event_ + 1;  // after the clock's progress
  for_each_counter(system_, [&](const TcuCounter& listed, unsigned i, const std::uint64_t* at) {
    if (at == nullptr) return;
    if (!listed.name.empty() && counter == place) name = fmt::format("{}[{}]", listed.name, i);
    place += listed.length;
  });
  return name;
}

void TcuSequences::check_next(Id known, Id found, void (TcuSequences::*part)(Registers&)) {
  if (known == found) return;
  std::vector<std::uint8_t> bytes;
  std::vector<Registers::Place> places;
  {
    Registers r(bytes, system_.clock_.now, system_.tcu_.decoder_.last_access());
    r.note_units(places);
    (this->*part)(r);
  }
  const std::uint8_t* before = known_->registers(known);
  const std::uint8_t* after = known_->registers(found);
  std::size_t at = 0;
  while (at < bytes.size() && before[at] == after[at]) ++at;
  Registers::Place place;
  for (const Registers::Place& unit : places) {
    if (unit.first_byte <= at) place = unit;
  }
  internal_error(
      "engine check: after the interval that begins in cycle {}, where instruction {} is next, "
      "byte {} of the registers of unit {} is another than after the one before that began in the "
      "same "
      "state",
      began_.now, next_, at - place.first_byte, place.unit);
}

}  // namespace tactus
