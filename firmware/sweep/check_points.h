// What of a sweep cannot be built, found without compiling.
#pragma once

#include <string>
#include <vector>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

/// Lines about the points whose machine, memory or files do not go together: the values of axes
/// that have no other points, then the points that fail beside them. Empty: all can be built.
[[nodiscard]] std::string machine_problems(const Definition& definition,
                                           const std::vector<Point>& points,
                                           const Configurations& configurations);

}  // namespace tactus::sweep
