// Interface by which a machine adds tracks to a timeline, besides the states of its units.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/sim/events.h"

namespace tactus {

/// Values that a timeline draws in one chart. They are written when one of them has changed.
struct GaugeGroup {
  struct Gauge {
    std::string name;
    std::function<std::uint64_t()> value;
  };
  std::string title;
  std::vector<Gauge> gauges;
  /// True: values are totals of the past sample interval; false: they are those of its last cycle.
  bool of_interval = false;
};

/// Interface of a timeline, on which the tracks of a machine draw.
class TimelineSheet {
 public:
  static constexpr Cycle sample_interval = 100;  ///< cycles between gauge samples
  // Track numbers. Viewers sort tracks by them.
  static constexpr unsigned first_fixed_track = 3;
  static constexpr unsigned first_unit_track = 10;
  static constexpr unsigned first_free_track = 100;

  virtual ~TimelineSheet() = default;
  virtual void track(unsigned id, const std::string& name) = 0;
  /// Draws a slice over the cycles [from, to) of a track; `arguments` is a JSON object.
  virtual void slice(unsigned track, std::string_view name, std::string_view category, Cycle from,
                     Cycle to, const std::string& arguments = {}) = 0;
  /// True if a slice over these cycles would be written. Callers make its text only then.
  [[nodiscard]] virtual bool in_view(Cycle from, Cycle to) const = 0;
};

class TimelineTracks {
 public:
  virtual ~TimelineTracks() = default;
  /// Names the machine's fixed tracks. Their numbers start at TimelineSheet::first_fixed_track, or
  /// at TimelineSheet::first_free_track for tracks that are drawn below those of all units.
  virtual void begin(TimelineSheet& timeline) = 0;
  /// Called before each run. `program` has no padding.
  virtual void begin_run(const std::vector<std::uint8_t>& program) = 0;
  virtual void event(const Event& event, Cycle now) = 0;
  virtual void level(unsigned /*queue*/, std::uint64_t /*items*/) {}
  /// Kinds of events that event() needs, see EventSink.
  [[nodiscard]] virtual EventKinds kinds() const { return 0; }
  [[nodiscard]] virtual std::vector<GaugeGroup> gauges() { return {}; }
};

}  // namespace tactus
