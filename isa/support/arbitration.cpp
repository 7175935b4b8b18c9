#include "isa/support/arbitration.h"

#include <cmath>

#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr const char* allowed_arbitration =
    "allowed: ports, round_robin, fixed:NAME,..., shares:NAME=S,...[:CLOCKS] with names such as "
    "dram0, stream, unit1 or unit1.dram0";

/// Reads "dram0", "unit1" or "unit1.dram0".
Arbitration::Group read_group(std::string_view name) {
  constexpr std::string_view unit = "unit";
  Arbitration::Group group;
  group.port = name;
  if (name.compare(0, unit.size(), unit) == 0) {
    const std::size_t dot = name.find('.');
    group.unit = read_number<unsigned>(name.substr(0, dot).substr(unit.size()));
    group.port = dot == std::string_view::npos ? "" : name.substr(dot + 1);
    if (!group.unit || *group.unit >= Arbitration::most_units || dot == name.size() - 1) {
      user_error("{} is no unit; allowed unit0..unit{}, and unit0.dram0", quote(name),
                 Arbitration::most_units - 1);
    }
  }
  const bool known = group.port == "dram0" || group.port == "dram1" || group.port == "stream";
  if (!known && !(group.unit && group.port.empty())) {
    user_error("{} is no port; {}", quote(name), allowed_arbitration);
  }
  return group;
}

/// A name is an error if an earlier one includes all of its ports.
void check_reached(const std::vector<Arbitration::Group>& groups, std::string_view name) {
  const Arbitration::Group& last = groups.back();
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    const Arbitration::Group& earlier = groups[g];
    const bool every_unit = !earlier.unit || earlier.unit == last.unit;
    if (!every_unit || (!earlier.port.empty() && earlier.port != last.port)) continue;
    user_error("{} has no effect behind a name that includes it; allowed: before that, or not",
               quote(name));
  }
}

void read_shares(std::string_view text, Arbitration& arbitration) {
  double sum = 0;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const auto share = equals == std::string_view::npos
                           ? std::nullopt
                           : read_number<double>(part.substr(equals + 1));
    if (!share || !(*share >= 0.000001) || *share > 1) {
      user_error("{} is no share; allowed NAME=S with S from 0.000001 to 1", quote(part));
    }
    arbitration.groups.push_back(read_group(part.substr(0, equals)));
    check_reached(arbitration.groups, part.substr(0, equals));
    arbitration.groups.back().share =
        static_cast<std::uint32_t>(std::lround(*share * Arbitration::whole));
    sum += *share;
  }
  if (sum > 1 + 1e-9) {
    user_error("the shares of {} sum up to {:g}; allowed up to 1", quote(text), sum);
  }
}

}  // namespace

Arbitration read_arbitration(const std::string& text) {
  Arbitration arbitration;
  const std::vector<std::string_view> parts = split(text, ':');
  const std::string_view policy = parts.front();
  const bool plain = policy == "ports" || policy == "round_robin";
  if (text.empty() || (plain && parts.size() == 1)) {
    if (policy == "round_robin") arbitration.policy = Arbitration::Policy::round_robin;
    return arbitration;
  }
  if (policy == "fixed" && parts.size() == 2) {
    arbitration.policy = Arbitration::Policy::fixed;
    for (const std::string_view name : split(parts[1], ',')) {
      arbitration.groups.push_back(read_group(name));
      check_reached(arbitration.groups, name);
    }
    return arbitration;
  }
  if (policy == "shares" && (parts.size() == 2 || parts.size() == 3)) {
    arbitration.policy = Arbitration::Policy::shares;
    read_shares(parts[1], arbitration);
    if (parts.size() == 2) return arbitration;
    const auto window = read_number<std::uint64_t>(parts[2]);
    if (!window || *window == 0 || *window > Arbitration::most_window) {
      user_error("{} is no window; allowed 1..{} clocks of the DRAM", quote(parts[2]),
                 Arbitration::most_window);
    }
    arbitration.window = *window;
    return arbitration;
  }
  user_error("{} is no arbitration; {}", quote(text), allowed_arbitration);
}

void check_arbitration(const std::string& text, unsigned units, bool has_stream,
                       const std::string& where) {
  for (const Arbitration::Group& group : read_arbitration(text).groups) {
    if (group.unit && *group.unit >= units) {
      user_error(
          "{}{} names unit{}, which this run does not have; allowed: unit0..unit{} (--tcus "
          "{})",
          where, quote(text), *group.unit, units - 1, units);
    }
    if (group.port == "stream" && !has_stream) {
      user_error("{}{} names the stream, for which this memory has no path; allowed: dram0, dram1",
                 where, quote(text));
    }
  }
}

}  // namespace tactus
