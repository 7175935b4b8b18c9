// The tactus program: picks a command and turns failures into exit codes.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include <fmt/core.h>
#include <systemc>

#include "firmware/cli/commands.h"
#include "firmware/cli/heap.h"
#include "firmware/cli/interrupt.h"
#include "firmware/cli/standard_output.h"
#include "firmware/cli/version.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

struct Command {
  std::string_view name;
  std::string_view help;
  int (*run)(const Words&);
};

constexpr Command commands[] = {
    {"run", "run a compiled model or program, report cycles, outputs, statistics", run_command},
    {"bench", "print the table of networks on boards: simulated, estimated, published",
     bench_command},
    {"sweep", "simulate many points of network, board, architecture and compiler", sweep_command},
    {"codesign", "simulate a Stripe program on many machines, with energy and design ideas",
     codesign_command},
    {"report", "write the results of a sweep as an HTML page", report_command},
    {"compile", "compile an ONNX model for an architecture", compile_command},
    {"estimate", "latency and energy of a program by formula", estimate_command},
    {"gemm", "multiply two matrices on an architecture and check the result", gemm_command},
    {"selftest", "run the built-in self-test programs on an architecture", selftest_command},
    {"samples", "decode the performance sampler's words and count what units waited for",
     samples_command},
    {"replay", "compare golden logs with the simulation, event by event", replay_command},
    {"asm", "assemble a program", asm_command},
    {"disasm", "print a program as assembly text", disasm_command},
    {"info", "explain an architecture or a model", info_command},
    {"explain", "explain figures of statistics, and parameters of architecture, board, run",
     explain_command},
    {"zoo", "write a benchmark network as an ONNX file", zoo_command},
    {"cache", "show and clear the folder of compiled programs", cache_command},
    {"stripe", "print, check, run and rewrite programs of the polyhedral representation",
     stripe_command},
    {"dais", "run, explain and convert DAIS programs (da4ml)", dais_command},
    {"pack", "pack a compiled model as a DarwiNN package", pack_command},
    {"darwinn", "check, explain, link, replay and unpack DarwiNN packages (Edge TPU)",
     darwinn_command},
};

void print_help() {
  fmt::print("Tactus, a cycle-accurate simulator of tensor accelerators.\n\n");
  fmt::print("Usage: tactus COMMAND [options]     tactus help COMMAND     tactus --version\n\n");
  for (const Command& command : commands) fmt::print("  {:<10} {}\n", command.name, command.help);
  fmt::print(
      "\nExit codes: 0 done, 1 a comparison failed, 2 bad input, 3 the program hangs or met its "
      "cycle limit, 4 internal fault.\n");
}

int dispatch(const Words& words) {
  const bool help = !words.empty() && words[0] == "help";
  if (help && words.size() > 1) {  // tactus help COMMAND is tactus COMMAND --help
    Words command(words.begin() + 1, words.end());
    command.emplace_back("--help");
    return dispatch(command);
  }
  if (words.empty() || help || words[0] == "--help" || words[0] == "-h") {
    print_help();
    return words.empty() ? exit_usage : exit_ok;
  }
  if (words[0] == "--version" || words[0] == "version") {
    fmt::print("tactus {} ({}), SystemC {}\n", version, git_revision, sc_core::sc_release());
    return exit_ok;
  }
  std::vector<std::string_view> names;
  for (const Command& command : commands) {
    if (command.name == words[0]) return command.run({words.begin() + 1, words.end()});
    names.push_back(command.name);
  }
  user_error("tactus: unknown command {}{}; see tactus --help", quote(words[0]),
             suggestion(words[0], names));
}

/// Messages about options begin with "tactus COMMAND: ", and the line names the program already.
std::string_view without_program(std::string_view message) {
  for (const std::string_view name : {"tactus: ", "tactus "}) {
    if (message.substr(0, name.size()) == name) return message.substr(name.size());
  }
  return message;
}

}  // namespace
}  // namespace tactus

/// Leaves nothing half-written behind, then dies of the signal as usual.
extern "C" void end_by_signal(int signal) {
  if (!tactus::defer_signal(signal)) tactus::die_of(signal);
}

#if defined(__ELF__)
/// Before the constructors of the libraries, for SystemC's takes and fills 3 MiB.
using Constructor = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] static const Constructor before_libraries =
    tactus::use_one_heap;
#endif

int main(int argc, char** argv) {
  tactus::watch_standard_output();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, end_by_signal);
  // SystemC prints a licence banner at the first elaboration unless told otherwise.
  setenv("SC_COPYRIGHT_MESSAGE", "DISABLE", 0);
  try {
    const tactus::FileGuard guard;
    const int code = tactus::dispatch({argv + 1, argv + argc});
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    fmt::print(stderr, "tactus: error: standard output cannot be written\n");
    return tactus::exit_usage;
  } catch (const tactus::UserError& error) {
    fmt::print(stderr, "tactus: error: {}\n", tactus::without_program(error.what()));
    return tactus::exit_usage;
  } catch (const std::system_error& error) {
    fmt::print(stderr, "tactus: error: output failed: {}\n", error.what());
    return tactus::exit_usage;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "tactus: error: the host is out of memory\n");
    return tactus::exit_usage;
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "tactus: internal error: {}\nThis is a fault of Tactus, not of your input.\n",
               error.what());
    return tactus::exit_internal;
  }
}
