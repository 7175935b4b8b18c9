#include "firmware/report/timeline.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

constexpr unsigned track_runs = 1;
constexpr unsigned track_time = 2;

const char* category(StateKind kind) { return kind == StateKind::busy ? "busy" : "stall"; }

}  // namespace

Timeline::Timeline(std::shared_ptr<File> file, const WatchedMachine& simulation,
                   std::unique_ptr<TimelineTracks> tracks, TimelineOptions options)
    : simulation_(simulation),
      machine_(simulation.info()),
      cycle_fs_(options.in_ns ? simulation.period_fs() : 0),
      tracks_(std::move(tracks)),
      options_(std::move(options)),
      file_(std::move(file)),
      process_(++file_->machines),
      ended_(simulation.now()) {
  if (!options_.machine.empty()) file_->writer.process(process_, options_.machine);
  track(track_runs, "runs and layers");
  track(track_time, fmt::format("where the {}'s time goes", machine_.time.subject));
  tracks_->begin(*this);
  gauges_ = tracks_->gauges();
  for (const GaugeGroup& group : gauges_) samples_.emplace_back(group.gauges.size());
}

Timeline::Timeline(const std::string& path, const WatchedMachine& simulation,
                   std::unique_ptr<TimelineTracks> tracks, TimelineOptions options)
    : Timeline(std::make_shared<File>(path, options.in_ns), simulation, std::move(tracks),
               std::move(options)) {}

Timeline::Timeline(const Timeline& beside, const std::string& name,
                   const WatchedMachine& simulation, std::unique_ptr<TimelineTracks> tracks)
    : Timeline(beside.file_, simulation, std::move(tracks), [&] {
        TimelineOptions options = beside.options_;
        options.machine = name;
        return options;
      }()) {}

// ---- the file -----------------------------------------------------------------------------------

void Timeline::slice(unsigned track, std::string_view name, std::string_view category, Cycle from,
                     Cycle to, const std::string& arguments) {
  slice(track, from, to, [&] { return TraceWriter::text(name, category, arguments); });
}

template <typename Text>
void Timeline::slice(unsigned track, Cycle from, Cycle to, const Text& text) {
  if (file_->cut) {
    // The first cycle of this machine that begins at the cut, or behind it.
    const std::uint64_t cycle = std::max<std::uint64_t>(1, cycle_fs_);
    to = std::min(to, (*file_->cut + cycle - 1) / cycle);
  }
  from = std::max(from, options_.from);
  to = std::min(to, options_.to);
  if (from >= to) return;
  if (to - from < options_.min_duration) {
    ++file_->too_short;
    return;
  }
  ++file_->events;
  if (cycle_fs_ == 0) return file_->writer.slice(track, text(), from, to - from, process_);
  file_->writer.slice(track, text(), ns(from), ns(to - from), process_);
}

bool Timeline::in_view(Cycle from, Cycle to) const {
  return !file_->cut && !file_->writer.failed() && from < options_.to && to > options_.from &&
         to - from >= options_.min_duration;
}

void Timeline::close() {
  // A run without cycles has a timeline without events, which is no error.
  if (options_.from >= simulation_.now() && simulation_.now() != 0) {
    user_error("{}: no cycle of the run is in the window from cycle {}; the run has {}",
               file_->path, options_.from, simulation_.now());
  }
  file_->writer.close(note());
}

std::string Timeline::summary() const {
  return fmt::format("{}, {:.1f} MB in {}", counted(file_->events, "event"),
                     static_cast<double>(file_->writer.bytes()) / 1e6, file_->path);
}

std::optional<std::string> Timeline::note() const {
  std::string text;
  if (file_->cut) {
    text = fmt::format(
        "the timeline ends at {}, after {} events; --timeline-max-events N allows more, "
        "--timeline-from and --timeline-to choose a window, --timeline-min leaves out short slices",
        cycle_fs_ == 0 ? fmt::format("cycle {}", *file_->cut)
                       : fmt::format("{} ns", static_cast<double>(*file_->cut) / 1e6),
        file_->events);
  }
  if (file_->too_short > 0) {
    text += fmt::format("{}{} slices shorter than {} cycles are left out", text.empty() ? "" : "; ",
                        file_->too_short, options_.min_duration);
  }
  if (text.empty()) return std::nullopt;
  return text;
}

// ---- runs and layers ----------------------------------------------------------------------------

void Timeline::begin_run(const std::string& name, const std::vector<std::uint8_t>& program) {
  run_name_ = name;
  run_from_ = simulation_.now();
  tracks_->begin_run(program);
}

void Timeline::end_run(const Accounting& accounting) {
  // The limit on events does not apply to the tracks of runs and layers.
  const std::optional<std::uint64_t> cut = std::exchange(file_->cut, std::nullopt);
  slice(track_runs, run_name_, "run", run_from_, run_from_ + accounting.cycles,
        fmt::format("{{\"cycles\":{}}}", accounting.cycles));
  for (const RegionSpan& span : accounting.spans) {
    slice(track_runs, accounting.regions[span.region].name, "layer", run_from_ + span.from,
          run_from_ + span.to);
  }
  file_->cut = cut;
}

// ---- states of the units ------------------------------------------------------------------------

Timeline::Unit& Timeline::unit(const Account& account) {
  const auto found = std::find_if(units_.begin(), units_.end(),
                                  [&](const Unit& unit) { return unit.account == &account; });
  if (found != units_.end()) return *found;
  Unit& unit = units_.emplace_back();
  unit.account = &account;
  unit.texts.resize(account.cycles().size());
  if (account.unit() == machine_.time.unit) {
    unit.track = track_time;
  } else {
    unit.track = next_track_++;
    track(unit.track, std::string(machine_.unit_title(account.unit())));
  }
  return unit;
}

/// TraceWriter::text() for a slice of one state of an account.
std::string Timeline::text_of(const Account& account, unsigned code) const {
  const UnitState& state = account.states()[code % account.states().count];
  const std::size_t context = code / account.states().count;
  std::string arguments;
  if (context > 0) {
    arguments = fmt::format("{{\"head\":{}}}", json_string(machine_.kinds[context - 1].title));
  }
  return TraceWriter::text(state.name, category(state.kind), arguments);
}

void Timeline::interval(const Account& account, unsigned code, Cycle from, Cycle to) {
  if (full() && !file_->cut) cut_at(simulation_.now());
  Unit& unit = this->unit(account);
  if (account.states()[code % account.states().count].kind == StateKind::idle) return;
  slice(unit.track, from, to, [&]() -> const std::string& {
    std::string& text = unit.texts[code];
    if (text.empty()) text = text_of(account, code);
    return text;
  });
}

// ---- events and gauges --------------------------------------------------------------------------

void Timeline::event(const Event& event) { tracks_->event(event, simulation_.now()); }

/// Ends this cycle, and the cycles before it that the engine skipped.
void Timeline::end_of_cycle(Cycle cycle) {
  if (full() && !file_->cut) cut_at(ended_ + 1);
  while (cycle + 1 >= next_sample_) {
    ended_ = std::max(ended_, next_sample_ - 1);
    sample(ended_++);
    if (full() && !file_->cut && ended_ <= cycle) cut_at(ended_ + 1);
  }
  ended_ = cycle + 1;
}

/// Writes the gauges whose values have changed since the last sample.
void Timeline::sample(Cycle now) {
  for (std::size_t g = 0; g < gauges_.size(); ++g) {
    const GaugeGroup& group = gauges_[g];
    std::vector<std::uint64_t> values;
    for (const GaugeGroup::Gauge& gauge : group.gauges) values.push_back(gauge.value());
    if (values != samples_[g]) {
      write(group, values, group.of_interval ? next_sample_ - sample_interval : now);
    }
    samples_[g] = std::move(values);
  }
  next_sample_ = now + 1 + sample_interval - (now + 1) % sample_interval;
}

void Timeline::write(const GaugeGroup& group, const std::vector<std::uint64_t>& values, Cycle at) {
  if (file_->cut || at < options_.from || at >= options_.to) return;
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", group.gauges[i].name, values[i]);
  }
  ++file_->events;
  text = "{" + text + "}";
  if (cycle_fs_ == 0) return file_->writer.gauges(group.title, at, text, process_);
  file_->writer.gauges(group.title, ns(at), text, process_);
}

}  // namespace tactus
