// Charts as inline SVG in the colours of html::Page. The titles of their parts are tooltips.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::svg {

/// CSS of a colour of the page: 0 green, 1 blue, 2 violet, 3 amber, 4 red, 5 grey, 6 faint. On
/// light pages their order from dark to light is 2, 1, 4, 0, 5, 3, 6.
[[nodiscard]] std::string colour(unsigned index);

struct Part {
  double value = 0;  ///< not negative
  unsigned colour = 0;
  std::string title;  ///< plain text
};

/// Colours of a difference_bar().
constexpr unsigned fewer = 0, more = 4;

/// A horizontal bar as wide as its container. Its parts fill it in proportion to their values. If
/// `whole` is larger than their sum, it is the value of the full width, so that bars with one
/// `whole` have lengths that compare.
[[nodiscard]] std::string stacked_bar(const std::vector<Part>& parts, bool big = false,
                                      double whole = 0);

/// A bar that begins at the centre and goes to the right for a positive value, to the left for a
/// negative one. The value `most` fills one half.
[[nodiscard]] std::string difference_bar(double value, double most, const std::string& title);

struct Legend {
  std::string title;
  unsigned colour = 0;
};
[[nodiscard]] std::string legend(const std::vector<Legend>& entries);

/// A chart of adjacent columns of stacked shares. Its vertical axis goes to 100 %, its horizontal
/// axis from `first` to `last`.
struct Columns {
  std::vector<Legend> layers;               ///< bottom first
  std::vector<std::vector<double>> shares;  ///< 0..1, by column and layer
  std::string first, last, axis;            ///< plain text
  /// A named section of the horizontal axis, given by its end, 0..1 of the columns' width. Sections
  /// are adjacent.
  struct Span {
    double end;
    std::string name, title;  ///< plain text
  };
  std::vector<Span> spans = {};
};
[[nodiscard]] std::string columns(const Columns& chart);

/// A point of a roofline chart.
struct RooflinePoint {
  double intensity = 0, rate = 0;  ///< MAC/byte, MAC/cycle
  std::string title;
  bool main = false;   ///< drawn larger than the others
  std::string name{};  ///< drawn beside the point if there is room
  double weight = 0;   ///< points with a larger weight are named first
};
struct RooflineChart {
  double peak_rate = 0;       ///< MAC/cycle
  double peak_bandwidth = 0;  ///< bytes/cycle
  std::vector<RooflinePoint> points;
  std::string rate_title;       ///< name of the unit with the peak rate
  std::string bandwidth_title;  ///< name of the memory with the peak bandwidth
  std::string main_title;       ///< what the large points are
  std::string points_title;     ///< what the others are; empty: there are none
};
/// A roofline chart with logarithmic axes and its legend, drawn for wide and for narrow screens.
[[nodiscard]] std::string roofline(const RooflineChart& chart);

}  // namespace tactus::svg
