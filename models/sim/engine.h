// How the cycles of a design are worked out.
//
// A unit's rules are drive(), accept() and commit(): the first two settle the wires of a cycle, the
// last is its clock edge. They are all there is to the step engine.
//
// The fast engine leaves out the settling where it would find nothing new. Every unit counts a turn
// (Clock::turns) in a commit that moves a register its decisions look at: the level of a queue, a
// leg taken, a lock, the kind of a head. After a cycle without any turn only payloads, counters and
// the time have moved, so the next cycle has the same handshakes unless one of these comes to a
// decision. For such a cycle a unit brings
//
//   moves()    asked after the cycle without a turn: whether anything of the unit moves in it. If
//              not, the unit is left alone until something turns.
//   redrive()  rewrites the payloads (addresses, vectors) of the wires; false if a counter, an
//              address or the time now decides otherwise than in the cycle before, and then the
//              cycle is settled in full. void: such a unit has no decision of this kind.
//   repeat()   commit() for a cycle that was not settled: the same registers move as in the cycle
//              before. It may turn, and then the next cycle is settled in full. A unit without it
//              uses commit() itself.
//
// Both engines go cycle by cycle, with the same wires, events and counters in each.
#pragma once

#include <cstdint>

namespace tactus {

/// Cycle 0 is the first cycle after reset; a cycle spans one rising edge to the next.
using Cycle = std::uint64_t;

enum class Engine : std::uint8_t {
  step,  ///< settles every cycle: the reference
  fast,  ///< settles a cycle only after something turned
};

/// Cycles in which anything moves that are taken at once.
inline constexpr Cycle longest_run = 64;

}  // namespace tactus
