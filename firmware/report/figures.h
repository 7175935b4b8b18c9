// The table of all figures in the statistics files of a machine: name, unit, one sentence.
//
// Names are JSON paths with dots, without array indices. A segment in capitals stands for one of a
// list of names: KIND, PORT, REASON, WAIT. "x.*" covers everything below x. The table consists of
// the figures that every machine has and of the machine's own tables. `tactus explain` and the
// `figures` object of a statistics file use it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

/// The description of a figure, or of a column of a CSV file.
struct Figure {
  std::string name;
  std::string unit;
  std::string meaning;
  /// Hardware unit that the figure belongs to; a machine without it lacks the figure.
  std::string_view needs = {};
};

class FigureTable {
 public:
  explicit FigureTable(const MachineInfo& machine);
  /// A table for a kind of file other than statistics. `machine` gives the names that KIND, PORT,
  /// REASON and WAIT stand for.
  FigureTable(const MachineInfo& machine, std::vector<Figure> figures)
      : machine_(machine), figures_(std::move(figures)) {}

  [[nodiscard]] const std::vector<Figure>& all() const { return figures_; }
  /// Finds the figure for a full name, e.g. "accounting.units.decoder.busy"; null if there is none.
  [[nodiscard]] const Figure* find(std::string_view name) const;
  /// Finds figures by their full names or by the last segments of their names. Throws UserError
  /// with a suggestion if there is none.
  [[nodiscard]] std::vector<const Figure*> explain(std::string_view name) const;
  /// Finds figures as explain() does; empty if there is none.
  [[nodiscard]] std::vector<const Figure*> matches(std::string_view name) const;
  /// The table as Markdown, with the states of the units at the end.
  [[nodiscard]] std::string markdown() const;

 private:
  [[nodiscard]] bool ends_with(const Figure& figure,
                               const std::vector<std::string_view>& wanted) const;
  [[nodiscard]] bool stands_for(std::string_view placeholder, std::string_view segment) const;

  const MachineInfo& machine_;
  std::vector<Figure> figures_;
};

}  // namespace tactus
