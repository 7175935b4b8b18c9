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

// Limits below (least) or above (most) which a rule makes a suggestion.
/// Needed multiply-accumulates, of those that the array does.
inline constexpr double least_mac_fill = 0.9;
/// Cycles that load weights, of the cycles that load weights or multiply.
inline constexpr double most_weight_share = 0.25;
/// Bandwidth used of a port that has more than half of the predicted cycles.
inline constexpr double least_bus_use = 0.5;
/// Time that a change must save to be suggested, of the whole time.
inline constexpr double least_gain = 0.05;
/// Range of measured / predicted cycles in which a prediction counts as right.
inline constexpr double ratio_low = 0.8, ratio_high = 1.25;

/// Applies the rules to the record of a point (see point.h). A rule whose figures are missing
/// suggests nothing. A doubled parameter is suggested only if its simulation saves `least_gain`.
[[nodiscard]] std::vector<Idea> ideas(const nlohmann::ordered_json& record);

/// Applies the rule "hypothetical", which reports predictions for hardware that the simulator does
/// not have.
[[nodiscard]] std::vector<Idea> hypothetical_ideas(const nlohmann::ordered_json& record);

}  // namespace tactus::codesign
