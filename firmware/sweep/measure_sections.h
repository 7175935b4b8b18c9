// What a page of a sweep has of energies, and of many images, where its points have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/report/html.h"
#include "firmware/sweep/findings.h"

namespace tactus::sweep {

/// A table's name, source and unit; empty for a point without energy.
[[nodiscard]] std::string energy_title(const Measured& point);
/// By that table; 0 without one.
[[nodiscard]] double energy_total(const Measured& point);
/// The one table that all points have, as energy_title(); empty if there is none or are several:
/// energies of different tables do not compare.
[[nodiscard]] std::string common_table(const std::vector<Measured>& points);

/// A key that the sweep varies, as a column of a table.
struct SweepAxis {
  std::string key;
  std::string title;
  bool text = false;
};
/// Columns of the axes, and a point's cells of them.
void add_columns(const std::vector<SweepAxis>& axes, std::vector<html::Table::Column>& columns);
void add_cells(const std::vector<SweepAxis>& axes, const Line& line,
               std::vector<std::string>& cells);
/// A point's number, linked to its row in the table of all points.
[[nodiscard]] std::string link_to(std::uint64_t point);

/// Colours of points by the values of the first axis that has 2 to 6 of them.
class Colouring {
 public:
  Colouring(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);
  [[nodiscard]] unsigned of(const Line& line) const;
  /// HTML; empty where no axis has few values, so that all points have one colour.
  [[nodiscard]] std::string legend() const;

 private:
  SweepAxis axis_;
  std::vector<std::string> values_;
};

/// A quantity in a unit with a prefix that leaves few digits: 1 pJ = factor unit.
struct Scaled {
  double factor = 1;
  std::string unit;
};
/// For values up to `most` in a unit: of pJ, nJ, uJ, mJ or J; of um2, also mm2; others as they are.
[[nodiscard]] Scaled engineering(double most, const std::string& unit);

/// A chart of latency against a cost, with the front of the points that no other beats in both.
[[nodiscard]] std::string front_chart(const std::vector<Measured>& points,
                                      const std::vector<SweepAxis>& axes, const std::string& name,
                                      const std::string& unit, double (*cost)(const Measured&));

/// Titles and HTML of the sections that these points give, which may be none.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> measure_sections(
    const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);

}  // namespace tactus::sweep
