// What can sit at the AXI pins of a DRAM port.
#pragma once

#include "models/sim/account.h"
#include "models/sim/fast/registers.h"
#include "models/sim/pulled_memory.h"
#include "models/sim/stalls.h"

namespace tactus {

/// One cycle is draw_stalls(), drive(), then commit() once the pins have settled. drive() writes
/// the readies of ar, aw, w and the valids of r, b from registers only. A target that is idle when
/// its port is need not be called until an address is offered. One that calls out, so that a module
/// may notify a kernel event, counts Clock::transactions.
class AxiTarget {
 public:
  virtual ~AxiTarget() = default;
  /// Stalls of ar, aw, w, r and b for this cycle, drawn in this order.
  virtual void draw_stalls(StallGenerator& stalls) = 0;
  virtual void drive() = 0;
  virtual void commit() = 0;
  [[nodiscard]] virtual bool idle() const = 0;
  /// For how many cycles from the present one on, `most` at the most, drive() writes what it wrote
  /// in the last, provided that no handshake happens. 0: not known.
  [[nodiscard]] virtual Cycle waits(Cycle /*most*/) const { return 0; }
  /// The wires are those of the present cycle, and in it a beat passes and nothing else: of write
  /// data if `writes`, else of read data. In how many cycles, this one and those behind it, `most`
  /// at the most, drive() writes the same if the same passes in each of them. 1: in this one, or it
  /// is not known. Each is still committed; for read data drive() need not be called again.
  [[nodiscard]] virtual Cycle repeats(bool /*writes*/, Cycle /*most*/) const { return 1; }
  /// Whether its answers come after a time that does not depend on what is read and written, so
  /// that cycles may be worked out with Clock::timing_only. Then it brings what follows.
  [[nodiscard]] virtual bool keeps_time() { return false; }
  virtual void registers(Registers& /*r*/) {}
  /// Where an address lies in the memory behind it, which it may share with others.
  [[nodiscard]] virtual std::uint64_t place(std::uint32_t address) const { return address; }
  /// The memory behind it, if that goes on only when it is asked to; else null.
  [[nodiscard]] virtual PulledMemory* pulled() { return nullptr; }
  /// Reads or writes what is behind the pins; no time passes.
  virtual void read_now(std::uint32_t /*address*/, std::uint8_t* /*bytes*/, std::size_t /*count*/) {
  }
  virtual void write_now(std::uint32_t /*address*/, const std::uint8_t* /*bytes*/,
                         std::size_t /*count*/) {}

  /// Whether the present state can be remembered and returned to. Then it brings what follows.
  [[nodiscard]] virtual bool rewinds() const { return false; }
  /// Remembers the present state, in which the target is idle; what was remembered before is gone.
  virtual void mark() {}
  /// Returns to the state of the last mark(). What was under way is gone, and never answered. A
  /// memory that targets share is no part of it: the caller rewinds that too, and sets the clock
  /// back, before anything else is called.
  virtual void rewind() {}

  /// An answer is owed that comes by time alone, without anything else happening.
  [[nodiscard]] virtual bool waits_for_memory() const = 0;
  /// Null if the target keeps none.
  [[nodiscard]] virtual Account* account() { return nullptr; }
  /// Where its waiting for the memory goes; null if it does not know.
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
