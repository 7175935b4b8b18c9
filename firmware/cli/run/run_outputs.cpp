#include "firmware/cli/run/run_outputs.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/core.h>

#include "firmware/cli/parameter_options.h"
#include "firmware/cli/run/run_parameters.h"
#include "firmware/cli/table.h"
#include "firmware/cli/verbosity.h"
#include "firmware/report/layer_table.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/output_file.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// Names of the memories as text: "dram0, dram1, local or acc".
std::string memory_list(const MachineInfo& machine) {
  std::string text;
  for (std::size_t i = 0; i < machine.memories.size(); ++i) {
    const bool last = i + 1 == machine.memories.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " or " : ", ", machine.memories[i].name);
  }
  return text;
}

/// Parses "BEGIN:COUNT".
bool parse_range(std::string_view text, Dump& dump) {
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    return value;
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto first = number(text.substr(0, colon));
  dump.count = number(text.substr(colon + 1));
  dump.first = first.value_or(0);
  return first && dump.count.value_or(0) > 0;
}

Dump parse_dump(const std::string& text, const MachineInfo& machine) {
  std::string allowed;
  const std::size_t equals = text.find('=');
  const std::size_t bracket = std::min(text.find('['), equals);
  for (std::size_t i = 0; i < machine.memories.size(); ++i) {
    allowed += fmt::format("{}{}", i == 0 ? "" : ", ", machine.memories[i].name);
    if (equals >= text.size() - 1 || text.substr(0, bracket) != machine.memories[i].name) continue;
    Dump dump{i, text.substr(equals + 1)};
    if (bracket == equals) return dump;
    const bool closed = text[equals - 1] == ']';
    if (closed &&
        parse_range(std::string_view(text).substr(bracket + 1, equals - bracket - 2), dump)) {
      return dump;
    }
    user_error("tactus run: --dump {}: {} is not [BEGIN:COUNT], the first vector and how many",
               quote(text), quote(text.substr(bracket, equals - bracket)));
  }
  user_error("tactus run: --dump {} is not MEMORY=F or MEMORY[BEGIN:COUNT]=F; allowed memories: {}",
             quote(text), allowed);
}

void read_timeline(const Args& args, RunOutputs& outputs) {
  outputs.timeline = args.text("timeline");
  check_needs(timeline_parameters().section(), args, "timeline", "F.json");
  TimelineOptions& options = outputs.timeline_options;
  read_options(timeline_parameters(), args, options);
  if (options.from >= options.to) {
    user_error(
        "tactus run: the window --timeline-from {} --timeline-to {} is empty; cycle numbers "
        "count from 0, and both cycles belong to the window",
        options.from, options.to - 1);
  }
}

/// Path for a text output; "-" is standard output.
std::optional<std::string> text_output(const Args& args, const std::string& option) {
  const auto path = args.text(option);
  return path == "-" ? standard_output : path;
}

}  // namespace

std::vector<Args::Option> run_output_options(const MachineInfo& machine) {
  return {
      {"stats", "F.json", "write all figures; -: to standard output, as for the next two"},
      {"report", "F.html", "write a page with everything about the run, for any browser"},
      {"events", "F", "write every event, one a line"},
      {"retire-log", "F",
       "write every instruction's retire cycle (of the machine, all images), little-endian "
       "uint32"},
      {"dump", "MEMORY[BEGIN:COUNT]=F",
       "write " + memory_list(machine) +
           " at the end, all of it or (in brackets, which some shells want quoted) COUNT vectors "
           "from BEGIN; raw little-endian, or (TCUs) F.csv: numbers, a vector a line",
       true}};
}

RunOutputs read_run_outputs(const Args& args, const MachineInfo& machine) {
  RunOutputs outputs;
  outputs.retire_log = args.text("retire-log");
  outputs.stats = text_output(args, "stats");
  outputs.events = text_output(args, "events");
  outputs.report = text_output(args, "report");
  outputs.layers = args.has("layers");
  outputs.layers_csv = text_output(args, "layers-csv");
  outputs.trace = read_trace_options(args);
  read_timeline(args, outputs);
  for (const std::string& text : args.texts("dump")) {
    outputs.dumps.push_back(parse_dump(text, machine));
  }
  return outputs;
}

std::FILE* RunOutputs::screen() const {
  if (verbosity() <= Verbosity::quiet) return stdout;  // standard output is discarded then
  for (const auto& path : {stats, report, events, layers_csv}) {
    if (path == standard_output) return stderr;
  }
  return stdout;
}

void claim_outputs(const RunOutputs& outputs) {
  for (const auto& path : {outputs.stats, outputs.retire_log, outputs.events, outputs.trace.vcd,
                           outputs.trace.fst, outputs.trace.gtkw, outputs.trace.surfer,
                           outputs.timeline, outputs.report, outputs.layers_csv}) {
    if (path) claim_output(*path);
  }
  for (const Dump& dump : outputs.dumps) claim_output(dump.path);
}

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

RunRecorder::RunRecorder(const RunOutputs& outputs, Simulation& simulation,
                         const std::function<std::unique_ptr<TimelineTracks>()>& tracks,
                         const std::string& of)
    : outputs_(outputs), simulation_(simulation), activity_(simulation.info().time) {
  for (const Dump& dump : outputs.dumps) check_dump(dump);
  if (outputs.events) {
    events_ = std::make_unique<EventFile>(simulation.machine().event_format(), *outputs.events);
    event_fan_.add(events_.get());
  }
  if (outputs.trace.traces()) {
    trace_ = std::make_unique<RunTrace>(simulation, outputs.trace,
                                        fmt::format("tactus {} ({})", version, git_revision), of);
  }
  if (outputs.timeline) {
    timelines_.push_back(std::make_unique<Timeline>(*outputs.timeline, simulation, tracks(),
                                                    outputs.timeline_options));
    event_fan_.add(timelines_.front().get());
    account_fan_.add(timelines_.front().get());
  }
  if (outputs.report) account_fan_.add(&activity_);
  if (!event_fan_.empty()) simulation.observe(&event_fan_);
  if (outputs.timeline) {
    simulation.observe_accounts(&account_fan_);
  } else if (outputs.report) {
    simulation.observe_time(&activity_);
  }
}

RunRecorder::~RunRecorder() = default;

void RunRecorder::add_machine(const std::string& name, Simulation& simulation,
                              std::unique_ptr<TimelineTracks> tracks) {
  if (timelines_.empty()) return;
  timelines_.push_back(
      std::make_unique<Timeline>(*timelines_.front(), name, simulation, std::move(tracks)));
  simulation.observe(timelines_.back().get());
  simulation.observe_accounts(timelines_.back().get());
}

void RunRecorder::begin_run(const std::string& name, const std::vector<std::uint8_t>& program,
                            unsigned machine) {
  if (machine == 0) run_from_ = simulation_.now();
  if (!timelines_.empty()) timelines_[machine]->begin_run(name, program);
}

void RunRecorder::end_run(const Accounting& accounting, unsigned machine) {
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
  if (const auto text = trace_->limit_text()) warn("{}", *text);
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
    attempt(
        [&] { write_file_atomically(*outputs_.layers_csv, layers_csv(layer_table(*document))); });
  }
  for (const Dump& dump : outputs_.dumps) attempt([&] { write_dump(dump); });
}

std::string RunRecorder::layers_text(const RunDocument& document) const {
  if (!outputs_.layers) return {};
  const LayerTable layers = layer_table(document);
  if (layers.rows.empty()) {
    return "\nThe run names no layers; --regions 20 cuts the program into 20 parts.\n";
  }
  std::vector<Table::Column> columns;
  for (const std::string& title : layers.titles) columns.push_back({title});
  columns.front().align = columns.back().align = Table::Align::left;
  std::string text = "\n" + Table(columns).text(layers.rows);
  for (const std::string& finding :
       prediction_findings(document.images.front().run->accounting, document.expected)) {
    text += finding + "\n";
  }
  return text;
}

void RunRecorder::close_timeline() {
  timelines_.front()->close();
  timeline_complete_ = true;
  if (const auto note = timelines_.front()->note()) {
    tactus::note("{}: {}", *outputs_.timeline, *note);
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
        "tactus run: --dump {}={}: only memories of TCUs can be written as numbers; name a file "
        "that does not end in .csv for raw bytes",
        name, dump.path);
  }
  const std::uint64_t vectors =
      simulation_.memory_bytes(dump.memory) / simulation_.machine().rates().vector_bytes;
  if (dump.count && (dump.first >= vectors || *dump.count > vectors - dump.first)) {
    user_error("tactus run: --dump {}[{}:{}]: the memory has vectors 0..{}", name, dump.first,
               *dump.count, vectors - 1);
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
  const bool text = ends_with(dump.path, ".csv");
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
