// What the figures of a design point suggest, each with its evidence.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tactus::codesign {

struct Idea {
  std::string rule;  ///< "bound_by", "tile_limit", "mac_fill", "weight_loads", "prediction",
                     ///< "short_transfers", "doubling"
  std::string text;  ///< a sentence with the figures that it follows from
};

/// Shares below or above which a rule speaks.
inline constexpr double least_mac_fill = 0.9;      ///< of the array's slots
inline constexpr double most_weight_share = 0.25;  ///< of the array's busy cycles
inline constexpr double least_bus_use = 0.5;       ///< of a port's bandwidth while it is the limit
inline constexpr double least_gain = 0.05;         ///< of the time
inline constexpr double ratio_low = 0.8, ratio_high = 1.25;  ///< measured / predicted

/// Rules over the record of a point (see point.h). Figures that a record lacks suggest nothing.
/// Changes of the machine are suggested by their simulation.
[[nodiscard]] std::vector<Idea> ideas(const nlohmann::ordered_json& record);

/// Rule "hypothetical": predictions for hardware that the simulator does not have.
[[nodiscard]] std::vector<Idea> hypothetical_ideas(const nlohmann::ordered_json& record);

}  // namespace tactus::codesign
