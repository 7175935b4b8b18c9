// Runs live memories, such as a board's, beside a design that is taken in sequences; see
// models/sim/fast/README.md.
//
// The memories remain AXI slaves: they see addresses and beats at their pins in the cycles of the
// design, and answer at any time. Only data is left out. Whole instructions move it later
// (TcuData).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/axi/axi.h"
#include "models/axi/axi_target.h"
#include "models/tcu/fast/program_bursts.h"

namespace tactus {

class LiveMemories {
 public:
  struct Port {
    AxiLinks* pins = nullptr;
    AxiTarget* target = nullptr;
  };
  /// Handshakes at the pins of a port in a cycle, as bits. `last`: the beat of w is the last of its
  /// burst.
  enum Handshake : unsigned { ar = 1, aw = 2, w = 4, r = 8, b = 16, last = 32 };
  /// Wires that a memory drives, as bits; each port has drive_bits of them.
  enum Drive : unsigned { ar_ready = 1, aw_ready = 2, w_ready = 4, r_valid = 8, b_valid = 16 };
  static constexpr unsigned drive_bits = 5;
  /// Handshakes at the pins of both ports in one cycle, and AxLEN of an address.
  struct Passing {
    std::array<std::uint8_t, 2> handshakes{};
    std::array<std::uint16_t, 2> length{};
    [[nodiscard]] bool any() const { return (handshakes[0] | handshakes[1]) != 0; }
    [[nodiscard]] bool operator==(const Passing& o) const {
      return handshakes == o.handshakes && length == o.length;
    }
  };
  [[nodiscard]] static unsigned handshakes(const AxiLinks& pins);

  /// `bursts` are those of the current program.
  LiveMemories(Clock& clock, const std::array<Port, 2>& ports, unsigned beat_bytes,
               ProgramBursts& bursts);
  /// True if the target and its memory can return to a mark.
  [[nodiscard]] static bool possible(AxiTarget& target) {
    return target.rewinds() && target.pulled() != nullptr && target.pulled()->rewinds();
  }

  /// Marks the current state, in which nothing is under way, so that rewind() can return to it.
  /// `next` is the first instruction that has not been executed.
  void mark(std::uint64_t next);
  /// Returns to the marked state, which is that of cycle `now`; cycles before `reached` have
  /// passed.
  void rewind(Cycle now, Cycle reached);
  /// While an object of this class lives, accesses take their time and move no data.
  class TimingOnly {
   public:
    explicit TimingOnly(LiveMemories& memories) : memories_(memories) {
      memories_.set_timing_only(true);
    }
    TimingOnly(const TimingOnly&) = delete;
    TimingOnly& operator=(const TimingOnly&) = delete;
    ~TimingOnly() { memories_.set_timing_only(false); }

   private:
    LiveMemories& memories_;
  };

  /// The first cycle in which observers of the memories' accounts would have been told something
  /// since the mark; ~0: there is none.
  [[nodiscard]] Cycle untold() const { return std::min(held_[0]->next(), held_[1]->next()); }
  /// Tells it, of one memory, up to cycle `last`.
  void tell(unsigned p, Cycle last) { held_[p]->tell(last); }
  [[nodiscard]] bool idle() const { return ports_[0].target->idle() && ports_[1].target->idle(); }
  /// Returns the wires that the memories drive in cycle `now` to the ports in the set `busy`.
  [[nodiscard]] unsigned drive(unsigned busy, Cycle now);
  /// Returns the number of cycles from `now` on, `most` at the most, in which the memories drive
  /// `driven` if no handshake occurs.
  [[nodiscard]] Cycle waits(unsigned busy, unsigned driven, Cycle now, Cycle most);
  /// Passes `cycles` cycles from `now` on, with handshakes in the last one only. Returns false if
  /// one port writes bytes that the other port accesses, so that their order in time matters. The
  /// memories must then be rewound; the cycles have passed all the same.
  [[nodiscard]] bool pass(const Passing& passing, Cycle now, Cycle cycles) {
    const bool rests = !passing.any() && turned_[0] > now && turned_[1] > now;
    return rests || pass_pins(passing, now, cycles);
  }
  /// Returns the number of cycles from `now` on, `most` at the most, in which the memories drive
  /// the same wires if every cycle has the same handshakes. 1: only this cycle, or unknown. `busy`
  /// is as for drive(), which has been called for this cycle.
  [[nodiscard]] Cycle repeats(const Passing& passing, unsigned busy, Cycle now, Cycle most) {
    const unsigned passes = passing.handshakes[0] | passing.handshakes[1];
    if (passes != r && passes != w) return 1;
    // If single beats come, asking the memory costs more than it saves.
    const bool looks = repeated_ || now == passed_at_ + 1;
    passed_at_ = now;
    return looks ? ask_repeats(passing, busy, now, most) : 1;
  }
  /// Passes `cycles` cycles with the same beats, at most as many as repeats() has returned.
  void pass_beats(const Passing& passing, Cycle now, Cycle cycles);
  /// Makes the ports drive nothing.
  void withdraw();

 private:
  /// Bytes [first, end) of the memory that were read or written since the mark.
  struct Range {
    std::uint64_t first = ~std::uint64_t{0}, end = 0;
    [[nodiscard]] bool meets(const Range& o) const { return first < o.end && o.first < end; }
  };
  template <typename Visit>
  void for_each_memory(const Visit& visit);
  void begin();
  void set_timing_only(bool on);
  [[nodiscard]] bool pass_pins(const Passing& passing, Cycle now, Cycle cycles);
  [[nodiscard]] Cycle ask_repeats(const Passing& passing, unsigned busy, Cycle now, Cycle most);
  void account(unsigned p, Cycle now);
  /// Drives the design's wires at the pins of a port for these handshakes, except for addresses.
  void offer(unsigned p, const Passing& passing) {
    AxiLinks& pins = *ports_[p].pins;
    const unsigned passes = passing.handshakes[p];
    pins.ar.valid = (passes & ar) != 0;
    pins.aw.valid = (passes & aw) != 0;
    pins.w.valid = (passes & w) != 0;
    if (pins.w.valid) pins.w.bits = {beat_.data(), (passes & last) != 0};
    pins.r.ready = (passes & r) != 0;
    pins.b.ready = (passes & b) != 0;
  }
  static void withdraw(AxiLinks& pins);
  [[nodiscard]] bool note(unsigned p, const AxiAddress& burst, bool writes);

  Clock& clock_;
  std::array<Port, 2> ports_;
  std::array<HeldIntervals*, 2> held_;
  unsigned beat_bytes_;
  ProgramBursts& bursts_;
  std::uint64_t next_ = 0;                      ///< the first instruction since the mark
  std::array<std::array<Range, 2>, 2> ranges_;  ///< by port: bytes read, bytes written
  /// Cycle from which on a port's target must account: the one after its last handshake, or the
  /// first one in which it drives other wires than before.
  std::array<Cycle, 2> turned_{};
  std::array<unsigned, 2> driven_{};  ///< wires that each target drove when it was last asked
  std::vector<std::uint8_t> beat_;    ///< written beats, whose data does not matter
  bool repeated_ = true;  ///< repeats() returned more than 1 when it last asked the memory
  Cycle passed_at_ = 0;   ///< last cycle with beats alone in which repeats() was called
};

/// Drives the same wires in every cycle and accepts everything. Stands in for a live memory while
/// an interval is worked out.
class HeldTarget final : public AxiTarget {
 public:
  HeldTarget(AxiLinks& pins, unsigned beat_bytes) : pins_(pins), beat_(beat_bytes) {}
  /// Sets the wires to drive, a set of LiveMemories::Drive.
  void hold(unsigned drive) {
    drive_ = drive;
    this->drive();
  }

  void draw_stalls(StallGenerator& /*stalls*/) override {}
  void drive() override;
  void commit() override {}
  [[nodiscard]] bool idle() const override { return true; }
  [[nodiscard]] bool waits_for_memory() const override { return false; }

 private:
  AxiLinks& pins_;
  std::vector<std::uint8_t> beat_;
  unsigned drive_ = 0;
};

}  // namespace tactus
