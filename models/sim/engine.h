// How the cycles of a design are worked out.
//
// A unit's rules are drive(), accept() and commit(): the first two settle the wires of a cycle, the
// last is its clock edge. They are all there is to the step engine.
//
// The fast engine does in a cycle only what may come out otherwise than in the cycle before, unit
// by unit (gate.h). A unit
//
//   turns      in a commit that moves a register its decisions look at: the level of a queue, a leg
//              taken, a lock, the kind of a head. It says so by Clock::turns.
//   is stirred by a wire at its border that changes (wire.h), or by an item offered that decides
//              something (Link::offer).
//
// One that has turned or is stirred settles the cycle in full. For one that is neither, only
// payloads, counters and the time have moved, and it brings
//
//   moves()    asked after a cycle settled without a turn: whether anything of the unit moves. If
//              not, the unit is left alone until it is stirred.
//   redrive()  rewrites the payloads (addresses, vectors) of its wires; false if a counter, an
//              address or the time now decides otherwise than in the cycle before, and then the
//              cycle is settled in full.
//   repeat()   commit() for such a cycle: the same registers move as in the cycle before. It may
//              turn.
//
// Where no unit has turned, the coming cycles are alike until the first of these decisions. If
// nobody watches single cycles they are taken at once, as a run, in which links carry arrays of
// items, one a cycle (Link::run):
//
//   steady(n)  how many cycles from the present one on, n at the most, are like the last.
//   offer_run(k)  what the unit gives to others in k such cycles; it may be followed by fewer.
//   run(k)     k times repeat().
//
// A DRAM port that moves says itself how long the run is, because its memory decides. Both engines
// have the same wires, events and counters in every cycle.
#pragma once

#include <cstdint>

namespace tactus {

/// Cycle 0 is the first cycle after reset; a cycle spans one rising edge to the next.
using Cycle = std::uint64_t;

enum class Engine : std::uint8_t {
  step,  ///< settles every unit in every cycle: the reference
  fast,  ///< settles a unit only after something changed in it or at its border
};

/// Cycles in which anything moves that are taken at once.
inline constexpr Cycle longest_run = 64;

}  // namespace tactus
