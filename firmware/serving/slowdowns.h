// Who costs whom: latencies of each model beside each other one, against those it has when the
// others send no requests.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/serving/serve.h"

namespace tactus {

/// Means of one model's requests in a run.
struct MeanTimes {
  double latency = 0;  ///< from arrival to end, in cycles of Serving::clock_mhz()
  double service = 0;  ///< of the program
};

/// The matrix of slowdowns. Entries are empty where a model has no request that is done.
struct Slowdowns {
  /// By model: with the requests of no other model.
  std::vector<std::optional<MeanTimes>> alone;
  /// By model and by the other model whose requests arrive, too; empty on the diagonal.
  std::vector<std::vector<std::optional<MeanTimes>>> beside;

  /// Mean latency of `model` beside `other`, divided by that alone.
  [[nodiscard]] std::optional<double> of_latency(unsigned model, unsigned other) const;
  /// The same for the program's cycles, which grow by waiting for the memory only.
  [[nodiscard]] std::optional<double> of_service(unsigned model, unsigned other) const;
};

/// Serves each model and each pair of models again, on the same units and banks. Returns nothing if
/// a run did not finish or `ends` returned true.
[[nodiscard]] std::optional<Slowdowns> slowdowns(const Serving& serving, const ServingPlan& plan,
                                                 const RunRequest& request,
                                                 const std::function<bool()>& ends);

/// The matrix by names of models: {"A": {"alone_latency_ms": 7.6, "beside": {"B": {"latency": 1.02,
/// "service": 1.01}}}}; null where nothing is done.
[[nodiscard]] nlohmann::ordered_json to_json(const Slowdowns& slowdowns, const Serving& serving);

}  // namespace tactus
