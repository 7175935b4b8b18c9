// Draws AXI bursts in a timeline, from the address to the last data beat or the response. A port
// has as many tracks as bursts overlap.
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
  /// `titles` are those of the ports.
  BurstTracks(const AxiEventKinds& kinds, std::vector<std::string> titles);

  void begin(TimelineSheet& timeline) { timeline_ = &timeline; }
  void begin_run();
  /// Handles an event of a burst. Returns false for other events.
  bool event(const Event& event, Cycle now);
  [[nodiscard]] GaugeGroup outstanding() const;

 private:
  struct Burst {
    Cycle from;
    std::uint64_t address;
    std::uint64_t beats;
    std::uint64_t left;
    unsigned lane;
  };
  struct Port {
    std::string title;
    std::deque<Burst> reads, writes;
    std::vector<bool> lanes;  ///< true: in use
  };
  static constexpr unsigned lanes_per_port = 100;

  void open(bool read, const Event& event, Cycle now);
  void close(unsigned index, bool read, Cycle now);

  AxiEventKinds kinds_;
  TimelineSheet* timeline_ = nullptr;
  std::vector<Port> ports_;
};

}  // namespace tactus
