#include "firmware/cli/run/trace_options.h"

#include <algorithm>

#include "firmware/cli/parameter_options.h"
#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr std::uint64_t most_cycles = ~std::uint64_t{0} >> 1;
constexpr std::uint64_t most_megabytes = 1'000'000'000;
constexpr std::uint64_t most_counter = 0xFFFFFFFF;

std::uint64_t parse_counter(const std::string& range, std::string_view text) {
  const auto value = read_number<std::uint64_t>(text);
  if (value && *value <= most_counter) return *value;
  user_error("tactus run: --trace-pc {} is not allowed; allowed: FIRST or FIRST:LAST, each 0..{}",
             quote(range), most_counter);
}

void read_trigger(const Args& args, TraceOptions& options) {
  const auto range = args.text("trace-pc");
  if (range.has_value() + args.has("trace-tracepoint") + args.has("trace-timeout") > 1) {
    user_error("tactus run: give one of --trace-pc, --trace-tracepoint and --trace-timeout");
  }
  if (range) {
    const std::size_t colon = range->find(':');
    TraceTrigger& trigger = options.trigger;
    trigger.what = TraceTrigger::What::program_counter;
    trigger.first = parse_counter(*range, std::string_view(*range).substr(0, colon));
    trigger.last = colon == std::string::npos
                       ? trigger.first
                       : parse_counter(*range, std::string_view(*range).substr(colon + 1));
    if (trigger.last < trigger.first) {
      user_error("tactus run: --trace-pc {} is an empty window: it ends before it begins",
                 quote(*range));
    }
  } else if (args.has("trace-tracepoint")) {
    options.trigger.what = TraceTrigger::What::tracepoint;
  } else if (args.has("trace-timeout")) {
    options.trigger.what = TraceTrigger::What::timeout;
  }
  for (const char* option : {"trace-pre", "trace-post"}) {
    if (args.has(option) && options.trigger.what == TraceTrigger::What::none) {
      user_error("tactus run: --{} needs --trace-pc, --trace-tracepoint or --trace-timeout",
                 option);
    }
  }
}

}  // namespace

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

std::vector<Args::Option> trace_options() {
  std::vector<Args::Option> options = {
      {"vcd", "F.vcd", "write the waveforms of the machine's signals"},
      {"fst", "F.fst",
       "write the waveforms as FST, by GTKWave's vcd2fst, which has to be installed"},
      {"gtkw", "F.gtkw",
       "write a GTKWave save file for the waveform, and F.gtkw.1.txt, ... with names of values"},
      {"surfer", "F.sucl", "write a Surfer command file for the waveform"},
      {"trace-list", "", "print all signals, or those that the globs select, and stop"},
      {"trace-scope", "GLOB", "trace the signals that match, and all below scopes that match",
       true},
      {"trace-pc", "FIRST[:LAST]", "trace while the program counter is in the range"},
      {"trace-tracepoint", "", "trace while the decoder's tracepoint output is high"},
      {"trace-timeout", "", "trace while the decoder's timeout output is high"},
  };
  for (Args::Option& option : parameter_options(trace_parameters().section(), "")) {
    options.push_back(std::move(option));
  }
  return options;
}

TraceOptions read_trace_options(const Args& args) {
  TraceOptions options;
  options.vcd = args.text("vcd");
  options.gtkw = args.text("gtkw");
  options.surfer = args.text("surfer");
  if (const auto path = args.text("fst")) options.make_fst(*path, "tactus run: --fst");
  options.list = args.has("trace-list");
  if (!options.traces() && !options.list) {
    for (const Args::Option& option : trace_options()) {
      if (args.has(option.name))
        user_error("tactus run: --{} needs --vcd F.vcd or --fst F.fst", option.name);
    }
    return options;
  }
  options.selection.globs = args.texts("trace-scope");
  read_options(trace_parameters(), args, options);
  trace::Window& window = options.window;
  window.last = std::min(window.last, most_cycles);
  if (window.last < window.first) {
    user_error("tactus run: --trace-to {} is before --trace-from {}: the window is empty",
               window.last, window.first);
  }
  read_trigger(args, options);
  return options;
}

}  // namespace tactus
