#include "firmware/report/scatter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "firmware/report/axes.h"
#include "firmware/report/html.h"
#include "firmware/report/svg.h"

namespace tactus::svg {
namespace {

constexpr double cell = 4;  ///< points that round to one multiple of this, in pixels, coincide

struct Axis {
  Scale scale;
  std::vector<Tick> ticks;
};

Axis make_axis(const ScatterAxis& axis, std::vector<double> values) {
  if (!axis.categories.empty()) {
    std::vector<Tick> ticks;
    for (const std::string& name : axis.categories) {
      ticks.push_back({static_cast<double>(ticks.size()), name});
    }
    return {Scale::linear(-0.5, static_cast<double>(ticks.size()) - 0.5), ticks};
  }
  const Scale scale = Scale::around(values);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  // Up to this many distinct whole values each have a tick.
  constexpr std::size_t few = 10;
  const bool own = values.size() <= few && std::all_of(values.begin(), values.end(),
                                                       [](double v) { return v == std::floor(v); });
  return {scale, number_ticks(own ? values : scale.ticks())};
}

std::string circle(const Frame& frame, const ScatterPoint& point, std::size_t covered) {
  const std::string text =
      covered == 0 ? point.title : fmt::format("{}, and {} more here", point.title, covered);
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"{}>{}</circle>\n",
                     frame.place_x(point.x), frame.place_y(point.y), point.main ? 5.5 : 3.5,
                     colour(point.colour),
                     point.main ? " stroke=\"var(--card)\"" : " fill-opacity=\".5\"", title(text));
}

std::string circles(const Frame& frame, const std::vector<ScatterPoint>& points) {
  std::map<std::tuple<unsigned, long, long>, std::pair<const ScatterPoint*, std::size_t>> cells;
  for (const ScatterPoint& point : points) {
    if (point.main) continue;
    const auto place = std::make_tuple(point.colour, std::lround(frame.place_x(point.x) / cell),
                                       std::lround(frame.place_y(point.y) / cell));
    const auto [found, fresh] = cells.try_emplace(place, &point, 0);
    if (!fresh) ++found->second.second;
  }
  std::string out;
  for (const auto& entry : cells) out += circle(frame, *entry.second.first, entry.second.second);
  for (const ScatterPoint& point : points) {
    if (point.main) out += circle(frame, point, 0);
  }
  constexpr std::size_t most_names = 12;
  std::vector<NamedPlace> places;
  for (const ScatterPoint& point : points) {
    if (point.main) places.push_back({frame.place_x(point.x), frame.place_y(point.y), point.name});
  }
  return out + names_beside(frame, places, most_names);
}

std::string path(const Frame& frame, const ScatterLine& line) {
  std::string out;
  for (const auto& [x, y] : line.points) {
    if (out.empty()) {
      out = fmt::format("M{:.1f} {:.1f}", frame.place_x(x), frame.place_y(y));
    } else if (line.steps) {
      out += fmt::format("H{:.1f}V{:.1f}", frame.place_x(x), frame.place_y(y));
    } else {
      out += fmt::format("L{:.1f} {:.1f}", frame.place_x(x), frame.place_y(y));
    }
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", out,
                     colour(line.colour), line.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

/// Slants the names if they do not fit side by side, and makes room for them below the frame.
void make_room(Frame& frame, const std::vector<std::string>& names) {
  double widest = 0;
  for (const std::string& name : names) widest = std::max(widest, text_width(name));
  const double room = (frame.width - frame.left - frame.right) / static_cast<double>(names.size());
  if (widest < room) return;
  frame.slanted = true;
  const double below = 0.65 * widest;  // 0.65 is the sine of 40 degrees
  frame.bottom += below;
  frame.height += below;
}

}  // namespace

std::string scatter(const ScatterChart& chart) {
  std::vector<double> x, y;
  for (const ScatterPoint& point : chart.points) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  if (chart.x.from_zero) x.push_back(0);
  if (chart.y.from_zero) y.push_back(0);
  const Axis across = make_axis(chart.x, x);
  const Axis up{Scale::around(y), number_ticks(Scale::around(y).ticks())};
  Frame frame;
  frame.width = 420;
  frame.height = 280;
  frame.left = 58;
  // The vertical axis has its title, 24 pixels wide, and its labels, 7 pixels from the frame.
  for (const Tick& tick : up.ticks) frame.left = std::max(frame.left, 31 + text_width(tick.label));
  frame.right = 18;
  frame.x = across.scale;
  frame.y = up.scale;
  if (!chart.x.categories.empty()) make_room(frame, chart.x.categories);
  std::string out =
      fmt::format("<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {} {}\" role=\"img\">\n",
                  html::escape(chart.title), frame.width, frame.height);
  out += grid(frame, across.ticks, up.ticks, chart.x.title, chart.y.title);
  for (const ScatterLine& line : chart.lines) out += path(frame, line);
  return out + circles(frame, chart.points) + "</svg></figure>\n";
}

std::string side_by_side(const std::vector<std::string>& charts) {
  return fmt::format("<div class=\"pair\">{}</div>\n", fmt::join(charts, ""));
}

}  // namespace tactus::svg
