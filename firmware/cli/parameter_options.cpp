#include "firmware/cli/parameter_options.h"

#include <algorithm>

#include <fmt/format.h>

namespace tactus {
namespace {

std::string value_name(const ParameterInfo& parameter) {
  if (!parameter.value_name.empty()) return parameter.value_name;
  switch (parameter.type) {
    case ParameterType::whole:
      return parameter.unit == "cycles"  ? "CYCLES"
             : parameter.unit == "cycle" ? "CYCLE"
             : parameter.unit == "MB"    ? "MB"
                                         : "N";
    case ParameterType::real:
      return "F";
    case ParameterType::choice: {
      std::string names;
      for (const std::string_view name : parameter.choices) {
        names += fmt::format("{}{}{}", names.empty() ? "" : "|", name,
                             name == parameter.numbered ? "[=N]" : "");
      }
      return names;
    }
    case ParameterType::text:
      return "F";
    default:
      return {};  // a switch
  }
}

std::string help(const ParameterInfo& parameter) {
  const bool number =
      parameter.type == ParameterType::whole || parameter.type == ParameterType::real;
  std::string facts = number ? parameter.range() : "";
  const std::string initial = parameter.default_text();
  if (parameter.type != ParameterType::boolean && !initial.empty()) {
    facts += (facts.empty() ? "" : "; ") + ("default " + initial);
  }
  return parameter.sentence + (facts.empty() ? "" : " (" + facts + ")");
}

}  // namespace

std::vector<Args::Option> parameter_options(const ParameterSection& section,
                                            const std::string& group) {
  std::vector<Args::Option> options;
  for (const ParameterInfo& parameter : section.parameters) {
    if (parameter.option.empty() || parameter.type == ParameterType::other) continue;
    Args::Option option{parameter.option, value_name(parameter), help(parameter)};
    option.group = group;
    options.push_back(std::move(option));
  }
  return options;
}

std::optional<ParameterValue> option_value(const ParameterInfo& parameter, const Args& args) {
  const bool is_number = !parameter.number_of_option.empty();
  const std::string& option = is_number ? parameter.number_of_option : parameter.option;
  if (option.empty()) return std::nullopt;
  auto text = args.text(option);
  if (!text) return std::nullopt;
  if (parameter.type == ParameterType::boolean) return true;
  std::string where = fmt::format("tactus {}: --{}", args.command(), option);
  const std::string& choice = is_number ? parameter.number_of_choice : parameter.numbered;
  const bool has_number = !choice.empty() && text->rfind(choice + "=", 0) == 0;
  if (is_number) {
    if (!has_number) return std::nullopt;
    where += fmt::format(" {}=", choice);
    text->erase(0, choice.size() + 1);
  } else if (has_number) {
    *text = choice;
  }
  return parse_parameter(parameter, where, *text);
}

void explain_request_options(Args& args, Asker asker) {
  args.explain_unknown([asker](std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return why_not_for(asker, name);
  });
}

}  // namespace tactus
