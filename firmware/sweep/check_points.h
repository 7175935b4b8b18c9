// Finds the points of a sweep that cannot be built, without compiling anything.
#pragma once

#include <string>
#include <vector>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

/// Lines of text about points whose machine, memory or files do not fit together. First come the
/// values of axes with which every point fails, then the other points that fail. Empty if all
/// points can be built.
[[nodiscard]] std::string machine_problems(const Definition& definition,
                                           const std::vector<Point>& points,
                                           const Configurations& configurations);

}  // namespace tactus::sweep
