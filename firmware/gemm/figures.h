// The figures of a matrix product on a machine. Each is described once, for the table on the
// screen, the CSV file, the page, the keys of the statistics, and the explanations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/gemm/measurement.h"

namespace tactus::gemm {

/// A figure's value. std::monostate: the machine does not have the figure.
using FigureValue = std::variant<std::monostate, std::uint64_t, double, std::string>;

struct GemmFigure {
  std::string_view name;   ///< name in JSON and CSV
  std::string_view title;  ///< title on the screen
  std::string_view unit;   ///< "percent" for shares, which are 0..1 in files
  std::string_view meaning;
  FigureValue (*value)(const Measurement& measurement);
};

[[nodiscard]] const std::vector<GemmFigure>& gemm_figures();

/// Text of a value: 12345, 87.6 %, 1.234; "-" for none.
[[nodiscard]] std::string to_text(const GemmFigure& figure, const FigureValue& value);

/// All figures by name; null for one that the machine does not have.
[[nodiscard]] nlohmann::ordered_json figures_json(const Measurement& measurement);

/// Cycles in which the array multiplies nothing for one reason.
struct Lost {
  std::string name, title;
  std::uint64_t cycles = 0;
};
/// Lost cycles of a run by reason, largest first.
[[nodiscard]] std::vector<Lost> lost_by_reason(const Measurement& measurement);

/// Converts the name of a level or memory to a part of column names, such as "loads_and_stores".
[[nodiscard]] std::string key(std::string_view title);

}  // namespace tactus::gemm
