// Axes and frames of the charts of svg.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::svg {

/// Maps values between two ends to 0..1, linearly or logarithmically.
class Scale {
 public:
  /// Precondition: low < high.
  static Scale linear(double low, double high) { return {low, high, false}; }
  /// Precondition: 0 < low < high.
  static Scale logarithmic(double low, double high) { return {low, high, true}; }
  /// A scale that covers the values with a margin; logarithmic if all are positive and span more
  /// than a decade.
  static Scale around(const std::vector<double>& values);

  /// Position of a value: 0 at the low end, 1 at the high end.
  [[nodiscard]] double share(double value) const;
  /// Round values between the ends: powers of ten if the scale spans more than three decades, else
  /// multiples of 1, 2, 5.
  [[nodiscard]] std::vector<double> ticks() const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  Scale(double low, double high, bool logarithmic)
      : low_(low), high_(high), logarithmic_(logarithmic) {}
  double low_, high_;
  bool logarithmic_;
};

/// A drawing with its plot area. All lengths are in pixels.
struct Frame {
  double width = 720, height = 300;
  Scale x = Scale::linear(0, 1), y = Scale::linear(0, 1);
  double left = 62, right = 26, top = 14, bottom = 42;
  /// True if the labels below are slanted, since they do not fit side by side.
  bool slanted = false;

  [[nodiscard]] double place_x(double value) const;
  [[nodiscard]] double place_y(double value) const;
};

struct Tick {
  double value = 0;
  std::string label;  ///< plain text
};
/// Ticks at these values, labelled with as many digits as distinguish them.
[[nodiscard]] std::vector<Tick> number_ticks(const std::vector<double>& values);

/// Upper estimate of the width of a drawn text, in pixels.
[[nodiscard]] double text_width(std::string_view text);

/// A point of a drawing, in pixels, and its name.
struct NamedPlace {
  double x = 0, y = 0;
  std::string name;
};
/// Draws names beside, above or below their places: in order, and at most `most` of them. A name is
/// left out if it would cover another name, another place or the border of the frame. Names keep
/// clear of places without a name, too.
[[nodiscard]] std::string names_beside(const Frame& frame, const std::vector<NamedPlace>& places,
                                       std::size_t most);

/// Draws a line and a label at each tick, and the titles of the axes. A tick without room for its
/// label is left out.
[[nodiscard]] std::string grid(const Frame& frame, const std::vector<Tick>& x,
                               const std::vector<Tick>& y, std::string_view x_title,
                               std::string_view y_title);

// Elements of a drawing. `text` is plain text.
[[nodiscard]] std::string title(const std::string& text);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                               double width);
[[nodiscard]] std::string label(double x, double y, std::string_view anchor, std::string_view text);

}  // namespace tactus::svg
