#include "firmware/sweep/check_points.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "firmware/sweep/run.h"
#include "isa/support/json_text.h"

namespace tactus::sweep {
namespace {

/// Finds the points that cannot be built, and counts for each value of an axis how many points with
/// it fail. A machine that several points share is checked once.
class PointChecks {
 public:
  void add(const Definition& definition, const Point& point, const Configuration& configuration) {
    std::string machine;
    for (const auto& [name, section] : configuration.items()) {
      // The compiler's keys do not matter to the machine, except `batch`: several units share the
      // runs.
      machine +=
          text_of_json(name == "compiler" ? section.value("batch", Configuration()) : section);
    }
    const auto [found, fresh] = problems_.try_emplace(machine);
    if (fresh) found->second = point_problem(configuration);
    const std::string& problem = found->second;
    std::vector<std::string> keys;
    definition.axes.append_keys(keys);
    std::vector<std::string> values;
    for (const std::string& key : keys) {
      values.push_back(fmt::format("{}={}", key, text_of_json(get_key(configuration, key))));
      Value& value = value_of(values.back());
      ++value.points;
      value.failed += problem.empty() ? 0 : 1;
      if (value.problem.empty()) value.problem = problem;
    }
    if (!problem.empty()) failed_.push_back({point.index, std::move(values), problem});
  }

  [[nodiscard]] bool good() const { return failed_.empty(); }
  /// Lists the values with which all points fail, then the other points that fail.
  [[nodiscard]] std::string text(std::size_t points) const {
    std::string out = fmt::format("{} of {} points cannot be built\n", failed_.size(), points);
    for (const Value& value : values_) {
      if (value.failed < value.points) continue;
      out += fmt::format("  {}: {}: {}\n", value.text,
                         value.points == 1 ? std::string("its point")
                                           : fmt::format("all of its {} points", value.points),
                         value.problem);
    }
    constexpr std::size_t most = 20;
    std::size_t listed = 0, left_out = 0;
    for (const Failed& point : failed_) {
      const bool told = std::any_of(values_.begin(), values_.end(), [&](const Value& value) {
        return value.failed == value.points && std::find(point.values.begin(), point.values.end(),
                                                         value.text) != point.values.end();
      });
      if (told) continue;
      if (listed == most) {
        ++left_out;
        continue;
      }
      ++listed;
      out += fmt::format("  point {}, {}: {}\n", point.index, fmt::join(point.values, " "),
                         point.problem);
    }
    return out + (left_out > 0 ? fmt::format("  and {} more\n", left_out) : "");
  }

 private:
  struct Value {
    std::string text;  ///< key and value: "board.ddr=ddr3_1600"
    std::size_t points = 0, failed = 0;
    std::string problem;
  };
  struct Failed {
    std::uint64_t index;
    std::vector<std::string> values;
    std::string problem;
  };
  Value& value_of(const std::string& text) {
    const auto [found, fresh] = places_.try_emplace(text, values_.size());
    if (fresh) values_.push_back({text, 0, 0, {}});
    return values_[found->second];
  }
  std::unordered_map<std::string, std::string> problems_;  ///< problem by machine; empty: none
  std::unordered_map<std::string, std::size_t> places_;    ///< index in values_, by text
  std::vector<Value> values_;
  std::vector<Failed> failed_;
};

}  // namespace

std::string machine_problems(const Definition& definition, const std::vector<Point>& points,
                             const Configurations& configurations) {
  PointChecks checks;
  for (const Point& point : points) checks.add(definition, point, configurations.of(point));
  return checks.good() ? "" : checks.text(points.size());
}

}  // namespace tactus::sweep
