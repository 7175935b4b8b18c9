// Path of the program that this process belongs to. The folder of configurations and the build
// folder for compiled networks are found relative to it, and sweeps start it again for each job.
#pragma once

#include <string>

namespace tactus {

/// Path of the running program as the system reports it, or the path that set_program_path() has
/// set. May be a symbolic link.
[[nodiscard]] const std::string& program_path();

/// For processes that load Tactus as a library, such as an interpreter: sets the path of the
/// installed program. Call it before all other functions.
void set_program_path(std::string path);

}  // namespace tactus
