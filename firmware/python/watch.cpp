#include "firmware/python/watch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firmware/report/version.h"

namespace tactus::python {

void require_finished(const RunResult& result, Cycle max_cycles) {
  if (result.end == RunEnd::finished) return;
  std::string text =
      result.end == RunEnd::hang
          ? fmt::format("the program hangs: there was no handshake for many cycles up to cycle {}",
                        result.cycles)
          : fmt::format("stopped at max_cycles {}", max_cycles);
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
