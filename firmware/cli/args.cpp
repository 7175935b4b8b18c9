#include "firmware/cli/args.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>
#include <boost/program_options.hpp>

#include "firmware/cli/command_table.h"
#include "firmware/cli/verbosity.h"
#include "isa/support/error.h"
#include "isa/support/nearest_name.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace po = boost::program_options;

namespace tactus {
namespace {

constexpr std::size_t help_width = 100;

/// Breaks a text at blanks into lines of at most `width` characters.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (text.size() - at > width) {
    std::size_t blank = text.rfind(' ', at + width);
    if (blank == std::string::npos || blank <= at)
      blank = std::min(text.find(' ', at), text.size());
    lines.push_back(text.substr(at, blank - at));
    at = std::min(blank + 1, text.size());
  }
  lines.push_back(text.substr(at));
  return lines;
}

ArgsListener* listener = nullptr;

constexpr const char* common_group = "Every command";

/// Options that every command has, unless the command defines an option of the same name.
std::vector<Args::Option> common_options() {
  return {{"quiet", "", "print errors and warnings only; given twice: errors only", true, 'q',
           common_group},
          {"verbose", "", "print every file that is read or written, time and memory", false, 'v',
           common_group}};
}

/// Applies the common options, except those that the command defines itself.
void take_common_options(const Args& args, const std::vector<Args::Option>& options) {
  const auto given = [&](const char* name) {
    return args.has(name) &&
           std::any_of(options.begin(), options.end(), [&](const Args::Option& option) {
             return option.name == name && option.group == common_group;
           });
  };
  if (given("quiet") && given("verbose")) {
    user_error("tactus {}: give --quiet or --verbose, not both", args.command());
  }
  if (given("quiet")) {
    for (std::size_t i = 0; i < args.texts("quiet").size(); ++i) be_quiet();
  }
  if (given("verbose")) set_verbosity(Verbosity::verbose);
}

/// "; tactus compile has --optimise": commands that have an option of this name, or of a similar
/// one if none has this name. Empty if there are none.
std::string elsewhere(const std::string& name) {
  constexpr std::size_t most = 3;   // commands that are named
  constexpr std::size_t least = 8;  // shorter names are near to many that mean something else
  for (const bool exact : {true, false}) {
    if (!exact && name.size() < least) break;
    std::string text;
    std::size_t found = 0;
    for (const ListedCommand& command : list_commands()) {
      for (const Args::Option& option : command.options) {
        const std::string known = "--" + option.name;
        const bool same = exact ? known == name : !suggestion(name, {known}).empty();
        if (!same || found++ >= most) continue;
        text += fmt::format("; tactus {} has {}", command.name, known);
      }
    }
    if (found > 0) return text;
  }
  return {};
}

}  // namespace

ArgsListener::ArgsListener() { listener = this; }
ArgsListener::~ArgsListener() { listener = nullptr; }

bool ArgsListener::describe(const Args& args) {
  if (listener == nullptr) return false;
  listener->heard.push_back({args.command_, args.summary_, args.positional_name_, args.options_});
  return true;
}

Args::Args(std::string command, std::string summary, std::vector<Option> options,
           std::string positional)
    : command_(std::move(command)),
      summary_(std::move(summary)),
      options_(std::move(options)),
      positional_name_(std::move(positional)) {
  for (const Option& common : common_options()) {
    const auto same = [&](const Option& option) { return option.name == common.name; };
    if (std::none_of(options_.begin(), options_.end(), same)) options_.push_back(common);
  }
  for (Option& option : options_) {
    if (option.name == "output") option.letter = 'o';  // every command has -o for --output
  }
}

bool Args::parse(const std::vector<std::string>& words) {
  if (ArgsListener::describe(*this)) return false;
  po::options_description description;
  description.add_options()("help,h", "");
  std::vector<std::string> names{"--help"};
  for (const Option& option : options_) {
    if (!option.hidden) names.push_back("--" + option.name);
    const std::string name =
        option.letter == 0 ? option.name : fmt::format("{},{}", option.name, option.letter);
    if (option.value.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::vector<std::string>>(), "");
    }
  }
  po::positional_options_description positional;
  positional.add(" words", -1);  // no option can have this name
  description.add_options()(" words", po::value<std::vector<std::string>>(), "");
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    const auto parsed = po::command_line_parser(words)
                            .options(description)
                            .positional(positional)
                            .style(style)
                            .run();
    for (const auto& option : parsed.options) {
      if (option.string_key == " words") {
        positional_values_.insert(positional_values_.end(), option.value.begin(),
                                  option.value.end());
      } else {
        values_.push_back({option.string_key, option.value.empty() ? "" : option.value.front()});
      }
    }
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    if (why_unknown_) {
      const std::string option = name.substr(0, name.find('='));
      const std::string why = why_unknown_(option.substr(option.find_first_not_of('-')));
      if (!why.empty()) user_error("tactus {}: {} {}", command_, option, why);
    }
    std::string hint = nearest_name(name, {names.begin(), names.end()});
    if (hint.empty()) hint = elsewhere(name);
    user_error("tactus {}: unknown option {}{}; see tactus {} --help", command_, quote(name), hint,
               command_);
  } catch (const po::error& error) {
    user_error("tactus {}: {}", command_, error.what());
  }
  if (has("help")) {
    print_help();
    return false;
  }
  take_common_options(*this, options_);
  if (positional_name_.empty() && !positional_values_.empty()) {
    user_error("tactus {}: unexpected word {}; see tactus {} --help", command_,
               quote(positional_values_.front()), command_);
  }
  for (const Option& option : options_) {
    if (!option.repeatable && texts(option.name).size() > 1) {
      user_error("tactus {}: --{} is given {} times; once is allowed", command_, option.name,
                 texts(option.name).size());
    }
  }
  return true;
}

void Args::print_help() const {
  fmt::print("Usage: tactus {}{}{}\n\n{}\n", command_, options_.empty() ? "" : " [options]",
             positional_name_.empty() ? "" : " " + positional_name_, summary_);
  std::vector<std::string> groups;
  for (const Option& option : options_) {
    const bool known = std::find(groups.begin(), groups.end(), option.group) != groups.end();
    if (!option.hidden && !known) groups.push_back(option.group);
  }
  for (const std::string& group : groups) print_group(group);
}

void Args::print_group(const std::string& group) const {
  constexpr std::size_t column = 28;  // column in which explanations begin
  fmt::print("\n{}:\n", group.empty() ? "Options" : group);
  for (const Option& option : options_) {
    if (option.hidden || option.group != group) continue;
    const std::string left = (option.letter == 0 ? "" : fmt::format("-{}, ", option.letter)) +
                             "--" + option.name + (option.value.empty() ? "" : " " + option.value);
    const std::string help = option.help + (option.repeatable ? " (repeatable)" : "");
    const std::vector<std::string> lines = wrap(help, help_width - column);
    const bool beside = left.size() + 4 <= column;
    fmt::print("  {:<{}}{}\n", left, column - 2, beside ? lines.front() : "");
    for (std::size_t i = beside ? 1 : 0; i < lines.size(); ++i) {
      fmt::print("{:{}}{}\n", "", column, lines[i]);
    }
  }
}

bool Args::has(const std::string& name) const { return !texts(name).empty(); }

std::string Args::required(const std::string& name, std::string_view value) const {
  if (auto given = text(name)) return std::move(*given);
  user_error("tactus {}: --{} {} is missing", command_, name, value);
}

void Args::refuse(const std::vector<std::string>& names, std::string_view why) const {
  for (const std::string& name : names) {
    if (has(name)) user_error("tactus {}: --{} {}", command_, name, why);
  }
}

void Args::refuse_all(const std::vector<Option>& options, std::string_view why) const {
  for (const Option& option : options) refuse({option.name}, why);
}

std::vector<std::string> Args::texts(const std::string& name) const {
  std::vector<std::string> result;
  for (const Value& value : values_) {
    if (value.name == name) result.push_back(value.value);
  }
  return result;
}

std::optional<std::string> Args::text(const std::string& name) const {
  const std::vector<std::string> all = texts(name);
  if (all.empty()) return std::nullopt;
  return all.front();
}

std::uint64_t Args::number(const std::string& name, std::uint64_t fallback, std::uint64_t min,
                           std::uint64_t max) const {
  const auto given = text(name);
  if (!given) return fallback;
  const auto value = read_number<std::uint64_t>(*given);
  if (!value || *value < min || *value > max) {
    user_error("tactus {}: --{} {} is not allowed; allowed: a whole number {}", command_, name,
               quote(*given), range_text(min, max));
  }
  return *value;
}

double Args::real(const std::string& name, double fallback, double above, double max) const {
  const auto given = text(name);
  if (!given) return fallback;
  const auto value = read_number<double>(*given);
  if (!value || !std::isfinite(*value) || *value <= above || *value > max) {
    user_error("tactus {}: --{} {} is not allowed; allowed: a number above {} and up to {}",
               command_, name, quote(*given), above, max);
  }
  return *value;
}

std::string only_file(const Args& args) {
  if (args.positional().size() == 1) return args.positional().front();
  user_error("tactus {}: name exactly one file", args.command());
}

}  // namespace tactus
