// Works out unknown intervals beside live memories, such as a board's, and links them with the
// states after them; see models/sim/fast/README.md.
#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "models/tcu/fast/sequence_learner.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {

/// Disconnects the memories from the ports until release_memories(). Meanwhile the ports see the
/// wires that the memories drive in the current cycle, `driven`. `busy` is the set of ports that
/// are not idle.
void SequenceLearner::hold_memories(unsigned driven, unsigned busy) {
  for (unsigned p = 0; p < 2; ++p) {
    held_[p]->hold(driven >> (p * LiveMemories::drive_bits));
    targets_[p] = std::exchange(system_.ports_[p]->target, held_[p].get());
  }
  // The memories have changed the wires at the pins, so the ports are evaluated.
  if ((busy & 1) != 0) system_.clock_.activity.wake(TcuSystem::dram0_unit);
  if ((busy & 2) != 0) system_.clock_.activity.wake(TcuSystem::dram1_unit);
}

void SequenceLearner::release_memories() {
  for (unsigned p = 0; p < 2; ++p) system_.ports_[p]->target = targets_[p];
  setting_.memories->withdraw();
}

/// Lets the design run to the end of its interval. While a port is busy, an interval is one cycle,
/// so that it depends only on the wires that the memories drive in this cycle.
bool SequenceLearner::run_live_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  const bool busy = design_.busy_parts() != 0;
  for (bool ends = false; !ends;) {
    if (clock.now - began_.now >= SequenceSetting::longest_interval) return false;
    const std::uint64_t before = clock.progress;
    system_.pass(busy ? 1 : SequenceSetting::longest_interval);
    system_.rested_ = clock.progress == before;
    ends =
        busy || accepts() || retires() || (design_.busy_parts() & SequencedDesign::port_parts) != 0;
    if (ends || design_.next() != program_.count()) continue;
    ends = is_over();
  }
  found.busy = static_cast<std::uint8_t>(design_.busy_parts());
  if (busy) note_passing(found);
  note_timer(found);
  return true;
}

/// Notes the handshakes at the pins in the interval's last cycle.
void SequenceLearner::note_passing(KnownSequences::State& found) {
  for (unsigned p = 0; p < 2; ++p) {
    const AxiLinks& pins = system_.ports_[p]->pins;
    found.passing.handshakes[p] = static_cast<std::uint8_t>(LiveMemories::handshakes(pins));
    if (pins.ar.fires()) found.passing.length[p] = pins.ar.bits.length;
    if (pins.aw.fires()) found.passing.length[p] = pins.aw.bits.length;
  }
}

void SequenceLearner::note_timer(KnownSequences::State& found) const {
  const std::uint16_t timer = sequenced(system_.tcu_.decoder_).timer();
  const Cycle cycles = system_.clock_.now - began_.now;
  if (timer != std::min<Cycle>(setting_.timeout, began_.timer + cycles)) found.timer = timer;
}

/// Links an interval with the state after it, which was saved last. `keeps`: this state keeps
/// counts.
void SequenceLearner::set_link(Id interval, Id shape, Id next, bool keeps,
                               const KeptCounts& counts) {
  const std::uint32_t* growth = setting_.known->growth(interval);
  kept_.clear();
  bool same = counts.live.size() == counts.saved.size();
  for (const Registers::Count& to : counts.saved) {
    const auto from =
        std::find_if(counts.live.begin(), counts.live.end(),
                     [&to](const Registers::Count& count) { return count.at == to.at; });
    KnownSequences::Kept& kept = kept_.emplace_back();
    kept.count = to;
    kept.count.at = nullptr;  // other units have the same link
    if (from == counts.live.end()) {
      same = false;
      continue;
    }
    kept.source = static_cast<std::uint32_t>(from - counts.live.begin());
    same = same && kept.source + 1 == kept_.size();
    const std::uint64_t grown = growth[kept.source];
    if (grown > from->left || from->left - grown != to.left) {
      internal_error("cycle {}: the end of a count has moved before it was reached",
                     system_.clock_.now);
    }
  }
  const Id after = setting_.known->successor(interval, shape, keeps, counts);
  if (const Id known = setting_.known->next(interval, after); known != KnownSequences::none) {
    return check_next(setting_.known->link(known).state, next,
                      setting_.divided ? &SequencedDesign::moves : &SequencedDesign::whole);
  }
  setting_.known->set_next(interval, after, setting_.known->add_link(next, kept_, same));
}

}  // namespace tactus
