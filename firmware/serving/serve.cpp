#include "firmware/serving/serve.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "firmware/driver/common/stop_run.h"
#include "models/tcu/machine_info.h"

namespace tactus {
namespace {

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
        host_cycles_(static_cast<Cycle>(std::ceil(serving.models.front().config.host_us *
                                                  serving.models.front().config.clock_mhz))) {}

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
    machines_.meet(unit);
    const Cycle first = simulation.now();
    while (entered && !stops_) {
      const Cycle now = simulation.now() - first;
      dispatcher_.free(unit);
      machines_.let_others_arrive(unit);
      dispatcher_.decide(now);
      if (const auto request = dispatcher_.take(unit)) {
        serve_one(unit, *hosts[request->model], *request, first, *entered != request->model);
        entered = request->model;
      } else if (const auto next = dispatcher_.next(unit)) {
        machines_.rest_until(unit, first + *next);
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

  void serve_one(unsigned unit, Host& host, const Dispatcher::Request& request, Cycle first,
                 bool other_model) {
    TcuSimulation& simulation = machines_[unit];
    ServedRequest served{request.model, unit, request.arrival, simulation.now() - first, 0, 0};
    ServingResult::OfUnit& of_unit = result_.units[unit];
    if (other_model) {
      if (!enter(unit, request.model, host)) return;
      of_unit.entering += simulation.now() - first - served.taken;
    }
    served.begin = simulation.now() - first;
    const ServedModel& model = serving_.models[request.model];
    if (watch_.begin) {
      watch_.begin(unit, fmt::format("{} {}", model.name, dispatched_[request.model]++),
                   model.model.program);
    }
    ImageResult image = host.run_image(model.inputs, options());
    if (watch_.end) watch_.end(unit, image.run.accounting);
    if (image.run.end != RunEnd::finished) return stop(std::move(image.run));
    served.end = served.begin + image.probe.value_or(image.run.cycles);
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
    machines_.rest_until(unit, std::max(simulation.now(), first + served.end + host_cycles_));
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
  const Cycle host_cycles_;
  std::vector<std::uint64_t> dispatched_ = std::vector<std::uint64_t>(serving_.models.size());
  std::optional<TcuRunResult> stuck_;
  bool stops_ = false;
};

}  // namespace

std::optional<TcuRunResult> serve_requests(const Serving& serving, const ServingPlan& plan,
                                           TcuMachines& machines, const RunRequest& request,
                                           const ServingWatch& watch, ServingResult& result) {
  const MachineInfo& machine = tcu_machine_info();
  result = {};
  for (std::size_t m = 0; m < serving.models.size(); ++m) {
    result.models.push_back({ServedSums(machine), 0, 0, {}, 0, {}, false});
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
  std::vector<Cycle> cycles;
  for (const ServedModel& model : serving.models) {
    TcuRunOptions options;
    apply(request, options);
    ImageResult alone = run_once(model.config, model.model, model.inputs, request, options);
    if (alone.run.end != RunEnd::finished) return std::move(alone.run);
    cycles.push_back(alone.probe.value_or(alone.run.cycles));
  }
  auto stuck = serve_requests(serving, plan, machines, request, watch, result);
  for (unsigned m = 0; m < cycles.size(); ++m) result.models[m].alone = cycles[m];
  return stuck;
}

}  // namespace tactus
