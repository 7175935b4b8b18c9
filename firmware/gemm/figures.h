// The figures of a matrix product on a machine, each described once: the columns of the table on
// the screen, of the CSV file and of the page, the keys of the statistics, and their explanations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firmware/gemm/measurement.h"

namespace tactus::gemm {

/// std::monostate: the machine has no such figure.
using FigureValue = std::variant<std::monostate, std::uint64_t, double, std::string>;

struct GemmFigure {
  std::string_view name;   ///< in JSON and CSV
  std::string_view title;  ///< on a screen
  std::string_view unit;   ///< "percent" for shares, which are 0..1 in files
  std::string_view meaning;
  FigureValue (*value)(const Measurement& measurement);
};

[[nodiscard]] const std::vector<GemmFigure>& gemm_figures();

/// For people: 12345, 87.6 %, 1.234; "-" for none.
[[nodiscard]] std::string to_text(const GemmFigure& figure, const FigureValue& value);

/// Cycles in which the array computes nothing, by reason: title and cycles, the largest first.
struct Lost {
  std::string name, title;
  std::uint64_t cycles = 0;
};
[[nodiscard]] std::vector<Lost> lost_by_reason(const Measurement& measurement);

/// The name of a level or a memory in columns of files: "loads_and_stores".
[[nodiscard]] std::string key(std::string_view title);

}  // namespace tactus::gemm
