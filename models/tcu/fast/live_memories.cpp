#include "models/tcu/fast/live_memories.h"

#include <algorithm>
#include <utility>

#include "models/sim/pulled_memory.h"
#include "models/sim/turns.h"
#include "models/tcu/decoder/decoder.h"

namespace tactus {
namespace {

unsigned driven(const AxiLinks& pins) {
  using Live = LiveMemories;
  return (pins.ar.ready ? Live::ar_ready : 0U) | (pins.aw.ready ? Live::aw_ready : 0U) |
         (pins.w.ready ? Live::w_ready : 0U) | (pins.r.valid ? Live::r_valid : 0U) |
         (pins.b.valid ? Live::b_valid : 0U);
}

}  // namespace

unsigned LiveMemories::handshakes(const AxiLinks& pins) {
  return (pins.ar.fires() ? ar : 0U) | (pins.aw.fires() ? aw : 0U) |
         (pins.w.fires() ? w | (pins.w.bits.last ? last : 0U) : 0U) | (pins.r.fires() ? r : 0U) |
         (pins.b.fires() ? b : 0U);
}

LiveMemories::LiveMemories(Clock& clock, const std::array<Port, 2>& ports, unsigned beat_bytes,
                           ProgramBursts& bursts)
    : clock_(clock),
      ports_(ports),
      held_{ports[0].target->held(), ports[1].target->held()},
      beat_bytes_(beat_bytes),
      bursts_(bursts),
      beat_(beat_bytes) {}

/// Calls visit(memory) for each memory that no other design shares; both ports may share one.
template <typename Visit>
void LiveMemories::for_each_memory(const Visit& visit) {
  if (clock_.turn != nullptr) return;
  PulledMemory* const first = ports_[0].target->pulled();
  PulledMemory* const second = ports_[1].target->pulled();
  visit(*first);
  if (second != first) visit(*second);
}

void LiveMemories::set_timing_only(bool on) {
  for_each_memory([on](PulledMemory& memory) { memory.set_timing_only(on); });
}

void LiveMemories::mark(std::uint64_t next) {
  next_ = next;
  begin();
  for (const Port& port : ports_) port.target->mark();
  for_each_memory([](PulledMemory& memory) { memory.mark(); });
}

void LiveMemories::begin() {
  bursts_.begin(next_);
  ranges_ = {};
}

void LiveMemories::rewind(Cycle now, Cycle reached) {
  begin();
  clock_.now = now;
  for (const Port& port : ports_) port.target->rewind(reached);
  for_each_memory([](PulledMemory& memory) { memory.rewind(); });
  turned_ = {now, now};
}

unsigned LiveMemories::drive(unsigned busy, Cycle now) {
  unsigned all = 0;
  clock_.now = now;
  for (unsigned p = 0; p < 2; ++p) {
    if ((busy >> p & 1) == 0) continue;
    ports_[p].target->drive();
    const unsigned present = driven(*ports_[p].pins);
    if (present != driven_[p]) turned_[p] = std::min(turned_[p], now);
    driven_[p] = present;
    all |= present << (p * drive_bits);
  }
  return all;
}

/// Lets the target account for cycle `now`, in which its pins have no handshake, if it must account
/// from this cycle on.
void LiveMemories::account(unsigned p, Cycle now) {
  if (turned_[p] > now) return;
  clock_.now = now;
  ports_[p].target->drive();  // drive() of all ports leaves out a port that is idle by now
  ports_[p].target->commit();
  turned_[p] = ~Cycle{0};
}

Cycle LiveMemories::waits(unsigned busy, unsigned driven, Cycle now, Cycle most) {
  for (unsigned p = 0; p < 2; ++p) account(p, now);  // the wires are still those of this cycle
  for (Cycle held = 0;;) {
    clock_.now = now + held;
    const Cycle waits = wait_for_turn(clock_, [&] {
      Cycle cycles = most - held;
      for (unsigned p = 0; p < 2; ++p) {
        if ((busy >> p & 1) != 0) cycles = ports_[p].target->waits(cycles);
      }
      return cycles;
    });
    held += std::max<Cycle>(waits, 1);
    if (held >= most) return most;
    if (drive(busy, now + held) != driven) return held;
  }
}

/// Notes a burst of port `p`. Returns false if the other port has accessed the same bytes since the
/// mark and one of the two writes.
bool LiveMemories::note(unsigned p, const AxiAddress& burst, bool writes) {
  const std::uint64_t first = ports_[p].target->place(burst.address);
  const Range range{first, first + (burst.length + std::uint64_t{1}) * beat_bytes_};
  Range& all = ranges_[p][writes ? 1 : 0];
  all.first = std::min(all.first, range.first);
  all.end = std::max(all.end, range.end);
  const auto& [read, written] = ranges_[1 - p];
  return !range.meets(written) && !(writes && range.meets(read));
}

bool LiveMemories::pass_pins(const Passing& passing, Cycle now, Cycle cycles) {
  bool ordered = true;
  for (unsigned p = 0; p < 2; ++p) {
    const auto& [links, target] = ports_[p];
    const unsigned passes = passing.handshakes[p];
    if (passes == 0 || cycles > 1) account(p, now);
    if (passes == 0) continue;
    AxiLinks& pins = *links;
    offer(p, passing);
    if ((passes & (ar | aw)) != 0) {
      const AxiAddress burst = bursts_.next(p, passing.length[p]);
      ordered = note(p, burst, (passes & aw) != 0) && ordered;
      ((passes & ar) != 0 ? pins.ar : pins.aw).bits = burst;
    }
    clock_.now = now + cycles - 1;
    target->commit();
    turned_[p] = now + cycles;
    withdraw(pins);
  }
  return ordered;
}

/// Asks the memory for repeats(): all handshakes are beats, either read or written.
Cycle LiveMemories::ask_repeats(const Passing& passing, unsigned busy, Cycle now, Cycle most) {
  const unsigned p = passing.handshakes[0] != 0 ? 0 : 1;
  const bool alone = passing.handshakes[1 - p] == 0 && (busy >> (1 - p) & 1) == 0;
  if (!alone || !ports_[1 - p].target->idle()) return 1;
  clock_.now = now;
  const Cycle cycles = ports_[p].target->repeats(passing.handshakes[p] == w, most);
  repeated_ = cycles > 1;
  return cycles;
}

void LiveMemories::pass_beats(const Passing& passing, Cycle now, Cycle cycles) {
  const unsigned p = passing.handshakes[0] != 0 ? 0 : 1;
  AxiTarget& target = *ports_[p].target;
  account(1 - p, now);
  offer(p, passing);
  for (Cycle i = 0; i < cycles; ++i) {
    clock_.now = now + i;
    // drive() lets the memory continue up to the cycle. Read data that is known does not need it.
    if (i != 0 && passing.handshakes[p] != r) target.drive();
    target.commit();
  }
  turned_[p] = now + cycles;
  withdraw(*ports_[p].pins);
}

void LiveMemories::withdraw() {
  for (const Port& port : ports_) withdraw(*port.pins);
}

void LiveMemories::withdraw(AxiLinks& pins) {
  pins.ar.valid = pins.aw.valid = pins.w.valid = pins.r.ready = pins.b.ready = false;
}

void HeldTarget::drive() {
  using Live = LiveMemories;
  pins_.ar.ready = (drive_ & Live::ar_ready) != 0;
  pins_.aw.ready = (drive_ & Live::aw_ready) != 0;
  pins_.w.ready = (drive_ & Live::w_ready) != 0;
  pins_.r.valid = (drive_ & Live::r_valid) != 0;
  pins_.r.bits = {beat_.data(), false};
  pins_.b.valid = (drive_ & Live::b_valid) != 0;
}

}  // namespace tactus
