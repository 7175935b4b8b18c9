#include "firmware/driver/common/simulation.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/driver/common/stop_run.h"
#include "isa/support/error.h"
#include "models/sim/entered_kernel.h"
#include "models/sim/kernel_time.h"

namespace tactus {
namespace {

constexpr Cycle report_cycles = 65536;
/// A sequence that is under way at its end is undone, so that it is not to come often.
constexpr Cycle longest_silence = 256 * report_cycles;

}  // namespace

std::string stuck_text(const RunResult& result, const std::string& limit) {
  std::string text = result.end == RunEnd::hang
                         ? fmt::format(
                               "the program hangs: there was no handshake for many cycles up to "
                               "cycle {}",
                               result.cycles)
                         : "stopped at " + limit;
  text += fmt::format("; {} of {} instructions retired",
                      std::min(result.retired, result.instructions), result.instructions);
  for (const std::string& unit : result.waits_for) text += "\n  " + unit;
  return text;
}

void Simulation::start(Machine& machine, double clock_mhz, Cycle patience, bool waits) {
  show(machine, clock_);
  patience_ = patience;
  driver_ = std::make_unique<ClockDriver>(
      "clock", clock_, clock_period(clock_mhz), [this](Cycle most) { return tick(most); }, waits);
  accountant_ = std::make_unique<Accountant>(machine, clock_);
  machine.on_border = [this] {
    pass_border();
    return until_border();
  };
  if (!owns_kernel()) return;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates, so that debug access works from here on
}

void Simulation::retired(Cycle cycle) {
  RunResult& result = *run_.result;
  ++result.retired;
  if (result.retired == accountant_->next_border()) {
    run_.border = true;
    machine().pause();
  }
  result.last_retire_padded = cycle - run_.first;
  if (result.retired > result.instructions) return;  // padding
  result.last_retire = cycle - run_.first;
  if (run_.options->retire_log != nullptr) {
    if (cycle > 0xFFFFFFFF)
      user_error("the retire log holds cycles below 2^32; this run is longer");
    run_.options->retire_log->push_back(static_cast<std::uint32_t>(cycle));
  }
}

void Simulation::run(std::uint64_t instructions, const RunOptions& options, RunResult& result) {
  const EnteredKernel entered(kernel_);
  run_ = Run{};
  run_.options = &options;
  run_.result = &result;
  run_.first = run_.last_activity = clock_.now;
  run_.seen_progress = clock_.progress;
  run_.next_report = clock_.now + report_cycles;
  result.instructions = instructions;
  accountant_->begin(instructions, options.regions);

  // A program without instructions takes no cycle; work of an earlier run continues.
  if (instructions != 0 || !machine().idle()) driver_->run();

  result.accounting = accountant_->end(result.retired);
  result.cycles = result.last_retire_padded;
  if (result.end != RunEnd::finished) {
    result.cycles = clock_.now - run_.first;
    result.waits_for = machine().waits_for();
  }
}

bool Simulation::tick(Cycle most) {
  machine().set_horizon(on_activity ? Horizon{} : horizon());
  const Cycle quiet = machine().advance(std::min(most, until_checks()));
  const auto end = [this](RunEnd reason) {
    run_.result->end = reason;
    return false;
  };
  if (clock_.progress != run_.seen_progress) {
    run_.seen_progress = clock_.progress;
    run_.last_activity = clock_.now - quiet;
    if (on_activity) on_activity();
    if (run_.border) pass_border();
  }
  if (quiet > 0) {
    if (machine().idle()) return end(RunEnd::finished);
    if (machine().waits_for_memory()) {
      run_.last_activity = clock_.now;
    } else if (clock_.now - run_.last_activity > patience_) {
      return end(RunEnd::hang);
    }
  }
  if (run_.options->max_cycles != 0 && clock_.now - run_.first >= run_.options->max_cycles) {
    return end(RunEnd::cycle_limit);
  }
  if (clock_.now >= run_.next_report) {
    run_.next_report = clock_.now + report_cycles;
    try {
      if (run_.options->progress) {
        run_.options->progress(clock_.now - run_.first, run_.result->retired);
      }
    } catch (const StopRun&) {
      return end(RunEnd::cycle_limit);
    }
  }
  return true;
}

/// Begins the next region; the last instruction of the present one retired in the previous cycle.
void Simulation::pass_border() {
  run_.border = false;
  accountant_->border(run_.result->retired);
}

std::uint64_t Simulation::until_border() const {
  return accountant_->next_border() - run_.result->retired;
}

/// How far the machine may advance before an observer must be called: up to a cycle, and up to a
/// number of retirements.
Horizon Simulation::horizon() const {
  Cycle cycles = cycles_before_kernel(clock_, longest_silence);
  if (run_.options->max_cycles != 0) {
    cycles = std::min(cycles, run_.first + run_.options->max_cycles - clock_.now);
  }
  return {clock_.now + cycles, until_border()};
}

/// Number of cycles after which the run may have to end even if nothing happens.
Cycle Simulation::until_checks() const {
  if (on_activity) return 1;
  const Cycle quiet = clock_.now - run_.last_activity;
  const Cycle hang = quiet > patience_ ? 1 : patience_ + 1 - quiet;
  if (run_.options->max_cycles == 0) return hang;
  return std::min(hang, run_.first + run_.options->max_cycles - clock_.now);
}

}  // namespace tactus
