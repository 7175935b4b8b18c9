// tactus completion: scripts with which shells complete words of a command line.
#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "firmware/cli/command_table.h"
#include "firmware/config/config_files.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

using Names = std::vector<std::string>;

/// Splits "step|fast|check[=N]" into three names. Returns nothing for values that are no choice of
/// words.
Names choices(const std::string& value) {
  Names names;
  std::size_t at = 0;
  while (at <= value.size()) {
    const std::size_t end = std::min(value.find('|', at), value.size());
    names.push_back(value.substr(at, std::min(end, value.find('[', at)) - at));
    at = end + 1;
  }
  const auto is_word = [](const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  };
  if (names.size() < 2 || !std::all_of(names.begin(), names.end(), is_word)) return {};
  return names;
}

/// Names that an option's value can have; files may be possible as well.
Names values_of(const Args::Option& option) {
  if (Names names = choices(option.value); !names.empty()) return names;
  if (option.name == "board" || option.name == "like") return config_names("boards");
  if (option.name == "arch") return config_names("arch", ".tarch");
  if (option.name == "machine") return config_names("dpas");
  if (option.name == "link") return config_names("links");
  if (option.name == "ddr") return config_names("dram");
  return {};
}

/// Names that a command's words can have, besides options.
Names words_of(const ListedCommand& command) {
  if (command.name == "zoo") {
    Names names;
    for (const nn::ZooEntry& entry : nn::zoo()) names.emplace_back(entry.name);
    return names;
  }
  if (command.name == "info") {
    Names names = config_names("boards");
    for (const Names& more : {config_names("arch", ".tarch"), config_names("dram")}) {
      names.insert(names.end(), more.begin(), more.end());
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
  if (command.name == "completion") return {"bash", "zsh", "fish"};
  return {};
}

/// Quotes a text with the shell's single quotes.
std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Returns the first sentence, on one line.
std::string brief(const std::string& text) {
  std::string line = text.substr(0, std::min(text.find(". "), text.find(" (default")));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

Names option_words(const ListedCommand& command) {
  Names words;
  for (const Args::Option& option : command.options) {
    words.push_back("--" + option.name);
    if (option.letter != 0) words.push_back(std::string("-") + option.letter);
  }
  words.emplace_back("--help");
  return words;
}

/// Groups of commands: "dais" -> info, run, ...
std::vector<std::pair<std::string, Names>> groups() {
  std::vector<std::pair<std::string, Names>> out;
  for (const Command& command : all_commands().commands) {
    if (command.group == nullptr) continue;
    Names names;
    for (const Command& one : command.group().commands) names.emplace_back(one.name);
    out.emplace_back(command.name, std::move(names));
  }
  return out;
}

Names top_words() {
  Names names;
  for (const Command& command : all_commands().commands) names.emplace_back(command.name);
  names.emplace_back("help");
  return names;
}

std::string group_pattern() {
  std::string text;
  for (const auto& [name, names] : groups()) text += (text.empty() ? "" : "|") + name;
  return text;
}

/// The forms of an option, such as "-o" and "--output", each after the text `before`.
Names spellings(const Args::Option& option, const std::string& before) {
  Names names = {before + "--" + option.name};
  if (option.letter != 0) names.push_back(before + "-" + option.letter);
  return names;
}

std::string bash(const std::vector<ListedCommand>& commands) {
  std::string out =
      "# Completions of tactus for bash, printed by \"tactus completion bash\".\n"
      "_tactus() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -gt 1 ]; then command=${COMP_WORDS[1]}; fi\n";
  out += fmt::format(
      "  case \"$command\" in {}) [ \"$COMP_CWORD\" -le 2 ] || command+=\" ${{COMP_WORDS[2]}}\" ;; "
      "esac\n",
      group_pattern());
  out += "  case \"$command $prev\" in\n";
  for (const ListedCommand& command : commands) {
    for (const Args::Option& option : command.options) {
      if (option.value.empty()) continue;
      Names patterns;
      for (const std::string& name : spellings(option, command.name + " ")) {
        patterns.push_back(fmt::format("\"{}\"", name));
      }
      const Names values = values_of(option);
      out += fmt::format("    {}) COMPREPLY=($(compgen {}-W \"{}\" -- \"$cur\")); return ;;\n",
                         fmt::join(patterns, "|"), choices(option.value).empty() ? "-f " : "",
                         fmt::join(values, " "));
    }
  }
  out += "  esac\n  case \"$command\" in\n";
  out += fmt::format("    \"\") COMPREPLY=($(compgen -W \"{} --version --help\" -- \"$cur\")) ;;\n",
                     fmt::join(top_words(), " "));
  for (const auto& [group, names] : groups()) {
    out += fmt::format("    {}) COMPREPLY=($(compgen -W \"{} --help\" -- \"$cur\")) ;;\n", group,
                       fmt::join(names, " "));
  }
  for (const ListedCommand& command : commands) {
    Names words = words_of(command);
    for (std::string& word : option_words(command)) words.push_back(std::move(word));
    out +=
        fmt::format("    \"{}\") COMPREPLY=($(compgen {}-W \"{}\" -- \"$cur\")) ;;\n", command.name,
                    command.positional.empty() ? "" : "-f ", fmt::join(words, " "));
  }
  return out + "  esac\n}\ncomplete -o filenames -F _tactus tactus\n";
}

/// An option in the notation of zsh's _arguments.
std::string zsh_option(const Args::Option& option, const std::string& name) {
  std::string help = brief(option.help);
  for (const char c : {'[', ']', ':'}) std::replace(help.begin(), help.end(), c, ' ');
  std::string text = fmt::format("{}{}[{}]", option.repeatable ? "*" : "", name, help);
  if (option.value.empty()) return single_quoted(text);
  std::string value = option.value;
  for (const char c : {':', '(', ')'}) std::replace(value.begin(), value.end(), c, ' ');
  const Names values = values_of(option);
  text += ":" + value + ":";
  text += values.empty() ? "_files" : fmt::format("({})", fmt::join(values, " "));
  return single_quoted(text);
}

std::string zsh_commands(const CommandGroup& group) {
  std::string out;
  for (const Command& command : group.commands) {
    out += " " + single_quoted(fmt::format("{}:{}", command.name, command.help));
  }
  return out;
}

std::string zsh(const std::vector<ListedCommand>& commands) {
  std::string out =
      "#compdef tactus\n"
      "# Completions of tactus for zsh, printed by \"tactus completion zsh\".\n"
      "_tactus() {\n"
      "  local -a commands\n"
      "  local command=$words[2]\n";
  out += fmt::format(
      "  if (( CURRENT == 2 )); then commands=({}); _describe command commands; return; fi\n",
      zsh_commands(all_commands()).substr(1));
  out += "  case $command in\n";
  for (const Command& command : all_commands().commands) {
    if (command.group == nullptr) continue;
    out += fmt::format(
        "    {}) if (( CURRENT == 3 )); then commands=({}); _describe command commands; return; "
        "fi; command+=\" $words[3]\"; shift words; (( CURRENT-- )) ;;\n",
        command.name, zsh_commands(command.group()).substr(1));
  }
  out += "  esac\n  shift words; (( CURRENT-- ))\n  case $command in\n";
  for (const ListedCommand& command : commands) {
    out += fmt::format("    {}) _arguments", single_quoted(command.name));
    for (const Args::Option& option : command.options) {
      for (const std::string& name : spellings(option, "")) {
        out += " \\\n      " + zsh_option(option, name);
      }
    }
    const Names words = words_of(command);
    out += " '--help[print the options]'";
    if (!words.empty()) {
      out += fmt::format(" '*:word:({})'", fmt::join(words, " "));
    } else if (!command.positional.empty()) {
      out += " '*:file:_files'";
    }
    out += " ;;\n";
  }
  return out + "  esac\n}\n_tactus \"$@\"\n";
}

std::string fish(const std::vector<ListedCommand>& commands) {
  std::string out =
      "# Completions of tactus for fish, printed by \"tactus completion fish\".\n"
      "complete -c tactus -f -n __fish_use_subcommand -l version -d 'print the version'\n";
  const auto add_group = [&out](const CommandGroup& group, const std::string& when) {
    for (const Command& command : group.commands) {
      out += fmt::format("complete -c tactus -f -n {} -a {} -d {}\n", single_quoted(when),
                         command.name, single_quoted(std::string(command.help)));
    }
  };
  add_group(all_commands(), "__fish_use_subcommand");
  for (const Command& command : all_commands().commands) {
    if (command.group == nullptr) continue;
    Names names;
    for (const Command& one : command.group().commands) names.emplace_back(one.name);
    add_group(command.group(),
              fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}",
                          command.name, fmt::join(names, " ")));
  }
  for (const ListedCommand& command : commands) {
    const std::size_t blank = command.name.find(' ');
    const std::string when =
        blank == std::string::npos
            ? "__fish_seen_subcommand_from " + command.name
            : fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                          command.name.substr(0, blank), command.name.substr(blank + 1));
    for (const Args::Option& option : command.options) {
      const Names values = values_of(option);
      out += fmt::format(
          "complete -c tactus -n {} -l {}{}{}{} -d {}\n", single_quoted(when), option.name,
          option.letter != 0 ? fmt::format(" -s {}", option.letter) : "",
          option.value.empty() ? "" : " -r",
          values.empty()
              ? ""
              : fmt::format(" -a {}", single_quoted(fmt::format("{}", fmt::join(values, " ")))),
          single_quoted(brief(option.help)));
    }
    const Names words = words_of(command);
    if (words.empty()) continue;
    out += fmt::format("complete -c tactus -n {} -a {}\n", single_quoted(when),
                       single_quoted(fmt::format("{}", fmt::join(words, " "))));
  }
  return out;
}

}  // namespace

int completion_command(const Words& words) {
  Args args("completion",
            "Prints the completions of a shell for commands, options and values:\n"
            "  bash: source <(tactus completion bash)\n"
            "  zsh:  tactus completion zsh > \"${fpath[1]}/_tactus\"\n"
            "  fish: tactus completion fish > ~/.config/fish/completions/tactus.fish",
            {}, "bash|zsh|fish");
  if (!args.parse(words)) return exit_ok;
  const std::string shell = args.positional().empty() ? "" : args.positional().front();
  if (args.positional().size() != 1 || (shell != "bash" && shell != "zsh" && shell != "fish")) {
    user_error("tactus completion: name one shell; allowed \"bash\", \"zsh\", \"fish\"");
  }
  const std::vector<ListedCommand> commands = list_commands();
  fmt::print("{}", shell == "bash"  ? bash(commands)
                   : shell == "zsh" ? zsh(commands)
                                    : fish(commands));
  return exit_ok;
}

}  // namespace tactus
