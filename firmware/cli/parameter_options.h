// Command-line options that follow from tables of parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/driver/tcu/run_request.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Options for the parameters of a section, under a heading, with ranges and defaults.
[[nodiscard]] std::vector<Args::Option> parameter_options(const ParameterSection& section,
                                                          const std::string& group);

/// The value of the parameter's option, if given. Throws UserError with option and range.
[[nodiscard]] std::optional<ParameterValue> option_value(const ParameterInfo& parameter,
                                                         const Args& args);

/// Sets the members whose options are given; all others stay unchanged.
template <typename T>
void read_options(const ParameterTable<T>& table, const Args& args, T& object) {
  for (const Parameter<T>& parameter : table) {
    if (const auto value = option_value(parameter, args)) parameter.set(object, *value);
  }
}

/// Makes a command give the reason when it refuses an option that runs of other commands have.
void explain_request_options(Args& args, Asker asker);

}  // namespace tactus
