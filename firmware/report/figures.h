// The one table of all figures in a statistics file: name, unit, one sentence.
//
// Names are JSON paths with dots, without array indices. A segment in capitals stands for one of a
// list of names: KIND, PORT, REASON, WAIT. "x.*" explains whatever lies below x. The table drives
// `tactus explain`, the `figures` object of a statistics file and `tactus explain --markdown`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

struct Figure {
  std::string name;
  std::string unit;
  std::string meaning;
};

[[nodiscard]] const std::vector<Figure>& figures();

/// The figure that explains a full name, e.g. "accounting.units.decoder.busy"; null if none does.
[[nodiscard]] const Figure* find_figure(std::string_view name);

/// Figures a user may mean: the full name, or its last segments. Throws UserError with a suggestion
/// if there is none.
[[nodiscard]] std::vector<const Figure*> explain(std::string_view name);

/// Whether only machines with DAIS blocks have the figure: one of its segments is `dais` or
/// `wait_dais`.
[[nodiscard]] bool is_dais_figure(std::string_view name);

/// The table as Markdown; unit states last.
[[nodiscard]] std::string figures_markdown();

/// The units of a machine in the order of reports, and what they are.
struct UnitInfo {
  std::string_view name;   ///< of the account
  std::string_view title;  ///< on a screen
};
[[nodiscard]] const std::vector<UnitInfo>& unit_infos();
[[nodiscard]] std::string_view unit_title(std::string_view unit);

}  // namespace tactus
