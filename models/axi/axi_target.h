// Interface of a target at the AXI pins of a DRAM port.
#pragma once

#include "models/sim/account.h"
#include "models/sim/fast/registers.h"
#include "models/sim/held_intervals.h"
#include "models/sim/pulled_memory.h"
#include "models/sim/stalls.h"

namespace tactus {

/// In each cycle the port calls draw_stalls(), drive() and, once the pins have settled, commit().
/// drive() writes the readies of ar, aw and w and the valids of r and b, from registers only. While
/// target and port are both idle, the target need not be called until an address is offered. A
/// target that calls other modules, which may notify a kernel event, increments Clock::transactions
/// for each call.
class AxiTarget {
 public:
  virtual ~AxiTarget() = default;
  /// Draws the random stalls of this cycle, in the order ar, aw, w, r, b.
  virtual void draw_stalls(StallGenerator& stalls) = 0;
  virtual void drive() = 0;
  virtual void commit() = 0;
  [[nodiscard]] virtual bool idle() const = 0;
  /// Number of cycles from the current one on, at most `most`, in which drive() writes the same
  /// values as in the last cycle, provided that no handshake happens. 0: unknown.
  [[nodiscard]] virtual Cycle waits(Cycle /*most*/) const { return 0; }
  /// Number of cycles from the current one on, at most `most`, in which drive() writes the same
  /// values, provided that each of them has the same single handshake: a beat of write data if
  /// `writes`, else a beat of read data. Called with the wires of the current cycle, which has this
  /// handshake. 1: only in the current cycle, or not known. Every cycle is still committed. For
  /// read data, drive() need not be called again.
  [[nodiscard]] virtual Cycle repeats(bool /*writes*/, Cycle /*most*/) const { return 1; }
  /// True if the times of answers do not depend on the data that is read and written, so that
  /// cycles can be evaluated with Clock::timing_only. Such a target implements the functions below.
  [[nodiscard]] virtual bool keeps_time() { return false; }
  virtual void registers(Registers& /*r*/) {}
  /// Converts an address at the pins to one of the memory behind the target. Other targets may
  /// share that memory.
  [[nodiscard]] virtual std::uint64_t place(std::uint32_t address) const { return address; }
  /// The memory behind the target if it is a pulled one, else null.
  [[nodiscard]] virtual PulledMemory* pulled() { return nullptr; }
  /// Reads or writes the memory behind the pins; no time passes.
  virtual void read_now(std::uint32_t /*address*/, std::uint8_t* /*bytes*/, std::size_t /*count*/) {
  }
  virtual void write_now(std::uint32_t /*address*/, const std::uint8_t* /*bytes*/,
                         std::size_t /*count*/) {}

  /// True if the design can return to an earlier cycle. Such a target implements the functions
  /// below.
  [[nodiscard]] virtual bool rewinds() const { return false; }
  /// Marks the current cycle, in which the target must be idle. Replaces an earlier mark.
  virtual void mark() {}
  /// Returns to the cycle of the last mark(), to which the caller has set the clock back; cycles
  /// before `reached` have passed. Bursts in flight are removed and never answered. The memory
  /// behind several targets is not included: the caller must rewind it before any other call.
  /// A target whose memory others share, too, lets the design pass the cycles before `reached`
  /// again: see replays().
  virtual void rewind(Cycle /*reached*/) {}
  /// True while the target does what it did when these cycles passed for the first time, with the
  /// data that was left out. It and its memory stay as they are.
  [[nodiscard]] virtual bool replays() const { return false; }
  /// From mark() to rewind() observers of the target's accounts are told nothing, unless the caller
  /// does it, by this. What is left then is gone, or is told when the cycles pass again.
  [[nodiscard]] virtual HeldIntervals* held() { return nullptr; }

  /// True if an answer is outstanding that comes after some time without further action of the
  /// design.
  [[nodiscard]] virtual bool waits_for_memory() const = 0;
  /// Account of the target; null if it has none.
  [[nodiscard]] virtual Account* account() { return nullptr; }
  /// Account of the time spent waiting for the memory; null if the target has none.
  [[nodiscard]] virtual Account* memory_account() { return nullptr; }
};

/// The stalls of one port in one cycle.
struct AxiStalls {
  bool ar = false, aw = false, w = false, r = false, b = false;
  void draw(StallGenerator& stalls) {
    ar = stalls.draw();
    aw = stalls.draw();
    w = stalls.draw();
    r = stalls.draw();
    b = stalls.draw();
  }
};

}  // namespace tactus
