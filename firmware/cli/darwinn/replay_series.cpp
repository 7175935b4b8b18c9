#include "firmware/cli/darwinn/replay_series.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/cli/table.h"
#include "isa/support/json_text.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::string exact_ms(Picoseconds time) {
  return fmt::format("{:.6f}", static_cast<double>(time) / picoseconds_per_ms);
}

}  // namespace

ReplaySeries::ReplaySeries(std::vector<SeriesModel> models, std::size_t requests)
    : models_(std::move(models)) {
  Picoseconds now = 0;
  for (std::size_t r = 0; r < requests; ++r) {
    Request request{r % models_.size(), {}, now, now};
    const SeriesModel& model = models_[request.model];
    request.answer = cache_.request(model.file->package());
    if (request.answer.load) request.end += *model.caching;
    request.end += model.inference;
    now = request.end;
    requests_.push_back(request);
  }
}

std::string ReplaySeries::parameters_text(const Request& request) const {
  if (request.answer.load) return request.answer.evicted ? "loaded, others evicted" : "loaded";
  if (models_[request.model].caching) return "cached";
  return request.answer.evicted ? "none, others evicted" : "none";
}

std::string ReplaySeries::text() const {
  std::string text;
  for (const SeriesModel& model : models_) {
    text += fmt::format("{}: {}\n", model.file->name(), model.words);
  }
  Table table({{"request"}, {"model", true}, {"parameters", true}, {"latency ms"}, {"end ms"}});
  for (std::size_t r = 0; r < requests_.size(); ++r) {
    const Request& one = requests_[r];
    table.row({std::to_string(r), models_[one.model].file->name(), parameters_text(one),
               exact_ms(one.end - one.start), exact_ms(one.end)});
  }
  const ParameterCache::Stats& stats = cache_.stats();
  return text + "\n" + table.text() +
         fmt::format("\nparameters: {} loads, {} token hits, {} evictions\n", stats.loads,
                     stats.hits, stats.evictions);
}

std::string ReplaySeries::json() const {
  Json json;
  for (const SeriesModel& model : models_) {
    json["models"].push_back(
        {{"file", model.file->name()},
         {"words", model.words},
         {"inference_ps", model.inference},
         {"parameter_caching_ps", model.caching ? Json(*model.caching) : Json()}});
  }
  json["requests"] = Json::array();
  for (const Request& one : requests_) {
    json["requests"].push_back({{"file", models_[one.model].file->name()},
                                {"parameters", parameters_text(one)},
                                {"start_ps", one.start},
                                {"end_ps", one.end}});
  }
  const ParameterCache::Stats& stats = cache_.stats();
  json["parameter_loads"] = stats.loads;
  json["parameter_hits"] = stats.hits;
  json["evictions"] = stats.evictions;
  return text_of_json(json, 1) + "\n";
}

}  // namespace tactus
