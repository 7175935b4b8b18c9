// tactus run --machine NAME for machines with a DPAS array.
#pragma once

#include <optional>
#include <string>

#include "firmware/cli/commands.h"

namespace tactus {

/// The value of --machine, unless it is missing or "tcu".
[[nodiscard]] std::optional<std::string> other_machine(const Words& words);

/// Runs the command. `words` are all words of `tactus run`, including --machine.
int dpas_run_command(const Words& words, const std::string& machine);

}  // namespace tactus
