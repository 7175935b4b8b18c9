#include "firmware/serving/slowdowns.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace tactus {
namespace {

std::optional<MeanTimes> mean_times(const ServingResult& result, unsigned model) {
  MeanTimes sum;
  double count = 0;
  for (const ServedRequest& r : result.requests) {
    if (r.model != model) continue;
    sum.latency += static_cast<double>(r.end - r.arrival);
    sum.service += static_cast<double>(r.end - r.begin);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return MeanTimes{sum.latency / count, sum.service / count};
}

/// The plan with the requests of some models only.
ServingPlan with_requests_of(ServingPlan plan, const std::vector<unsigned>& models) {
  for (unsigned m = 0; m < plan.queues.size(); ++m) {
    if (std::find(models.begin(), models.end(), m) != models.end()) continue;
    plan.queues[m].arrivals.clear();
    plan.queues[m].ready = false;
  }
  return plan;
}

}  // namespace

std::optional<double> Slowdowns::of_latency(unsigned model, unsigned other) const {
  const auto& mean = beside[model][other];
  if (!mean || !alone[model]) return std::nullopt;
  return mean->latency / alone[model]->latency;
}

std::optional<double> Slowdowns::of_service(unsigned model, unsigned other) const {
  const auto& mean = beside[model][other];
  if (!mean || !alone[model]) return std::nullopt;
  return mean->service / alone[model]->service;
}

std::optional<Slowdowns> slowdowns(const Serving& serving, const ServingPlan& plan,
                                   const RunRequest& request, const std::function<bool()>& ends) {
  const auto count = static_cast<unsigned>(serving.models.size());
  Slowdowns matrix;
  matrix.alone.resize(count);
  matrix.beside.assign(count, std::vector<std::optional<MeanTimes>>(count));
  ServingWatch watch;
  watch.ends = ends;
  const auto run = [&](const std::vector<unsigned>& models) -> std::optional<ServingResult> {
    const ServingPlan some = with_requests_of(plan, models);
    TcuMachines machines(some.units);
    ServingResult result;
    if (serve_requests(serving, some, machines, request, watch, result) || result.ended) {
      return std::nullopt;
    }
    return result;
  };
  for (unsigned m = 0; m < count; ++m) {
    const auto alone = run({m});
    if (!alone) return std::nullopt;
    matrix.alone[m] = mean_times(*alone, m);
    for (unsigned other = 0; other < m; ++other) {
      const auto pair = run({other, m});
      if (!pair) return std::nullopt;
      matrix.beside[m][other] = mean_times(*pair, m);
      matrix.beside[other][m] = mean_times(*pair, other);
    }
  }
  return matrix;
}

nlohmann::ordered_json to_json(const Slowdowns& slowdowns, const Serving& serving) {
  using Json = nlohmann::ordered_json;
  const double clock_mhz = serving.clock_mhz();
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  Json json;
  for (unsigned m = 0; m < serving.models.size(); ++m) {
    Json& model = json[serving.models[m].name];
    const auto& alone = slowdowns.alone[m];
    model["alone_latency_ms"] = alone ? Json(alone->latency / clock_mhz / 1e3) : Json();
    model["beside"] = Json::object();
    for (unsigned other = 0; other < serving.models.size(); ++other) {
      if (other == m) continue;
      model["beside"][serving.models[other].name] = {
          {"latency", optional(slowdowns.of_latency(m, other))},
          {"service", optional(slowdowns.of_service(m, other))}};
    }
  }
  return json;
}

}  // namespace tactus
