#include "firmware/bench/tenants.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "firmware/serving/serving_figures.h"
#include "firmware/serving/serving_options.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/quantity.h"
#include "isa/support/table_rows.h"
#include "isa/support/text.h"

namespace tactus::bench {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> parts_of(const std::string& text) {
  if (text.empty()) return {};
  const std::vector<std::string_view> parts = split(text, ';');
  return {parts.begin(), parts.end()};
}

/// A network's name in figures and options, and its task.
using Named = std::pair<std::string, Task>;

std::vector<Named> networks_of(const Task& task) {
  const bool of_zoo = task.source == Source::network;
  const std::string first =
      of_zoo ? task.workload : std::filesystem::path(task.workload).stem().string();
  std::vector<Named> all{{first, alone(task)}};
  for (const std::string& part : parts_of(task.beside)) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    Task other = alone(task);
    other.source = Source::network;
    other.workload = equals == std::string::npos ? name : part.substr(equals + 1);
    try {
      (void)nn::zoo_entry(other.workload);
    } catch (const UserError& error) {
      user_error("beside: {}", error.what());
    }
    for (const Named& earlier : all) {
      if (earlier.first != name) continue;
      user_error("beside: two networks are named {}; allowed: names of their own, as NAME=NETWORK",
                 quote(name));
    }
    all.emplace_back(name, std::move(other));
  }
  return all;
}

/// Everything but the models' programs and inputs.
Serving serving_of(const Task& task, const std::vector<Named>& networks) {
  Serving serving;
  serving.units = static_cast<unsigned>(task.tcus);
  // A single image is the default, and no limit where there is a duration.
  if (task.duration.empty() || task.images() > 1) serving.images = task.images();
  for (const Named& network : networks) {
    ServedModel& model = serving.models.emplace_back();
    model.name = network.first;
    model.config = machine_config(task);
  }
  ServingOptions options;
  options.on = parts_of(task.on);
  options.arrivals = parts_of(task.arrivals);
  if (!task.duration.empty()) options.duration = task.duration;
  options.queue = task.queue;
  if (!task.order.empty()) options.order = task.order;
  options.unit_clocks = parts_of(task.unit_clocks);
  apply(options, {}, serving);
  if (task.duration.empty() && task.images() == 1 && !task.arrivals.empty()) {
    user_error(
        "arrivals {}: these requests never end; allowed with a \"duration\", such as \"1s\", or "
        "with 2 \"images\" or more for each network",
        quote(task.arrivals));
  }
  return serving;
}

}  // namespace

bool is_served(const Task& task) {
  return !task.beside.empty() || !task.arrivals.empty() || !task.on.empty() ||
         !task.duration.empty() || !task.order.empty() || !task.unit_clocks.empty() ||
         task.queue.has_value();
}

Task alone(const Task& task) {
  Task one = task;
  for (std::string* text :
       {&one.beside, &one.arrivals, &one.on, &one.duration, &one.order, &one.unit_clocks}) {
    text->clear();
  }
  one.queue.reset();
  one.tcus = 1;
  one.images_wanted.reset();
  return one;
}

void check_serving(const Task& task) { (void)serving_of(task, networks_of(task)); }

Json serve_task(const Task& task, const ProgramCache& cache) {
  const std::vector<Named> networks = networks_of(task);
  Serving serving = serving_of(task, networks);
  for (std::size_t m = 0; m < networks.size(); ++m) {
    const Program program = prepare(networks[m].second, cache).program;
    serving.models[m].inputs = seeded_inputs(program, task.seed);
    serving.models[m].model = program.model;
  }
  const ServingPlan plan = plan_serving(serving);
  TcuMachines machines(plan.units);
  ServingResult result;
  if (const auto stuck = serve(serving, plan, machines, task, {}, result)) {
    user_error("a program did not finish: {} cycles", stuck->cycles);
  }
  const ServingFigures figures = serving_figures(serving, plan, result);
  Json json;
  for (std::size_t m = 0; m < networks.size(); ++m) {
    Json& of = json[networks[m].first] = to_json(figures.models[m], serving);
    // A column of a table has figures or nothing.
    for (auto item = of.begin(); item != of.end();) {
      item = item->is_null() ? of.erase(item) : std::next(item);
    }
  }
  return json;
}

}  // namespace tactus::bench
