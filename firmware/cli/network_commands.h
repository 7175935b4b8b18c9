// The commands that list networks and run tables of layers, as those of commands.h.
#pragma once

#include "firmware/cli/commands.h"

namespace tactus {

int networks_command(const Words& words);
int topologies_command(const Words& words);

}  // namespace tactus
