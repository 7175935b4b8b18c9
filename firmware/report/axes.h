// Axes and frames of the charts of svg.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::svg {

/// Where values lie between two ends, linearly or by their logarithms.
class Scale {
 public:
  /// low < high.
  static Scale linear(double low, double high) { return {low, high, false}; }
  /// 0 < low < high.
  static Scale logarithmic(double low, double high) { return {low, high, true}; }
  /// For values with a little room around them; logarithmic where they are positive and span more
  /// than a decade.
  static Scale around(const std::vector<double>& values);

  /// 0 at the low end, 1 at the high one.
  [[nodiscard]] double share(double value) const;
  /// Round values inside the ends: powers of ten over more than three decades, else 1, 2, 5.
  [[nodiscard]] std::vector<double> ticks() const;
  [[nodiscard]] bool is_logarithmic() const { return logarithmic_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  Scale(double low, double high, bool logarithmic)
      : low_(low), high_(high), logarithmic_(logarithmic) {}
  double low_, high_;
  bool logarithmic_;
};

/// A drawing with a plot area.
struct Frame {
  double width = 720, height = 300;
  Scale x = Scale::linear(0, 1), y = Scale::linear(0, 1);
  double left = 62, right = 26, top = 14, bottom = 42;
  bool slanted = false;  ///< labels below the frame, which would not fit side by side

  [[nodiscard]] double place_x(double value) const;
  [[nodiscard]] double place_y(double value) const;
};

struct Tick {
  double value = 0;
  std::string label;  ///< plain text
};
/// Labels with as many digits as it takes to tell the values apart.
[[nodiscard]] std::vector<Tick> number_ticks(const std::vector<double>& values);

/// At least as wide as the text is drawn.
[[nodiscard]] double text_width(std::string_view text);

/// A name for a place of a drawing.
struct NamedPlace {
  double x = 0, y = 0;
  std::string name;
};
/// Names to the right of their places or to the left, the first ones first: where neither another
/// name nor the frame is in the way, and at most so many.
[[nodiscard]] std::string names_beside(const Frame& frame, const std::vector<NamedPlace>& places,
                                       std::size_t most);

/// Lines at the ticks with their labels and the axes' titles. A tick whose label has no room is
/// left out.
[[nodiscard]] std::string grid(const Frame& frame, const std::vector<Tick>& x,
                               const std::vector<Tick>& y, std::string_view x_title,
                               std::string_view y_title);

// Parts of a drawing; texts are plain.
[[nodiscard]] std::string title(const std::string& text);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                               double width);
[[nodiscard]] std::string label(double x, double y, std::string_view anchor, std::string_view text);

}  // namespace tactus::svg
