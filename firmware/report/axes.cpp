#include "firmware/report/axes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "firmware/report/html.h"

namespace tactus::svg {
namespace {

/// Largest width in pixels of a letter of size 12.
constexpr double letter = 7;

std::string number(double value, int decimals) {
  const bool grouped = value >= 10000 && value == std::floor(value) && value < 1e15;
  if (grouped) return html::grouped(static_cast<std::uint64_t>(value));
  return decimals < 0 ? fmt::format("{:.4g}", value) : fmt::format("{:.{}f}", value, decimals);
}

/// The fewest decimals that distinguish equidistant values; -1 if the values are not equidistant.
int common_decimals(const std::vector<double>& values) {
  if (values.size() < 2) return -1;
  const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::abs(values[i] - values[i - 1] - step) > 1e-3 * step) return -1;
  }
  constexpr int most = 12;
  for (int decimals = 0; decimals < most; ++decimals) {
    const double unit = std::pow(10, -decimals);
    if (std::all_of(values.begin(), values.end(), [&](double value) {
          return std::abs(value - std::round(value / unit) * unit) < 1e-3 * step;
        })) {
      return decimals;
    }
  }
  return most;
}

}  // namespace

Scale Scale::around(const std::vector<double>& values) {
  if (values.empty()) return linear(0, 1);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low > 0 && *high > 10 * *low) {
    const double room = std::pow(*high / *low, 0.05);
    return logarithmic(*low / room, *high * room);
  }
  const double span = *high - *low;
  const double room = span > 0 ? 0.06 * span : std::max(1.0, std::abs(*low)) / 2;
  return linear(*low - room, *high + room);
}

double Scale::share(double value) const {
  if (!logarithmic_) return (value - low_) / (high_ - low_);
  return std::log10(value / low_) / std::log10(high_ / low_);
}

std::vector<double> Scale::ticks() const {
  // Tolerance: the ends of the scale are ticks although the logarithm rounds.
  constexpr double slack = 1e-9;
  std::vector<double> values;
  if (logarithmic_) {
    const bool fine = high_ / low_ < 1000;
    const auto first = static_cast<int>(std::floor(std::log10(low_)));
    for (int power = first; std::pow(10, power) <= high_ * (1 + slack); ++power) {
      for (const double digit : {1, 2, 5}) {
        const double value = digit * std::pow(10, power);
        if (digit > 1 && !fine) break;
        if (value >= low_ * (1 - slack) && value <= high_ * (1 + slack)) values.push_back(value);
      }
    }
    return values;
  }
  const double raw = (high_ - low_) / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double digit : {5, 2, 1}) {
    if (digit * power >= raw) step = digit * power;
  }
  for (double i = std::ceil(low_ / step - slack); i * step <= high_ + slack * step; ++i) {
    values.push_back(i * step + 0.0);  // the sum has no negative zero, which would be printed
  }
  return values;
}

double Frame::place_x(double value) const { return left + x.share(value) * (width - left - right); }

double Frame::place_y(double value) const {
  return height - bottom - y.share(value) * (height - top - bottom);
}

std::vector<Tick> number_ticks(const std::vector<double>& values) {
  const int decimals = common_decimals(values);
  std::vector<Tick> ticks;
  for (const double value : values) ticks.push_back({value, number(value, decimals)});
  return ticks;
}

double text_width(std::string_view text) {
  return letter * static_cast<double>(html::length(text));
}

std::string grid(const Frame& frame, const std::vector<Tick>& x, const std::vector<Tick>& y,
                 std::string_view x_title, std::string_view y_title) {
  constexpr double line_height = 15;
  std::string out;
  const double floor = frame.height - frame.bottom;
  double taken = -1;
  for (const Tick& tick : x) {
    const double at = frame.place_x(tick.value);
    const double half = text_width(tick.label) / 2;
    if (!frame.slanted && at - half < taken) continue;
    out += line(at, frame.top, at, floor, "var(--line)", 1);
    if (frame.slanted) {
      out += fmt::format(
          "<text transform=\"translate({:.1f} {:.1f}) rotate(-40)\" "
          "text-anchor=\"end\">{}</text>",
          at + 4, floor + 14, html::escape(tick.label));
    } else {
      out += label(at, floor + 16, "middle", tick.label);
    }
    taken = at + half + letter;
  }
  taken = frame.height;
  for (const Tick& tick : y) {
    const double at = frame.place_y(tick.value);
    if (at > taken - line_height) continue;
    out += line(frame.left, at, frame.width - frame.right, at, "var(--line)", 1);
    out += label(frame.left - 7, at + 4, "end", tick.label);
    taken = at;
  }
  out += label((frame.left + frame.width) / 2, frame.height - 6, "middle", x_title);
  out += fmt::format(
      "<text transform=\"translate(13 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
      floor / 2, html::escape(y_title));
  return out;
}

std::string names_beside(const Frame& frame, const std::vector<NamedPlace>& places,
                         std::size_t most) {
  struct Box {
    double left, right, top, bottom;
    [[nodiscard]] bool meets(const Box& other) const {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  };
  constexpr double gap = 9, text_height = 13, radius = 6;
  const auto around = [](const NamedPlace& place) {
    return Box{place.x - radius, place.x + radius, place.y - radius, place.y + radius};
  };
  std::vector<Box> taken;  // areas of the names drawn so far
  std::string out;
  for (const NamedPlace& place : places) {
    if (place.name.empty()) continue;
    if (taken.size() == most) break;
    const double width = text_width(place.name);
    // A name that touches another point would be read as the name of that point.
    const auto is_free = [&](const Box& box) {
      return box.left > frame.left && box.right < frame.width - frame.right &&
             box.top > frame.top && box.bottom < frame.height - frame.bottom &&
             std::none_of(taken.begin(), taken.end(),
                          [&](const Box& other) { return box.meets(other); }) &&
             std::none_of(places.begin(), places.end(), [&](const NamedPlace& other) {
               return &other != &place && box.meets(around(other));
             });
    };
    struct Candidate {
      double x, base;  // anchor of the text
      const char* anchor;
      double left;
    };
    // First choice is beside the point and slightly above it, since a line may pass through the
    // point; then above or below it.
    const Candidate candidates[] = {
        {place.x + gap, place.y - 5, "start", place.x + gap},
        {place.x - gap, place.y - 5, "end", place.x - gap - width},
        {place.x, place.y - gap, "middle", place.x - width / 2},
        {place.x, place.y + gap + text_height - 3, "middle", place.x - width / 2},
        {place.x + gap, place.y + text_height, "start", place.x + gap},
        {place.x - gap, place.y + text_height, "end", place.x - gap - width},
        {place.x + gap, place.y - 2 * text_height, "start", place.x + gap},
        {place.x - gap, place.y - 2 * text_height, "end", place.x - gap - width}};
    for (const Candidate& candidate : candidates) {
      const Box box{candidate.left, candidate.left + width, candidate.base - text_height + 3,
                    candidate.base + 3};
      if (!is_free(box)) continue;
      taken.push_back(box);
      out += label(candidate.x, candidate.base, candidate.anchor, place.name);
      break;
    }
  }
  return out;
}

std::string title(const std::string& text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", html::escape(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                 double width) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
      "stroke-width=\"{}\"/>",
      x1, y1, x2, y2, colour, width);
}

std::string label(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     html::escape(text));
}

}  // namespace tactus::svg
