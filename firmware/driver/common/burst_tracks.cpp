#include "firmware/driver/common/burst_tracks.h"

#include <utility>

#include <fmt/format.h>

namespace tactus {

BurstTracks::BurstTracks(const AxiEventKinds& kinds, std::vector<std::string> titles)
    : kinds_(kinds) {
  for (std::string& title : titles) {
    ports_.emplace_back();
    ports_.back().title = std::move(title);
  }
}

void BurstTracks::begin_run() {
  for (Port& port : ports_) {
    port.reads.clear();
    port.writes.clear();
    port.lanes.assign(port.lanes.size(), false);
  }
}

bool BurstTracks::event(const Event& event, Cycle now) {
  if (event.kind == kinds_.read_address || event.kind == kinds_.write_address) {
    open(event.kind == kinds_.read_address, event, now);
  } else if (event.kind == kinds_.read_data || event.kind == kinds_.write_response) {
    close(event.port, event.kind == kinds_.read_data, now);
  } else {
    return false;
  }
  return true;
}

GaugeGroup BurstTracks::outstanding() const {
  GaugeGroup group{"outstanding bursts", {}};
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    group.gauges.push_back(
        {ports_[p].title, [this, p] { return ports_[p].reads.size() + ports_[p].writes.size(); }});
  }
  return group;
}

void BurstTracks::open(bool read, const Event& event, Cycle now) {
  Port& port = ports_[event.port];
  unsigned lane = 0;
  while (lane < port.lanes.size() && port.lanes[lane]) ++lane;
  if (lane == port.lanes.size()) {
    port.lanes.push_back(false);
    timeline_->track(TimelineSheet::first_free_track + event.port * lanes_per_port + lane,
                     fmt::format("{} bursts {}", port.title, lane));
  }
  port.lanes[lane] = true;
  (read ? port.reads : port.writes)
      .push_back({now, event.a, event.b + 1, read ? event.b + 1 : 1, lane});
}

/// Handles a beat of a read or the response of a write. The last one ends the burst.
void BurstTracks::close(unsigned index, bool read, Cycle now) {
  Port& port = ports_[index];
  std::deque<Burst>& bursts = read ? port.reads : port.writes;
  if (bursts.empty() || --bursts.front().left > 0) return;
  const Burst burst = bursts.front();
  bursts.pop_front();
  port.lanes[burst.lane] = false;
  timeline_->slice(
      TimelineSheet::first_free_track + index * lanes_per_port + burst.lane,
      read ? "read" : "write", "burst", burst.from, now + 1,
      fmt::format("{{\"address\":\"0x{:x}\",\"beats\":{}}}", burst.address, burst.beats));
}

}  // namespace tactus
