// The intervals passed since the last rest: what observers are told of them.
#include "models/tcu/events.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

/// Tells the changes of an interval that begins in cycle `now`. `accepted` and `retired` count the
/// program's instructions before it.
void TcuSequences::tell_changes(Id interval, Cycle now, std::uint64_t accepted,
                                std::uint64_t retired) {
  const KnownSequences::Change* changes = known_->changes(interval);
  for (std::uint32_t i = 0; i < known(interval).change_count; ++i) {
    const KnownSequences::Change& change = changes[i];
    if (memories_) tell_memories(now + change.offset);
    changes_.tell_cycle(now + change.offset);
    // The clock edge of a port and its memory comes before that of the next port.
    if (memories_ && is_of_second_port(change)) memories_->tell(0, now + change.offset);
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
Event TcuSequences::event_of(const KnownSequences::Change& change, std::uint64_t accepted,
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
bool TcuSequences::is_of_second_port(const KnownSequences::Change& change) const {
  if (change.of_account())
    return counters_.accounts()[change.account] == &system_.ports_[1]->port.account();
  return change.of_event() && (change.account - KnownSequences::Change::first_event) %
                                      KnownSequences::Change::most_ports ==
                                  1;
}

bool TcuSequences::tells(const EventSink* events) const {
  if (events == nullptr && !system_.sampler_) return true;
  if (!(machine_.memories_keep_time() || machine_.memories_rewind()) || system_.samples_by_cycle_)
    return false;
  // The readiness of port B of local memory depends on the last queued transfer, which no state
  // contains.
  if (system_.sampler_ && system_.config_.tcu.architecture.dma_queue != 0) return false;
  return events == nullptr ||
         (events->kinds() != 0 && (events->kinds() & ~timeline_event_kinds) == 0);
}

/// Lets the sampler see the cycles before `end`. `retired` instructions of the path have retired
/// before them.
void TcuSequences::sample_until(Cycle end, std::uint64_t retired) {
  if (!system_.sampler_) return;
  system_.clock_.now = sampled_;
  const std::uint32_t first = system_.tcu_.decoder_.registers().program_counter;
  system_.pass_samples(end, flags_, first + static_cast<std::uint32_t>(retired));
  sampled_ = end;
}

/// Tells the changes of the path since the last rest, in the order of time. Calls begin(step,
/// cycle) for each step, and retire(cycle) after each retire, with the cycle after it.
template <typename Begin, typename Retire>
void TcuSequences::tell_steps(const Begin& begin, const Retire& retire) {
  Cycle now = committed_.now;
  std::uint64_t accepted = committed_.next, retired = executed_;
  bursts_.begin(executed_);
  sampled_ = now;
  for (const Step& step : path_) {
    begin(step, now);
    const KnownSequences::State& interval = known(step.interval);
    for (std::uint64_t i = 0; i < step.times; ++i) {
      tell_changes(step.interval, now, accepted, retired);
      now += interval.cycles;
      if (interval.accepts) ++accepted;
      if (!interval.retires) continue;
      sample_until(now, retired - executed_);
      ++retired;
      retire(now);
    }
  }
  sample_until(now, retired - executed_);
}

/// Accepts the path up to this position as passed.
void TcuSequences::commit(const Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  const std::uint32_t first = decoder.registers().program_counter;
  std::uint64_t retired = 0;
  Cycle last = 0;
  tell_steps(
      [this](const Step& step, Cycle now) {
        counters_.use(*known_, step.interval, step.times);
        note_responses(step.interval, now);
      },
      [&](Cycle now) {
        last = now - 1;
        decoder.tell_retire(last, static_cast<std::uint32_t>(first + retired++));
        if (--until_border_ != 0) return;
        changes_.settle_time(now);
        pass_border(now);
      });
  if (retired != 0) sequenced(decoder).note_retires(retired, last);
  finish_path(position);
}

/// Tells the changes of the path beside live memories, and those of the memories.
void TcuSequences::tell_path_changes() {
  tell_steps([](const Step&, Cycle) {},
             [this](Cycle now) {
               if (!is_border(now)) return;
               tell_memories(now);
               changes_.settle_time(now);
             });
}

/// Tells the changes of the live memories' accounts in cycles before this one.
void TcuSequences::tell_memories(Cycle before) {
  for (Cycle at = memories_->untold(); at < before; at = memories_->untold()) {
    changes_.tell_cycle(at);
    for (unsigned p = 0; p < 2; ++p) memories_->tell(p, at);
  }
}

/// True if a region begins in this cycle, of which observers have not been told.
bool TcuSequences::is_border(Cycle now) {
  while (!borders_.empty() && borders_.front() < now) borders_.pop_front();
  if (borders_.empty() || borders_.front() != now) return false;
  borders_.pop_front();
  return true;
}

void TcuSequences::pass_border_again() {
  if (is_border(system_.clock_.now)) system_.array_time_->account().settle();
}

}  // namespace tactus
