// The commands that list networks and run tables of layers; see commands.h for their form.
#pragma once

#include "firmware/cli/commands.h"

namespace tactus {

int networks_command(const Words& words);
int topologies_command(const Words& words);

/// Throws UserError if there is no such file. For the name of a network of the zoo the message has
/// the commands that compile and run it.
void check_exists(const std::string& command, const std::string& path);

}  // namespace tactus
