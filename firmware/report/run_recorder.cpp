#include "firmware/report/run_recorder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firmware/report/layer_table.h"
#include "firmware/report/version.h"
#include "isa/support/array_file.h"
#include "isa/support/files.h"
#include "isa/support/output_file.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

const std::vector<ArrayForm> dump_forms{ArrayForm::bytes, ArrayForm::csv};

}  // namespace

/// Writes event lines "cycle EVENT...". A write error ends the file but not the run.
class RunRecorder::EventFile final : public EventLines {
 public:
  EventFile(const EventFormat& format, const std::string& path) : EventLines(format), file_(path) {}
  /// Throws UserError for the first write that failed.
  void close() {
    if (failure_) throw UserError(*failure_);
    file_.close();
  }

 private:
  void lines(Cycle cycle, const std::vector<std::string>& lines) override {
    if (failure_) return;
    try {
      text_.clear();
      for (const std::string& line : lines) {
        append_number(text_, cycle);
        text_ += ' ';
        text_ += line;
        text_ += '\n';
      }
      file_.write(text_);
    } catch (const UserError& error) {
      failure_ = error.what();
    }
  }
  OutputFile file_;
  std::string text_;  ///< lines of the current cycle
  std::optional<std::string> failure_;
};

RunRecorder::RunRecorder(RunOutputs outputs, Simulation& simulation, const MakeTracks& tracks,
                         const std::string& of, const RunObservers& others)
    : outputs_(std::move(outputs)),
      simulation_(simulation),
      observed_{&simulation},
      activity_(simulation.info().time) {
  for (const Dump& dump : outputs_.dumps) check_dump(dump);
  if (others.events != nullptr) event_fan_.add(others.events);
  if (outputs_.events) {
    events_ = std::make_unique<EventFile>(simulation.machine().event_format(), *outputs_.events);
    event_fan_.add(events_.get());
  }
  if (outputs_.trace.traces()) {
    trace_ = std::make_unique<RunTrace>(simulation, outputs_.trace,
                                        fmt::format("tactus {} ({})", version, git_revision), of);
  }
  if (others.accounts != nullptr) account_fan_.add(others.accounts);
  if (outputs_.timeline) {
    timelines_.push_back(std::make_unique<Timeline>(*outputs_.timeline, simulation, tracks(),
                                                    outputs_.timeline_options));
    event_fan_.add(timelines_.front().get());
    account_fan_.add(timelines_.front().get());
  }
  const bool all_units = !account_fan_.empty();
  const bool active = outputs_.report || others.accounts != nullptr;
  if (active) account_fan_.add(&activity_);
  if (!event_fan_.empty()) simulation.observe(&event_fan_);
  if (all_units) {
    simulation.observe_accounts(&account_fan_);
  } else if (active) {
    simulation.observe_time(&activity_);
  }
}

RunRecorder::~RunRecorder() {
  for (Simulation* const simulation : observed_) {
    simulation->observe(nullptr);
    simulation->observe_accounts(nullptr);
  }
}

void RunRecorder::add_machine(const std::string& name, Simulation& simulation,
                              std::unique_ptr<TimelineTracks> tracks) {
  if (timelines_.empty()) return;
  timelines_.push_back(
      std::make_unique<Timeline>(*timelines_.front(), name, simulation, std::move(tracks)));
  observed_.push_back(&simulation);
  simulation.observe(timelines_.back().get());
  simulation.observe_accounts(timelines_.back().get());
}

void RunRecorder::begin_run(const std::string& name, const std::vector<std::uint8_t>& program,
                            unsigned machine) {
  if (machine == 0) run_from_ = simulation_.now();
  if (!timelines_.empty()) timelines_[machine]->begin_run(name, program);
}

void RunRecorder::begin_image(const std::string& name, const std::vector<std::uint8_t>& program,
                              unsigned machine) {
  begin_run(name, program, machine);
  if (machine != 0 || std::exchange(begun_, true)) return;
  first_cycle_ = simulation_.now();
  activity_.start(first_cycle_);
}

void RunRecorder::end_image(const Accounting& accounting, unsigned machine) {
  if (machine == 0) activity_.stop();
  if (!timelines_.empty()) timelines_[machine]->end_run(accounting);
  if (!trace_ || machine != 0) return;
  for (const RegionSpan& span : accounting.spans) {
    trace_->mark(accounting.regions[span.region].name, run_from_ + span.from, run_from_ + span.to);
  }
}

void RunRecorder::finish() {
  if (!trace_) return;
  if (std::string problem = trace_->finish(); !problem.empty()) {
    failures_.push_back(std::move(problem));
    trace_.reset();
    return;
  }
  if (auto text = trace_->limit_text()) warnings_.push_back(std::move(*text));
}

std::string RunRecorder::files_text() const {
  std::string text;
  if (trace_) text += fmt::format("{:<14}{}\n", "waveform", trace_->summary());
  if (timeline_complete_) {
    text += fmt::format("{:<14}{}\n", "timeline", timelines_.front()->summary());
  }
  return text;
}

void RunRecorder::write(const RunDocument* document) {
  if (events_) attempt([&] { events_->close(); });
  if (!timelines_.empty()) attempt([&] { close_timeline(); });
  if (outputs_.retire_log) attempt([&] { write_retire_log(); });
  if (document != nullptr && outputs_.stats) {
    attempt([&] { write_file_atomically(*outputs_.stats, stats_json(*document)); });
  }
  if (document != nullptr && outputs_.report) {
    attempt([&] { write_file_atomically(*outputs_.report, run_page_html(*document)); });
  }
  if (document != nullptr && outputs_.layers_csv) {
    attempt([&] { write_file_atomically(*outputs_.layers_csv, to_csv(layer_table(*document))); });
  }
  for (const Dump& dump : outputs_.dumps) attempt([&] { write_dump(dump); });
}

void RunRecorder::throw_failures() const {
  if (!failures_.empty()) throw UserError(fmt::format("{}", fmt::join(failures_, "\n")));
}

void RunRecorder::close_timeline() {
  timelines_.front()->close();
  timeline_complete_ = true;
  if (const auto note = timelines_.front()->note()) {
    notes_.push_back(*outputs_.timeline + ": " + *note);
  }
}

void RunRecorder::write_retire_log() {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(retires_.size() * 4);
  for (const std::uint32_t cycle : retires_) {
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(cycle >> (8 * i)));
  }
  write_file_atomically(*outputs_.retire_log, bytes);
}

/// Checks a dump before the run. A memory never gets fewer vectors than it has then.
void RunRecorder::check_dump(const Dump& dump) const {
  const std::string_view name = simulation_.info().memories[dump.memory].name;
  if (ends_with(dump.path, ".csv") && !outputs_.vectors_text) {
    user_error(
        "tactus run: --dump {}={}: only memories of TCUs can be written as numbers; allowed are "
        "raw bytes, in a .bin",
        name, dump.path);
  }
  (void)array_form(dump.path, dump_forms);
  const std::uint64_t vectors =
      simulation_.memory_bytes(dump.memory) / simulation_.machine().rates().vector_bytes;
  if (dump.count && (dump.first >= vectors || *dump.count > vectors - dump.first)) {
    user_error("tactus run: --dump {}[{}:{}]: the memory has vectors 0..{}", name, dump.first,
               dump.first + *dump.count, vectors - 1);
  }
}

/// Writes a memory to a file. In a raw file zeroes become holes, since a bank that was written at
/// its end may have 4 GiB.
void RunRecorder::write_dump(const Dump& dump) {
  OutputFile file(dump.path);
  const std::uint64_t vector = simulation_.machine().rates().vector_bytes;
  const std::uint64_t end =
      dump.count ? (dump.first + *dump.count) * vector : simulation_.memory_bytes(dump.memory);
  const std::uint64_t chunk = std::max<std::uint64_t>(1, (1 << 20) / vector) * vector;
  const bool text = array_form(dump.path, dump_forms) == ArrayForm::csv;
  for (std::uint64_t at = dump.first * vector; at < end; at += chunk) {
    const auto bytes = simulation_.read_memory(dump.memory, at, std::min(chunk, end - at));
    const bool zero = std::all_of(bytes.begin(), bytes.end(), [](auto byte) { return byte == 0; });
    if (text) {
      file.write(outputs_.vectors_text(bytes));
    } else if (zero) {
      file.write_zeroes(bytes.size());
    } else {
      file.write(bytes.data(), bytes.size());
    }
  }
  file.close();
}

}  // namespace tactus
