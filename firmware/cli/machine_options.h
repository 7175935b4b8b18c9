// Options that shape a machine, shared by the commands that run one.
#pragma once

#include <vector>

#include "firmware/cli/args.h"
#include "firmware/driver/machine.h"

namespace tactus {

[[nodiscard]] std::vector<Args::Option> machine_options();

/// --engine step|fast, also for commands that build no machine.
[[nodiscard]] Args::Option engine_option();
[[nodiscard]] Engine read_engine(const Args& args);

/// Reads them into a configuration whose architecture is already set.
void read_machine_options(const Args& args, MachineConfig& config);

}  // namespace tactus
