// Figures of served requests: throughput, latencies and queues of each model, and what each unit
// did.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/report/figures.h"
#include "firmware/serving/serve.h"

namespace tactus {

/// Distribution of times, in cycles of Serving::clock_mhz(). Ranks are by the nearest-rank method.
struct TimeRanks {
  Cycle min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
  double mean = 0;
};

struct ModelFigures {
  std::uint64_t arrived = 0, done = 0, dropped = 0, waiting = 0;
  double frames_per_second = 0;  ///< images of the requests that are done, by the time of the run
  std::optional<TimeRanks> latency;   ///< from arrival to end; none if nothing is done
  std::optional<TimeRanks> queueing;  ///< from arrival until a unit takes the request
  std::optional<TimeRanks> service;   ///< of the program
  double mean_in_system = 0;  ///< requests that wait or are served, averaged over the run's time
  double mean_waiting = 0;    ///< those that wait
  double slowdown = 1;        ///< mean service by that of an image alone on the board
  double bytes_per_second = 0;
  double share_of_bytes = 0;  ///< 0..1 of the bytes of all models
  /// Time that its accesses waited at the memory for those of each model, its own included
  /// (models/dram/ddr_waits.h), in ns; empty for one unit or without a shared memory.
  std::vector<double> waits_ns;
};

struct UnitFigures {
  std::uint64_t done = 0;
  double busy = 0, entering = 0;  ///< 0..1 of the run's time
  double queued = 0;  ///< 0..1 of the port cycles of its images: waiting for other accesses
  std::vector<double> waits_ns;  ///< as ModelFigures::waits_ns, by unit
};

struct ServingFigures {
  double seconds = 0;
  std::vector<ModelFigures> models;
  std::vector<UnitFigures> units;
};

[[nodiscard]] ServingFigures serving_figures(const Serving& serving, const ServingPlan& plan,
                                             const ServingResult& result);

/// Figures of a model by name.
[[nodiscard]] nlohmann::ordered_json to_json(const ModelFigures& figures, const Serving& serving);
/// The figures as an object with "cycles", "seconds", "models", "units" and, of several units,
/// "memory".
[[nodiscard]] nlohmann::ordered_json serving_json(const Serving& serving, const ServingPlan& plan,
                                                  const ServingResult& result);
/// Meanings of the figures of serving_json(), and of the columns of requests_csv().
[[nodiscard]] std::vector<Figure> serving_columns();
[[nodiscard]] std::vector<Figure> request_columns();
/// A row for each request that is done: model, unit, and times in cycles, or in ps if units have
/// different clocks (their names then end with _ps).
[[nodiscard]] nlohmann::ordered_json requests_json(const Serving& serving,
                                                   const ServingResult& result);
[[nodiscard]] std::string requests_csv(const Serving& serving, const ServingResult& result);

}  // namespace tactus
