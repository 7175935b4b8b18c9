#include "firmware/driver/dpas/timeline_tracks.h"

#include <utility>

#include "isa/dpas/assembly.h"
#include "isa/support/json_text.h"
#include "models/dpas/events.h"
#include "models/sim/array_figures.h"

namespace tactus {

using dpas::DpasEvent;

DpasTimelineTracks::DpasTimelineTracks(const DpasSimulation& simulation, const dpas::Kernel& kernel)
    : simulation_(simulation), kernel_(kernel), bursts_(DpasEvent::axi, {"memory"}) {}

void DpasTimelineTracks::begin(TimelineSheet& timeline) {
  timeline_ = &timeline;
  bursts_.begin(timeline);
  timeline.track(track_array, "array: instructions");
}

void DpasTimelineTracks::begin_run(const std::vector<std::uint8_t>& /*program*/) {
  bursts_.begin_run();
}

void DpasTimelineTracks::event(const Event& event, Cycle now) {
  if (bursts_.event(event, now)) return;
  const auto dpas_kind = static_cast<std::uint64_t>(dpas::OperationKind::dpas);
  if (event.kind != DpasEvent::issue || event.b != dpas_kind) return;
  const Cycle to = simulation_.system().array().free_at();
  if (!timeline_->in_view(now, to)) return;
  const std::string text = dpas::to_text(kernel_, kernel_.instructions[event.a]);
  timeline_->slice(track_array, fmt::format("dpas of thread {}", event.port), "execute", now, to,
                   fmt::format("{{\"instruction\":{},\"thread\":{},\"text\":{}}}", event.a,
                               event.port, json_string(text)));
}

std::vector<GaugeGroup> DpasTimelineTracks::gauges() {
  const dpas::System& system = simulation_.system();
  GaugeGroup messages{"load/store unit",
                      {{"messages", [&system] { return system.memory().messages(); }}}};
  GaugeGroup busy{array_figures::busy_title,
                  {{"of its cycles",
                    [this, &system] {
                      const std::uint64_t rows = system.array().stats(simulation_.now()).rows;
                      return (rows - std::exchange(rows_, rows)) * 100 /
                             TimelineSheet::sample_interval;
                    }}},
                  true};
  return {std::move(messages), bursts_.outstanding(), std::move(busy)};
}

}  // namespace tactus
