#include "firmware/serving/serve.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "firmware/driver/common/stop_run.h"
#include "models/sim/kernel_time.h"
#include "models/tcu/machine_info.h"

namespace tactus {
namespace {

/// The period of Serving::clock_mhz(), in units of sc_time.
std::uint64_t period_of(const Serving& serving, const TcuMachines& machines) {
  if (serving.has_one_clock()) return machines.period(0);
  return kernel_units(1, "units with clocks of their own");
}

class Server {
 public:
  Server(const Serving& serving, const ServingPlan& plan, TcuMachines& machines,
         const RunRequest& request, const ServingWatch& watch, ServingResult& result)
      : serving_(serving),
        plan_(plan),
        machines_(machines),
        request_(request),
        watch_(watch),
        result_(result),
        dispatcher_({plan.queues, serving.units, serving.order, serving.most_waiting, serving.end}),
        period_(period_of(serving, machines)) {}

  std::optional<TcuRunResult> run() {
    machines_.set_parties(static_cast<unsigned>(plan_.placed.size()));
    for (std::size_t i = plan_.placed.size(); i-- > 0;) {
      machines_.set_party(plan_.placed[i].unit, static_cast<unsigned>(i));
    }
    machines_.run([this](unsigned unit) { work(unit); });
    dispatcher_.finish();
    return std::move(stuck_);
  }
  [[nodiscard]] const Dispatcher::Counts& counts(unsigned model) const {
    return dispatcher_.counts(model);
  }

 private:
  using Hosts = std::vector<std::unique_ptr<Host>>;

  /// The time of a cycle of a unit.
  [[nodiscard]] Cycle time_of(unsigned unit, Cycle cycle) const {
    return (machines_.period(unit) * cycle - begin_) / period_;
  }

  /// A unit's work: prepares it, then serves until there is nothing more to do.
  void work(unsigned unit) {
    TcuSimulation& simulation = machines_[unit];
    Hosts hosts(serving_.models.size());
    std::optional<unsigned> entered;
    for (const PlacedModel& placed : plan_.placed) {
      if (placed.unit != unit) continue;
      hosts[placed.model] = std::make_unique<Host>(simulation, serving_.models[placed.model].model,
                                                   request_.mode, placed.place);
      hosts[placed.model]->load();
      if (!entered && enter(unit, placed.model, *hosts[placed.model])) entered = placed.model;
    }
    begin_ = machines_.meet(unit);
    while (entered && !stops_) {
      dispatcher_.free(unit);
      machines_.let_others_arrive(unit);
      dispatcher_.decide(time_of(unit, simulation.now()));
      if (const auto request = dispatcher_.take(unit)) {
        serve_one(unit, *hosts[request->model], *request, *entered != request->model);
        entered = request->model;
      } else if (const auto next = dispatcher_.next(unit)) {
        const std::uint64_t period = machines_.period(unit);
        machines_.rest_until(unit, (begin_ + *next * period_ + period - 1) / period);
      } else {
        return;
      }
    }
  }

  /// Begins with a model, whose accesses are a party of their own at the memory. Returns false if
  /// that did not finish.
  bool enter(unsigned unit, unsigned model, Host& host) {
    for (std::size_t i = 0; i < plan_.placed.size(); ++i) {
      const PlacedModel& placed = plan_.placed[i];
      if (placed.unit != unit || placed.model != model) continue;
      machines_.set_party(unit, static_cast<unsigned>(i));
    }
    std::optional<TcuRunResult> failed = host.enter();
    if (failed) stop(std::move(*failed));
    return !failed;
  }

  void serve_one(unsigned unit, Host& host, const Dispatcher::Request& request, bool other_model) {
    TcuSimulation& simulation = machines_[unit];
    ServedRequest served{
        request.model, unit, request.arrival, time_of(unit, simulation.now()), 0, 0};
    ServingResult::OfUnit& of_unit = result_.units[unit];
    if (other_model) {
      if (!enter(unit, request.model, host)) return;
      of_unit.entering += time_of(unit, simulation.now()) - served.taken;
    }
    const Cycle begin = simulation.now();
    served.begin = time_of(unit, begin);
    const ServedModel& model = serving_.models[request.model];
    if (watch_.begin) {
      watch_.begin(unit, fmt::format("{} {}", model.name, dispatched_[request.model]++),
                   model.model.program);
    }
    ImageResult image = host.run_image(model.inputs, options());
    if (watch_.end) watch_.end(unit, image.run.accounting);
    if (image.run.end != RunEnd::finished) return stop(std::move(image.run));
    const Cycle end = begin + image.probe.value_or(image.run.cycles);
    served.end = time_of(unit, end);
    result_.requests.push_back(served);
    ServingResult::OfModel& of_model = result_.models[request.model];
    const std::uint64_t beat = simulation.word_bytes();
    for (ServedSums* sums : {static_cast<ServedSums*>(&of_unit.sums), &of_model.sums}) {
      sums->add(image.run.accounting);
      for (const unsigned p : {0U, 1U}) {
        sums->bytes += (image.run.read_beats[p] + image.run.write_beats[p]) * beat;
      }
    }
    if (!std::exchange(of_model.has_outputs, true)) of_model.outputs = std::move(image.outputs);
    const TcuSimulationConfig& config = simulation.config();
    const auto host_cycles = static_cast<Cycle>(std::ceil(config.host_us * config.clock_mhz));
    machines_.rest_until(unit, std::max(simulation.now(), end + host_cycles));
  }

  [[nodiscard]] TcuRunOptions options() {
    TcuRunOptions options;
    apply(request_, options);
    options.progress = [this](Cycle, std::uint64_t) {
      if (watch_.ends && watch_.ends()) throw StopRun{};
    };
    return options;
  }

  void stop(TcuRunResult run) {
    stops_ = true;
    if (watch_.ends && watch_.ends()) {
      result_.ended = true;
    } else if (!stuck_) {
      stuck_ = std::move(run);
    }
  }

  const Serving& serving_;
  const ServingPlan& plan_;
  TcuMachines& machines_;
  const RunRequest& request_;
  const ServingWatch& watch_;
  ServingResult& result_;
  Dispatcher dispatcher_;
  const std::uint64_t period_;  ///< of the clock of all times, in units of sc_time
  std::uint64_t begin_ = 0;     ///< time 0 of serving, in units of sc_time
  std::vector<std::uint64_t> dispatched_ = std::vector<std::uint64_t>(serving_.models.size());
  std::optional<TcuRunResult> stuck_;
  bool stops_ = false;
};

/// Runs an image of a model alone with each clock that its units have.
std::optional<TcuRunResult> run_alone(const Serving& serving, unsigned model,
                                      const TcuMachines& machines, const RunRequest& request,
                                      AloneImage& alone) {
  const ServedModel& served = serving.models[model];
  std::map<double, Cycle> cycles;  // by clock
  alone.by_unit.resize(serving.units);
  for (const unsigned unit : served.units) {
    TcuSimulationConfig config = served.config;
    config.clock_mhz = serving.clock_mhz_of(unit);
    const auto [known, is_new] = cycles.try_emplace(config.clock_mhz);
    if (is_new) {
      TcuRunOptions options;
      apply(request, options);
      ImageResult image = run_once(config, served.model, served.inputs, request, options);
      if (image.run.end != RunEnd::finished) return std::move(image.run);
      known->second = image.probe.value_or(image.run.cycles);
    }
    if (unit == served.units.front()) alone.cycles = known->second;
    alone.by_unit[unit] = known->second * machines.period(unit) / period_of(serving, machines);
  }
  return std::nullopt;
}

}  // namespace

std::optional<TcuRunResult> serve_requests(const Serving& serving, const ServingPlan& plan,
                                           TcuMachines& machines, const RunRequest& request,
                                           const ServingWatch& watch, ServingResult& result) {
  const MachineInfo& machine = tcu_machine_info();
  result = {};
  for (std::size_t m = 0; m < serving.models.size(); ++m) {
    result.models.push_back({ServedSums(machine), 0, 0, {}, {}, {}, false});
  }
  result.units.assign(serving.units, {ServedSums(machine), 0});
  Server server(serving, plan, machines, request, watch, result);
  std::optional<TcuRunResult> stuck = server.run();
  for (unsigned m = 0; m < result.models.size(); ++m) {
    const Dispatcher::Counts& counts = server.counts(m);
    result.models[m].arrived = counts.arrived;
    result.models[m].dropped = counts.dropped;
    result.models[m].waiting.assign(counts.waiting.begin(), counts.waiting.end());
  }
  std::sort(result.requests.begin(), result.requests.end(),
            [](const ServedRequest& a, const ServedRequest& b) {
              return std::tie(a.arrival, a.model, a.taken, a.unit) <
                     std::tie(b.arrival, b.model, b.taken, b.unit);
            });
  result.cycles = serving.end.value_or(0);
  for (const ServedRequest& r : result.requests) result.cycles = std::max(result.cycles, r.end);
  result.shared_memory = machines.shared_memory();
  return stuck;
}

std::optional<TcuRunResult> serve(const Serving& serving, const ServingPlan& plan,
                                  TcuMachines& machines, const RunRequest& request,
                                  const ServingWatch& watch, ServingResult& result) {
  std::vector<AloneImage> alone(serving.models.size());
  for (unsigned m = 0; m < alone.size(); ++m) {
    auto stuck = run_alone(serving, m, machines, request, alone[m]);
    if (stuck) return stuck;
  }
  auto stuck = serve_requests(serving, plan, machines, request, watch, result);
  for (unsigned m = 0; m < alone.size(); ++m) result.models[m].alone = std::move(alone[m]);
  return stuck;
}

}  // namespace tactus
