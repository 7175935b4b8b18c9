// Sequences with live memories, such as a board's; see models/sim/fast/README.md.
#include <algorithm>
#include <utility>

#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

}  // namespace

void TcuSequences::begin_live() {
  std::array<LiveMemories::Port, 2> ports;
  for (unsigned p = 0; p < 2; ++p) ports[p] = {&system_.ports_[p]->pins, system_.ports_[p]->target};
  const unsigned beat_bytes = system_.config_.axi_data_bits / 8;
  memories_ = std::make_unique<LiveMemories>(system_.clock_, ports, beat_bytes, bursts_);
  for (unsigned p = 0; p < 2; ++p) {
    held_[p] = std::make_unique<HeldTarget>(system_.ports_[p]->pins, beat_bytes);
  }
}

/// True if nothing is under way, in the memories included.
bool TcuSequences::rests(const Position& position) const {
  return known(position.state).rests && (!divided_ || known(position.moves).rests) &&
         memories_->idle();
}

/// Continues as long as every interval is known or can be worked out. The intervals after the last
/// rest are then undone, and the memories return to that rest.
void TcuSequences::walk_live(Position& position, Cycle until) {
  const LiveMemories::TimingOnly timing_only(*memories_);
  memories_->withdraw();
  begin_path();
  driven_at_ = ~Cycle{0};
  while (path_.size() < longest_path) {
    if (position.next < program_.count()) {
      if (!program_.know(position.next + 1)) break;
    } else if (rests(position)) {
      break;
    }
    if (!(divided_ ? step_divided(position, until) : step_live(position, until))) break;
    if (!rests(position)) continue;
    commit_path(position);
    begin_path();
  }
  drop_path(position);
}

/// Asks the memories for the wires that they drive in the position's cycle.
void TcuSequences::drive(const Position& position) {
  if (driven_at_ == position.now || position.now < quiet_until_) return;
  const Id ports = divided_ ? position.moves : position.state;
  driven_ = memories_->drive(known(ports).busy, position.now);
  driven_at_ = position.now;
}

/// Advances the decoder's timer by the cycles of an interval.
void TcuSequences::pass_time(Position& position, Id interval, Cycle cycles) const {
  const std::uint32_t timer = known(interval).timer;
  position.timer =
      timer != KnownSequences::none ? timer : std::min<Cycle>(position.timer + cycles, timeout_);
}

/// Takes the next interval. Returns false if it cannot be part of a sequence.
bool TcuSequences::step_live(Position& position, Cycle until) {
  ++visits_;
  drive(position);
  Passage found{known_->interval_of(position.state, driven_), KnownSequences::none};
  if (known(found.interval).cycles == 0 && !work_out_live(position, found.interval)) return false;
  const auto link = [&] {
    const KnownSequences::State& interval = known(found.interval);
    const Id shape = interval.accepts ? program_[position.next].shape : KnownSequences::none;
    return known_->next(found.interval,
                        known_->successor(found.interval, shape, interval.busy != 0, counts_));
  };
  found.link = link();
  if (found.link == KnownSequences::none || system_.is_checked(checks_)) {
    if (!work_out_live(position, found.interval)) return false;
    found.link = link();
  }
  const KnownSequences::State& interval = known(found.interval);
  if (interval.left_out) return false;
  Cycle cycles = interval.cycles;
  if (known(position.state).busy != 0 && known_->stays(position.state, found)) {
    // Nothing changes until the memories drive other wires.
    const Cycle most = std::min(longest_interval, until - position.now);
    cycles = memories_->waits(known(position.state).busy, driven_, position.now, most);
    if (cycles == most) return false;
  }
  if (position.now + cycles > until) return false;
  add_step(false, found.interval, cycles / interval.cycles);
  note_path_responses(found.interval, position.now);
  const bool ordered = memories_->pass(interval.passing, position.now, cycles);
  position.now += cycles;
  if (!ordered) return false;
  if (interval.accepts) ++position.next;
  pass_time(position, found.interval, cycles);
  position.state = known_->link(found.link).state;
  const bool retires = interval.retires;
  if (known_->follow(found, counts_)) loaded_ = {};
  if (retires) retire_on_path(position.now);
  return true;
}

/// Disconnects the memories from the ports until release_memories(). Meanwhile the ports see the
/// wires that the memories drive in the current cycle. `busy` is the set of ports that are not
/// idle.
void TcuSequences::hold_memories(unsigned busy) {
  for (unsigned p = 0; p < 2; ++p) {
    held_[p]->hold(driven_ >> (p * LiveMemories::drive_bits));
    targets_[p] = std::exchange(system_.ports_[p]->target, held_[p].get());
  }
  // The memories have changed the wires at the pins, so the ports are evaluated.
  if ((busy & 1) != 0) system_.clock_.activity.wake(TcuSystem::dram0_unit);
  if ((busy & 2) != 0) system_.clock_.activity.wake(TcuSystem::dram1_unit);
}

void TcuSequences::release_memories() {
  for (unsigned p = 0; p < 2; ++p) system_.ports_[p]->target = targets_[p];
  memories_->withdraw();
}

bool TcuSequences::work_out_live(const Position& position, Id interval) {
  if (!learns()) return false;
  hold_memories(known(position.state).busy);
  const bool done = work_out(position, interval);
  release_memories();
  return done;
}

/// Lets the design run to the end of its interval. While a port is busy, an interval is one cycle,
/// so that it depends only on the wires that the memories drive in this cycle.
bool TcuSequences::run_live_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  const bool busy = machine_.busy_parts() != 0;
  for (bool ends = false; !ends;) {
    if (clock.now - began_.now >= longest_interval) return false;
    const std::uint64_t before = clock.progress;
    system_.pass(busy ? 1 : longest_interval);
    system_.rested_ = clock.progress == before;
    ends = busy || accepts() || retires() ||
           (machine_.busy_parts() & SequencedDesign::port_parts) != 0;
    if (ends || machine_.next() != program_.count()) continue;
    ends = is_over();
  }
  found.busy = static_cast<std::uint8_t>(machine_.busy_parts());
  if (busy) note_passing(found);
  note_timer(found);
  return true;
}

/// Notes the handshakes at the pins in the interval's last cycle.
void TcuSequences::note_passing(KnownSequences::State& found) {
  for (unsigned p = 0; p < 2; ++p) {
    const AxiLinks& pins = system_.ports_[p]->pins;
    found.passing.handshakes[p] = static_cast<std::uint8_t>(LiveMemories::handshakes(pins));
    if (pins.ar.fires()) found.passing.length[p] = pins.ar.bits.length;
    if (pins.aw.fires()) found.passing.length[p] = pins.aw.bits.length;
  }
}

void TcuSequences::note_timer(KnownSequences::State& found) const {
  const std::uint16_t timer = sequenced(system_.tcu_.decoder_).timer();
  const Cycle cycles = system_.clock_.now - began_.now;
  if (timer != std::min<Cycle>(timeout_, began_.timer + cycles)) found.timer = timer;
}

}  // namespace tactus
