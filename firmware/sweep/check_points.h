// Checks which points of a sweep cannot be built, without compiling them.
#pragma once

#include <string>
#include <vector>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

/// Lines about points whose machine, memory or files do not fit together: first the axis values all
/// of whose points fail, then the remaining points that fail. Empty if all points can be built.
[[nodiscard]] std::string machine_problems(const Definition& definition,
                                           const std::vector<Point>& points,
                                           const Configurations& configurations);

}  // namespace tactus::sweep
