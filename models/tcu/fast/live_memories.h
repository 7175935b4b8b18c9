// Memories of the DRAM ports that do not keep time, such as a board's, while the rest of the design
// is taken in sequences; see models/sim/fast/README.md.
//
// They stay what they are: AXI slaves that see addresses and beats at their pins, in the cycles of
// the design, and answer when they do. What is left out is the data, which is moved later, by whole
// instructions (TcuData).
#pragma once

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
  /// What passes the pins of a port in a cycle, as bits. `last`: the beat of w is its burst's last.
  enum Handshake : unsigned { ar = 1, aw = 2, w = 4, r = 8, b = 16, last = 32 };
  /// What a memory drives, as bits: drive_bits of each port.
  enum Drive : unsigned { ar_ready = 1, aw_ready = 2, w_ready = 4, r_valid = 8, b_valid = 16 };
  static constexpr unsigned drive_bits = 5;
  /// What passes the pins of both ports in one cycle, and AxLEN of what is an address.
  struct Passing {
    std::array<std::uint8_t, 2> handshakes{};
    std::array<std::uint16_t, 2> length{};
    [[nodiscard]] bool any() const { return (handshakes[0] | handshakes[1]) != 0; }
    [[nodiscard]] bool operator==(const Passing& o) const {
      return handshakes == o.handshakes && length == o.length;
    }
  };
  [[nodiscard]] static unsigned handshakes(const AxiLinks& pins);

  /// `bursts`: of the program that runs.
  LiveMemories(Clock& clock, const std::array<Port, 2>& ports, unsigned beat_bytes,
               ProgramBursts& bursts);
  /// Whether it can be returned to a mark.
  [[nodiscard]] static bool possible(AxiTarget& target) {
    return target.rewinds() && target.pulled() != nullptr && target.pulled()->rewinds();
  }

  /// Nothing is under way, and `next` is the first instruction that has not been executed. What
  /// comes behind this cycle can be taken back.
  void mark(std::uint64_t next);
  /// To that cycle.
  void rewind(Cycle now);
  /// While it lives, accesses take their time and move no data.
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

  [[nodiscard]] bool idle() const { return ports_[0].target->idle() && ports_[1].target->idle(); }
  /// What they drive in cycle `now` to the ports of the set `busy`, which are not idle.
  [[nodiscard]] unsigned drive(unsigned busy, Cycle now);
  /// Nothing passes from `now` on until they drive something else than `driven`: in how many
  /// cycles, `most` at the most.
  [[nodiscard]] Cycle waits(unsigned busy, unsigned driven, Cycle now, Cycle most);
  /// So many cycles from `now` on in which nothing passes but in the last. False: a port reads or
  /// writes what the other one writes or reads, so that their order in time decides; then the
  /// memories have to be rewound.
  [[nodiscard]] bool pass(const Passing& passing, Cycle now, Cycle cycles) {
    const bool rests = !passing.any() && turned_[0] > now && turned_[1] > now;
    return rests || pass_pins(passing, now, cycles);
  }
  /// In how many cycles from `now` on, `most` at the most, they drive the same if in each of them
  /// the same passes as in this one. 1: in this one only, or it is not known. `busy`: as for
  /// drive(), which has been called for this cycle.
  [[nodiscard]] Cycle repeats(const Passing& passing, unsigned busy, Cycle now, Cycle most) {
    const unsigned passes = passing.handshakes[0] | passing.handshakes[1];
    if (passes != r && passes != w) return 1;
    // Where beats come one by one it does not pay to look.
    const bool looks = repeated_ || now == passed_at_ + 1;
    passed_at_ = now;
    return looks ? ask_repeats(passing, busy, now, most) : 1;
  }
  /// The same beats pass in so many cycles from `now` on, no more than repeats() says.
  void pass_beats(const Passing& passing, Cycle now, Cycle cycles);
  /// The ports drive nothing.
  void withdraw();

 private:
  /// What was read or written since the mark: [first, end) in the memory.
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
  /// What the design drives at the pins in a cycle in which this passes, but for addresses.
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
  unsigned beat_bytes_;
  ProgramBursts& bursts_;
  std::uint64_t next_ = 0;                      ///< the first instruction since the mark
  std::array<std::array<Range, 2>, 2> ranges_;  ///< by port; read, written
  /// The cycle from which on a port's target has something to account for: that after one in which
  /// something passed its pins, or one in which it drives something else than before.
  std::array<Cycle, 2> turned_{};
  std::array<unsigned, 2> driven_{};  ///< what each target drove when it was asked last
  std::vector<std::uint8_t> beat_;    ///< what is written meanwhile
  bool repeated_ = true;              ///< repeats() found more than one cycle when it looked last
  Cycle passed_at_ = 0;               ///< for which cycle of beats alone repeats() was called last
};

/// Drives the same in every cycle, and takes what comes: stands for a live memory while what the
/// design does is worked out.
class HeldTarget final : public AxiTarget {
 public:
  HeldTarget(AxiLinks& pins, unsigned beat_bytes) : pins_(pins), beat_(beat_bytes) {}
  /// LiveMemories::Drive.
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
