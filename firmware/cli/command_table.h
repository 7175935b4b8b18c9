// The commands of tactus, and groups of commands of one name: tactus dais info, tactus dais run.
//
// One table serves dispatch, help, completions and the manual page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"

namespace tactus {

struct CommandGroup;

struct Command {
  std::string_view name;
  std::string_view help;
  int (*run)(const Words&);
  /// Makes the group, for a command that is one; else null.
  const CommandGroup& (*group)() = nullptr;
  /// An option and its value with which the command takes other options; else nothing.
  std::vector<std::string> variant = {};
};

struct CommandGroup {
  std::string_view name;          ///< "tactus", "tactus dais"
  std::string_view usage;         ///< one line, without "Usage: "
  std::string_view introduction;  ///< what the commands are about
  std::vector<Command> commands;
  std::string_view conclusion = {};
  /// The help has a heading above the command `first`.
  struct Section {
    std::string_view heading, first;
  };
  std::vector<Section> sections = {};
  std::vector<std::string_view> examples = {};
  /// What may stand in place of a command.
  std::vector<std::string_view> options = {"--help", "-h"};
};

/// Everything that tactus can be asked to do.
[[nodiscard]] const CommandGroup& all_commands();
[[nodiscard]] const CommandGroup& dais_commands();
[[nodiscard]] const CommandGroup& darwinn_commands();
[[nodiscard]] const CommandGroup& new_commands();
[[nodiscard]] const CommandGroup& stripe_commands();

/// Prints what there is in the group.
void print_help(const CommandGroup& group);

/// Runs the command that the first word names with the words after it; without one, and at a
/// request for help, prints the help. Throws UserError for a command that is unknown.
int run_group(const CommandGroup& group, const Words& words);

/// A command as completions and the manual page show it.
struct ListedCommand {
  std::string name;  ///< "run", "dais run"
  std::string help;
  std::string summary, positional;
  std::vector<Args::Option> options;  ///< those of its variant included, none twice, none hidden
};

/// All commands that are no groups, in the order of the tables. Asks every command for its options.
[[nodiscard]] std::vector<ListedCommand> list_commands();

}  // namespace tactus
