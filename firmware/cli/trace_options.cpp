#include "firmware/cli/trace_options.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "firmware/cli/parameter_options.h"
#include "firmware/cli/version.h"
#include "firmware/process/find_program.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"
#include "models/sim/trace/gtkwave_save.h"

namespace tactus {
namespace {

constexpr std::uint64_t most_cycles = ~std::uint64_t{0} >> 1;
constexpr std::uint64_t most_counter = 0xFFFFFFFF;

std::uint64_t parse_counter(const std::string& range, std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value > most_counter) {
    user_error("tactus run: --trace-pc {} is not allowed; allowed: FIRST or FIRST:LAST, each 0..{}",
               quote(range), most_counter);
  }
  return value;
}

void read_trigger(const Args& args, TraceOptions& options) {
  const auto range = args.text("trace-pc");
  if (range && args.has("trace-tracepoint")) {
    user_error("tactus run: give --trace-pc or --trace-tracepoint, not both");
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
  }
  for (const char* option : {"trace-pre", "trace-post"}) {
    if (args.has(option) && options.trigger.what == TraceTrigger::What::none) {
      user_error("tactus run: --{} needs --trace-pc or --trace-tracepoint", option);
    }
  }
}

trace::Registry& described(trace::Registry& registry, const Simulation& simulation,
                           const TraceOptions& options) {
  const trace::Scope top(registry, "top");
  simulation.machine().describe(top);
  if (options.surroundings) options.surroundings(top);
  return registry;
}

/// Makes the FST of the VCD, which goes unless it was asked for.
void convert_to_fst(const TraceOptions& options) {
  std::string program = find_program("vcd2fst").value_or("vcd2fst");
  std::string from = *options.vcd, to = *options.fst;
  char* const arguments[] = {program.data(), from.data(), to.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int error = posix_spawn(&process, program.c_str(), &quiet, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  if (error == 0) {
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  std::error_code ignored;
  if (!options.keep_vcd) std::filesystem::remove(from, ignored);
  if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    user_error("{}: {} failed to make it", to, program);
  }
}

double megabytes(const TraceOptions& options, std::uint64_t bytes_of_vcd) {
  std::error_code error;
  const auto bytes = options.fst ? std::filesystem::file_size(*options.fst, error) : bytes_of_vcd;
  return error ? 0 : static_cast<double>(bytes) / 1e6;
}

}  // namespace

const ParameterTable<TraceOptions>& trace_parameters() {
  using T = TraceOptions;
  const WholeRange cycles{0, most_cycles};
  static const ParameterTable<TraceOptions> table(
      "waveform", "What of the run is in the waveform, which --vcd writes.",
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
       whole_by<T>(
           "trace_pre", [](const T& t) { return t.window.pre; },
           [](T& t, std::uint64_t count) { t.window.pre = count; }, cycles, "cycles",
           "trace so many cycles before the trigger, too"),
       whole_by<T>(
           "trace_post", [](const T& t) { return t.window.post; },
           [](T& t, std::uint64_t count) { t.window.post = count; }, cycles, "cycles",
           "trace so many cycles after the trigger, too")});
  return table;
}

std::vector<Args::Option> trace_options() {
  std::vector<Args::Option> options = {
      {"vcd", "F.vcd", "write the waveforms of the machine's signals"},
      {"fst", "F.fst", "write them as FST, by GTKWave's vcd2fst, which has to be installed"},
      {"gtkw", "F.gtkw",
       "write a GTKWave save file for the waveform, and F.gtkw.1.txt, ... with names of values"},
      {"surfer", "F.sucl", "write a Surfer command file for the waveform"},
      {"trace-list", "", "print the signals there are (or that the globs select) and stop"},
      {"trace-scope", "GLOB", "trace the signals that match, and all below scopes that match",
       true},
      {"trace-pc", "FIRST[:LAST]", "trace while the program counter is in the range"},
      {"trace-tracepoint", "", "trace while the decoder's tracepoint output is high"},
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
  options.fst = args.text("fst");
  if (options.fst && !options.vcd) {
    options.vcd = *options.fst + ".vcd";
    options.keep_vcd = false;
  }
  if (options.fst && !find_program("vcd2fst")) {
    user_error(
        "tactus run: --fst needs vcd2fst, which is not installed (Debian: apt-get install "
        "gtkwave); no library of Debian writes FST");
  }
  options.list = args.has("trace-list");
  if (!options.vcd && !options.list) {
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

std::string signal_list(const Simulation& simulation, const TraceOptions& options) {
  trace::Registry registry(simulation.machine().widths());
  return list_signals(described(registry, simulation, options), options.selection);
}

RunTrace::RunTrace(Simulation& simulation, const TraceOptions& options, const std::string& comment)
    : simulation_(simulation),
      options_(options),
      registry_(simulation.machine().widths()),
      plan_(make_plan(described(registry_, simulation, options), options.selection)) {
  trace::VcdWriter::Header header;
  header.tool = fmt::format("tactus {} ({})", version, git_revision);
  header.comment = printable(comment, 1000);
  std::replace(header.comment.begin(), header.comment.end(), '$', '_');  // begins a VCD keyword
  header.period_ps = simulation.period_ps();
  writer_.emplace(*options.vcd, plan_, header);

  trace::Window window = options.window;
  window.condition = simulation.machine().trigger(options.trigger);
  tracer_.emplace(plan_, std::move(window), *writer_);
  simulation.watch(&*tracer_);
}

/// An error ended the run: half a waveform is none.
RunTrace::~RunTrace() {
  simulation_.watch(nullptr);
  if (!finished_) writer_->discard();
}

std::string RunTrace::nothing_traced() const {
  const Cycle end = simulation_.now();
  if (options_.window.first >= end) {
    return fmt::format("--trace-from {}: the run ended before, after {} cycles; nothing was traced",
                       options_.window.first, end);
  }
  if (options_.trigger.what == TraceTrigger::What::program_counter) {
    return fmt::format("--trace-pc {}:{}: the program counter was never there; nothing was traced",
                       options_.trigger.first, options_.trigger.last);
  }
  return "--trace-tracepoint: the program counter never met the tracepoint register; nothing was "
         "traced";
}

std::string RunTrace::finish() {
  simulation_.watch(nullptr);
  finished_ = true;
  if (tracer_->cycles() == 0) return nothing_traced();
  writer_->close();
  if (!writer_->error().empty()) return writer_->error();
  try {
    if (options_.fst) convert_to_fst(options_);
    write_views();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

void RunTrace::write_views() const {
  std::error_code ignored;
  const std::string waveform =
      std::filesystem::absolute(options_.waveform(), ignored).lexically_normal().string();
  if (options_.surfer) write_file_atomically(*options_.surfer, surfer_commands(plan_, waveform));
  if (!options_.gtkw) return;
  std::vector<std::string> files;
  for (const trace::Translation& names : trace::translations(plan_)) {
    files.push_back(fmt::format("{}.{}.txt", *options_.gtkw, files.size() + 1));
    write_file_atomically(files.back(), names.text);
    files.back() = std::filesystem::absolute(files.back(), ignored).lexically_normal().string();
  }
  const trace::FirstView view{tracer_->first(), writer_->ticks_per_cycle()};
  write_file_atomically(*options_.gtkw, gtkwave_save(plan_, waveform, view, files));
}

std::string RunTrace::summary() const {
  return fmt::format("{} cycles, {} signals, {:.1f} MB in {}", tracer_->cycles(),
                     plan_.chosen.size(), megabytes(options_, writer_->bytes()),
                     options_.waveform());
}

}  // namespace tactus
