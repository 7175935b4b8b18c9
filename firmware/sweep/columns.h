// The columns of a sweep's results.csv, which are also the keys of its lines.
#pragma once

#include <vector>

#include "firmware/report/figures.h"

namespace tactus::sweep {

[[nodiscard]] std::vector<Figure> result_columns();

}  // namespace tactus::sweep
