#include "firmware/report/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "firmware/report/axes.h"
#include "firmware/report/html.h"

namespace tactus::svg {

std::string colour(unsigned index) { return fmt::format("var(--c{})", index); }

std::string stacked_bar(const std::vector<Part>& parts, bool big, double whole) {
  double total = 0;
  for (const Part& part : parts) total += part.value;
  total = std::max(total, whole);
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

std::string difference_bar(double value, double most, const std::string& text) {
  const double width = most == 0 ? 0 : std::abs(value) / most * 500;
  return fmt::format(
      "<svg class=\"bar\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\">"
      "<rect x=\"{:.2f}\" width=\"{:.2f}\" height=\"10\" fill=\"{}\">{}</rect>"
      "<rect x=\"499\" width=\"2\" height=\"10\" fill=\"var(--soft)\"/></svg>",
      value < 0 ? 500 - width : 500.0, width, colour(value < 0 ? fewer : more), title(text));
}

std::string legend(const std::vector<Legend>& entries) {
  std::string out = "<ul class=\"key\">";
  for (const Legend& entry : entries) {
    out += fmt::format("<li><i style=\"background:{}\"></i>{}</li>", colour(entry.colour),
                       html::escape(entry.title));
  }
  return out + "</ul>\n";
}

namespace {

std::string span_borders(const Columns& chart, double height) {
  if (chart.spans.empty()) return {};
  std::string path;
  for (const Columns::Span& span : chart.spans) {
    path +=
        fmt::format("M{:.3f} 0V{}", span.end * static_cast<double>(chart.shares.size()), height);
  }
  return fmt::format("<path class=\"borders\" d=\"{}\"/>", path);
}

/// Names below the columns, each as wide as its span. A name that is longer is cut off, and a
/// tooltip shows it in full.
std::string span_names(const Columns& chart) {
  if (chart.spans.empty()) return {};
  std::string out = "<div class=\"spans\">";
  double from = 0;
  for (const Columns::Span& span : chart.spans) {
    out += fmt::format("<span style=\"width:{:.3f}%\" title=\"{}\">{}</span>",
                       100 * (span.end - from), html::escape(span.title), html::escape(span.name));
    from = span.end;
  }
  return out + "</div>";
}

}  // namespace

std::string columns(const Columns& chart) {
  // One unit of the drawing is the width of a column, so that neighbours share exact edges.
  constexpr double height = 1000;
  std::string out = fmt::format(
      "<div class=\"upright\"><div><span>100 %</span><span>50 %</span><span>0 %</span></div>"
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
  out += span_borders(chart, height);
  return out + "</svg></div>" + span_names(chart) +
         fmt::format("<div class=\"axis\"><span>{}</span><span>{}</span><span>{}</span></div>\n",
                     html::escape(chart.first), html::escape(chart.axis), html::escape(chart.last));
}

namespace {

/// Draws names beside points, the points with the largest weight first.
std::string point_names(const Frame& frame, std::vector<RooflinePoint> points) {
  constexpr std::size_t most = 12;
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  std::vector<NamedPlace> places;
  for (const RooflinePoint& point : points) {
    places.push_back({frame.place_x(point.intensity), frame.place_y(point.rate), point.name});
  }
  return names_beside(frame, places, most);
}

constexpr unsigned roof_colour = 0, point_colour = 1, slope_colour = 3, main_colour = 4;

std::string draw_roofline(const RooflineChart& chart, Frame frame, const char* kind) {
  const double ridge = chart.peak_rate / chart.peak_bandwidth;
  double x_low = ridge / 10, x_high = ridge * 10, y_low = chart.peak_rate / 100;
  for (const RooflinePoint& point : chart.points) {
    x_low = std::min(x_low, point.intensity);
    x_high = std::max(x_high, point.intensity);
    y_low = std::min(y_low, point.rate);
  }
  const auto decade = [](double value) { return std::pow(10, value); };
  frame.x = Scale::logarithmic(decade(std::floor(std::log10(x_low))),
                               decade(std::ceil(std::log10(x_high))));
  frame.y = Scale::logarithmic(decade(std::floor(std::log10(y_low))),
                               decade(std::ceil(std::log10(chart.peak_rate * 1.5))));
  std::string out = fmt::format("<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\">", kind,
                                frame.width, frame.height);
  out += grid(frame, number_ticks(frame.x.ticks()), number_ticks(frame.y.ticks()),
              fmt::format("MAC per byte of {} traffic", chart.bandwidth_title), "MAC per cycle");
  // The slope begins where it meets the left or the lower border.
  const double from = std::max(frame.x.low(), frame.y.low() / chart.peak_bandwidth);
  out += line(frame.place_x(from), frame.place_y(from * chart.peak_bandwidth), frame.place_x(ridge),
              frame.place_y(chart.peak_rate), colour(slope_colour), 2.5);
  out += line(frame.place_x(ridge), frame.place_y(chart.peak_rate), frame.place_x(frame.x.high()),
              frame.place_y(chart.peak_rate), colour(roof_colour), 2.5);
  for (const RooflinePoint& point : chart.points) {
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\" "
        "stroke=\"var(--card)\">{}</circle>",
        frame.place_x(point.intensity), frame.place_y(point.rate), point.main ? 7 : 4.5,
        colour(point.main ? main_colour : point_colour), point.main ? "1" : "0.65",
        title(point.title));
  }
  return out + point_names(frame, chart.points) + "</svg>\n";
}

}  // namespace

std::string roofline(const RooflineChart& chart) {
  Frame wide;
  Frame narrow;
  narrow.width = 400;
  narrow.height = 300;
  narrow.left = 58;
  narrow.right = 24;
  std::vector<Legend> entries = {
      {fmt::format("{}: {:g} MAC/cycle", chart.rate_title, chart.peak_rate), roof_colour},
      {fmt::format("{} at its ports: {:g} bytes/cycle", chart.bandwidth_title,
                   chart.peak_bandwidth),
       slope_colour},
      {chart.main_title, main_colour}};
  if (!chart.points_title.empty()) entries.push_back({chart.points_title, point_colour});
  return legend(entries) + draw_roofline(chart, wide, "wide") +
         draw_roofline(chart, narrow, "narrow");
}

}  // namespace tactus::svg
