#include "models/tcu/fast/sequence_checks.h"

#include "isa/support/error.h"

namespace tactus {

void SequenceCheck::interval(Id interval, const KnownSequences::State& found) const {
  const KnownSequences::State& known = this->known[interval];
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
      found.cycles, began, next, known.cycles, what);
}

void SequenceCheck::growth(Id interval, const SequenceCounters& counters) const {
  const std::vector<KnownSequences::Count>& growth = counters.growth();
  const KnownSequences::Count* remembered = known.counts(interval);
  const std::size_t count = known[interval].counted;
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
      known[interval].cycles, began, next, counters.name_of(counter));
}

void SequenceCheck::changes(Id interval, const std::vector<KnownSequences::Change>& changes,
                            const std::vector<Account*>& accounts) const {
  const KnownSequences::Change* remembered = known.changes(interval);
  const std::size_t count = known[interval].change_count;
  std::size_t i = 0;
  while (i < count && i < changes.size() && remembered[i] == changes[i]) ++i;
  if (i == count && i == changes.size()) return;
  const KnownSequences::Change& change = i < changes.size() ? changes[i] : remembered[i];
  const std::string what =
      change.of_account()
          ? fmt::format("unit {} changes its state", accounts[change.account]->unit())
          : std::string(change.of_level()   ? "a queue's level changes"
                        : change.of_flags() ? "the sampler's flags change"
                                            : "an event happens");
  internal_error(
      "engine check: in the interval of {} cycles that begins in cycle {}, where instruction {} is "
      "next, {} in other cycles than in the one before that began in the same state",
      known[interval].cycles, began, next, what);
}

void SequenceCheck::successor(Id before, Id found, const Saved& saved) const {
  const std::uint8_t* remembered = known.registers(before);
  const std::uint8_t* after = known.registers(found);
  std::size_t at = 0;
  while (at < saved.bytes.size() && remembered[at] == after[at]) ++at;
  Registers::Place place;
  for (const Registers::Place& unit : saved.places) {
    if (unit.first_byte <= at) place = unit;
  }
  internal_error(
      "engine check: after the interval that begins in cycle {}, where instruction {} is next, "
      "byte {} of the registers of unit {} is another than after the one before that began in the "
      "same "
      "state",
      began, next, at - place.first_byte, place.unit);
}

}  // namespace tactus
