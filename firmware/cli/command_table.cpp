#include "firmware/cli/command_table.h"

#include <algorithm>

#include <fmt/core.h>

#include "firmware/cli/network/network_commands.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {

const CommandGroup& all_commands() {
  static const CommandGroup group = {
      "tactus",
      "tactus COMMAND [options]     tactus help COMMAND     tactus --version",
      "Tactus, a cycle-accurate simulator of tensor accelerators.",
      {
          {"run",
           "run a compiled model or program, report cycles, outputs, statistics",
           run_command,
           nullptr,
           {"--machine", "generic"}},
          {"compile",
           "compile an ONNX or TensorFlow model, or a topology, for a board or an architecture",
           compile_command},
          {"zoo", "write a benchmark network as an ONNX or TensorFlow file", zoo_command},
          {"report", "write the results of a sweep as an HTML page", report_command},
          {"compare", "compare runs, points of sweeps, or whole sweeps", compare_command},
          {"new", "write the files of a machine of your own, like a board", new_command,
           new_commands},
          {"info", "explain an architecture, a board, a DRAM or a model", info_command},
          {"explain", "explain figures of statistics, parameters, program text and instructions",
           explain_command},
          {"bench", "print the table of networks on boards: simulated, estimated, published",
           bench_command},
          {"sweep", "simulate many points of network, board, architecture and compiler",
           sweep_command},
          {"codesign", "simulate a Stripe program on many machines, with energy and design ideas",
           codesign_command},
          {"topologies", "compile, simulate and compare layer topologies as CSV",
           topologies_command},
          {"gemm",
           "multiply matrices on TCUs and DPAS machines, compare them and check the results",
           gemm_command},
          {"estimate", "latency and energy of a program by formula", estimate_command},
          {"asm", "assemble a program", asm_command},
          {"disasm", "print a program as assembly text", disasm_command},
          {"stripe", "print, check, run and rewrite programs of the polyhedral representation",
           stripe_command, stripe_commands},
          {"dais", "run, explain and convert DAIS programs (da4ml)", dais_command, dais_commands},
          {"pack", "pack a compiled model as a DarwiNN package", pack_command},
          {"darwinn", "check, explain, link, replay and unpack DarwiNN packages (Edge TPU)",
           darwinn_command, darwinn_commands},
          {"dram", "put a trace of requests to a DRAM: bandwidth, latencies, its commands",
           dram_command},
          {"selftest",
           "run the built-in self-test programs on an architecture",
           selftest_command,
           nullptr,
           {"--machine", "generic"}},
          {"replay", "compare golden logs with the simulation, event by event", replay_command},
          {"samples", "decode the performance sampler's words and count what units waited for",
           samples_command},
          {"networks", "list the networks that zoo, sweep and codesign name", networks_command},
          {"boards", "list the boards that --board names", boards_command},
          {"architectures", "list the architectures that --arch names", architectures_command},
          {"drams", "list the DRAMs that --ddr names", drams_command},
          {"machines", "list the machines that --machine names", machines_command},
          {"completion", "print the completions of a shell: bash, zsh, fish", completion_command},
          {"manual", "print the manual page", manual_command},
          {"cache", "show and clear the folder of compiled programs", cache_command},
      },
      "Exit codes: 0 done, 1 a comparison failed, 2 bad input, 3 the program hangs or met its "
      "cycle limit, 4 internal fault.",
      {{"Everyday", "run"},
       {"Many runs", "bench"},
       {"Programs and formats", "asm"},
       {"Checks against hardware", "selftest"},
       {"Lists", "networks"},
       {"The program itself", "completion"}},
      {"tactus zoo resnet20v2 -o net.onnx", "tactus compile net.onnx --board zcu104 -o compiled",
       "tactus run compiled/net_onnx_zcu104.tmodel --report run.html"},
      {"--help", "-h", "--version", "--quiet", "-q", "--verbose", "-v"}};
  return group;
}

void print_help(const CommandGroup& group) {
  fmt::print("Usage: {}\n\n{}\n\n", group.usage, group.introduction);
  std::size_t width = 0;
  for (const Command& command : group.commands) width = std::max(width, command.name.size());
  for (const Command& command : group.commands) {
    for (const CommandGroup::Section& section : group.sections) {
      if (section.first != command.name) continue;
      fmt::print("{}{}:\n", command.name == group.commands.front().name ? "" : "\n",
                 section.heading);
    }
    fmt::print("  {:<{}}  {}\n", command.name, width, command.help);
  }
  if (!group.examples.empty()) fmt::print("\nExamples:\n");
  for (const std::string_view example : group.examples) fmt::print("  {}\n", example);
  if (!group.conclusion.empty()) fmt::print("\n{}\n", group.conclusion);
}

namespace {

void add_options(const Command& command, const Words& words, ListedCommand& listed) {
  ArgsListener listener;
  command.run(words);
  for (const CommandDescription& heard : listener.heard) {
    if (listed.options.empty()) {
      listed.summary = heard.summary;
      listed.positional = heard.positional;
    }
    for (const Args::Option& option : heard.options) {
      const auto same = [&](const Args::Option& one) { return one.name == option.name; };
      const auto& known = listed.options;
      if (!option.hidden && std::none_of(known.begin(), known.end(), same)) {
        listed.options.push_back(option);
      }
    }
  }
}

void list_group(const CommandGroup& group, const std::string& prefix,
                std::vector<ListedCommand>& out) {
  for (const Command& command : group.commands) {
    const std::string name = prefix + std::string(command.name);
    if (command.group != nullptr) {
      list_group(command.group(), name + " ", out);
      continue;
    }
    ListedCommand listed{name, std::string(command.help), {}, {}, {}};
    add_options(command, {}, listed);
    if (!command.variant.empty()) add_options(command, command.variant, listed);
    out.push_back(std::move(listed));
  }
}

}  // namespace

std::vector<ListedCommand> list_commands() {
  std::vector<ListedCommand> out;
  list_group(all_commands(), "", out);
  return out;
}

int run_group(const CommandGroup& group, const Words& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    print_help(group);
    return exit_ok;
  }
  std::vector<std::string_view> names;
  for (const Command& command : group.commands) {
    if (command.name == words[0]) return command.run({words.begin() + 1, words.end()});
    names.emplace_back(command.name);
  }
  const bool option = words[0].rfind('-', 0) == 0;
  if (option) names = {group.options.begin(), group.options.end()};
  user_error("{}: unknown {} {}{}; see {} --help", group.name, option ? "option" : "command",
             quote(words[0]), suggestion(words[0], names), group.name);
}

}  // namespace tactus
