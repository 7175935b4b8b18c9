// The sections of a sweep's page about energy and about runs of several images, if the points have
// these figures.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/report/html.h"
#include "firmware/sweep/findings.h"

namespace tactus::sweep {

/// Name, unit and source of the point's energy table; empty for a point without energy.
[[nodiscard]] std::string energy_title(const Measured& point);
/// Energy of an image, or of a product or Stripe program, in the unit of its table; 0 without
/// energy.
[[nodiscard]] double energy_of_image(const Measured& point);
/// energy_of_image() with its unit: "1.234 mJ".
[[nodiscard]] std::string energy_text(const Measured& point);
/// The energy_title() that all points share. Empty if they have no energies, or energies by
/// different tables, which cannot be compared.
[[nodiscard]] std::string common_table(const std::vector<Measured>& points);

/// A key that the sweep varies, shown as a column of a table.
struct SweepAxis {
  std::string key;
  std::string title;
  bool text = false;  ///< true: values are text; false: numbers
};
/// Begins a row about a point, whose number is given as HTML, with a cell for each axis.
void begin_row(html::Table& table, std::string point, const std::vector<SweepAxis>& axes,
               const Line& line);
/// HTML of a point's number, with a link to its row in the table of all points.
[[nodiscard]] std::string link_to(std::uint64_t point);

/// Colour of the line through the points of a front.
constexpr unsigned front_colour = 5;

/// Colours points by their values of one axis: the first axis that has 2 to 5 values.
class Colouring {
 public:
  Colouring(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);
  [[nodiscard]] unsigned of(const Line& line) const;
  /// The legend as HTML, with the front. All points have one colour if no axis has 2 to 5 values.
  [[nodiscard]] std::string legend() const;

 private:
  SweepAxis axis_;
  std::vector<std::string> values_;
};

/// A unit with a suitable prefix: a value in the table's unit, multiplied by `factor`, is the value
/// in `unit`.
struct Scaled {
  double factor = 1;
  std::string unit;
};
/// The unit for values up to `most`, which are in `unit`: pJ, nJ, uJ, mJ or J for energies, um2 or
/// mm2 for areas. Other units are returned unchanged.
[[nodiscard]] Scaled engineering(double most, const std::string& unit);

/// Points with a Pareto front of their own.
struct FrontGroup {
  std::vector<const Measured*> points;
  unsigned line_colour = 0;
  std::function<unsigned(const Line&)> colour;  ///< of a point
};
/// A chart of speed (see Speed) against a cost, times `factor`, with the Pareto front of each
/// group. `axis` is the cost's name with its unit, `title` gives the text of a point.
[[nodiscard]] std::string front_chart(const std::vector<FrontGroup>& groups, const Speed& speed,
                                      const std::string& name, const std::string& axis,
                                      double (*cost)(const Measured&),
                                      const std::function<std::string(const Measured&)>& title,
                                      double factor = 1);
/// Such a chart of all points. `name` and `unit` are those of the cost.
[[nodiscard]] std::string front_chart(const std::vector<Measured>& points,
                                      const std::vector<SweepAxis>& axes, const std::string& name,
                                      const std::string& unit, double (*cost)(const Measured&));

/// Sections of a page, each with title and HTML.
using Sections = std::vector<std::pair<std::string, std::string>>;
/// The sections for these points; may be empty.
[[nodiscard]] Sections measure_sections(const std::vector<Measured>& points,
                                        const std::vector<SweepAxis>& axes);

}  // namespace tactus::sweep
