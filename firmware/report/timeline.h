// Timeline of runs in the Chrome trace event format, which Perfetto and chrome://tracing open.
//
// A microsecond in the file is a cycle, or a nanosecond if machines have different clocks. The
// tracks are: images and their layers; the account of the machine's main unit; the machine's own
// tracks, such as instructions and bursts; every unit with its states (idle is left blank). Slices
// of a track nest and never overlap partly. Gauges, such as queue levels and busy shares of units,
// are sampled once per interval of sample_interval cycles.
//
// The size is limited by a window of cycles, a shortest duration and a largest number of events.
// Events beyond that number are left out, and a note gives the first cycle without them. A write
// error ends the timeline but not the run; close() reports it.
//
// Machines that run side by side share a file. Each has its tracks in a process of its own in the
// viewer; one window and one limit hold for all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/common/timeline_tracks.h"
#include "firmware/driver/common/watched_machine.h"
#include "firmware/report/trace_writer.h"

namespace tactus {

struct TimelineOptions {
  Cycle from = 0;  ///< window of machine cycles: [from, to)
  Cycle to = ~Cycle{0};
  Cycle min_duration = 1;              ///< cycles; shorter slices are left out
  std::uint64_t max_events = 2000000;  ///< slices and gauge samples
  std::string machine;                 ///< name of the machine, if the file has several
  bool in_ns = false;                  ///< times are written in ns; false: in cycles of the machine
};

class Timeline final : public EventSink, public AccountObserver, public TimelineSheet {
 public:
  /// Throws UserError if the file cannot be written.
  Timeline(const std::string& path, const WatchedMachine& simulation,
           std::unique_ptr<TimelineTracks> tracks, TimelineOptions options);
  /// Adds a machine with the name `name` to the file of `beside`. `beside` closes the file.
  Timeline(const Timeline& beside, const std::string& name, const WatchedMachine& simulation,
           std::unique_ptr<TimelineTracks> tracks);

  /// Call before each run, with a name for the run's slice and the program without padding.
  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program);
  void end_run(const Accounting& accounting);
  /// Completes the file. Throws UserError for the first write that failed.
  void close();
  /// Text for the run's summary, "1234 events, 0.1 MB in F". Call it after close().
  [[nodiscard]] std::string summary() const;
  /// A note about events that were left out; empty if none were.
  [[nodiscard]] std::optional<std::string> note() const;

  void event(const Event& event) override;
  void end_of_cycle(Cycle cycle) override;
  void level(unsigned queue, std::uint64_t items) override { tracks_->level(queue, items); }
  [[nodiscard]] EventKinds kinds() const override { return tracks_->kinds(); }
  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override;

  // ---- for TimelineTracks

  void track(unsigned id, const std::string& name) override {
    file_->writer.track(id, name, process_);
  }
  void slice(unsigned track, std::string_view name, std::string_view category, Cycle from, Cycle to,
             const std::string& arguments = {}) override;
  [[nodiscard]] bool in_view(Cycle from, Cycle to) const override;

 private:
  /// The state that all machines in one file share.
  struct File {
    File(const std::string& name, bool in_ns)
        : path(name), writer(name, in_ns ? "1 us is 1 ns" : "1 us is 1 cycle") {}
    std::string path;
    TraceWriter writer;
    unsigned machines = 0;
    std::uint64_t events = 0;
    std::uint64_t too_short = 0;  ///< slices shorter than min_duration
    /// Begin of the first cycle without slices, if the limit on events was reached: in cycles, or
    /// in fs if times are written in ns.
    std::optional<std::uint64_t> cut;
  };
  Timeline(std::shared_ptr<File> file, const WatchedMachine& simulation,
           std::unique_ptr<TimelineTracks> tracks, TimelineOptions options);
  [[nodiscard]] bool full() const { return file_->events >= options_.max_events; }
  /// Leaves out all slices of the file from this cycle of the machine on.
  void cut_at(Cycle cycle) { file_->cut = cycle_fs_ == 0 ? cycle : cycle * cycle_fs_; }
  /// The file's time of a cycle, or duration of a number of cycles, if it is in ns.
  [[nodiscard]] double ns(Cycle cycles) const {
    return static_cast<double>(cycles) * static_cast<double>(cycle_fs_) / 1e6;
  }
  struct Unit {
    const Account* account = nullptr;
    unsigned track = 0;
    std::vector<std::string> texts;  ///< TraceWriter::text() by code; empty: not made yet
  };
  [[nodiscard]] Unit& unit(const Account& account);
  [[nodiscard]] std::string text_of(const Account& account, unsigned code) const;
  template <typename Text>
  void slice(unsigned track, Cycle from, Cycle to, const Text& text);
  void sample(Cycle now);
  void write(const GaugeGroup& group, const std::vector<std::uint64_t>& values, Cycle at);

  const WatchedMachine& simulation_;
  const MachineInfo& machine_;
  const std::uint64_t cycle_fs_;  ///< the machine's period if times are written in ns, else 0
  std::unique_ptr<TimelineTracks> tracks_;
  TimelineOptions options_;
  std::shared_ptr<File> file_;
  unsigned process_;

  std::string run_name_;
  Cycle run_from_ = 0;
  std::vector<Unit> units_;
  unsigned next_track_ = first_unit_track;

  std::vector<GaugeGroup> gauges_;
  std::vector<std::vector<std::uint64_t>> samples_;  ///< values written last, by group
  Cycle next_sample_ = sample_interval;
  Cycle ended_;  ///< all cycles before this one have ended
};

}  // namespace tactus
