#include "firmware/sweep/findings.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "firmware/sweep/runner.h"
#include "isa/support/json_text.h"
#include "models/sim/array_figures.h"

namespace tactus::sweep {
namespace {

Measured measure(const Line& line, const std::string& where) {
  const std::string busy = fmt::format("/figures/{}", array_figures::busy_name);
  const std::string useful = fmt::format("/figures/{}", array_figures::useful_name);
  Measured m;
  m.line = &line;
  m.where = where;
  const JsonValues values = m.values();
  m.point = values.count("/point");
  (void)values.object("/configuration/workload");
  std::string subject = runner_of(values.object("/configuration")).subject;
  std::replace(subject.begin(), subject.end(), '.', '/');
  m.network = values.text("/configuration/" + subject);
  m.cycles = values.count("/figures/cycles");
  m.latency_ms = values.number("/figures/latency_ms");
  m.frames_per_second = values.number_or_null("/figures/frames_per_second");
  m.array_busy = values.number_or_null(busy);
  // Points that run Stripe programs do not know a network's multiply-accumulates.
  if (values.has(useful)) m.useful_mac = values.number_or_null(useful);
  if (m.cycles == 0) m.frames_per_second = m.array_busy = m.useful_mac = std::nullopt;
  m.memory_bits = values.number("/figures/memory_bits");
  m.multipliers = values.number("/figures/multipliers");
  const double bytes =
      values.number("/figures/dram_read_bytes") + values.number("/figures/dram_write_bytes");
  // The bytes are those of a run, which computes a batch; results of earlier versions do not say
  // so.
  const double batch = values.has("/figures/batch") ? values.number("/figures/batch") : 1;
  if (m.frames_per_second) m.dram_bytes_per_second = bytes / batch * *m.frames_per_second;
  if (values.has("/configuration/measure/tcus")) {
    m.units = values.count("/configuration/measure/tcus");
  }
  if (values.has("/figures/constants_cycles")) {
    m.constants_cycles = values.count("/figures/constants_cycles");
  }
  return m;
}

}  // namespace

std::vector<Measured> measured(const Results& results) {
  std::vector<Measured> points;
  for (std::size_t i = 0; i < results.lines.size(); ++i) {
    const Line& line = results.lines[i];
    if (line["status"] != "ok") continue;
    points.push_back(
        measure(line, fmt::format("{}/results.jsonl:{}", results.folder,
                                  i < results.numbers.size() ? results.numbers[i] : i + 1)));
  }
  std::sort(points.begin(), points.end(),
            [](const Measured& a, const Measured& b) { return a.point < b.point; });
  return points;
}

Speed speed_of(const std::vector<Measured>& points) {
  const bool several = std::any_of(points.begin(), points.end(),
                                   [](const Measured& point) { return point.units > 1; });
  if (!several) return {};
  return {true, "Frames/s", "frames/s of all units", "frames/s", "more frames/s", "highest"};
}

const Line& value_of(const Line& line, const std::string& key) {
  static const Line none;
  const std::size_t dot = key.find('.');
  const Line& configuration = line.at("configuration");
  const auto section = configuration.find(key.substr(0, dot));
  if (section == configuration.end() || !section->is_object()) return none;
  const auto value = section->find(key.substr(dot + 1));
  return value == section->end() ? none : *value;
}

std::string plain(const Line& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{:g}", value.get<double>());
  return text_of_json(value);
}

std::vector<std::string> varied_keys(const std::vector<Line>& lines) {
  std::vector<std::string> keys;
  if (lines.empty()) return keys;
  for (const std::string& key : key_names(lines.front()["configuration"])) {
    const Line& first = value_of(lines.front(), key);
    if (std::any_of(lines.begin(), lines.end(),
                    [&](const Line& line) { return value_of(line, key) != first; })) {
      keys.push_back(key);
    }
  }
  return keys;
}

std::vector<std::string> implied_by(const std::vector<Line>& lines, const std::string& key) {
  std::vector<std::string> implied;
  for (const std::string& other : varied_keys(lines)) {
    std::map<std::string, const Line*> first;  // first line with each value of `key`, by that value
    const bool agree = std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
      const Line& seen = *first.try_emplace(text_of_json(value_of(line, key)), &line).first->second;
      return value_of(line, other) == value_of(seen, other);
    });
    if (other != key && agree) implied.push_back(other);
  }
  return implied;
}

std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  // Only points before it in this order can be as good. The last of the front is the likeliest.
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    const bool beaten = std::any_of(front.rbegin(), front.rend(), [&](std::size_t other) {
      return std::equal(rows[i].begin(), rows[i].end(), rows[other].begin(),
                        std::greater_equal<>());
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

Best best_of(const std::vector<const Measured*>& points) {
  // Index of the point with the smallest tuple. Points are in ascending order, so the lower point
  // wins a tie.
  const auto least = [&](auto&& tuple) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (tuple(*points[i]) < tuple(*points[best])) best = i;
    }
    return best;
  };
  Best best;
  best.fastest = least([](const Measured& m) {
    return std::make_tuple(m.latency_ms, m.memory_bits, m.multipliers);
  });
  best.rate = least([](const Measured& m) {
    return std::make_tuple(-m.frames_per_second.value_or(0), m.memory_bits, m.multipliers);
  });
  best.efficient = least([](const Measured& m) {
    return std::make_tuple(-m.frames_per_second.value_or(0) / m.memory_bits, m.memory_bits,
                           m.multipliers);
  });
  const double limit = 1.1 * points[best.fastest]->latency_ms;
  const auto near = [limit](const Measured& m, double first, double second) {
    return std::make_tuple(m.latency_ms > limit, first, second, m.latency_ms);
  };
  best.smallest = least([&](const Measured& m) { return near(m, m.memory_bits, m.multipliers); });
  best.multipliers =
      least([&](const Measured& m) { return near(m, m.multipliers, m.memory_bits); });
  return best;
}

}  // namespace tactus::sweep
