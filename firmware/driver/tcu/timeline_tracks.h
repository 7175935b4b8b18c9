// Tracks of the TCU in a timeline besides the states of its units: instructions at the decoder's
// head, in the array and in DAIS blocks, operations of the ALUs, AXI bursts, queue levels.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/common/burst_tracks.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/tcu/instruction.h"
#include "models/tcu/events.h"

namespace tactus {

class TcuTimelineTracks final : public TimelineTracks {
 public:
  explicit TcuTimelineTracks(const TcuSimulation& simulation)
      : TcuTimelineTracks(simulation, simulation.system()) {}
  TcuTimelineTracks(const WatchedMachine& machine, const TcuSystem& system);

  void begin(TimelineSheet& timeline) override;
  void begin_run(const std::vector<std::uint8_t>& program) override;
  void event(const Event& event, Cycle now) override;
  void level(unsigned queue, std::uint64_t items) override { levels_[queue] = items; }
  [[nodiscard]] EventKinds kinds() const override { return timeline_event_kinds; }
  [[nodiscard]] std::vector<GaugeGroup> gauges() override;

 private:
  enum Track : unsigned {
    track_decoder = TimelineSheet::first_fixed_track,
    track_array,
    track_alus,
    track_dais,  ///< only if the architecture has DAIS blocks
  };
  /// Instructions of a unit that works on vectors or samples one by one, in program order.
  struct Executing {
    struct Work {
      std::size_t index;   ///< index of the instruction
      std::uint64_t left;  ///< vectors, or samples of a DAIS block, that are still to come
    };
    std::deque<Work> work;
    Cycle from = 0;      ///< first cycle of the instruction in front
    bool begun = false;  ///< true: the instruction in front has begun
  };

  [[nodiscard]] std::string describe(std::size_t index) const;
  [[nodiscard]] std::string_view title(std::size_t index) const;
  void retired(const Event& event, Cycle now);
  /// Counts a vector that enters the array, or a sample that enters a DAIS block. The last one of
  /// an instruction draws its slice.
  void works(Executing& executing, unsigned track, Cycle now);
  void alu_works(Cycle now);

  const WatchedMachine& machine_;
  const TcuSystem& system_;
  const tcu::InstructionLayout layout_;
  TimelineSheet* timeline_ = nullptr;
  BurstTracks bursts_;

  std::vector<tcu::Instruction> program_;
  std::size_t head_ = 0;        ///< index of the instruction that retires next
  std::deque<Cycle> accepted_;  ///< cycles in which the decoder accepted the instructions in it
  Cycle head_from_ = 0;         ///< earliest cycle in which the next instruction is at the head
  Decoder::Levels levels_{};
  Executing array_, dais_;
  std::deque<std::size_t> in_alu_;
  std::uint64_t multiplied_ = 0;  ///< vectors multiplied in the present sample interval
};

}  // namespace tactus
