#include "firmware/report/tcu/device_observer.h"

#include <algorithm>

#include "firmware/driver/tcu/timeline_tracks.h"
#include "firmware/report/run_figures.h"
#include "isa/support/error.h"
#include "isa/tcu/layout.h"

namespace tactus {

DeviceObserver::DeviceObserver(TcuDevice& device)
    : device_(device), accountant_(device.system(), device.clock()) {
  show(device.system(), device.clock());
  device.on_begin = [this] { begin(); };
  device.on_end = [this] { end(); };
}

DeviceObserver::~DeviceObserver() {
  device_.on_begin = device_.on_end = nullptr;
  if (timeline_) observe_accounts(nullptr);
  observe(nullptr);
}

void DeviceObserver::trace(const std::string& vcd, TraceOptions options) {
  options.vcd = vcd;
  trace_ = std::make_unique<RunTrace>(*this, options, "tactus", device_.name());
}

void DeviceObserver::timeline(const std::string& json, const TimelineOptions& options) {
  auto tracks = std::make_unique<TcuTimelineTracks>(*this, device_.system());
  timeline_ = std::make_unique<Timeline>(json, *this, std::move(tracks), options);
  observe(&*timeline_);
  observe_accounts(&*timeline_);
}

void DeviceObserver::begin() {
  retired_ = device_.system().tcu().decoder().stats().retired;
  std::vector<std::uint8_t> program;
  if (timeline_) {
    program = device_.program();
    const unsigned instruction =
        tcu::InstructionLayout(device_.system().architecture()).instruction_bytes();
    program.resize(program.size() / instruction * instruction);
    timeline_->begin_run(fmt::format("program {}", programs_.size()), program);
  }
  accountant_.begin(0, {});
}

void DeviceObserver::end() {
  programs_.push_back(accountant_.end(device_.system().tcu().decoder().stats().retired - retired_));
  if (timeline_) timeline_->end_run(programs_.back());
}

void DeviceObserver::finish() {
  std::string failure;
  if (trace_) failure = trace_->finish();
  if (timeline_) timeline_->close();
  if (!failure.empty()) throw UserError(failure);
}

std::string DeviceObserver::summary() const {
  std::string text;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    const Counters& totals = programs_[i].totals;
    text += fmt::format("program {}: {} cycles, {} lost", i, totals.cycles(), lost_total(totals));
    std::vector<LostCycles> lost = lost_cycles(totals);
    lost.resize(std::min<std::size_t>(3, lost.size()));
    for (const LostCycles& reason : lost) {
      text +=
          fmt::format("\n{:10}  {}", reason.cycles, totals.info->time.reasons[reason.reason].title);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tactus
