#include "models/axi/port_path.h"

#include <algorithm>

#include "isa/support/error.h"
#include "models/dram/ddr_controller.h"
#include "models/sim/kernel_time.h"
#include "models/sim/turns.h"

namespace tactus {
namespace {

constexpr std::uint64_t page_bytes = 4096;

void note_answer(const Clock& clock) {
  if (clock.turn != nullptr) clock.turn->note_answer();
}

}  // namespace

struct PortPath::Access : tlm::tlm_generic_payload {
  DdrTimes times;
  Burst* burst = nullptr;
  Direction* direction = nullptr;
  Place* place = nullptr;     ///< place of its chunk
  std::uint64_t arrival = 0;  ///< at the controller
  std::uint64_t done = 0;     ///< the time of the controller's answer
  bool is_answered = false;
  unsigned end = 0;  ///< port beats of the burst up to the end of this access
};

PortPath::PortPath(const sc_core::sc_module_name& name, Clock& clock,
                   const sc_core::sc_time& period, unsigned beat_bytes, const PathConfig& config)
    : sc_module(name),
      clock_(clock),
      config_(config),
      port_(period.value(), config.clock_p, config.clock_q),
      beat_bytes_(beat_bytes),
      n_(std::max(1U, beat_bytes / (config.data_bits / 8))),
      port_bytes_(beat_bytes / n_),
      drained_(config.write_buffer_beats) {
  for (const unsigned d : {read, write}) {
    Direction& direction = directions_[d];
    direction.socket = d == read ? &reads : &writes;
    direction.command = d == read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND;
    direction.places.resize(config.outstanding);
    const std::uint64_t fixed = kernel_units(config.fixed_ps[d], "a path's fixed latency");
    direction.there = fixed / 2;
    direction.back = fixed - direction.there;
    // The address of a read takes half of its crossing clocks.
    const unsigned crossing = config.crossing[d] - (d == read ? config.crossing[d] / 2 : 0);
    direction.back_crossing = port_.edge(crossing);
    const std::uint64_t interconnect =
        kernel_units(config.interconnect_ps[d], "the interconnect's latency");
    in_[d] = interconnect / 2;
    out_[d] = interconnect - in_[d];
    direction.socket->register_nb_transport_bw(this, &PortPath::nb_transport_bw,
                                               static_cast<int>(d));
  }
  socket.register_nb_transport_fw(this, &PortPath::nb_transport_fw);
  socket.register_transport_dbg(this, &PortPath::transport_dbg);
}

PortPath::~PortPath() {
  for (const auto& access : accesses_) access->clear_extension(&access->times);
}

PortPath::Burst* PortPath::new_burst(tlm::tlm_generic_payload& payload, std::uint64_t from) {
  if (free_bursts_.empty()) {
    bursts_.push_back(std::make_unique<Burst>());
    free_bursts_.push_back(bursts_.back().get());
  }
  Burst* burst = free_bursts_.back();
  free_bursts_.pop_back();
  *burst = {};
  burst->payload = &payload;
  burst->times = payload.get_extension<BeatTimes>();
  if (burst->times == nullptr) internal_error("{}: a burst without BeatTimes", name());
  burst->from = from;
  burst->port_beats = payload.get_data_length() / port_bytes_;
  payload.acquire();
  return burst;
}

void PortPath::free(tlm::tlm_generic_payload* payload) {
  auto* access = static_cast<Access*>(payload);
  access->direction->free.push_back(access);
}

tlm::tlm_sync_enum PortPath::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  const std::uint64_t now = present() + delay.value();
  if (payload.is_read()) {
    begin_read(payload, now);
  } else {
    addressed_.push_back(new_burst(payload, now + in_[write]));
    if (addressed_.size() == 1) plan_write_chunk();
    form_write_chunks();
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

/// Number of port beats in the next chunk of a burst.
unsigned PortPath::chunk_beats(const Burst& burst) const {
  const std::uint64_t at =
      config_.base + burst.payload->get_address() + std::uint64_t{burst.cut} * port_bytes_;
  const unsigned in_page = static_cast<unsigned>(page_bytes - at % page_bytes) / port_bytes_;
  return std::min({config_.split_beats, burst.port_beats - burst.cut, std::max(1U, in_page)});
}

void PortPath::begin_read(tlm::tlm_generic_payload& payload, std::uint64_t now) {
  Direction& direction = directions_[read];
  const std::uint64_t edge = port_.edge_from(now + in_[read]) + config_.crossing[read] / 2;
  Burst* burst = new_burst(payload, port_.edge(edge));
  while (burst->cut < burst->port_beats) {
    const unsigned beats = chunk_beats(*burst);
    direction.waiting.push_back({burst, burst->from, burst->cut, beats});
    ++burst->open;
    burst->cut += beats;
  }
  issue(direction);
}

sc_core::sc_time PortPath::lookahead() const {
  return sc_core::sc_time::from_value(std::min(directions_[read].there, directions_[write].there));
}

std::uint64_t PortPath::answer_delay() const {
  const auto of = [this](unsigned d) {
    return directions_[d].back + directions_[d].back_crossing + out_[d];
  };
  return std::min(of(read), of(write));
}

std::uint64_t PortPath::take_beat(std::uint64_t time) {
  w_edge_ = std::max(port_.edge_from(time + in_[write]), w_edge_) + n_;
  passed_.push_back(w_edge_);
  const std::uint64_t passes = port_.edge(w_edge_);
  drained_[oldest_drained_] = passes < in_[write] ? 0 : passes - in_[write];
  if (++oldest_drained_ == drained_.size()) oldest_drained_ = 0;
  form_write_chunks();
  return drained_[oldest_drained_];
}

/// Sets the size of the next chunk of the oldest write, and how many beats it needs.
void PortPath::plan_write_chunk() {
  const Burst& burst = *addressed_.front();
  next_write_beats_ = chunk_beats(burst);
  const unsigned last = burst.cut + next_write_beats_ - 1;  // port beat
  next_write_needs_ = last / n_ - burst.cut / n_ + 1;
}

/// Makes chunks of the write data that has come, as far as the addresses have come, too.
void PortPath::form_write_chunks() {
  if (passed_.size() < next_write_needs_) return;
  Direction& direction = directions_[write];
  do {
    Burst* burst = addressed_.front();
    const unsigned beats = next_write_beats_;
    const unsigned last = burst->cut + beats - 1;  // port beat
    const unsigned begun = burst->cut / n_;        // the oldest beat in passed_
    const std::uint64_t edge = passed_[last / n_ - begun] - (n_ - 1 - last % n_);
    // The address takes one clock of the port, as a beat does.
    const std::uint64_t ready = port_.edge(std::max(edge, port_.edge_from(burst->from) + 1));
    direction.waiting.push_back({burst, ready, burst->cut, beats});
    ++burst->open;
    burst->cut += beats;
    passed_.pop_front(burst->cut / n_ - begun);
    if (burst->cut == burst->port_beats) addressed_.pop_front();
    next_write_needs_ = ~std::size_t{0};
    if (!addressed_.empty()) plan_write_chunk();
  } while (passed_.size() >= next_write_needs_);
  issue(direction);
}

/// Sends chunks in order, each when the chunk `outstanding` before it is done.
void PortPath::issue(Direction& direction) {
  for (;;) {
    while (direction.may_leave()) {
      const Chunk chunk = direction.waiting.front();
      direction.waiting.pop_front();
      const std::uint64_t done = direction.places[direction.next_place].done;
      direction.last_issue = std::max({chunk.ready, direction.last_issue, done});
      make_accesses(direction, chunk, direction.last_issue + direction.there);
      if (++direction.next_place == direction.places.size()) direction.next_place = 0;
    }
    send(direction);
    if (!direction.may_leave()) return;  // otherwise the controller has answered at once
  }
}

PortPath::Access* PortPath::new_access(Direction& direction) {
  if (direction.free.empty()) {
    accesses_.push_back(std::make_unique<Access>());
    Access* access = accesses_.back().get();
    access->set_mm(this);
    access->set_extension(&access->times);
    access->set_command(direction.command);
    access->direction = &direction;
    direction.free.push_back(access);
  }
  Access* access = direction.free.back();
  direction.free.pop_back();
  access->acquire();
  return access;
}

/// Makes an access for each block of access_bytes that a chunk touches.
void PortPath::make_accesses(Direction& direction, const Chunk& chunk, std::uint64_t time) {
  Burst& burst = *chunk.burst;
  Place& place = direction.places[direction.next_place];
  place = {};
  const std::uint64_t start = config_.base + burst.payload->get_address();
  const std::uint64_t block_mask = config_.access_bytes - 1;
  unsigned at = chunk.first * port_bytes_;
  const unsigned end = at + chunk.count * port_bytes_;
  while (at < end) {
    const std::uint64_t address = start + at;
    const auto in_block = static_cast<unsigned>(block_mask + 1 - (address & block_mask));
    const unsigned length = std::min(end - at, in_block);
    Access* access = new_access(direction);
    access->set_address(address);
    access->set_data_ptr(burst.payload->get_data_ptr() + at);
    access->set_data_length(length);
    access->set_streaming_width(length);
    std::uint8_t* const enables = burst.payload->get_byte_enable_ptr();
    access->set_byte_enable_ptr(enables == nullptr ? nullptr : enables + at);
    access->set_byte_enable_length(enables == nullptr ? 0 : length);
    access->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    access->times.part = burst.times->burst;
    access->times.part.offset = at;
    at += length;
    access->burst = &burst;
    access->place = &place;
    access->arrival = time;
    access->end = at / port_bytes_;
    access->is_answered = false;
    ++place.open;
    ++burst.open;
    if (direction.command == tlm::TLM_READ_COMMAND) returning_.push_back(access);
    direction.to_send.push_back(access);
  }
  --burst.open;  // from here on its accesses count, not the chunk
}

/// TLM's exclusion rule allows one request at a time to wait for acceptance.
void PortPath::send(Direction& direction) {
  while (direction.may_send()) {
    Access* access = direction.to_send.front();
    direction.to_send.pop_front();
    const std::uint64_t now = present();
    access->arrival = std::max({access->arrival, direction.free_from, now});
    sc_core::sc_time delay = sc_core::sc_time::from_value(access->arrival - now);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    direction.request_phase = access;
    if (!pulled_) ++clock_.transactions;
    switch ((*direction.socket)->nb_transport_fw(*access, phase, delay)) {
      case tlm::TLM_COMPLETED:
        direction.request_phase = nullptr;
        answered(*access, now + delay.value());
        break;
      case tlm::TLM_UPDATED:
        direction.request_phase = nullptr;
        if (phase == tlm::BEGIN_RESP) {
          const std::uint64_t time = now + delay.value();
          tlm::tlm_phase end = tlm::END_RESP;
          (*direction.socket)->nb_transport_fw(*access, end, delay);
          answered(*access, time);
        }
        break;
      case tlm::TLM_ACCEPTED:
        break;
    }
  }
}

tlm::tlm_sync_enum PortPath::nb_transport_bw(int number, tlm::tlm_generic_payload& payload,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Direction& direction = directions_[static_cast<unsigned>(number)];
  auto& access = static_cast<Access&>(payload);
  const std::uint64_t time = present() + delay.value();
  // An answer without an earlier END_REQ also ends the request phase.
  const bool taken = direction.request_phase == &access;
  if (taken) {
    direction.request_phase = nullptr;
    direction.free_from = time;
  }
  const bool response = phase == tlm::BEGIN_RESP;
  if (response) answered(access, time);
  const bool some_go = direction.may_leave() || direction.may_send();
  if ((taken || response) && some_go) issue(direction);
  if (!response) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

/// Handles the controller's answer to an access, which comes at `time`.
void PortPath::answered(Access& access, std::uint64_t time) {
  Direction& direction = *access.direction;
  Burst* burst = access.burst;
  if (access.is_response_error()) {
    burst->payload->set_response_status(access.get_response_status());
  }
  const std::uint64_t at_port = time + direction.back;
  Place& place = *access.place;
  place.done = std::max(place.done, at_port);
  --place.open;
  --burst->open;
  access.done = time;
  if (&direction == &directions_[read]) {
    access.is_answered = true;
    if (&access == returning_.front()) return_reads();
    return;
  }
  burst->answer = std::max(burst->answer, at_port + direction.back_crossing);
  const bool is_last = burst->open == 0 && burst->cut == burst->port_beats;
  if (is_last) add_answer(access, burst->port_beats / n_);
  access.release();
  if (!is_last) return;
  finish(burst, port_.edge(port_.edge_from(burst->answer)) + out_[write]);
}

void PortPath::add_answer(const Access& access, std::size_t until) {
  AnswerTimes& times = access.burst->times->answers.emplace_back();
  times.until_beat = static_cast<unsigned>(until);
  times.path_in = access.arrival;
  times.queue = times.path_in + access.times.queue;
  times.refresh = times.queue + access.times.refresh;
  times.row = times.refresh + access.times.row;
  times.bus = access.done;
}

/// Passes beats through the R channel in order, as far as their data has come.
void PortPath::return_reads() {
  const Direction& direction = directions_[read];
  while (!returning_.empty() && returning_.front()->is_answered) {
    Access& access = *returning_.front();
    returning_.pop_front();
    Burst* burst = access.burst;
    const std::uint64_t back = access.done + direction.back + direction.back_crossing;
    note_answer(clock_);
    std::uint64_t edge = std::max(r_free_, port_.edge_from(back));
    BeatTimes& times = *burst->times;
    for (unsigned beat = burst->returned; beat < access.end; ++beat, ++edge) {
      if (n_ != 1 && (beat + 1) % n_ != 0) continue;
      times.at.push_back(port_.edge(edge) + out_[read]);
    }
    r_free_ = edge;
    burst->returned = std::max(burst->returned, access.end);
    add_answer(access, times.at.size());
    access.release();
    if (burst->returned == burst->port_beats) finish(burst, times.at.front());
  }
}

/// Answers a burst when all of its times are known.
void PortPath::finish(Burst* burst, std::uint64_t time) {
  note_answer(clock_);
  tlm::tlm_generic_payload& payload = *burst->payload;
  burst->payload = nullptr;
  free_bursts_.push_back(burst);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  const std::uint64_t now = present();
  sc_core::sc_time delay = sc_core::sc_time::from_value(time > now ? time - now : 0);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  socket->nb_transport_bw(payload, phase, delay);
  payload.release();
}

/// Removes everything in flight and sets all stored times to 0. Times of removed accesses no longer
/// matter. All other times are not later than an edge of the design's clock at which nothing is in
/// flight. Every later request comes after that edge, so they have the effect of 0.
void PortPath::reset() {
  for (const auto& access : accesses_) {
    if (access->get_ref_count() != 0) access->release();
  }
  for (const auto& burst : bursts_) {
    if (burst->payload == nullptr) continue;
    burst->payload->release();
    burst->payload = nullptr;
    free_bursts_.push_back(burst.get());
  }
  for (Direction& direction : directions_) reset(direction);
  returning_.clear();
  r_free_ = 0;
  addressed_.clear();
  next_write_needs_ = ~std::size_t{0};
  passed_.clear();
  w_edge_ = 0;
  std::fill(drained_.begin(), drained_.end(), 0);
  const std::size_t free = directions_[read].free.size() + directions_[write].free.size();
  if (free_bursts_.size() != bursts_.size() || free != accesses_.size()) {
    internal_error("{}: something is still under way", name());
  }
}

void PortPath::reset(Direction& direction) {
  direction.waiting.clear();
  std::fill(direction.places.begin(), direction.places.end(), Place{});
  direction.last_issue = 0;
  direction.to_send.clear();
  direction.request_phase = nullptr;
  direction.free_from = 0;
}

unsigned PortPath::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  payload.set_address(config_.base + address);
  const unsigned count = reads->transport_dbg(payload);
  payload.set_address(address);
  return count;
}

}  // namespace tactus
