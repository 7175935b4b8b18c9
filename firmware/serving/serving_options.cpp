#include "firmware/serving/serving_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "isa/support/board_values.h"
#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// Splits the values of an option, each MODEL=TEXT, by model. With one model MODEL= may be left
/// out.
std::map<std::string, std::string> by_model(const std::vector<std::string>& words,
                                            const std::string& option,
                                            const std::vector<std::string>& names) {
  std::map<std::string, std::string> texts;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool named = equals != std::string::npos;
    if (!named && names.size() > 1) {
      user_error("{} {}: of which model? allowed: MODEL=..., with MODEL of {}", option, quote(word),
                 fmt::join(names, ", "));
    }
    const std::string name = named ? word.substr(0, equals) : names.front();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      user_error("{} {}: there is no model {}; allowed: {}", option, quote(word), quote(name),
                 fmt::join(names, ", "));
    }
    if (!texts.emplace(name, named ? word.substr(equals + 1) : word).second) {
      user_error("{} {}: model {} has it twice", option, quote(word), quote(name));
    }
  }
  return texts;
}

/// Reads "0,2,3". `option` names the number of units in errors.
std::vector<unsigned> read_units(const std::string& text, const std::string& where,
                                 const std::string& option, std::uint64_t tcus) {
  std::vector<unsigned> units;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    unsigned unit = 0;
    const auto result = std::from_chars(at, end, unit);
    more = result.ec == std::errc() && result.ptr != end && *result.ptr == ',';
    if (result.ec != std::errc() || unit >= tcus || (!more && result.ptr != end)) {
      user_error("{}: {} is no list of units; allowed: numbers 0..{}, such as 0,1 ({} {})", where,
                 quote(text), tcus - 1, option, tcus);
    }
    if (std::find(units.begin(), units.end(), unit) != units.end()) {
      user_error("{}: unit {} is named twice", where, unit);
    }
    units.push_back(unit);
    at = result.ptr + 1;
  }
  std::sort(units.begin(), units.end());
  return units;
}

ServingOrder read_order(const std::string& order, const std::string& option) {
  if (order == "turns") return ServingOrder::turns;
  if (order == "priority") return ServingOrder::priority;
  user_error("{} {} is not allowed; allowed: turns, priority", option, quote(order));
}

/// Reads "UNIT=MHZ" of each word.
std::map<unsigned, double> read_clocks(const std::vector<std::string>& words,
                                       const std::string& where, const std::string& option,
                                       std::uint64_t tcus) {
  const auto& all = board_parameters();
  const RealRange range = std::find_if(all.begin(), all.end(), [](const auto& parameter) {
                            return parameter.key == "clock_mhz";
                          })->real;
  std::map<unsigned, double> clocks;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const auto unit = read_number<unsigned>(word.substr(0, equals));
    const auto mhz =
        equals == std::string::npos ? std::nullopt : read_number<double>(word.substr(equals + 1));
    if (!unit || *unit >= tcus || !mhz || !(*mhz >= range.min && *mhz <= range.max)) {
      user_error(
          "{} {}: this is no unit and its clock; allowed: UNIT=MHZ with a unit of 0..{} ({} {}) "
          "and {:g}..{:g} MHz, such as 0=150",
          where, quote(word), tcus - 1, option, tcus, range.min, range.max);
    }
    if (!clocks.emplace(*unit, *mhz).second) {
      user_error("{} {}: unit {} has it twice", where, quote(word), *unit);
    }
  }
  return clocks;
}

/// All units are on one board.
void check_boards(const std::vector<ServedModel>& models, const std::string& subject) {
  for (const ServedModel& model : models) {
    const std::string differences =
        board_parameters().differences(models.front().config, model.config);
    if (differences.empty()) continue;
    user_error(
        "{}models {} and {} are for different boards; (the first, the second) differ in: "
        "{}; allowed: one board for all (--board NAME)",
        subject, quote(models.front().name), quote(model.name), differences);
  }
}

}  // namespace

void apply(const ServingOptions& options, const ServingWords& words, Serving& serving) {
  const auto named = [&](const char* option) { return words.subject + words.dashes + option; };
  check_boards(serving.models, words.subject);
  serving.order = read_order(options.order, named("order"));
  serving.most_waiting = options.queue;
  serving.unit_clocks_mhz =
      read_clocks(options.unit_clocks, named("unit-clocks"), words.dashes + "tcus", serving.units);
  if (options.duration) {
    const double seconds = read_seconds(*options.duration, named("duration"));
    serving.end = static_cast<Cycle>(std::ceil(seconds * serving.clock_mhz() * 1e6 * (1 - 1e-12)));
  }
  std::vector<std::string> names;
  for (const ServedModel& model : serving.models) names.push_back(model.name);
  const auto on = by_model(options.on, named("on"), names);
  const auto arrivals = by_model(options.arrivals, named("arrivals"), names);
  for (unsigned m = 0; m < names.size(); ++m) {
    ServedModel& model = serving.models[m];
    const auto units = on.find(model.name), times = arrivals.find(model.name);
    model.units = units != on.end()
                      ? read_units(units->second, named("on ") + model.name, words.dashes + "tcus",
                                   serving.units)
                      : deal_units(m, static_cast<unsigned>(names.size()), serving.units);
    if (times != arrivals.end()) {
      model.arrivals = read_arrivals(times->second, named("arrivals ") + model.name);
    }
  }
}

}  // namespace tactus
