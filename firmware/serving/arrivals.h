// Times at which requests for a model arrive: periodic, random, out of a file, or whenever the
// model can begin.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/sim/clock.h"

namespace tactus {

struct Arrivals {
  enum class Kind {
    ready,     ///< a request arrives whenever a unit can begin one
    periodic,  ///< at 0, 1/rate, 2/rate, ...
    poisson,   ///< with exponentially distributed times between them, the first included
    times,     ///< at given times
  };
  Kind kind = Kind::ready;
  double rate = 0;              ///< requests a second
  std::uint64_t seed = 1;       ///< of a Poisson process
  std::vector<double> seconds;  ///< of Kind::times, not decreasing
  std::string text = "ready";   ///< as the user gave it

  static constexpr double most_rate = 1e9;
  /// Largest number of requests for a model in a run.
  static constexpr std::uint64_t most = 1000000;
};

/// Reads "30/s", "poisson:30/s", "poisson:30/s:7" (with a seed), or the name of a .csv file with a
/// time in seconds in each line, in order. `where` begins each error. Throws UserError, for a file
/// with the line.
[[nodiscard]] Arrivals read_arrivals(const std::string& text, const std::string& where);

/// Reads a time, such as "2", "2s", "250ms", "10us", in seconds. Throws UserError unless it is
/// above 0 and at most 10^6 s.
[[nodiscard]] double read_seconds(const std::string& text, const std::string& where);

/// Cycles of the clock in which requests arrive, in order: a request is seen at the first clock
/// edge from its time on. Those at `end` and later are left out, and those beyond `count`. Not for
/// Kind::ready. Throws UserError, beginning with `where`, if there are more than Arrivals::most.
[[nodiscard]] std::vector<Cycle> arrival_cycles(const Arrivals& arrivals, double clock_mhz,
                                                Cycle end, std::uint64_t count,
                                                const std::string& where);

}  // namespace tactus
