#include "firmware/cli/parameter_options.h"

#include <fmt/format.h>

#include "isa/support/error.h"

namespace tactus {
namespace {

std::string value_name(const ParameterInfo& parameter) {
  if (!parameter.value_name.empty()) return parameter.value_name;
  switch (parameter.type) {
    case ParameterType::whole:
      return parameter.unit == "cycles" ? "CYCLES" : parameter.unit == "cycle" ? "CYCLE" : "N";
    case ParameterType::real:
      return "F";
    case ParameterType::choice:
      return fmt::format("{}", fmt::join(parameter.choices, "|"));
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
  if (parameter.option.empty()) return std::nullopt;
  const auto text = args.text(parameter.option);
  if (!text) return std::nullopt;
  if (parameter.type == ParameterType::boolean) return true;
  return parse_parameter(parameter,
                         fmt::format("tactus {}: --{}", args.command(), parameter.option), *text);
}

void check_needs(const ParameterSection& section, const Args& args, const std::string& option,
                 const std::string& value) {
  if (args.has(option)) return;
  for (const ParameterInfo& parameter : section.parameters) {
    if (parameter.option.empty() || !args.has(parameter.option)) continue;
    user_error("tactus {}: --{} needs --{} {}", args.command(), parameter.option, option, value);
  }
}

}  // namespace tactus
