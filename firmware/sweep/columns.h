// The columns of a sweep's results.csv. The lines of results.jsonl have the same keys.
#pragma once

#include <vector>

#include "firmware/report/figures.h"

namespace tactus::sweep {

/// Name, unit and explanation of each column, for all kinds of points.
[[nodiscard]] std::vector<Figure> result_columns();

}  // namespace tactus::sweep
