#include "firmware/python/watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/report/version.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

ParameterValue value_of(const ParameterInfo& info, const Json& json) {
  ParameterValue value;
  if (json.is_boolean()) value = json.get<bool>();
  if (info.type == ParameterType::whole) value = json.get<std::uint64_t>();
  if (info.type == ParameterType::real) value = json.get<double>();
  if (json.is_string()) value = json.get<std::string>();
  if (info.problem(value).empty()) return value;
  const bool named = info.type == ParameterType::choice;
  user_error("{} {} is not allowed; allowed: {}", info.key,
             json.is_string() ? quote(json.get<std::string>()) : json.dump(),
             named ? fmt::format("{}", fmt::join(info.choices, ", ")) : info.range());
}

void read_trace(const Json& json, TraceOptions& trace) {
  const auto path = [&](const char* key) -> std::optional<std::string> {
    if (!json.contains(key)) return std::nullopt;
    return json.at(key).get<std::string>();
  };
  trace.vcd = path("vcd");
  if (const auto fst = path("fst")) trace.make_fst(*fst, "fst");
  trace.gtkw = path("gtkw");
  trace.surfer = path("surfer");
  trace.selection.globs = json.value("trace_scope", std::vector<std::string>());
  trace.window.first = json.value("trace_from", trace.window.first);
  trace.window.last = json.value("trace_to", trace.window.last);
  if (json.contains("vcd_limit")) {
    trace.vcd_limit = json.at("vcd_limit").get<std::uint64_t>();
    if (*trace.vcd_limit == 0) user_error("vcd_limit 0 is not allowed; allowed: 1 MB or more");
  }
  for (const char* key : {"gtkw", "surfer", "trace_scope", "trace_from", "trace_to", "vcd_limit"}) {
    if (trace.traces() || !json.contains(key)) continue;
    user_error("gtkw, surfer, trace_scope, trace_from, trace_to and vcd_limit need vcd or fst");
  }
  if (trace.window.last < trace.window.first) {
    user_error("trace_to {} is before trace_from {}: the window is empty", trace.window.last,
               trace.window.first);
  }
}

}  // namespace

Request read_request(const std::string& text, Asker asker) {
  const Json json = json_of_text(text);
  Request request;
  for (const Parameter<RunRequest>& option : request_parameters(asker)) {
    if (json.contains(option.key)) option.set(request, value_of(option, json.at(option.key)));
  }
  request.events = json.value("events", false);
  request.accounts = json.value("accounts", false);
  if (json.contains("timeline")) request.timeline = json.at("timeline").get<std::string>();
  read_trace(json, request.trace);
  return request;
}

void require_finished(const RunResult& result, const RunRequest& request) {
  if (result.end == RunEnd::finished) return;
  std::string text =
      result.end == RunEnd::hang
          ? fmt::format("the program hangs: there was no handshake for many cycles up to cycle {}",
                        result.cycles)
          : fmt::format("stopped at max_cycles {}", request.max_cycles.value_or(0));
  text += fmt::format("; {} of {} instructions retired",
                      std::min(result.retired, result.instructions), result.instructions);
  for (const std::string& unit : result.waits_for) text += "\n  " + unit;
  throw Stuck(text);
}

void RecordedRun::set_unwritten(const std::string& name, const UnwrittenReads& reads) {
  unwritten = reads;
  if (reads.count == 0) return;
  note += fmt::format("{}{}: {}", note.empty() ? "" : "\n", name, reads.text());
}

Watch::Watch(Simulation& simulation, const WatchRequest& request, RecordedRun& run,
             const std::string& subject,
             const std::function<std::unique_ptr<TimelineTracks>()>& tracks,
             std::function<void(const trace::Scope&)> surroundings)
    : simulation_(simulation), request_(request), run_(run) {
  if (request.events) {
    run.events = std::make_unique<EventRows>();
    events_.add(run.events.get());
  }
  if (request.accounts) {
    const std::vector<Account*> accounts = simulation.machine().accounts();
    for (const Account* account : accounts) {
      run.units.push_back({std::string(account->unit()), account->states()});
    }
    run.accounts = std::make_unique<AccountRows>(accounts);
    run.activity = std::make_unique<Activity>(simulation.info().time);
    accounts_.add(run.accounts.get());
    accounts_.add(run.activity.get());
  }
  if (request.timeline) {
    timeline_.emplace(*request.timeline, simulation, tracks(), TimelineOptions());
    events_.add(&*timeline_);
    accounts_.add(&*timeline_);
  }
  if (request.trace.traces()) {
    TraceOptions signals = request.trace;
    signals.surroundings = std::move(surroundings);
    trace_.emplace(simulation, signals, fmt::format("tactus {} ({})", version, git_revision),
                   subject);
  }
  if (!events_.empty()) simulation.observe(&events_);
  if (!accounts_.empty()) simulation.observe_accounts(&accounts_);
}

Watch::~Watch() {
  simulation_.observe(nullptr);
  simulation_.observe_accounts(nullptr);
}

void Watch::begin_run(const std::string& name, const std::vector<std::uint8_t>& program) {
  if (timeline_) timeline_->begin_run(name, program);
}

void Watch::end_run(const RunResult& result) {
  if (timeline_) timeline_->end_run(result.accounting);
}

void Watch::finish() {
  if (timeline_) {
    timeline_->close();
    if (const auto note = timeline_->note()) run_.note = *request_.timeline + ": " + *note;
  }
  if (!trace_) return;
  if (const std::string problem = trace_->finish(); !problem.empty()) throw UserError(problem);
  if (const auto text = trace_->limit_text()) {
    run_.note += (run_.note.empty() ? "" : "\n") + *text;
  }
}

}  // namespace tactus::python
