// Tracks of a machine with a DPAS array in a timeline, besides the states of its units: DPAS
// instructions in the array, AXI bursts, messages in flight, and how busy the array is.
#pragma once

#include <vector>

#include "firmware/driver/common/burst_tracks.h"
#include "firmware/driver/dpas/simulation.h"

namespace tactus {

class DpasTimelineTracks final : public TimelineTracks {
 public:
  /// `kernel` is the kernel that all threads run.
  DpasTimelineTracks(const DpasSimulation& simulation, const dpas::Kernel& kernel);

  void begin(TimelineSheet& timeline) override;
  void begin_run(const std::vector<std::uint8_t>& program) override;
  void event(const Event& event, Cycle now) override;
  [[nodiscard]] std::vector<GaugeGroup> gauges() override;

 private:
  static constexpr unsigned track_array = TimelineSheet::first_fixed_track;

  const DpasSimulation& simulation_;
  const dpas::Kernel& kernel_;
  TimelineSheet* timeline_ = nullptr;
  BurstTracks bursts_;
  std::uint64_t rows_ = 0;  ///< rows that entered the array before the current sample interval
};

}  // namespace tactus
