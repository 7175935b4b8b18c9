// Options that shape a machine, shared by the commands that run one.
#pragma once

#include <vector>

#include "firmware/cli/args.h"
#include "firmware/driver/machine.h"

namespace tactus {

[[nodiscard]] std::vector<Args::Option> machine_options();

/// Reads them into a configuration whose architecture is already set.
void read_machine_options(const Args& args, MachineConfig& config);

}  // namespace tactus
