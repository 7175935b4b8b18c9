#include "models/tcu/fast/sequence_observers.h"

#include "models/tcu/events.h"
#include "models/tcu/system.h"

namespace tactus {

/// Tells the changes of an interval that begins in cycle `now`. `accepted` and `retired` count the
/// program's instructions before it.
void SequenceObservers::tell_changes(KnownSequences::Id interval, Cycle now, std::uint64_t accepted,
                                     std::uint64_t retired) {
  const KnownSequences::Change* changes = setting_.known->changes(interval);
  for (std::uint32_t i = 0; i < setting_[interval].change_count; ++i) {
    const KnownSequences::Change& change = changes[i];
    if (setting_.memories) tell_memories(now + change.offset);
    changes_.tell_cycle(now + change.offset);
    // The clock edge of a port and its memory comes before that of the next port.
    if (setting_.memories && is_of_second_port(change))
      setting_.memories->tell(0, now + change.offset);
    if (change.of_flags()) {
      sample_until(now + change.offset, retired - executed_);
      flags_ = change.code;
    } else if (change.of_account()) {
      changes_.tell(change.account, change.code, now + change.offset);
    } else if (change.of_level()) {
      changes_.tell_level(change.account - KnownSequences::Change::first_level, change.code);
    } else {
      changes_.tell(event_of(change, accepted, retired));
    }
  }
}

/// Returns a remembered event with the operands that follow from the program. It has no data,
/// except the bytes of an instruction.
Event SequenceObservers::event_of(const KnownSequences::Change& change, std::uint64_t accepted,
                                  std::uint64_t retired) {
  const unsigned place = change.account - KnownSequences::Change::first_event;
  Event event{static_cast<EventKind>(place / KnownSequences::Change::most_ports),
              place % KnownSequences::Change::most_ports};
  switch (event.kind) {
    case TcuEvent::instruction_accepted:
      event.data = program_.instruction(accepted);
      break;
    case TcuEvent::retired: {
      const ProgramItem& retires = program_[retired].item;
      event.a = retires.opcode;
      event.b = retires.flags;
      event.c = system_.tcu_.decoder_.registers().program_counter + (retired - executed_);
      break;
    }
    case TcuEvent::axi_read_address:
    case TcuEvent::axi_write_address: {
      const AxiAddress burst = bursts_.next(event.port, change.code);
      event.a = burst.address;
      event.b = burst.length;
      event.c = burst.cache;
      break;
    }
    default:
      break;
  }
  return event;
}

/// True if the change is one of DRAM port 1.
bool SequenceObservers::is_of_second_port(const KnownSequences::Change& change) const {
  if (change.of_account())
    return counters_.accounts()[change.account] == &system_.ports_[1]->port.account();
  return change.of_event() && (change.account - KnownSequences::Change::first_event) %
                                      KnownSequences::Change::most_ports ==
                                  1;
}

/// Lets the sampler see the cycles before `end`. `retired` instructions of the path have retired
/// before them.
void SequenceObservers::sample_until(Cycle end, std::uint64_t retired) {
  if (!system_.sampler_) return;
  system_.clock_.now = sampled_;
  const std::uint32_t first = system_.tcu_.decoder_.registers().program_counter;
  system_.pass_samples(end, flags_, first + static_cast<std::uint32_t>(retired));
  sampled_ = end;
}

void SequenceObservers::tell_live(const std::vector<SequenceStep>& path,
                                  const SequencePosition& rest, std::uint64_t executed) {
  tell_steps(
      path, rest, executed, [](const SequenceStep&, Cycle) {},
      [this](Cycle now) {
        if (!is_border(now)) return;
        tell_memories(now);
        changes_.settle_time(now);
      });
}

void SequenceObservers::tell_memories(Cycle before) {
  for (Cycle at = setting_.memories->untold(); at < before; at = setting_.memories->untold()) {
    changes_.tell_cycle(at);
    for (unsigned p = 0; p < 2; ++p) setting_.memories->tell(p, at);
  }
}

bool SequenceObservers::is_border(Cycle now) {
  while (!borders_.empty() && borders_.front() < now) borders_.pop_front();
  if (borders_.empty() || borders_.front() != now) return false;
  borders_.pop_front();
  return true;
}

}  // namespace tactus
