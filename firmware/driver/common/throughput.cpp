#include "firmware/driver/common/throughput.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "isa/support/quantity.h"

namespace tactus {

Throughput throughput(std::vector<std::uint64_t> latencies, double clock_mhz, double host_us,
                      std::uint64_t batch, unsigned units) {
  std::vector<std::uint64_t> cycles(units), runs(units);  // of each unit
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    cycles[i % units] += latencies[i];
    ++runs[i % units];
  }
  std::sort(latencies.begin(), latencies.end());
  const std::size_t count = latencies.size();
  Throughput result;
  result.images = count * batch;
  result.batch = batch;
  result.clock_mhz = clock_mhz;
  for (unsigned u = 0; u < units; ++u) {
    result.seconds = std::max(result.seconds, (static_cast<double>(cycles[u]) / clock_mhz +
                                               static_cast<double>(runs[u]) * host_us) /
                                                  1e6);
  }
  if (result.seconds > 0) {
    result.frames_per_second = static_cast<double>(result.images) / result.seconds;
  }
  result.min = latencies.front();
  result.median = nearest_rank(latencies, 50);
  result.p95 = nearest_rank(latencies, 95);
  result.max = latencies.back();
  return result;
}

nlohmann::ordered_json to_json(const Throughput& t) {
  nlohmann::ordered_json json;
  json["images"] = t.images;
  json["batch"] = t.batch;
  json["seconds"] = t.seconds;
  json["frames_per_second"] =
      t.frames_per_second ? nlohmann::ordered_json(*t.frames_per_second) : nullptr;
  json["latency_cycles"] = {{"min", t.min}, {"median", t.median}, {"p95", t.p95}, {"max", t.max}};
  const nlohmann::ordered_json cycles = json.at("latency_cycles");
  for (const auto& item : cycles.items()) {
    json["latency_ms"][item.key()] = cycles_in_ms(item.value(), t.clock_mhz);
  }
  for (const auto& item : cycles.items()) {
    json["ms_per_image"][item.key()] =
        cycles_in_ms(item.value(), t.clock_mhz) / static_cast<double>(t.batch);
  }
  return json;
}

}  // namespace tactus
