// The table of an architecture's parameters.
#pragma once

#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Parameters in the order of the reference's architecture files, which is also the order of
/// writing.
[[nodiscard]] const ParameterTable<Architecture>& architecture_parameters();

/// What an extension, which no RTL has, is called in texts: "DMA queue". The value of its parameter
/// is not set where it is off. Empty: the key is not that of an extension.
[[nodiscard]] std::string_view extension_name(std::string_view key);

}  // namespace tactus::tcu
