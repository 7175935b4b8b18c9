// Architectures by name, as boards are.
#pragma once

#include <string>

#include "isa/tcu/architecture.h"

namespace tactus {

/// The path of an existing file stays, whatever its name; else config_path() of configs/arch.
/// Throws UserError.
[[nodiscard]] std::string architecture_path(const std::string& name);

/// `name`: of a file in configs/arch, or a path. `defaults`: the keys that the file leaves out, see
/// isa/tcu/architecture_json.h.
[[nodiscard]] tcu::Architecture read_named_architecture(const std::string& name,
                                                        std::string* defaults = nullptr);

}  // namespace tactus
