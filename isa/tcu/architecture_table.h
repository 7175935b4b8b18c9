// The table of an architecture's parameters.
#pragma once

#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Parameters in the order of the reference's architecture files, which is also the order of
/// writing.
[[nodiscard]] const ParameterTable<Architecture>& architecture_parameters();

}  // namespace tactus::tcu
