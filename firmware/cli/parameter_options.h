// Command-line options that follow from tables of parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "isa/support/parameter.h"

namespace tactus {

/// The options of a section under a heading, with ranges and defaults.
[[nodiscard]] std::vector<Args::Option> parameter_options(const ParameterSection& section,
                                                          const std::string& group);

/// The value of the parameter's option, if it is given. Throws UserError with option and range.
[[nodiscard]] std::optional<ParameterValue> option_value(const ParameterInfo& parameter,
                                                         const Args& args);

/// Sets what options say; the rest stays as it is.
template <typename T>
void read_options(const ParameterTable<T>& table, const Args& args, T& object) {
  for (const Parameter<T>& parameter : table) {
    if (const auto value = option_value(parameter, args)) parameter.set(object, *value);
  }
}

/// Throws UserError if any option of the section is given without the one it belongs to:
/// "--sample-block needs --samples F.tsample".
void check_needs(const ParameterSection& section, const Args& args, const std::string& option,
                 const std::string& value);

}  // namespace tactus
