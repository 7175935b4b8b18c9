#include "firmware/driver/tcu/run_request.h"

#include <map>

#include "firmware/driver/tcu/units.h"

namespace tactus {
namespace {

/// Range of the number of images. It is limited, since the statistics keep figures of each image.
constexpr WholeRange images_range{1, 100000};

constexpr unsigned command = static_cast<unsigned>(Asker::command);
constexpr unsigned python = static_cast<unsigned>(Asker::python);
constexpr unsigned points = static_cast<unsigned>(Asker::points);
constexpr unsigned rows = static_cast<unsigned>(Asker::rows);
constexpr unsigned kernels = static_cast<unsigned>(Asker::kernels);
constexpr unsigned products = static_cast<unsigned>(Asker::products);

constexpr std::string_view with_options_of_their_own =
    "tactus run and tactus.serve have options of their own for requests that arrive; kernels and "
    "products have none";

std::vector<RunOption> options_of_a_run() {
  using R = RunRequest;
  return {
      {command | python,
       choice("mode", &R::mode, {"plain", "driver"},
              "plain: the program alone; driver: with configuration and completion probe, as real "
              "drivers run it"),
       "points and rows have the figures of the program alone; kernels and products have no model"},
      {command,
       choice("checks", &R::checks, {"strict", "permissive"},
              "strict: refuse instructions that exceed the architecture; permissive: run them as "
              "the RTL would"),
       "compiled networks have no such instructions, and Python and kernels refuse them; products "
       "are legal"},
      {command,
       boolean("strict", &R::strict,
               "refuse a program that reads local memory, accumulators, weights or registers which "
               "nothing has written; without this option, only warn"),
       "Python warns, which can be turned into an error; compiled networks read no such memory; "
       "the option of kernels refuses other things, too; products read no such memory"},
      {command | python,
       optional_whole("max_cycles", &R::max_cycles, {1}, "cycles", "no limit",
                      "stop an image after this many cycles"),
       "a sweep has one for all points; rows have none"},
      {products,
       optional_whole("max_cycles", &R::max_cycles, {1}, "cycles", "no limit",
                      "stop a run after N cycles")
           .with_value_name("N"),
       ""},
      {kernels,
       optional_whole("max_cycles", &R::max_cycles, {1}, "cycles", "no limit",
                      "stop the run after this many cycles"),
       ""},
      {command,
       text("regions", &R::regions_wanted, "the model's layers",
            "figures by parts of the program: a file {\"layers\": [{\"name\", \"first\", "
            "\"count\"}]}, or N equal parts")
           .with_value_name("F.json|N"),
       "Python has the model's layers; points and rows have figures of the whole; kernels have "
       "loops; a product has no layers"}};
}

std::vector<RunOption> options_of_images_and_units() {
  using R = RunRequest;
  return {
      {command,
       optional_whole("images", &R::images_wanted, images_range, "images", "those of the inputs",
                      "run this many images of a model, taking those of the inputs in turn, and "
                      "report the throughput"),
       "Python runs the images of its arrays; rows have as many as units; kernels and products "
       "have none"},
      {points,
       whole_by<R>(
           "images", [](const R& r) { return r.images_wanted.value_or(1); },
           [](R& r, std::uint64_t images) { r.images_wanted = images; }, images_range, "images",
           "images that run one after the other, for throughput and the distribution of latencies"),
       ""},
      {command | python | rows,
       whole("tcus", &R::tcus, {1, TcuUnits::most}, "units",
             "units behind the board's memory, each with its own banks; image i runs on unit i mod "
             "N. Waveform, timeline, events, retires, samples and dumps show unit 0"),
       "a kernel and a product run on one machine"},
      {points,
       whole("tcus", &R::tcus, {1, TcuUnits::most}, "units",
             "units behind the board's memory, which share the images; rates, memory, multipliers, "
             "energy and area are those of all, other figures those of the first image"),
       ""},
      {command | python | points | kernels | products,
       text("energy", &R::energy, "none",
            "report energy and area with this energy table: a name of configs/energy or a file")
           .with_value_name("NAME|F.json"),
       "rows have no column for it"}};
}

std::vector<RunOption> options_of_serving() {
  using R = RunRequest;
  return {
      {points | rows,
       text("beside", &R::beside, "none",
            "networks of tactus zoo that are served on the same board, such as cnn;mlp or "
            "second=cnn; figures are in `serving`, by network"),
       with_options_of_their_own},
      {points | rows,
       text("arrivals", &R::arrivals, "whenever a unit can begin one",
            "requests of each network, such as resnet20v2=30/s;cnn=poisson:200/s:7"),
       with_options_of_their_own},
      {points | rows,
       text("on", &R::on, "dealt out", "units that run each network, such as resnet20v2=0,1;cnn=1"),
       with_options_of_their_own},
      {points | rows,
       text("duration", &R::duration, "as many requests as images",
            "requests arrive and are begun for this long: 2s, 250ms"),
       with_options_of_their_own},
      {points | rows,
       text("order", &R::order, "turns",
            "which network a free unit takes: turns, or priority for the first that has a request"),
       with_options_of_their_own},
      {points | rows,
       text("unit_clocks", &R::unit_clocks, "the board's",
            "clocks of units in MHz, such as 1=150;2=75"),
       with_options_of_their_own},
      {points | rows,
       optional_whole("queue", &R::queue, {0, 1000000}, "requests", "any",
                      "requests that may wait for each network; more are dropped"),
       with_options_of_their_own}};
}

ParameterTable<RunRequest> options_of(Asker asker) {
  const bool of_points = asker == Asker::points;
  const bool has_options =
      asker == Asker::command || asker == Asker::kernels || asker == Asker::products;
  std::vector<Parameter<RunRequest>> list;
  for (const RunOption& option : request_options()) {
    if ((option.askers & static_cast<unsigned>(asker)) != 0) {
      list.push_back(has_options ? option.parameter : option.parameter.without_option());
    }
  }
  return {
      of_points ? "measure" : "run",
      of_points ? "What is measured in addition to the figures of one image." : "How it is run.",
      std::move(list)};
}

}  // namespace

void apply(const RunRequest& request, RunOptions& options) {
  options.max_cycles = request.max_cycles.value_or(0);
}

const std::vector<RunOption>& request_options() {
  static const std::vector<RunOption> options = [] {
    std::vector<RunOption> list = options_of_a_run();
    for (const auto& more : {options_of_images_and_units(), options_of_serving()}) {
      list.insert(list.end(), more.begin(), more.end());
    }
    return list;
  }();
  return options;
}

std::string why_not_for(Asker asker, std::string_view key) {
  std::string reason;
  for (const RunOption& option : request_options()) {
    if (option.parameter.key != key) continue;
    if ((option.askers & static_cast<unsigned>(asker)) != 0) return {};
    if (!option.elsewhere.empty()) reason = "does not apply here: " + std::string(option.elsewhere);
  }
  return reason;
}

void refuse_others(Asker asker, ObjectReader& reader) {
  for (const std::string& key : reader.keys()) {
    const std::string reason = why_not_for(asker, key);
    if (!reason.empty() && reader.has(key)) reader.add_problem(key, reason);
  }
}

const ParameterTable<RunRequest>& request_parameters(Asker asker) {
  static const std::map<Asker, ParameterTable<RunRequest>> tables = [] {
    std::map<Asker, ParameterTable<RunRequest>> made;
    for (const Asker one : {Asker::command, Asker::python, Asker::points, Asker::rows,
                            Asker::kernels, Asker::products}) {
      made.emplace(one, options_of(one));
    }
    return made;
  }();
  return tables.at(asker);
}

}  // namespace tactus
