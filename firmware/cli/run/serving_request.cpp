#include "firmware/cli/run/serving_request.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "firmware/config/board.h"
#include "firmware/driver/common/throughput.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/text.h"
#include "models/tcu/machine_info.h"

namespace tactus {
namespace {

constexpr std::uint64_t longest_queue = 1000000;

/// Options of runs of one model or program, which have no meaning for several models.
constexpr const char* options_of_one[] = {
    "program",    "dram0",     "dram1",           "config",         "print-config", "regions",
    "energy",     "output",    "events",          "retire-log",     "dump",         "layers",
    "layers-csv", "samples",   "sample-interval", "sample-block",   "sample-pause", "vcd",
    "fst",        "gtkw",      "surfer",          "timeline-layer", "trace-layer",  "link",
    "requests",   "in-flight", "arenas",          "link-timeline"};

/// Splits the values of an option, each MODEL=TEXT, by model. With one model MODEL= may be left
/// out.
std::map<std::string, std::string> by_model(const Args& args, const std::string& option,
                                            const std::vector<std::string>& names) {
  std::map<std::string, std::string> texts;
  for (const std::string& word : args.texts(option)) {
    const std::size_t equals = word.find('=');
    const bool named = equals != std::string::npos;
    if (!named && names.size() > 1) {
      user_error("tactus run: --{} {}: of which model? allowed: MODEL=..., with MODEL of {}",
                 option, quote(word), fmt::join(names, ", "));
    }
    const std::string name = named ? word.substr(0, equals) : names.front();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      user_error("tactus run: --{} {}: there is no model {}; allowed: {}", option, quote(word),
                 quote(name), fmt::join(names, ", "));
    }
    if (!texts.emplace(name, named ? word.substr(equals + 1) : word).second) {
      user_error("tactus run: --{} {}: model {} has it twice", option, quote(word), quote(name));
    }
  }
  return texts;
}

/// Reads "0,2,3".
std::vector<unsigned> read_units(const std::string& text, const std::string& where,
                                 std::uint64_t tcus) {
  std::vector<unsigned> units;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    unsigned unit = 0;
    const auto result = std::from_chars(at, end, unit);
    more = result.ec == std::errc() && result.ptr != end && *result.ptr == ',';
    if (result.ec != std::errc() || unit >= tcus || (!more && result.ptr != end)) {
      user_error("{}: {} is no list of units; allowed: numbers 0..{}, such as 0,1 (--tcus {})",
                 where, quote(text), tcus - 1, tcus);
    }
    if (std::find(units.begin(), units.end(), unit) != units.end()) {
      user_error("{}: unit {} is named twice", where, unit);
    }
    units.push_back(unit);
    at = result.ptr + 1;
  }
  std::sort(units.begin(), units.end());
  return units;
}

ServingOrder read_order(const Args& args) {
  const std::string order = args.text("order").value_or("turns");
  if (order == "turns") return ServingOrder::turns;
  if (order == "priority") return ServingOrder::priority;
  user_error("tactus run: --order {} is not allowed; allowed: turns, priority", quote(order));
}

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

/// All units are on one board.
void check_boards(const std::vector<ServedModel>& models) {
  for (const ServedModel& model : models) {
    const std::string differences =
        board_parameters().differences(models.front().config, model.config);
    if (differences.empty()) continue;
    user_error(
        "tactus run: models {} and {} are for different boards; (the first, the second) differ in: "
        "{}; allowed: one board for all (--board NAME)",
        quote(models.front().name), quote(model.name), differences);
  }
}

}  // namespace

std::vector<Args::Option> serving_options() {
  return {{"on", "MODEL=UNIT,...",
           "units that run the model NAME of NAME=F.tmodel, by default the file's name without "
           ".tmodel; default: models are dealt out to the units",
           true},
          {"arrivals", "MODEL=N/s|poisson:N/s[:SEED]|F.csv",
           "requests arrive periodically, at random, or at the times in a file (seconds, one a "
           "line); default: whenever a unit can begin one",
           true},
          {"duration", "TIME",
           "requests arrive and are begun for this long, in simulated time: 2s, 250ms, 10us"},
          {"queue", "N", "requests that may wait for each model; more are dropped (default: any)"},
          {"order", "turns|priority",
           "which of its models a free unit takes a request of: the next in turn, or the first on "
           "the command line that has one (default turns)"},
          {"slowdowns", "",
           "tell how much longer the requests of each model take beside those of each other one; "
           "simulates each model and each pair again"},
          {"request-log", "F.csv",
           "write a row for each request that is done: arrival, taken, begin and end in cycles"}};
}

bool is_served(const Args& args) {
  for (const Args::Option& option : serving_options()) {
    if (args.has(option.name)) return true;
  }
  return models_of(args).size() > 1;
}

ServingRequest read_serving_request(const Args& args) {
  for (const char* option : options_of_one) {
    if (!args.has(option)) continue;
    user_error(
        "tactus run: --{} is for a run of one model or program without --on, --arrivals, "
        "--duration, --queue, --order, --slowdowns and --request-log",
        option);
  }
  ServingRequest made;
  read_models(args, made);
  Serving& serving = made.serving;
  check_boards(serving.models);
  serving.units = static_cast<unsigned>(made.request.tcus);
  serving.order = read_order(args);
  serving.images = made.request.images_wanted;
  if (args.has("queue")) serving.most_waiting = args.number("queue", 0, 0, longest_queue);
  if (const auto text = args.text("duration")) {
    const double seconds = read_seconds(*text, "tactus run: --duration");
    serving.end = static_cast<Cycle>(
        std::ceil(seconds * serving.models.front().config.clock_mhz * 1e6 * (1 - 1e-12)));
  }
  std::vector<std::string> names;
  for (const ServedModel& model : serving.models) names.push_back(model.name);
  const auto on = by_model(args, "on", names), arrivals = by_model(args, "arrivals", names);
  for (unsigned m = 0; m < names.size(); ++m) {
    ServedModel& model = serving.models[m];
    const auto units = on.find(model.name), times = arrivals.find(model.name);
    model.units = units != on.end()
                      ? read_units(units->second, "tactus run: --on " + model.name, serving.units)
                      : deal_units(m, static_cast<unsigned>(names.size()), serving.units);
    if (times != arrivals.end()) {
      model.arrivals = read_arrivals(times->second, "tactus run: --arrivals " + model.name);
    }
  }
  made.plan = plan_serving(serving);
  made.wants_slowdowns = args.has("slowdowns");
  if (made.wants_slowdowns && names.size() == 1) {
    user_error("tactus run: --slowdowns compares models; allowed: with two or more");
  }
  static_cast<RunOutputs&>(made) = read_run_outputs(args, tcu_machine_info());
  claim_outputs(made);
  made.request_log = args.text("request-log");
  if (made.request_log) claim_output(*made.request_log);
  return made;
}

}  // namespace tactus
