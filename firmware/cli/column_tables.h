// Columns of CSV files that commands write themselves, for tactus explain.
#pragma once

#include <vector>

#include "firmware/report/figures.h"

namespace tactus {

[[nodiscard]] std::vector<Figure> bench_columns();
/// Columns of `dram --output`: when each request was answered.
[[nodiscard]] std::vector<Figure> dram_answer_columns();
/// Columns of `dram --commands`.
[[nodiscard]] std::vector<Figure> dram_command_columns();

}  // namespace tactus
