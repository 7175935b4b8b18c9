// Which program this process belongs to: the folder of configurations is found from where it lies,
// jobs are further invocations of it, and what it compiles is kept under its build.
#pragma once

#include <string>

namespace tactus {

/// The running program's own file, as the system names it, unless another one has been set. May be
/// a symbolic link.
[[nodiscard]] const std::string& program_path();

/// For processes that have loaded Tactus as a library and are no `tactus` themselves, such as an
/// interpreter: the path of the program that was installed with it. Before anything else is called.
void set_program_path(std::string path);

}  // namespace tactus
