// Columns of CSV files that commands write themselves, for tactus explain.
#pragma once

#include <vector>

#include "firmware/report/figures.h"

namespace tactus {

[[nodiscard]] std::vector<Figure> bench_columns();
/// Of `dram --output`: when each request was answered.
[[nodiscard]] std::vector<Figure> dram_answer_columns();
/// Of `dram --commands`.
[[nodiscard]] std::vector<Figure> dram_command_columns();

}  // namespace tactus
