// Sections of a sweep's page on energy and on runs of several images, if the points have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/report/html.h"
#include "firmware/sweep/findings.h"

namespace tactus::sweep {

/// Name, source and unit of the energy table; empty for a point without energy.
[[nodiscard]] std::string energy_title(const Measured& point);
/// Total energy by that table; 0 without one.
[[nodiscard]] double energy_total(const Measured& point);
/// Total energy with its unit: "1.234 mJ".
[[nodiscard]] std::string energy_text(const Measured& point);
/// The table that all points share, as energy_title(). Empty if there is none or if tables differ,
/// since their energies cannot be compared.
[[nodiscard]] std::string common_table(const std::vector<Measured>& points);

/// A key that the sweep varies, shown as a column of a table.
struct SweepAxis {
  std::string key;
  std::string title;
  bool text = false;
};
/// Adds the columns of the axes; add_cells() adds a point's values for them.
void add_columns(const std::vector<SweepAxis>& axes, std::vector<html::Table::Column>& columns);
void add_cells(const std::vector<SweepAxis>& axes, const Line& line,
               std::vector<std::string>& cells);
/// A point's number, linked to its row in the table of all points.
[[nodiscard]] std::string link_to(std::uint64_t point);

/// Colours points by the values of the first axis with 2 to 6 values.
class Colouring {
 public:
  Colouring(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);
  [[nodiscard]] unsigned of(const Line& line) const;
  /// HTML; empty if no axis has so few values, so that all points have one colour.
  [[nodiscard]] std::string legend() const;

 private:
  SweepAxis axis_;
  std::vector<std::string> values_;
};

/// A unit with a suitable prefix: value in the table's unit * factor = value in `unit`.
struct Scaled {
  double factor = 1;
  std::string unit;
};
/// Unit for values up to `most`: pJ, nJ, uJ, mJ or J for energies; um2 or mm2 for areas; other
/// units unchanged.
[[nodiscard]] Scaled engineering(double most, const std::string& unit);

/// A chart of latency against a cost, with the Pareto front.
[[nodiscard]] std::string front_chart(const std::vector<Measured>& points,
                                      const std::vector<SweepAxis>& axes, const std::string& name,
                                      const std::string& unit, double (*cost)(const Measured&));

/// Titles and HTML of the sections for these points; may be empty.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> measure_sections(
    const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);

}  // namespace tactus::sweep
