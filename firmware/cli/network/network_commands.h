// The commands that list networks and run tables of layers, as those of commands.h.
#pragma once

#include "firmware/cli/commands.h"

namespace tactus {

int networks_command(const Words& words);
int topologies_command(const Words& words);

/// Throws UserError if there is no such file; the name of a network of the zoo is answered with the
/// commands that lead to its run.
void check_exists(const std::string& command, const std::string& path);

}  // namespace tactus
