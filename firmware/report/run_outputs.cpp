#include "firmware/report/run_outputs.h"

#include <algorithm>
#include <array>

#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr std::uint64_t most_cycles = ~std::uint64_t{0} >> 1;
constexpr std::uint64_t most_megabytes = 1'000'000'000;
constexpr std::uint64_t most_counter = 0xFFFFFFFF;

std::uint64_t parse_counter(const GivenOutputs& given, const std::string& range,
                            std::string_view text) {
  const auto value = read_number<std::uint64_t>(text);
  if (value && *value <= most_counter) return *value;
  user_error("{}{} {} is not allowed; allowed: FIRST or FIRST:LAST, each 0..{}", given.where,
             given.name("trace_pc"), quote(range), most_counter);
}

void read_trigger(const GivenOutputs& given, TraceTrigger& trigger) {
  using What = TraceTrigger::What;
  constexpr std::array<std::pair<const char*, What>, 3> triggers{
      {{"trace_pc", What::program_counter},
       {"trace_tracepoint", What::tracepoint},
       {"trace_timeout", What::timeout}}};
  for (const auto& [key, what] : triggers) {
    if (!given.has(key)) continue;
    if (trigger.what != What::none) {
      user_error("{}give one of {}, {} and {}", given.where, given.name("trace_pc"),
                 given.name("trace_tracepoint"), given.name("trace_timeout"));
    }
    trigger.what = what;
  }
  if (trigger.what == What::program_counter) {
    const std::string* const range = &given.texts.at("trace_pc").back();
    const std::size_t colon = range->find(':');
    trigger.first = parse_counter(given, *range, std::string_view(*range).substr(0, colon));
    trigger.last = colon == std::string::npos
                       ? trigger.first
                       : parse_counter(given, *range, std::string_view(*range).substr(colon + 1));
    if (trigger.last < trigger.first) {
      user_error("{}{} {} is an empty window: it ends before it begins", given.where,
                 given.name("trace_pc"), quote(*range));
    }
  }
  for (const char* key : {"trace_pre", "trace_post"}) {
    if (!given.has(key) || trigger.what != What::none) continue;
    user_error("{}{} needs {}, {} or {}", given.where, given.name(key), given.name("trace_pc"),
               given.name("trace_tracepoint"), given.name("trace_timeout"));
  }
}

template <typename T>
void read_windows(const ParameterTable<T>& table, const GivenOutputs& given, T& options) {
  for (const Parameter<T>& parameter : table) {
    if (!given.has(parameter.key)) continue;
    const std::string& text = given.texts.at(parameter.key).back();
    parameter.set(options,
                  parse_parameter(parameter, given.where + given.name(parameter.key), text));
  }
}

void read_trace(const GivenOutputs& given, TraceOptions& options) {
  if (options.fst) options.make_fst(*options.fst, given.where + given.name("fst"));
  options.list = given.has("trace_list");
  if (!options.traces() && !options.list) {
    const auto refuse = [&](std::string_view key) {
      if (!given.has(key)) return;
      user_error("{}{} needs {} or {}", given.where, given.name(key), given.name("vcd", "F.vcd"),
                 given.name("fst", "F.fst"));
    };
    for (const RunOutput& output : run_outputs()) {
      if (output.group == RunOutput::Group::waveform) refuse(output.key);
    }
    for (const auto& parameter : trace_parameters()) refuse(parameter.key);
    return;
  }
  if (given.has("trace_scope")) options.selection.globs = given.texts.at("trace_scope");
  read_windows(trace_parameters(), given, options);
  trace::Window& window = options.window;
  window.last = std::min(window.last, most_cycles);
  if (window.last < window.first) {
    user_error("{}{} {} is before {} {}: the window is empty", given.where, given.name("trace_to"),
               window.last, given.name("trace_from"), window.first);
  }
  read_trigger(given, options.trigger);
}

void read_timeline(const GivenOutputs& given, RunOutputs& outputs) {
  for (const auto& parameter : timeline_parameters()) {
    if (outputs.timeline || !given.has(parameter.key)) continue;
    user_error("{}{} needs {}", given.where, given.name(parameter.key),
               given.name("timeline", "F.json"));
  }
  TimelineOptions& options = outputs.timeline_options;
  read_windows(timeline_parameters(), given, options);
  if (options.from < options.to) return;
  user_error(
      "{}the window {} {} {} {} is empty; cycle numbers count from 0, and both cycles belong to "
      "the window",
      given.where, given.name("timeline_from"), options.from, given.name("timeline_to"),
      options.to - 1);
}

}  // namespace

const std::vector<RunOutput>& run_outputs() {
  using G = RunOutput::Group;
  using R = RunOutputs;
  static const std::vector<RunOutput> outputs{
      {G::files, "stats", "F.json", "write all figures; -: to standard output, as for the next two",
       [](R& r) { return &r.stats; }, "Run.save_statistics() writes it", false, true},
      {G::files, "report", "F.html", "write a page with everything about the run, for any browser",
       [](R& r) { return &r.report; }, "Run.save_report() writes it", false, true},
      {G::files, "events", "F", "write every event, one a line", [](R& r) { return &r.events; },
       "events=True gives them as rows, Run.events", false, true},
      {G::files, "retire_log", "F",
       "write every instruction's retire cycle (of the machine, all images), little-endian "
       "uint32",
       [](R& r) { return &r.retire_log; }},
      {G::files, "dump", "MEMORY[BEGIN:END]=F",
       "write {} at the end, all of it or (in brackets, which some shells want quoted) the "
       "vectors from BEGIN up to, not including, END; raw little-endian, or (TCUs) F.csv: numbers, "
       "a vector a line",
       nullptr, "Machine.read() gives vectors of a memory; Run.outputs has a kernel's buffers",
       true},
      {G::layers, "layers", "", "print a table of the layers, or of the parts that --regions names",
       nullptr, "Run.statistics has the layers"},
      {G::layers, "layers_csv", "F.csv", "write it; -: to standard output",
       [](R& r) { return &r.layers_csv; }, "Run.statistics has the layers", false, true},
      {G::samples, "samples", "F.tsample",
       "write the performance sampler's words, see tactus samples", [](R& r) { return &r.samples; },
       "its machines have no sampler"},
      {G::timeline, "timeline", "F.json",
       "write a timeline of the run, for Perfetto or chrome://tracing",
       [](R& r) { return &r.timeline; }},
      {G::waveform, "vcd", "F.vcd", "write the waveforms of the machine's signals",
       [](R& r) { return &r.trace.vcd; }},
      {G::waveform, "fst", "F.fst",
       "write the waveforms as FST, by GTKWave's vcd2fst, which has to be installed",
       [](R& r) { return &r.trace.fst; }},
      {G::waveform, "gtkw", "F.gtkw",
       "write a GTKWave save file for the waveform, and F.gtkw.1.txt, ... with names of values",
       [](R& r) { return &r.trace.gtkw; }},
      {G::waveform, "surfer", "F.sucl", "write a Surfer command file for the waveform",
       [](R& r) { return &r.trace.surfer; }},
      {G::waveform, "trace_list", "", "print all signals, or those that the globs select, and stop",
       nullptr, "tactus run --trace-list prints the signals"},
      {G::waveform, "trace_scope", "GLOB",
       "trace the signals that match, and all below scopes that match", nullptr, "", true},
      {G::waveform, "trace_pc", "FIRST[:LAST]", "trace while the program counter is in the range"},
      {G::waveform, "trace_tracepoint", "", "trace while the decoder's tracepoint output is high"},
      {G::waveform, "trace_timeout", "", "trace while the decoder's timeout output is high"}};
  return outputs;
}

const ParameterTable<TimelineOptions>& timeline_parameters() {
  using T = TimelineOptions;
  constexpr Cycle no_end = ~Cycle{0};
  static const ParameterTable<TimelineOptions> table(
      "timeline", "The part of the run that the timeline (--timeline) shows.",
      {whole("timeline_from", &T::from, {}, "cycle", "first cycle of the timeline"),
       optional_whole_by<T>(
           "timeline_to",
           [](const T& t) -> std::optional<std::uint64_t> {
             if (t.to == no_end) return std::nullopt;
             return t.to - 1;
           },
           [](T& t, std::uint64_t last) { t.to = last == no_end ? no_end : last + 1; }, {}, "cycle",
           "the end", "last cycle of the timeline"),
       whole("timeline_min", &T::min_duration, {1}, "cycles",
             "leave out slices shorter than this; 1: leave out none"),
       whole("timeline_max_events", &T::max_events, {1}, "events",
             "end the timeline after this many events")});
  return table;
}

const ParameterTable<TraceOptions>& trace_parameters() {
  using T = TraceOptions;
  const WholeRange cycles{0, most_cycles};
  static const ParameterTable<TraceOptions> table(
      "waveform", "The part of the run that the waveform (--vcd) shows.",
      {optional_whole_by<T>(
           "trace_depth",
           [](const T& t) -> std::optional<std::uint64_t> {
             if (t.selection.depth == 0) return std::nullopt;
             return t.selection.depth;
           },
           [](T& t, std::uint64_t depth) { t.selection.depth = static_cast<unsigned>(depth); },
           {1, 100}, "levels", "all", "trace units down to this level; 1 is the top"),
       whole_by<T>(
           "trace_from", [](const T& t) { return t.window.first; },
           [](T& t, std::uint64_t cycle) { t.window.first = cycle; }, cycles, "cycle",
           "first cycle to trace"),
       optional_whole_by<T>(
           "trace_to",
           [](const T& t) -> std::optional<std::uint64_t> {
             if (t.window.last >= most_cycles) return std::nullopt;
             return t.window.last;
           },
           [](T& t, std::uint64_t cycle) { t.window.last = cycle; }, cycles, "cycle", "the end",
           "last cycle to trace"),
       optional_whole_by<T>(
           "vcd_limit", [](const T& t) { return t.vcd_limit; },
           [](T& t, std::uint64_t megabytes) { t.vcd_limit = megabytes; }, {1, most_megabytes},
           "MB", "none",
           "size at which the VCD ends, also one that is made into an FST; the run goes on"),
       whole_by<T>(
           "trace_pre", [](const T& t) { return t.window.pre; },
           [](T& t, std::uint64_t count) { t.window.pre = count; }, cycles, "cycles",
           "also trace this many cycles before the trigger"),
       whole_by<T>(
           "trace_post", [](const T& t) { return t.window.post; },
           [](T& t, std::uint64_t count) { t.window.post = count; }, cycles, "cycles",
           "also trace this many cycles after the trigger")});
  return table;
}

std::string GivenOutputs::name(std::string_view key, std::string_view value) const {
  std::string text(key);
  if (!as_options) return text;
  std::replace(text.begin(), text.end(), '_', '-');
  return fmt::format("--{}{}{}", text, value.empty() ? "" : " ", value);
}

std::vector<std::string> run_output_keys() {
  std::vector<std::string> keys;
  for (const RunOutput& output : run_outputs()) keys.emplace_back(output.key);
  for (const auto& parameter : timeline_parameters()) keys.push_back(parameter.key);
  for (const auto& parameter : trace_parameters()) keys.push_back(parameter.key);
  return keys;
}

RunOutputs read_run_outputs(const GivenOutputs& given) {
  RunOutputs outputs;
  for (const RunOutput& output : run_outputs()) {
    if (output.path == nullptr || !given.has(output.key)) continue;
    std::optional<std::string>& path = *output.path(outputs);
    path = given.texts.at(std::string(output.key)).back();
    if (!output.may_be_standard_output) continue;
    if (path == "-") path = standard_output;
    outputs.to_standard_output |= path == standard_output;
  }
  outputs.layers = given.has("layers");
  read_trace(given, outputs.trace);
  read_timeline(given, outputs);
  return outputs;
}

}  // namespace tactus
