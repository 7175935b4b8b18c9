// Charts as inline SVG in the colours of html::Page. Titles show when the pointer rests on a part.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::svg {

/// The page's colours: 0 green, 1 blue, 2 violet, 3 amber, 4 red, 5 grey, 6 faint. From the darkest
/// on: 2, 1, 4, 0, 5, 3, 6 (on light pages).
[[nodiscard]] std::string colour(unsigned index);

struct Part {
  double value = 0;  ///< not negative
  unsigned colour = 0;
  std::string title;  ///< plain text
};

/// One horizontal bar of parts that fill it together; as wide as its place.
[[nodiscard]] std::string stacked_bar(const std::vector<Part>& parts, bool big = false);

/// A bar from the middle of its place to the right for more, to the left for fewer; `most` fills a
/// half.
[[nodiscard]] std::string difference_bar(double value, double most, const std::string& title);

struct Legend {
  std::string title;
  unsigned colour = 0;
};
[[nodiscard]] std::string legend(const std::vector<Legend>& entries);

/// Columns of stacked shares, side by side, beside an axis to 100 % and over one from `first` to
/// `last`.
struct Columns {
  std::vector<Legend> layers;               ///< bottom first
  std::vector<std::vector<double>> shares;  ///< by column and layer, 0..1
  std::string first, last, axis;            ///< plain text
  /// Parts of the axis, which follow each other: where each ends, 0..1 of the columns' width.
  struct Span {
    double end;
    std::string name, title;  ///< plain text
  };
  std::vector<Span> spans = {};
};
[[nodiscard]] std::string columns(const Columns& chart);

/// A logarithmic roofline with points below it, drawn for wide and for narrow screens.
struct RooflinePoint {
  double intensity = 0, rate = 0;
  std::string title;
  bool main = false;
  std::string name{};  ///< beside the point, where there is room
  double weight = 0;   ///< points with more of it are named first
};
struct RooflineChart {
  double peak_rate = 0;       ///< MAC/cycle
  double peak_bandwidth = 0;  ///< bytes/cycle
  std::vector<RooflinePoint> points;
  std::string rate_title;       ///< of what has the peak rate
  std::string bandwidth_title;  ///< of what has the peak bandwidth
};
[[nodiscard]] std::string roofline(const RooflineChart& chart);

}  // namespace tactus::svg
