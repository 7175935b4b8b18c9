// How requests are served, as the texts that users give: options of the command line, arguments of
// Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/serving/serving_plan.h"

namespace tactus {

struct ServingOptions {
  /// Units and arrivals of models, as MODEL=0,2 and MODEL=30/s. With one model MODEL= may be left
  /// out.
  std::vector<std::string> on, arrivals;
  std::vector<std::string> unit_clocks;  ///< UNIT=MHZ
  std::optional<std::string> duration;   ///< a time, see read_seconds()
  std::optional<std::uint64_t> queue;
  std::string order = "turns";  ///< turns or priority

  static constexpr std::uint64_t longest_queue = 1000000;
};

/// How errors name an option: "tactus run: " and "--".
struct ServingWords {
  std::string subject, dashes;
};

/// Reads the options into `serving`, whose models and number of units are set. Throws UserError,
/// also if the models are for different boards.
void apply(const ServingOptions& options, const ServingWords& words, Serving& serving);

}  // namespace tactus
