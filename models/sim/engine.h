// How the cycles of a design are worked out: the names of the engines, and what a unit brings to
// the fast one. A description with an example is models/sim/fast/README.md.
//
// A unit's rules are drive(), accept() and decide(), which settle the wires of a cycle and say what
// the unit's clock edge does, and move(), the clock edge. The step engine calls nothing else. The
// fast engine reaches the same wires, events and counters with fewer calls.
//
// There are two kinds of units. Cycles of the *remembered* units, those of the TCU, are known again
// as a whole (TcuReplay in models/tcu/fast). Such a unit brings
//
//   fact_list()  all that its rules look at in the coming cycle (fast/facts.h): levels of queues,
//                kinds of the items at their heads, legs taken, locks; of payloads only what
//                decides, such as whether a vector is the last of its item. If a fact is missing,
//                two cycles that differ are taken for one; engine verify finds that.
//   facts()      the same, packed; a unit may keep some from the cycle before.
//   Edge         what its clock edge does, apart from payloads: filled by decide(). `turns`: it
//                moves a register that facts look at. `rests`, where a unit has it: nothing moves,
//                and the facts stay as they are.
//   recall()     takes an Edge of an earlier cycle with the same facts, in the place of drive(),
//                accept() and decide(), and shows the payloads of the cycle. Valids and readies
//                between units are not written.
//
// For stretches, which are cycles without a turn that are taken at once, it brings
//
//   steady(n)         in how many cycles from the present one on, n at the most, it does the same.
//   offer_stretch(k)  what it gives to other units in k such cycles, as an array on the link
//                     (Link::stretch), one item a cycle.
//   stretch(k)        k times move().
//
// The *gated* units, instruction stream and DRAM ports, depend on programs and memories, too, and
// are left out one by one where they have nothing to do (gate.h). Such a unit *turns* when its
// commit() moves a register that its decisions look at, which it counts in Clock::turns. It is
// *stirred* when a wire at its border changes (wire.h). After either it settles the cycle in full.
// Otherwise only payloads, counters and the time have moved, and the unit brings
//
//   moves()    asked after a cycle settled without a turn: whether anything of the unit moves. If
//              not, the unit is left alone until it is stirred.
//   redrive()  rewrites the payloads of its wires; false if a counter, an address or the time now
//              decides otherwise than in the cycle before: then the cycle is settled in full.
//   repeat()   commit() for such a cycle: the same registers move as in the cycle before. It may
//              turn.
//
// How long a stretch is in which a DRAM port moves is said by the port, since it depends on its
// memory.
#pragma once

#include <cstdint>

namespace tactus {

/// Cycle 0 is the first cycle after reset; a cycle spans one rising edge to the next.
using Cycle = std::uint64_t;

enum class Engine : std::uint8_t {
  step,  ///< settles every unit in every cycle: the reference
  fast,  ///< settles a unit only where its decisions are not known
  /// Settles every unit in every cycle, and compares what the fast engine would have known of the
  /// cycle with what came out; an InternalError names the first difference.
  verify,
};

/// The most cycles of a stretch in which anything moves.
inline constexpr Cycle longest_stretch = 64;

}  // namespace tactus
