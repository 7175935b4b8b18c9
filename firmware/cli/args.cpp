#include "firmware/cli/args.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <boost/program_options.hpp>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace po = boost::program_options;

namespace tactus {

Args::Args(std::string command, std::string summary, std::vector<Option> options,
           std::string positional)
    : command_(std::move(command)),
      summary_(std::move(summary)),
      options_(std::move(options)),
      positional_name_(std::move(positional)) {}

bool Args::parse(const std::vector<std::string>& words) {
  po::options_description description;
  description.add_options()("help", "");
  std::vector<std::string_view> names{"help"};
  for (const Option& option : options_) {
    names.push_back(option.name);
    const std::string name =
        option.letter == 0 ? option.name : fmt::format("{},{}", option.name, option.letter);
    if (option.value.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::vector<std::string>>(), "");
    }
  }
  po::positional_options_description positional;
  positional.add(" words", -1);  // a name no option can have
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
    std::string name = error.get_option_name();
    const std::string bare = name.substr(name.find_first_not_of('-'));
    user_error("tactus {}: unknown option {}{}", command_, quote(name), suggestion(bare, names));
  } catch (const po::error& error) {
    user_error("tactus {}: {}", command_, error.what());
  }
  if (has("help")) {
    print_help();
    return false;
  }
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
  fmt::print("Usage: tactus {}{}{}\n\n{}\n\n", command_, options_.empty() ? "" : " [options]",
             positional_name_.empty() ? "" : " " + positional_name_, summary_);
  if (!options_.empty()) fmt::print("Options:\n");
  for (const Option& option : options_) {
    const std::string left = (option.letter == 0 ? "" : fmt::format("-{}, ", option.letter)) +
                             "--" + option.name + (option.value.empty() ? "" : " " + option.value);
    fmt::print("  {:<26} {}{}\n", left, option.help, option.repeatable ? " (repeatable)" : "");
  }
}

bool Args::has(const std::string& name) const { return !texts(name).empty(); }

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
  std::uint64_t value = 0;
  const char* end = given->data() + given->size();
  const auto result = std::from_chars(given->data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value < min || value > max) {
    user_error("tactus {}: --{} {} is not allowed; allowed: a whole number {}..{}", command_, name,
               quote(*given), min, max);
  }
  return value;
}

double Args::real(const std::string& name, double fallback, double above, double max) const {
  const auto given = text(name);
  if (!given) return fallback;
  double value = 0;
  const char* end = given->data() + given->size();
  const auto result = std::from_chars(given->data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(value) || value <= above ||
      value > max) {
    user_error("tactus {}: --{} {} is not allowed; allowed: a number above {} and up to {}",
               command_, name, quote(*given), above, max);
  }
  return value;
}

}  // namespace tactus
