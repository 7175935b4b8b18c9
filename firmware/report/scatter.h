// Scatter charts as inline SVG in the colours of html::Page.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tactus::svg {

struct ScatterAxis {
  std::string title;
  /// Names of the values 0, 1, ...; empty: the values are numbers.
  std::vector<std::string> categories;
  bool from_zero = false;  ///< the axis also covers 0, and so is linear
};

struct ScatterPoint {
  double x = 0, y = 0;
  std::string title;
  unsigned colour = 1;
  bool main = false;   ///< drawn large and above the others
  std::string name{};  ///< drawn beside the point if there is room
};

struct ScatterLine {
  std::vector<std::pair<double, double>> points;
  unsigned colour = 1;
  bool steps = false;   ///< drawn as steps, horizontal from each point to the next
  bool dashed = false;  ///< drawn dashed
};

/// A scatter chart. Its axes cover its points. An axis is logarithmic if its values are positive
/// and span more than a decade. Points that nearly coincide are drawn as one, whose title gives
/// their number. Main points are always drawn.
struct ScatterChart {
  std::string title;
  ScatterAxis x, y;
  std::vector<ScatterPoint> points;
  std::vector<ScatterLine> lines;
};
[[nodiscard]] std::string scatter(const ScatterChart& chart);

/// Places charts side by side if there is room.
[[nodiscard]] std::string side_by_side(const std::vector<std::string>& charts);

}  // namespace tactus::svg
