// How the cycles of a design are worked out.
//
// A unit's rules are drive(), accept() and decide(), which settle the wires of a cycle and say what
// the unit's clock edge does, and move(), the clock edge. They are all there is to the step engine.
// The fast engine has the same wires, events and counters in every cycle, and does less for them.
//
// Units of the TCU (models/tcu/fast/tcu_runs.cpp). The same few hundred cycles come again and
// again, with other addresses and vectors. Of each that has been settled the TCU remembers what the
// clock edges did, by all that decisions look at. A unit brings
//
//   facts()    what its rules look at in the coming cycle, packed: levels of queues, kinds of the
//              items at their heads, legs taken, locks; and of payloads only what decides, such as
//              whether a vector is the last of its item. What is missing here is a wrong cycle
//              later.
//   Edge       what its clock edge does, apart from payloads: filled by decide(). `turns`: a
//              register moves otherwise than in the cycles of a run. `rests`, where a unit has it:
//              nothing moves, and the facts stay what they are.
//   recall()   puts an Edge of before in the place of drive(), accept() and decide(), and shows the
//              payloads of the cycle. Wires between the units do not show it.
//
// The host router has no register, so its facts are those of the others. DAIS blocks bring none:
// cycles in which they have work are settled, and so is every cycle where there is a sampler, which
// looks at wires.
//
// Runs. Where no edge turns, the coming cycles are alike until a payload decides otherwise. They
// are taken at once if nobody watches single cycles, unit by unit; links carry arrays of items, one
// a cycle (Link::run).
//
//   steady(n)  in how many cycles from the present one on, n at the most, the unit does the same.
//   offer_run(k)  what it gives to others in k such cycles.
//   run(k)     k times move().
//
// Local memory, array and accumulators often do the same for longer than decoder and router, which
// take and end instructions meanwhile. So they may stay behind: the others go on, their items are
// gathered, and Tcu::catch_up() makes the cycles that are missing as one run.
//
// Units outside the TCU, the instruction stream and the DRAM ports (gate.h). A unit
//
//   turns      in a commit() that moves a register its decisions look at. It says so by
//              Clock::turns.
//   is stirred by a wire at its border that changes (wire.h).
//
// One that has turned or is stirred settles the cycle in full. For one that is neither, only
// payloads, counters and the time have moved, and it brings
//
//   moves()    asked after a cycle settled without a turn: whether anything of the unit moves. If
//              not, the unit is left alone until it is stirred.
//   redrive()  rewrites the payloads of its wires; false if a counter, an address or the time now
//              decides otherwise than in the cycle before: then the cycle is settled in full.
//   repeat()   commit() for such a cycle: the same registers move as in the cycle before. It may
//              turn.
//
// A DRAM port that moves says how long a run is, because its memory decides.
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

/// Cycles in which anything moves that are taken at once.
inline constexpr Cycle longest_run = 64;

}  // namespace tactus
