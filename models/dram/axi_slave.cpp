#include "models/dram/axi_slave.h"

#include <algorithm>
#include <cstring>

#include "isa/support/error.h"

namespace tactus {
namespace {

constexpr unsigned most_bursts = 64;
constexpr unsigned most_beats = 256;

}  // namespace

AxiSlave::AxiSlave(const sc_core::sc_module_name& name, Clock& clock, sc_core::sc_time period,
                   unsigned beat_bytes, Transport transport, AxiLinks& pins)
    : sc_module(name),
      clock_(clock),
      period_(period),
      beat_bytes_(beat_bytes),
      transport_(transport),
      pins_(pins),
      account_(basename(), clock, state_table, rest) {
  socket.register_nb_transport_bw(this, &AxiSlave::nb_transport_bw);
}

AxiSlave::~AxiSlave() = default;

AxiSlave::Burst* AxiSlave::new_burst() {
  if (free_.empty()) {
    bursts_.push_back(std::make_unique<Burst>());
    bursts_.back()->bytes.resize(std::size_t{most_beats} * beat_bytes_);
    bursts_.back()->set_mm(this);
    free_.push_back(bursts_.back().get());
  }
  Burst* burst = free_.back();
  free_.pop_back();
  burst->beats = burst->next_beat = 0;
  burst->answered = false;
  burst->acquire();
  return burst;
}

void AxiSlave::free(tlm::tlm_generic_payload* burst) {
  burst->reset();
  free_.push_back(static_cast<Burst*>(burst));
}

void AxiSlave::drive() {
  pins_.ar.ready = !stalls_.ar && in_flight_.reads < most_bursts;
  pins_.aw.ready = !stalls_.aw && in_flight_.write_addresses < most_bursts;
  pins_.w.ready = !stalls_.w && in_flight_.write_data < most_bursts;
  const auto offered = [this](const std::deque<Burst*>& bursts) {
    return !bursts.empty() && bursts.front()->answered && bursts.front()->available <= clock_.now;
  };
  pins_.r.valid = !stalls_.r && offered(reads_);
  if (pins_.r.valid) {
    Burst& burst = *reads_.front();
    pins_.r.bits = {burst.bytes.data() + std::size_t{burst.next_beat} * beat_bytes_,
                    burst.next_beat + 1 == burst.beats};
  }
  pins_.b.valid = !stalls_.b && offered(writes_);
}

AxiSlave::State AxiSlave::state() const {
  if (pins_.r.fires()) return read;
  if (pins_.w.fires()) return write;
  if (pins_.ar.fires() || pins_.aw.fires() || pins_.b.fires()) return handshake;
  if (pins_.r.valid || pins_.b.valid) return wait_master;
  const auto answered = [this](const std::deque<Burst*>& bursts) {
    return bursts.front()->answered && bursts.front()->available <= clock_.now;
  };
  if (!reads_.empty()) return answered(reads_) ? stalled : read_latency;
  if (!writes_.empty()) return answered(writes_) ? stalled : write_latency;
  return idle() ? rest : wait_data;
}

void AxiSlave::commit() {
  if (!error_.empty()) throw UserError(error_);
  account_.enter(state());
  if (pins_.ar.fires()) {
    Burst* burst = new_burst();
    burst->beats = pins_.ar.bits.length + 1;
    reads_.push_back(burst);
    ++in_flight_.reads;
    request(burst, tlm::TLM_READ_COMMAND, pins_.ar.bits.address);
  }
  if (pins_.aw.fires()) {
    addresses_.push_back(pins_.aw.bits);
    ++in_flight_.write_addresses;
  }
  if (pins_.w.fires()) commit_write_data();
  join_writes();
  if (!requests_.empty()) send();
  finish();
}

/// Last in the cycle: the beat on the wires lies in its burst, which a new one must not take over
/// yet.
void AxiSlave::finish() {
  if (pins_.r.fires()) {
    Burst& burst = *reads_.front();
    if (++burst.next_beat == burst.beats) {
      reads_.pop_front();
      --in_flight_.reads;
      burst.release();
    }
  }
  if (pins_.b.fires()) {
    writes_.front()->release();
    writes_.pop_front();
    --in_flight_.write_addresses;
    --in_flight_.write_data;
  }
}

void AxiSlave::commit_write_data() {
  if (collecting_ == nullptr) collecting_ = new_burst();
  Burst& burst = *collecting_;
  if (burst.beats == most_beats) internal_error("{}: write data without last", name());
  std::memcpy(burst.bytes.data() + std::size_t{burst.beats} * beat_bytes_, pins_.w.bits.data,
              beat_bytes_);
  ++burst.beats;
  if (!pins_.w.bits.last) return;
  data_.push_back(collecting_);
  ++in_flight_.write_data;
  collecting_ = nullptr;
}

/// Data may overtake its address on the way here: a write begins when both have come.
void AxiSlave::join_writes() {
  while (!addresses_.empty() && !data_.empty()) {
    Burst* burst = data_.front();
    if (burst->beats != addresses_.front().length + 1) {
      internal_error("{}: a write burst of {} beats brought {}", name(),
                     addresses_.front().length + 1, burst->beats);
    }
    data_.pop_front();
    writes_.push_back(burst);
    request(burst, tlm::TLM_WRITE_COMMAND, addresses_.front().address);
    addresses_.pop_front();
  }
}

void AxiSlave::request(Burst* burst, tlm::tlm_command command, std::uint32_t address) {
  const unsigned bytes = burst->beats * beat_bytes_;
  burst->set_command(command);
  burst->set_address(address);
  burst->set_data_ptr(burst->bytes.data());
  burst->set_data_length(bytes);
  burst->set_streaming_width(bytes);
  burst->set_byte_enable_ptr(nullptr);
  burst->set_dmi_allowed(false);
  burst->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  requests_.push_back(burst);
}

/// Hands requests to the memory, timed at the clock edge that ends this cycle. TLM's exclusion rule
/// allows one request at a time to wait for acceptance.
void AxiSlave::send() {
  while (!requests_.empty() && request_phase_ == nullptr) {
    Burst& burst = *requests_.front();
    requests_.pop_front();
    ++clock_.transactions;
    const sc_core::sc_time edge = period_ * static_cast<double>(clock_.now + 1);
    sc_core::sc_time delay = edge - sc_core::sc_time_stamp();
    if (transport_ == Transport::blocking) {
      socket->b_transport(burst, delay);
      answer(burst, delay);
      continue;
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    request_phase_ = &burst;
    switch (socket->nb_transport_fw(burst, phase, delay)) {
      case tlm::TLM_COMPLETED:
        request_phase_ = nullptr;
        answer(burst, delay);
        break;
      case tlm::TLM_UPDATED:
        request_phase_ = nullptr;
        if (phase == tlm::BEGIN_RESP) {
          answer(burst, delay);
          tlm::tlm_phase end = tlm::END_RESP;
          socket->nb_transport_fw(burst, end, delay);
        }
        break;
      case tlm::TLM_ACCEPTED:
        break;
    }
  }
}

tlm::tlm_sync_enum AxiSlave::nb_transport_bw(tlm::tlm_generic_payload& transaction,
                                             tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto& burst = static_cast<Burst&>(transaction);
  // A response without END_REQ before it also ends the request phase.
  if (request_phase_ == &burst) request_phase_ = nullptr;
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  answer(burst, delay);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void AxiSlave::answer(Burst& burst, const sc_core::sc_time& delay) {
  if (burst.is_response_error()) {
    // Not thrown here: the target's own process may be the caller.
    error_ = fmt::format("{}: the memory answered a {} of {} bytes at address 0x{:x} with {}",
                         name(), burst.is_read() ? "read" : "write", burst.get_data_length(),
                         burst.get_address(), burst.get_response_string());
  }
  const auto period = period_.value();
  const auto time = (sc_core::sc_time_stamp() + delay).value();
  burst.answered = true;
  burst.available = (time + period - 1) / period;
}

Cycle AxiSlave::waits(Cycle most) const {
  if (!requests_.empty() || !error_.empty()) return 0;
  for (const std::deque<Burst*>* bursts : {&reads_, &writes_}) {
    if (bursts->empty()) continue;
    const Burst& burst = *bursts->front();
    if (!burst.answered) return 0;
    const bool valid = bursts == &reads_ ? pins_.r.valid : pins_.b.valid;
    if (!valid) {
      most = burst.available <= clock_.now ? 0 : std::min(most, burst.available - clock_.now);
    }
  }
  return most;
}

bool AxiSlave::waits_for_memory() const {
  // An answer that has not been announced can only come from a process that is still to run.
  const auto owed = [this](const Burst* burst) {
    return burst->answered ? burst->available >= clock_.now : sc_core::sc_pending_activity();
  };
  return std::any_of(reads_.begin(), reads_.end(), owed) ||
         std::any_of(writes_.begin(), writes_.end(), owed);
}

}  // namespace tactus
