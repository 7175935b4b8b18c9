// Timeline of requests over a host link, with tracks for the host, the link and the device.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/darwinn/replay.h"
#include "firmware/report/trace_writer.h"

namespace tactus {

/// Text of a step: "INPUT x", "INSTRUCTIONS 0 of 2", "INTERRUPT 0", followed by "(inferred)" if the
/// package has no hint for it.
[[nodiscard]] std::string step_text(const darwinn::Executable& executable, const ReplayStep& step);

/// Writer of the timeline. Times are picoseconds from the begin of the first request; the file has
/// them in microseconds. Slices that overlap on one track get lanes of their own, since viewers
/// draw or drop slices wrongly that overlap and do not nest.
class LinkTimeline {
 public:
  /// `compute` names the device's track. Throws UserError if the file cannot be written.
  LinkTimeline(const std::string& path, const std::string& compute);

  void request(const std::string& name, Picoseconds from, Picoseconds to);
  void host(const std::string& name, Picoseconds from, Picoseconds to);
  void compute(const std::string& name, Picoseconds from, Picoseconds to);
  /// Adds the transfers of a list that starts at `from`.
  void steps(const darwinn::Executable& executable, const std::vector<ReplayStep>& steps,
             Picoseconds from);
  /// Completes the file. Throws UserError for the first write that failed.
  void close(const std::string& note) { writer_.close(note); }

 private:
  void add_track(unsigned number, const std::string& name);
  unsigned lane(unsigned track, Picoseconds from, Picoseconds to);
  void slice(unsigned track, const std::string& name, std::string_view category, Picoseconds from,
             Picoseconds to, std::int64_t bytes = 0);

  TraceWriter writer_;
  struct Track {
    std::string name;
    std::vector<Picoseconds> ends;  ///< end of the last slice in each lane
  };
  std::map<unsigned, Track> tracks_;  ///< by the number of the first lane
};

}  // namespace tactus
