#include "firmware/report/waveform.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "firmware/process/find_program.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"
#include "models/sim/trace/gtkwave_save.h"

namespace tactus {
namespace {

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

void TraceOptions::make_fst(const std::string& path, const std::string& where) {
  if (!find_program("vcd2fst")) {
    user_error(
        "{} needs vcd2fst, which is not installed (Debian: apt-get install gtkwave); no library of "
        "Debian writes FST",
        where);
  }
  fst = path;
  if (vcd) return;
  vcd = path + ".vcd";
  keep_vcd = false;
}

std::string signal_list(const Simulation& simulation, const TraceOptions& options) {
  trace::Registry registry(simulation.machine().widths());
  return list_signals(described(registry, simulation, options), options.selection);
}

RunTrace::RunTrace(Simulation& simulation, const TraceOptions& options, const std::string& tool,
                   const std::string& comment)
    : simulation_(simulation),
      options_(options),
      registry_(simulation.machine().widths()),
      plan_(make_plan(described(registry_, simulation, options), options.selection)) {
  trace::VcdWriter::Header header;
  header.tool = tool;
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
  const trace::FirstView view{tracer_->first(), writer_->ticks_per_cycle(),
                              simulation_.period_ps()};
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
  return fmt::format("{} cycles, {} signals, {:.1f} MB in {}", tracer_->cycles(),
                     plan_.chosen.size(), megabytes(options_, writer_->bytes()),
                     options_.waveform());
}

}  // namespace tactus
