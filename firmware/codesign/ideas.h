// Derives suggestions from the figures of a design point, each with its evidence.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tactus::codesign {

struct Idea {
  std::string rule;  ///< "bound_by", "tile_limit", "mac_fill", "weight_loads", "prediction",
                     ///< "short_transfers", "doubling"
  std::string text;  ///< a sentence with the figures on which it is based
};

/// Limits of shares, below or above which a rule makes a suggestion.
inline constexpr double least_mac_fill = 0.9;      ///< share of the array's slots
inline constexpr double most_weight_share = 0.25;  ///< share of the array's busy cycles
inline constexpr double least_bus_use = 0.5;  ///< share of a port's bandwidth while it is the limit
inline constexpr double least_gain = 0.05;    ///< share of the time
inline constexpr double ratio_low = 0.8, ratio_high = 1.25;  ///< limits of measured / predicted

/// Applies the rules to the record of a point (see point.h). A rule whose figures are missing
/// suggests nothing. A change of the machine is suggested only if its simulation is faster.
[[nodiscard]] std::vector<Idea> ideas(const nlohmann::ordered_json& record);

/// The rule "hypothetical": predictions for hardware that the simulator does not have.
[[nodiscard]] std::vector<Idea> hypothetical_ideas(const nlohmann::ordered_json& record);

}  // namespace tactus::codesign
