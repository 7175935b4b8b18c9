#include "firmware/cli/run/serving_request.h"

#include <map>
#include <utility>

#include "firmware/serving/serving_options.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/text.h"
#include "models/tcu/machine_info.h"

namespace tactus {
namespace {

void read_models(const Args& args, ServingRequest& made) {
  auto models = models_of(args);
  if (models.empty() && args.has("model")) {
    const std::string path = *args.text("model");
    models.emplace_back(std::filesystem::path(path).stem().string(), path);
  }
  if (models.empty()) {
    user_error("tactus run: {} needs compiled models; name one or more F.tmodel",
               args.has("arrivals") ? "--arrivals" : "serving");
  }
  if (models.size() > 1 && args.has("input")) {
    user_error("tactus run: --input is for one model; several have inputs that are drawn");
  }
  std::map<std::string, std::string> paths;
  for (const auto& [name, path] : models) {
    const auto [other, fresh] = paths.emplace(name, path);
    if (fresh) continue;
    user_error(
        "tactus run: two models are named {}: {} and {}; allowed: names of their own, as "
        "NAME=F.tmodel",
        quote(name), other->second, path);
  }
  for (const auto& [name, path] : models) {
    RunPlan plan = plan_one_model(args, path);
    if (made.serving.models.empty()) {
      made.request = plan;
      if (!plan.board.name.empty()) made.board = plan.board_text();
    }
    ServedModel model;
    model.name = name;
    model.model = std::move(*plan.model);
    model.inputs = std::move(plan.images.front());
    model.config = std::move(plan.config);
    made.serving.models.push_back(std::move(model));
  }
}

}  // namespace

std::vector<Args::Option> serving_options() {
  return {
      {"on", "MODEL=UNIT,...",
       "units that run the model NAME of NAME=F.tmodel, by default the file's name without "
       ".tmodel; default: models are dealt out to the units",
       true},
      {"arrivals", "MODEL=N/s|poisson:N/s[:SEED]|F.csv",
       "requests arrive periodically, at random, or at the times in a file (seconds, one a "
       "line); default: whenever a unit can begin one",
       true},
      {"duration", "TIME",
       "requests arrive and are begun for this long, in simulated time: 2s, 250ms, 10us; a number "
       "alone is seconds"},
      {"queue", "N", "requests that may wait for each model; more are dropped (default: any)"},
      {"order", "turns|priority",
       "which of its models a free unit takes a request of: the next in turn, or the first on "
       "the command line that has one (default turns)"},
      {"unit-clocks", "UNIT=MHZ",
       "clock of a unit, if it is not the board's; times in --request-log are then in ps", true},
      {"slowdowns", "",
       "tell how much longer the requests of each model take beside those of each other one; "
       "simulates each model and each pair again"},
      {"request-log", "F.csv",
       "write a row for each request that is done: arrival, taken, begin and end in cycles, or in "
       "ps if units have different clocks"}};
}

bool is_served(const Args& args) {
  for (const Args::Option& option : serving_options()) {
    if (args.has(option.name)) return true;
  }
  return models_of(args).size() > 1;
}

ServingRequest read_serving_request(const Args& args) {
  // Options of runs of one model or program, which have no meaning for several models.
  args.refuse(
      {"program",    "dram0",     "dram1",           "config",         "print-config", "regions",
       "energy",     "output",    "events",          "retire-log",     "dump",         "layers",
       "layers-csv", "samples",   "sample-interval", "sample-block",   "sample-pause", "vcd",
       "fst",        "gtkw",      "surfer",          "timeline-layer", "trace-layer",  "link",
       "requests",   "in-flight", "arenas",          "link-timeline"},
      "is for a run of one model or program without --on, --arrivals, --duration, --queue, "
      "--order, --unit-clocks, --slowdowns and --request-log");
  ServingRequest made;
  read_models(args, made);
  Serving& serving = made.serving;
  serving.units = static_cast<unsigned>(made.request.tcus);
  serving.images = made.request.images_wanted;
  ServingOptions options;
  options.on = args.texts("on");
  options.arrivals = args.texts("arrivals");
  options.unit_clocks = args.texts("unit-clocks");
  options.duration = args.text("duration");
  if (args.has("queue")) options.queue = args.number("queue", 0, 0, ServingOptions::longest_queue);
  options.order = args.text("order").value_or(options.order);
  apply(options, {"tactus run: ", "--"}, serving);
  made.plan = plan_serving(serving);
  made.wants_slowdowns = args.has("slowdowns");
  if (made.wants_slowdowns && serving.models.size() == 1) {
    user_error("tactus run: --slowdowns compares models; allowed: with two or more");
  }
  static_cast<RunOutputs&>(made) = read_run_outputs(args, tcu_machine_info());
  claim_outputs(made);
  made.request_log = args.text("request-log");
  if (made.request_log) claim_output(*made.request_log);
  return made;
}

}  // namespace tactus
