#include "firmware/python/serving.h"

#include <exception>
#include <optional>

#include <nlohmann/json.hpp>

#include "firmware/config/memory.h"
#include "firmware/serving/serving_figures.h"
#include "firmware/serving/serving_options.h"
#include "firmware/serving/slowdowns.h"
#include "isa/support/error.h"
#include "isa/support/json.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

const std::string serving_subject = "tactus.serve";

ServedModel served_model(const std::string& name, const CompiledModel& compiled,
                         const Configuration* machine) {
  ServedModel model;
  model.name = name;
  model.model = compiled.model;
  if (machine != nullptr) {
    model.config = machine->config;
    model.config.architecture = compiled.model.file.arch;
    resolve_memory(model.config, machine->path + ":");
  } else {
    model.config = configuration_of(compiled.model.file, compiled.path).config;
  }
  check_axi_width(model.config.architecture, model.config.axi_data_bits);
  for (const Tensor& input : tensors(model.model.file.inputs)) {
    model.inputs[input.name].resize(input.size * model.config.architecture.vector_bytes());
  }
  return model;
}

struct Asked {
  ServingOptions options;
  std::uint64_t tcus = 1;
  std::optional<std::uint64_t> images;
  bool slowdowns = false;
};

Asked read_asked(const std::string& json) {
  JsonDocument document(json, serving_subject);
  ObjectReader root = document.root();
  Asked asked;
  for (const auto& [key, words] :
       {std::pair("on", &asked.options.on), std::pair("arrivals", &asked.options.arrivals),
        std::pair("unit_clocks", &asked.options.unit_clocks)}) {
    if (!root.has(key)) continue;
    const ArrayReader array = root.get_array(key);
    for (std::size_t i = 0; i < array.size(); ++i) words->push_back(array.get_string(i));
  }
  asked.options.duration = root.get_optional_string("duration");
  if (root.has("queue")) {
    asked.options.queue = root.get_u64("queue", 0, ServingOptions::longest_queue);
  }
  asked.options.order = root.get_optional_string("order").value_or(asked.options.order);
  asked.tcus = root.get_u64("tcus", 1, TcuUnits::most);
  if (root.has("images")) asked.images = root.get_u64("images", 1, Arrivals::most);
  asked.slowdowns = root.get_bool("slowdowns");
  root.finish();
  document.problems().throw_if_any();
  return asked;
}

}  // namespace

Json serve_models(const KernelUse& /*use*/,
                  const std::vector<std::pair<std::string, const CompiledModel*>>& models,
                  const Configuration* machine, const std::string& options,
                  const std::function<void()>& progress) {
  const Asked asked = read_asked(options);
  Serving serving;
  serving.units = static_cast<unsigned>(asked.tcus);
  serving.images = asked.images;
  for (const auto& [name, model] : models) {
    serving.models.push_back(served_model(name, *model, machine));
  }
  apply(asked.options, {serving_subject + ": ", ""}, serving);
  if (asked.slowdowns && models.size() == 1) {
    user_error("{}: slowdowns compares models; allowed: with two or more", serving_subject);
  }
  const ServingPlan plan = plan_serving(serving);
  std::exception_ptr thrown;  // by `progress`; no exception passes a thread of SystemC
  ServingWatch watch;
  watch.ends = [&] {
    try {
      if (thrown == nullptr) progress();
    } catch (...) {
      thrown = std::current_exception();
    }
    return thrown != nullptr;
  };
  const RunRequest request;
  TcuMachines machines(plan.units);
  ServingResult result;
  const auto stuck = serve(serving, plan, machines, request, watch, result);
  if (thrown != nullptr) std::rethrow_exception(thrown);
  if (stuck) require_finished(*stuck, request);
  Json json;
  json["serving"] = serving_json(serving, plan, result);
  json["requests"] = requests_json(serving, result);
  if (!asked.slowdowns) return json;
  const auto matrix = slowdowns(serving, plan, request, watch.ends);
  if (thrown != nullptr) std::rethrow_exception(thrown);
  if (matrix) json["serving"]["slowdowns"] = to_json(*matrix, serving);
  return json;
}

}  // namespace tactus::python
