// What an AXI slave has done since a mark, for a design that has to pass these cycles once more.
//
// The fast engine passes cycles without data, and may have to return to the mark. A memory of one
// design returns with it. A memory that others share cannot: it has served them meanwhile. Its
// answers then stay as they were. While the design passes the same cycles again, now with its data,
// the slave drives the recorded wires, and the data that was left out is moved.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/axi/axi.h"
#include "models/sim/clock.h"
#include "models/sim/postponed_moves.h"
#include "models/sim/pulled_memory.h"

namespace tactus {

class PinRecord final : public PostponedMoves {
 public:
  PinRecord(const Clock& clock, PulledMemory& memory, AxiLinks& pins, unsigned beat_bytes)
      : clock_(clock), memory_(memory), pins_(pins), beat_bytes_(beat_bytes) {}

  // ---- from the mark on

  /// Marks the current cycle, in which the slave is idle.
  void begin();
  /// Notes the wires that the slave drives from this cycle on.
  void note_wires();
  /// Notes the beats that pass in this cycle.
  void note_beats();
  /// Notes a burst, which has its data at `bytes` until end_burst(). Returns its number, counted
  /// for reads and writes apart. The beats of a write need not be known.
  [[nodiscard]] std::uint32_t begin_burst(bool writes, std::uint8_t* bytes, unsigned beats);
  void end_burst(bool writes, std::uint32_t number, unsigned beats);
  [[nodiscard]] bool records() const { return mode_ == Mode::records; }
  [[nodiscard]] bool postpones() const override { return records(); }
  void postpone(bool writes, std::uint32_t number, std::uint32_t offset, std::uint32_t address,
                std::uint32_t count) override;
  /// Forgets everything.
  void end() { mode_ = Mode::nothing; }

  // ---- from the return to the mark on

  /// Cycles before `end` will be passed again. The clock has been set back.
  void replay(Cycle end);
  /// True until the last of these cycles is committed.
  [[nodiscard]] bool replays() const { return mode_ == Mode::replays; }
  void drive();
  void commit();
  /// Number of cycles from the current one on, at most `most`, with the wires of the last cycle and
  /// without the last one of the replay.
  [[nodiscard]] Cycle waits(Cycle most) const;

 private:
  enum class Mode : std::uint8_t { nothing, records, replays };
  enum Wire : std::uint8_t { ar_ready = 1, aw_ready = 2, w_ready = 4, r_valid = 8, b_valid = 16 };
  struct Wires {
    Cycle from = 0;
    std::uint8_t driven = 0;
  };
  struct Burst {
    std::uint8_t* bytes = nullptr;  ///< null: it has ended
    unsigned beats = 0;
    std::vector<std::uint8_t> again;  ///< its data in the replay, if it has ended
  };
  struct Move {
    Cycle at = 0;
    std::uint32_t number = 0, offset = 0, address = 0, count = 0;
    bool writes = false;
  };
  [[nodiscard]] std::uint8_t* data(bool writes, std::size_t number);
  void move_until(Cycle now);
  void end_replay();

  const Clock& clock_;
  PulledMemory& memory_;
  AxiLinks& pins_;
  unsigned beat_bytes_;
  Mode mode_ = Mode::nothing;
  std::vector<Wires> wires_;
  std::array<std::vector<Burst>, 2> bursts_;  ///< reads, writes
  std::vector<Move> moves_;
  std::array<std::uint64_t, 2> beats_{};  ///< beats that have passed: of reads, of writes
  // For the replay.
  Cycle end_ = 0;
  std::size_t next_wires_ = 0, next_move_ = 0;
  /// What passes next: a beat of a burst, of reads and of writes.
  struct Next {
    std::size_t burst = 0;
    unsigned beat = 0;
  };
  std::array<Next, 2> next_;
};

}  // namespace tactus
