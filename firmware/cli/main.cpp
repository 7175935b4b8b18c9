// The tactus program: picks a command and turns failures into exit codes.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <systemc>

#include "firmware/cli/command_table.h"
#include "firmware/cli/heap.h"
#include "firmware/cli/quiet_output.h"
#include "firmware/cli/run/interrupt.h"
#include "firmware/cli/standard_output.h"
#include "firmware/cli/verbosity.h"
#include "firmware/process/worker.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/kernel_choice.h"

namespace tactus {
namespace {

/// Returns the words to run: those of the command line or, in the process of a job, those of the
/// job.
Words words_of(int argc, char** argv) {
  Words words(argv + 1, argv + argc);
  if (words.empty() || words[0] != worker_argument) return words;
  if (auto job = serve_jobs(words.size() == 2 ? words[1] : "")) return *job;
  std::exit(exit_ok);
}

int dispatch(const Words& words) {
  const bool help = !words.empty() && words[0] == "help";
  if (help && words.size() > 1) {  // tactus help COMMAND is tactus COMMAND --help
    Words command(words.begin() + 1, words.end());
    command.emplace_back("--help");
    return dispatch(command);
  }
  if (help) return dispatch({"--help"});
  if (!words.empty() && (words[0] == "--version" || words[0] == "version")) {
    fmt::print("tactus {} ({}), SystemC {}\n", version, git_revision, sc_core::sc_release());
    return exit_ok;
  }
  return run_group(all_commands(), words);
}

/// Removes and applies --quiet and --verbose in front of the command.
Words without_common(Words words) {
  while (!words.empty()) {
    if (words[0] == "-qq") words.insert(words.begin(), words[0] = "-q");
    const bool quiet = words[0] == "--quiet" || words[0] == "-q";
    if (!quiet && words[0] != "--verbose" && words[0] != "-v") break;
    if (quiet) {
      be_quiet();
    } else {
      set_verbosity(Verbosity::verbose);
    }
    words.erase(words.begin());
  }
  return words;
}

/// Removes "tactus " from messages that begin with "tactus COMMAND: ", since the line begins with
/// the program's name.
std::string_view without_program(std::string_view message) {
  for (const std::string_view name : {"tactus: ", "tactus "}) {
    if (message.substr(0, name.size()) == name) return message.substr(name.size());
  }
  return message;
}

}  // namespace
}  // namespace tactus

/// Removes unfinished files, then lets the signal end the program.
extern "C" void end_by_signal(int signal) {
  if (!tactus::defer_signal(signal)) tactus::die_of(signal);
}

#if defined(__ELF__)
/// Runs before the constructors of the libraries: SystemC's allocates and fills 3 MiB.
using Constructor = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] static const Constructor before_libraries =
    tactus::use_one_heap;
#endif

int main(int argc, char** argv) {
  tactus::watch_standard_output();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_by_signal);
  // Suppresses the licence banner that SystemC prints at the first elaboration.
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
  try {
    const tactus::FileGuard guard;
    (void)tactus::kernels_wanted();
    const int code = tactus::dispatch(tactus::without_common(tactus::words_of(argc, argv)));
    if (code == tactus::exit_mismatch) tactus::print_unprinted();
    tactus::print_effort();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    fmt::print(stderr, "tactus: {}: standard output cannot be written\n",
               tactus::coloured("error"));
    return tactus::exit_usage;
  } catch (const tactus::UserError& error) {
    fmt::print(stderr, "tactus: {}: {}\n", tactus::coloured("error"),
               tactus::without_program(error.what()));
    return tactus::exit_usage;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "tactus: {}: output failed: {}\n", tactus::coloured("error"), error.what());
    return tactus::exit_usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "tactus: {}: the host is out of memory\n", tactus::coloured("error"));
    return tactus::exit_usage;
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "tactus: internal error: {}\nThis is a fault of Tactus, not of your input.\n",
               error.what());
    return tactus::exit_internal;
  }
}
