// The one table of all figures in a machine's statistics files: name, unit, one sentence.
//
// Names are JSON paths with dots, without array indices. A segment in capitals stands for one of a
// list of names: KIND, PORT, REASON, WAIT. "x.*" explains whatever lies below x. The table is made
// of what every machine has and of the machine's own tables; it drives `tactus explain`, the
// `figures` object of a statistics file and `tactus explain --markdown`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

/// A figure, or a column of a CSV file.
struct Figure {
  std::string name;
  std::string unit;
  std::string meaning;
  std::string_view needs = {};  ///< unit without which a machine does not have the figure
};

class FigureTable {
 public:
  explicit FigureTable(const MachineInfo& machine);
  /// The figures of another file than the statistics; `machine` tells what KIND, PORT, REASON and
  /// WAIT stand for.
  FigureTable(const MachineInfo& machine, std::vector<Figure> figures)
      : machine_(machine), figures_(std::move(figures)) {}

  [[nodiscard]] const std::vector<Figure>& all() const { return figures_; }
  /// The figure that explains a full name, e.g. "accounting.units.decoder.busy"; null if none does.
  [[nodiscard]] const Figure* find(std::string_view name) const;
  /// Figures a user may mean: the full name, or its last segments. Throws UserError with a
  /// suggestion if there is none.
  [[nodiscard]] std::vector<const Figure*> explain(std::string_view name) const;
  /// The same; empty if there is none.
  [[nodiscard]] std::vector<const Figure*> matches(std::string_view name) const;
  /// The table as Markdown; unit states last.
  [[nodiscard]] std::string markdown() const;

 private:
  [[nodiscard]] bool ends_with(const Figure& figure,
                               const std::vector<std::string_view>& wanted) const;
  [[nodiscard]] bool stands_for(std::string_view placeholder, std::string_view segment) const;

  const MachineInfo& machine_;
  std::vector<Figure> figures_;
};

}  // namespace tactus
