#include "firmware/report/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "firmware/report/html.h"

namespace tactus::svg {
namespace {

std::string title(const std::string& text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", html::escape(text));
}

/// A plot area in a drawing of 720 x 300, with logarithmic axes.
struct LogAxes {
  static constexpr double width = 720, height = 300, left = 62, right = 26, top = 14, bottom = 42;
  double x0, x1, y0, y1;  ///< powers of ten

  [[nodiscard]] double x(double value) const {
    return left + (std::log10(value) - x0) / (x1 - x0) * (width - left - right);
  }
  [[nodiscard]] double y(double value) const {
    return height - bottom - (std::log10(value) - y0) / (y1 - y0) * (height - top - bottom);
  }
};

std::string line(double x1, double y1, double x2, double y2, const char* colour, double width) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{}\"/>",
      x1, y1, x2, y2, colour, width);
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     html::escape(text));
}

std::string grid(const LogAxes& axes) {
  std::string out;
  for (double p = axes.x0; p <= axes.x1; ++p) {
    const double x = axes.x(std::pow(10, p));
    out += line(x, LogAxes::top, x, LogAxes::height - LogAxes::bottom, "var(--line)", 1);
    out += label(x, LogAxes::height - LogAxes::bottom + 16, "middle",
                 fmt::format("{:g}", std::pow(10, p)));
  }
  for (double p = axes.y0; p <= axes.y1; ++p) {
    const double y = axes.y(std::pow(10, p));
    out += line(LogAxes::left, y, LogAxes::width - LogAxes::right, y, "var(--line)", 1);
    out += label(LogAxes::left - 7, y + 4, "end", fmt::format("{:g}", std::pow(10, p)));
  }
  out += label((LogAxes::left + LogAxes::width) / 2, LogAxes::height - 6, "middle",
               "multiply-accumulates per byte of DRAM traffic");
  out += fmt::format(
      "<text transform=\"translate(15 {}) rotate(-90)\" text-anchor=\"middle\">"
      "multiply-accumulates per cycle</text>",
      (LogAxes::height - LogAxes::bottom) / 2);
  return out;
}

}  // namespace

std::string colour(unsigned index) { return fmt::format("var(--c{})", index); }

std::string stacked_bar(const std::vector<Part>& parts, bool big) {
  double total = 0;
  for (const Part& part : parts) total += part.value;
  std::string out = fmt::format(
      "<svg class=\"bar{}\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\">",
      big ? " big" : "");
  double x = 0;
  for (const Part& part : parts) {
    if (part.value <= 0) continue;
    const double width = part.value / total * 1000;
    out += fmt::format("<rect x=\"{:.2f}\" width=\"{:.2f}\" height=\"10\" fill=\"{}\">{}</rect>", x,
                       width, colour(part.colour), title(part.title));
    x += width;
  }
  return out + "</svg>";
}

std::string legend(const std::vector<Legend>& entries) {
  std::string out = "<ul class=\"key\">";
  for (const Legend& entry : entries) {
    out += fmt::format("<li><i style=\"background:{}\"></i>{}</li>", colour(entry.colour),
                       html::escape(entry.title));
  }
  return out + "</ul>\n";
}

std::string columns(const Columns& chart) {
  // One unit of the drawing is one column, so that neighbours share their edge exactly.
  constexpr double height = 1000;
  std::string out = fmt::format(
      "<svg class=\"columns\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\">",
      std::max<std::size_t>(1, chart.shares.size()), height);
  for (std::size_t l = 0; l < chart.layers.size(); ++l) {
    std::string path;  // the rectangles of all columns
    for (std::size_t c = 0; c < chart.shares.size(); ++c) {
      const std::vector<double>& shares = chart.shares[c];
      if (shares[l] <= 0) continue;
      double below = 0;
      for (std::size_t k = 0; k < l; ++k) below += shares[k];
      path += fmt::format("M{} {:.1f}h1V{:.1f}h-1z", c, height * (1 - below),
                          height * (1 - below - shares[l]));
    }
    out += fmt::format("<path d=\"{}\" fill=\"{}\" shape-rendering=\"crispEdges\">{}</path>", path,
                       colour(chart.layers[l].colour), title(chart.layers[l].title));
  }
  return out +
         fmt::format(
             "</svg><div class=\"axis\"><span>{}</span><span>{}</span><span>{}</span></div>\n",
             html::escape(chart.first), html::escape(chart.axis), html::escape(chart.last));
}

std::string roofline(const RooflineChart& chart) {
  const double ridge = chart.peak_rate / chart.peak_bandwidth;
  double x_low = ridge / 10, x_high = ridge * 10, y_low = chart.peak_rate / 100;
  for (const RooflinePoint& point : chart.points) {
    x_low = std::min(x_low, point.intensity);
    x_high = std::max(x_high, point.intensity);
    y_low = std::min(y_low, point.rate);
  }
  const LogAxes axes{std::floor(std::log10(x_low)), std::ceil(std::log10(x_high)),
                     std::floor(std::log10(y_low)), std::ceil(std::log10(chart.peak_rate * 1.5))};
  std::string out = fmt::format(
      "<div class=\"scroll\"><div class=\"chart\"><svg viewBox=\"0 0 {} {}\" role=\"img\">",
      LogAxes::width, LogAxes::height);
  out += grid(axes);
  // The sloped part begins at the left or the lower border, whichever comes first.
  const double left = std::pow(10, axes.x0), bottom = std::pow(10, axes.y0);
  const double from = std::max(left, bottom / chart.peak_bandwidth);
  out += line(axes.x(from), axes.y(from * chart.peak_bandwidth), axes.x(ridge),
              axes.y(chart.peak_rate), "var(--c3)", 2.5);
  out += line(axes.x(ridge), axes.y(chart.peak_rate), axes.x(std::pow(10, axes.x1)),
              axes.y(chart.peak_rate), "var(--c0)", 2.5);
  out += label(LogAxes::width - LogAxes::right - 4, axes.y(chart.peak_rate) - 7, "end",
               fmt::format("array: {:g} MAC/cycle", chart.peak_rate));
  const double middle = std::sqrt(from * ridge);
  out += label(axes.x(middle) - 8, axes.y(middle * chart.peak_bandwidth) - 8, "end",
               fmt::format("DRAM: {:g} bytes/cycle", chart.peak_bandwidth));
  for (const RooflinePoint& point : chart.points) {
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\" "
        "stroke=\"var(--card)\">{}</circle>",
        axes.x(point.intensity), axes.y(point.rate), point.main ? 7 : 4.5,
        point.main ? "var(--c4)" : "var(--c1)", point.main ? "1" : "0.65", title(point.title));
  }
  return out + "</svg></div></div>\n";
}

}  // namespace tactus::svg
