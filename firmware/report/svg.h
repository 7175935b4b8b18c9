// Charts as inline SVG in the colours of html::Page. Titles of parts are tooltips.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::svg {

/// Colours of the page: 0 green, 1 blue, 2 violet, 3 amber, 4 red, 5 grey, 6 faint. From dark to
/// light (on light pages): 2, 1, 4, 0, 5, 3, 6.
[[nodiscard]] std::string colour(unsigned index);

struct Part {
  double value = 0;  ///< not negative
  unsigned colour = 0;
  std::string title;  ///< plain text
};

/// A horizontal bar, as wide as its container and filled by its parts.
[[nodiscard]] std::string stacked_bar(const std::vector<Part>& parts, bool big = false);

/// A bar from the centre, to the right for positive and to the left for negative values; `most`
/// fills one half.
[[nodiscard]] std::string difference_bar(double value, double most, const std::string& title);

struct Legend {
  std::string title;
  unsigned colour = 0;
};
[[nodiscard]] std::string legend(const std::vector<Legend>& entries);

/// Stacked shares as adjacent columns, with a vertical axis to 100 % and a horizontal axis from
/// `first` to `last`.
struct Columns {
  std::vector<Legend> layers;               ///< bottom first
  std::vector<std::vector<double>> shares;  ///< 0..1, by column and layer
  std::string first, last, axis;            ///< plain text
  /// A section of the axis. Sections are adjacent; each is given by its end, 0..1 of the columns'
  /// width.
  struct Span {
    double end;
    std::string name, title;  ///< plain text
  };
  std::vector<Span> spans = {};
};
[[nodiscard]] std::string columns(const Columns& chart);

/// A logarithmic roofline chart with points, drawn for wide and for narrow screens.
struct RooflinePoint {
  double intensity = 0, rate = 0;
  std::string title;
  bool main = false;
  std::string name{};  ///< drawn beside the point if there is room
  double weight = 0;   ///< points with larger weight are named first
};
struct RooflineChart {
  double peak_rate = 0;       ///< MAC/cycle
  double peak_bandwidth = 0;  ///< bytes/cycle
  std::vector<RooflinePoint> points;
  std::string rate_title;       ///< name of what has the peak rate
  std::string bandwidth_title;  ///< name of what has the peak bandwidth
};
[[nodiscard]] std::string roofline(const RooflineChart& chart);

}  // namespace tactus::svg
