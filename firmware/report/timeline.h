// Timeline of runs in the Chrome trace event format, which Perfetto and chrome://tracing open.
//
// One cycle is written as one microsecond. Tracks: images and their layers; the account of the
// machine's main unit; the machine's own tracks, such as instructions and bursts; every unit with
// its states (idle is left blank). Slices of a track nest and never overlap. Gauges are sampled
// once per interval: queue levels, busy shares of units, and the like.
//
// The size is limited by a window of cycles, a shortest duration and a largest number of events.
// Events beyond the limit are left out, and a note gives the first cycle concerned. A write error
// ends the timeline but not the run; close() reports it.
//
// Machines that run side by side share a file: each has its tracks in a process of the viewer, with
// one window and one limit for all.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/common/watched_machine.h"
#include "firmware/report/trace_writer.h"

namespace tactus {

struct TimelineOptions {
  Cycle from = 0;  ///< window of machine cycles: [from, to)
  Cycle to = ~Cycle{0};
  Cycle min_duration = 1;              ///< cycles; shorter slices are left out
  std::uint64_t max_events = 2000000;  ///< slices and gauge samples
  std::string machine;                 ///< its name, where the file has several
};

/// Values drawn in one chart; written when one of them has changed.
struct GaugeGroup {
  struct Gauge {
    std::string name;
    std::function<std::uint64_t()> value;
  };
  std::string title;
  std::vector<Gauge> gauges;
  /// values are totals of the past interval, not those of its last cycle
  bool of_interval = false;
};

class Timeline;

/// Tracks that a machine draws besides the states of its units.
class TimelineTracks {
 public:
  virtual ~TimelineTracks() = default;
  /// Names the machine's fixed tracks. Numbers start at Timeline::first_fixed_track, or at
  /// Timeline::first_free_track for tracks below those of all units.
  virtual void begin(Timeline& timeline) = 0;
  /// Called before each run with the program, without padding.
  virtual void begin_run(const std::vector<std::uint8_t>& program) = 0;
  virtual void event(const Event& event, Cycle now) = 0;
  [[nodiscard]] virtual std::vector<GaugeGroup> gauges() { return {}; }
};

class Timeline final : public EventSink, public AccountObserver {
 public:
  static constexpr Cycle sample_interval = 100;  ///< cycles between gauge samples
  // Track numbers; viewers sort tracks by them.
  static constexpr unsigned first_fixed_track = 3;
  static constexpr unsigned first_unit_track = 10;
  static constexpr unsigned first_free_track = 100;

  /// Throws UserError if the file cannot be written.
  Timeline(const std::string& path, const WatchedMachine& simulation,
           std::unique_ptr<TimelineTracks> tracks, TimelineOptions options);
  /// A machine of this name in the file of another one, which closes it.
  Timeline(const Timeline& beside, const std::string& name, const WatchedMachine& simulation,
           std::unique_ptr<TimelineTracks> tracks);

  /// Called before each run with the program, without padding, and a name for the run's slice.
  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program);
  void end_run(const Accounting& accounting);
  /// Completes the file. Throws UserError for the first write that failed.
  void close();
  /// A note about events that were left out; empty if none were.
  [[nodiscard]] std::optional<std::string> note() const;

  void event(const Event& event) override;
  void end_of_cycle(Cycle cycle) override;
  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override;

  // ---- for TimelineTracks

  void track(unsigned id, const std::string& name) { file_->writer.track(id, name, process_); }
  /// Draws a slice over the cycles [from, to) of a track; `arguments` is a JSON object.
  void slice(unsigned track, std::string_view name, std::string_view category, Cycle from, Cycle to,
             const std::string& arguments = {});
  /// True if a slice over these cycles would be written, so that making its text is worthwhile.
  [[nodiscard]] bool in_view(Cycle from, Cycle to) const;
  /// A string as JSON.
  [[nodiscard]] static std::string quoted(std::string_view text) {
    return TraceWriter::quoted(text);
  }

 private:
  /// What machines in one file share.
  struct File {
    explicit File(const std::string& name) : path(name), writer(name, "1 us is 1 cycle") {}
    std::string path;
    TraceWriter writer;
    unsigned machines = 0;
    std::uint64_t events = 0;
    std::uint64_t too_short = 0;
    std::optional<Cycle> cut;  ///< first cycle without slices, if the limit on events was reached
  };
  Timeline(std::shared_ptr<File> file, const WatchedMachine& simulation,
           std::unique_ptr<TimelineTracks> tracks, TimelineOptions options);
  [[nodiscard]] bool full() const { return file_->events >= options_.max_events; }
  [[nodiscard]] unsigned unit_track(const Account& account);
  void sample(Cycle now);
  void write(const GaugeGroup& group, const std::vector<std::uint64_t>& values, Cycle at);

  const WatchedMachine& simulation_;
  const MachineInfo& machine_;
  std::unique_ptr<TimelineTracks> tracks_;
  TimelineOptions options_;
  std::shared_ptr<File> file_;
  unsigned process_;

  std::string run_name_;
  Cycle run_from_ = 0;
  std::vector<const Account*> units_;  ///< in the order of their tracks

  std::vector<GaugeGroup> gauges_;
  std::vector<std::vector<std::uint64_t>> samples_;  ///< last values, by group
  Cycle next_sample_ = sample_interval;
};

}  // namespace tactus
