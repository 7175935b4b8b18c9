// Draws AXI bursts in a timeline, from the address to the last data beat or the response. Bursts of
// a port that overlap are drawn on tracks of their own, called lanes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "firmware/driver/common/timeline_tracks.h"
#include "models/axi/axi_events.h"

namespace tactus {

class BurstTracks {
 public:
  /// `titles` are the ports' titles, in order.
  BurstTracks(const AxiEventKinds& kinds, std::vector<std::string> titles);

  void begin(TimelineSheet& timeline) { timeline_ = &timeline; }
  void begin_run();
  /// Handles an event of a burst. Returns false for other events.
  bool event(const Event& event, Cycle now);
  /// Number of bursts under way, by port.
  [[nodiscard]] GaugeGroup outstanding() const;

 private:
  struct Burst {
    Cycle from;
    std::uint64_t address;
    std::uint64_t beats;
    std::uint64_t left;  ///< events that still come: read beats, or the write response
    unsigned lane;
  };
  struct Port {
    std::string title;
    std::deque<Burst> reads, writes;
    std::vector<bool> lanes;  ///< true: a burst is drawn on the lane
  };
  static constexpr unsigned lanes_per_port = 100;

  void open(bool read, const Event& event, Cycle now);
  void close(unsigned index, bool read, Cycle now);

  AxiEventKinds kinds_;
  TimelineSheet* timeline_ = nullptr;
  std::vector<Port> ports_;
};

}  // namespace tactus
