// Options that shape a machine, shared by the commands that run one.
#pragma once

#include <vector>

#include "firmware/cli/args.h"
#include "firmware/driver/machine.h"

namespace tactus {

[[nodiscard]] std::vector<Args::Option> machine_options();

/// Options of the sampler: "samples" names its file, the others shape it.
[[nodiscard]] std::vector<Args::Option> sample_options();
void read_sample_options(const Args& args, MachineConfig& config);

/// Reads them into a configuration whose architecture is already set, and warns about its DAIS
/// blocks.
void read_machine_options(const Args& args, MachineConfig& config);

/// On standard error, a line for each of tcu::dais_block_warnings().
void warn_about_dais_blocks(const tcu::Architecture& architecture);

}  // namespace tactus
