// Writes the graph of a scaled network.
#pragma once

#include "firmware/compiler/scaling/scaling.h"

namespace tactus::compiler::scaling {

/// The graph of `network` with its tensors scaled as the solution says.
[[nodiscard]] ScaledNetwork rewrite(const Network& network, const Solution& solution,
                                    const Range& range);

}  // namespace tactus::compiler::scaling
