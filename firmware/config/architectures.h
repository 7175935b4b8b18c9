// Finds architectures by name.
#pragma once

#include <string>

#include "isa/tcu/architecture.h"

namespace tactus {

/// Path of an architecture: an existing file of this name, else the file in configs/arch. Throws
/// UserError if there is neither.
[[nodiscard]] std::string architecture_path(const std::string& name);

/// Reads an architecture by the name of a file in configs/arch, or by path. `defaults`, if given,
/// receives the keys that the file leaves out, see isa/tcu/architecture_json.h. Throws UserError.
[[nodiscard]] tcu::Architecture read_named_architecture(const std::string& name,
                                                        std::string* defaults = nullptr);

}  // namespace tactus
