#include "firmware/serving/arrivals.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/read_number.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr double most_seconds = 1e6;

/// Reads "30/s".
double read_rate(std::string_view text, const std::string& where) {
  const bool per_second = ends_with(std::string(text), "/s");
  const auto rate =
      per_second ? read_number<double>(text.substr(0, text.size() - 2)) : std::nullopt;
  if (!rate || !(*rate > 0) || *rate > Arrivals::most_rate) {
    user_error(
        "{}: {} is no rate of requests; allowed: N/s with N above 0 and at most 1000000000, "
        "poisson:N/s[:SEED], or a file F.csv of times",
        where, quote(text));
  }
  return *rate;
}

std::vector<double> read_times(const std::string& path) {
  const std::string content = read_text(path);
  std::vector<double> seconds;
  std::string_view rest = content;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find('\n');
    const std::string_view text = trimmed(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (text.empty()) continue;
    const auto time = read_number<double>(text);
    if (!time || !(*time >= 0 && *time <= most_seconds)) {
      user_error("{}:{}: {} is no time of an arrival; allowed: seconds from 0 to {:g}, one a line",
                 path, line, quote(text), most_seconds);
    }
    if (!seconds.empty() && *time < seconds.back()) {
      user_error("{}:{}: {} s is before {:g} s, the arrival of the line before; allowed: in order",
                 path, line, text, seconds.back());
    }
    seconds.push_back(*time);
    if (seconds.size() > Arrivals::most) {
      user_error("{}:{}: allowed are {} arrivals", path, line, Arrivals::most);
    }
  }
  if (seconds.empty()) user_error("{}: it has no arrival; allowed: a time in s in each line", path);
  return seconds;
}

}  // namespace

Arrivals read_arrivals(const std::string& text, const std::string& where) {
  Arrivals arrivals;
  arrivals.text = text;
  if (ends_with(text, ".csv")) {
    arrivals.kind = Arrivals::Kind::times;
    arrivals.seconds = read_times(text);
    return arrivals;
  }
  constexpr std::string_view poisson = "poisson:";
  if (text.compare(0, poisson.size(), poisson) != 0) {
    arrivals.kind = Arrivals::Kind::periodic;
    arrivals.rate = read_rate(text, where);
    return arrivals;
  }
  arrivals.kind = Arrivals::Kind::poisson;
  const std::string_view rest = std::string_view(text).substr(poisson.size());
  const std::size_t colon = rest.find(':');
  arrivals.rate = read_rate(rest.substr(0, colon), where);
  if (colon == std::string_view::npos) return arrivals;
  const std::string_view seed = rest.substr(colon + 1);
  const auto number = read_number<std::uint64_t>(seed);
  if (!number) {
    user_error("{}: {} is no seed; allowed: poisson:N/s:SEED with a whole number", where,
               quote(seed));
  }
  arrivals.seed = *number;
  return arrivals;
}

double read_seconds(const std::string& text, const std::string& where) {
  std::string_view digits = text;
  double unit = 1;
  for (const auto& [name, value] : {std::pair<std::string_view, double>("ms", 1e-3),
                                    std::pair<std::string_view, double>("us", 1e-6),
                                    std::pair<std::string_view, double>("s", 1)}) {
    if (digits.size() == text.size() && ends_with(text, name)) {
      digits.remove_suffix(name.size());
      unit = value;
    }
  }
  const auto number = read_number<double>(digits);
  if (!number || !(*number * unit > 0) || *number * unit > most_seconds) {
    user_error("{}: {} is no time; allowed: N, Ns, Nms or Nus, above 0 and at most {:g} s", where,
               quote(text), most_seconds);
  }
  return *number * unit;
}

std::vector<Cycle> arrival_cycles(const Arrivals& arrivals, double clock_mhz, Cycle end,
                                  std::uint64_t count, const std::string& where) {
  const double hertz = clock_mhz * 1e6;
  std::mt19937_64 random(arrivals.seed);
  double seconds = 0;
  // The cycle of request i. The tolerance keeps products such as 0.07 * 1e8 on their edge.
  const auto cycle_of = [&](std::uint64_t i) {
    double cycles = 0;
    switch (arrivals.kind) {
      case Arrivals::Kind::ready:
        internal_error("a model that is always ready has no times of arrival");
      case Arrivals::Kind::periodic:
        cycles = static_cast<double>(i) * hertz / arrivals.rate;
        break;
      case Arrivals::Kind::poisson:
        seconds -= std::log1p(-static_cast<double>(random() >> 11U) * 0x1p-53) / arrivals.rate;
        cycles = seconds * hertz;
        break;
      case Arrivals::Kind::times:
        cycles = arrivals.seconds[i] * hertz;
        break;
    }
    return static_cast<Cycle>(std::ceil(cycles * (1 - 1e-12)));
  };
  if (arrivals.kind == Arrivals::Kind::times) {
    count = std::min<std::uint64_t>(count, arrivals.seconds.size());
  }
  std::vector<Cycle> cycles;
  while (cycles.size() < count) {
    const Cycle cycle = cycle_of(cycles.size());
    if (cycle >= end) break;
    if (cycles.size() == Arrivals::most) {
      user_error("{}: more than {} requests arrive; allowed: a lower rate or a shorter --duration",
                 where, Arrivals::most);
    }
    cycles.push_back(cycle);
  }
  return cycles;
}

}  // namespace tactus
