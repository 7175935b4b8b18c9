// Columns of tables that commands print and of CSV files that they write themselves, for tactus
// explain.
#pragma once

#include <vector>

#include "firmware/report/figures.h"

namespace tactus {

/// Columns of tables that a command prints on the screen.
struct PrintedTable {
  const char* command;
  std::vector<Figure> columns;
};
[[nodiscard]] std::vector<PrintedTable> printed_tables();
/// Words in lines of summaries.
[[nodiscard]] PrintedTable lines_of_run();
[[nodiscard]] PrintedTable lines_of_compile();
[[nodiscard]] PrintedTable columns_of_samples();

[[nodiscard]] std::vector<Figure> bench_columns();
/// Columns of `dram --output`: when each request was answered.
[[nodiscard]] std::vector<Figure> dram_answer_columns();
/// Columns of `dram --commands`.
[[nodiscard]] std::vector<Figure> dram_command_columns();

}  // namespace tactus
