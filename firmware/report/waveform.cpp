#include "firmware/report/waveform.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/process/find_program.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "models/sim/trace/gtkwave_save.h"

namespace tactus {
namespace {

trace::Registry& described(trace::Registry& registry, const WatchedMachine& simulation,
                           const TraceOptions& options) {
  const trace::Scope top(registry, "top");
  simulation.machine().describe(top);
  if (options.surroundings) options.surroundings(top);
  return registry;
}

/// Converts a VCD with vcd2fst. vcd2fst replaces whatever is at `to`, even a device or a link.
/// Throws UserError, with `where` in front, if it fails.
void convert_to_fst(const std::string& vcd, const std::string& to, const std::string& where) {
  std::string program = find_program("vcd2fst").value_or("vcd2fst");
  std::string from = vcd, into = to;
  char* const arguments[] = {program.data(), from.data(), into.data(), nullptr};
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
  if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    user_error("{}: {} failed to make it", where, program);
  }
}

/// Base for the name of a temporary file, in the folder of `path` or, if `path` is a device or
/// pipe, in the system's folder for temporary files.
std::string temporary_place(const std::string& path) {
  std::error_code ignored;
  std::string target = follow_links(path);
  const auto status = std::filesystem::status(target, ignored);
  if (std::filesystem::is_regular_file(status) || !std::filesystem::exists(status)) return target;
  return (std::filesystem::temp_directory_path(ignored) / "waveform").string();
}

std::string_view option_of(TraceTrigger::What what) {
  switch (what) {
    case TraceTrigger::What::program_counter:
      return "--trace-pc";
    case TraceTrigger::What::tracepoint:
      return "--trace-tracepoint";
    case TraceTrigger::What::timeout:
      return "--trace-timeout";
    case TraceTrigger::What::none:
      break;
  }
  return "";
}

/// The trigger as a condition on the machine. Throws UserError if the machine has no such trigger.
std::function<bool()> trigger_of(const Machine& machine, const TraceTrigger& trigger) {
  std::function<bool()> condition = machine.trigger(trigger);
  if (trigger.what != TraceTrigger::What::none && !condition) {
    user_error("{}: machine {} has no such output; allowed with it: --trace-pc",
               option_of(trigger.what), machine.info().name);
  }
  return condition;
}

}  // namespace

void TraceOptions::make_fst(const std::string& path, const std::string& where) {
  if (!find_program("vcd2fst")) {
    user_error(
        "{} needs vcd2fst, which is not installed (Debian: apt-get install gtkwave); no library of "
        "Debian writes FST",
        where);
  }
  fst = path;
}

std::string signal_list(const WatchedMachine& simulation, const TraceOptions& options) {
  trace::Registry registry(simulation.machine().widths());
  return list_signals(described(registry, simulation, options), options.selection);
}

RunTrace::RunTrace(WatchedMachine& simulation, const TraceOptions& options, const std::string& tool,
                   const std::string& comment)
    : simulation_(simulation),
      options_(options),
      registry_(simulation.machine().widths()),
      plan_(make_plan(described(registry_, simulation, options), options.selection)) {
  trace::VcdWriter::Header header;
  header.tool = tool;
  header.comment = printable(comment, 1000);
  std::replace(header.comment.begin(), header.comment.end(), '$', '_');  // $ starts a VCD keyword
  header.period_fs = simulation.period_fs();
  constexpr std::uint64_t megabyte = 1'000'000;
  if (options.vcd_limit) header.limit_bytes = *options.vcd_limit * megabyte;
  std::error_code ignored;
  if (options.vcd && options.fst && std::filesystem::exists(*options.vcd, ignored) &&
      !std::filesystem::is_regular_file(*options.vcd, ignored)) {
    user_error("{}: is a pipe or a device, and the FST is made of the VCD, which must be a file",
               *options.vcd);
  }
  if (!options.vcd) only_for_fst_.emplace(temporary_place(*options.fst), *options.fst);
  writer_.emplace(options.vcd ? *options.vcd : only_for_fst_->name(), plan_, header);

  trace::Window window = options.window;
  window.condition = trigger_of(simulation.machine(), options.trigger);
  tracer_.emplace(plan_, std::move(window), *writer_);
  simulation.watch(&*tracer_);
}

/// Removes the incomplete waveform if finish() was not called, since an error has ended the run.
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
  if (options_.trigger.what == TraceTrigger::What::timeout) {
    return "--trace-timeout: the decoder's timeout output was never high; nothing was traced";
  }
  return "--trace-tracepoint: the program counter never met the tracepoint register; nothing was "
         "traced";
}

void RunTrace::mark(const std::string& name, Cycle from, Cycle to) {
  constexpr std::size_t most = 26;
  if (tracer_->cycles() == 0 || to <= tracer_->first() || from > options_.window.last) return;
  if (marks_.size() < most) {
    marks_.push_back({std::max(from, tracer_->first()), printable(name, 100)});
  }
}

std::string RunTrace::finish() {
  simulation_.watch(nullptr);
  finished_ = true;
  if (simulation_.now() == 0) {
    writer_->begin();
  } else if (tracer_->cycles() == 0) {
    return nothing_traced();
  }
  writer_->close();
  if (std::string error = writer_->error(); !error.empty()) {
    if (only_for_fst_) error.replace(0, only_for_fst_->name().size(), *options_.fst);
    return error;
  }
  try {
    if (options_.fst) write_fst();
    write_views();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

/// Makes the FST as a temporary file and then copies it, so that it is written like every other
/// output.
void RunTrace::write_fst() {
  const TemporaryFile base(temporary_place(*options_.fst), *options_.fst);
  const std::string made = base.name() + ".fst";
  struct Remove {
    const std::string& name;
    ~Remove() { ::unlink(name.c_str()); }
  } const remove{made};
  convert_to_fst(only_for_fst_ ? only_for_fst_->name() : *options_.vcd, made, *options_.fst);
  only_for_fst_.reset();
  std::ifstream file(made, std::ios::binary);
  OutputFile output(*options_.fst);
  std::vector<char> bytes(std::size_t{1} << 20);
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || file.gcount() > 0) {
    output.write(bytes.data(), static_cast<std::size_t>(file.gcount()));
    bytes_of_fst_ += static_cast<std::uint64_t>(file.gcount());
  }
  output.close();
}

void RunTrace::write_views() const {
  std::error_code ignored;
  const std::string waveform =
      std::filesystem::absolute(options_.waveform(), ignored).lexically_normal().string();
  const trace::FirstView view{tracer_->first(), writer_->viewer_units_per_cycle(),
                              simulation_.period_fs() / 1000, marks_};
  if (options_.surfer) {
    write_file_atomically(*options_.surfer, surfer_commands(plan_, waveform, view));
  }
  if (!options_.gtkw) return;
  std::vector<std::string> files;
  for (const trace::Translation& names : trace::translations(plan_)) {
    files.push_back(fmt::format("{}.{}.txt", *options_.gtkw, files.size() + 1));
    write_file_atomically(files.back(), names.text);
    files.back() = std::filesystem::absolute(files.back(), ignored).lexically_normal().string();
  }
  write_file_atomically(*options_.gtkw, gtkwave_save(plan_, waveform, view, files));
}

std::string RunTrace::summary() const {
  const std::uint64_t bytes = options_.fst ? bytes_of_fst_ : writer_->bytes();
  return fmt::format("{}, {}, {:.1f} MB in {}", counted(tracer_->cycles(), "cycle"),
                     counted(plan_.chosen.size(), "signal"), static_cast<double>(bytes) / 1e6,
                     options_.waveform());
}

std::optional<std::string> RunTrace::limit_text() const {
  if (!writer_->full()) return std::nullopt;
  return fmt::format("{}: ends before cycle {}, where the limit of {} MB was reached",
                     options_.waveform(), writer_->end(), options_.vcd_limit.value_or(0));
}

}  // namespace tactus
