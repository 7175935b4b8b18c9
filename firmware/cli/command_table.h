// The commands of tactus, and groups of commands with a common name, such as tactus dais info and
// tactus dais run.
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
  /// Returns the group, for an entry that is a group of commands; else null.
  const CommandGroup& (*group)() = nullptr;
  /// An option and its value with which the command has other options; empty if there is none.
  std::vector<std::string> variant = {};
};

struct CommandGroup {
  std::string_view name;          ///< "tactus", "tactus dais"
  std::string_view usage;         ///< one line, without "Usage: "
  std::string_view introduction;  ///< what the commands are about
  std::vector<Command> commands;
  std::string_view conclusion = {};
  /// A heading in the help, above the command `first`.
  struct Section {
    std::string_view heading, first;
  };
  std::vector<Section> sections = {};
  std::vector<std::string_view> examples = {};
  /// Options allowed in place of a command.
  std::vector<std::string_view> options = {"--help", "-h"};
};

/// All commands of tactus.
[[nodiscard]] const CommandGroup& all_commands();
[[nodiscard]] const CommandGroup& dais_commands();
[[nodiscard]] const CommandGroup& darwinn_commands();
[[nodiscard]] const CommandGroup& new_commands();
[[nodiscard]] const CommandGroup& stripe_commands();

/// Prints the commands of the group.
void print_help(const CommandGroup& group);

/// Runs the command named by the first word, with the words after it. Prints the help if there is
/// no word or if help is requested. Throws UserError for an unknown command.
int run_group(const CommandGroup& group, const Words& words);

/// A command as completions and the manual page show it.
struct ListedCommand {
  std::string name;  ///< "run", "dais run"
  std::string help;
  std::string summary, positional;
  /// Including those of its variant, without duplicates and hidden ones.
  std::vector<Args::Option> options;
};

/// All commands except groups, in the order of the tables, with their options.
[[nodiscard]] std::vector<ListedCommand> list_commands();

}  // namespace tactus
