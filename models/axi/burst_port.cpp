#include "models/axi/burst_port.h"

#include <algorithm>

namespace tactus {

BurstPort::BurstPort(Clock& clock, Transport transport)
    : clock_(clock),
      transport_(transport),
      calls_([this](tlm::tlm_generic_payload& access,
                    sc_core::sc_time& delay) { socket->b_transport(access, delay); },
             [this](tlm::tlm_generic_payload& access, const sc_core::sc_time& delay) {
               answer(static_cast<Burst&>(access), delay);
             }) {
  socket.register_nb_transport_bw(this, &BurstPort::nb_transport_bw);
}

BurstPort::~BurstPort() = default;

void BurstPort::free(tlm::tlm_generic_payload* payload) {
  free_.push_back(static_cast<Burst*>(payload));
}

BurstPort::Burst* BurstPort::burst(tlm::tlm_command command, std::uint64_t address,
                                   std::size_t bytes) {
  if (free_.empty()) {
    free_.push_back(all_.emplace_back(std::make_unique<Burst>()).get());
    free_.back()->set_mm(this);
    free_.back()->set_extension(&free_.back()->times);
  }
  Burst* burst = free_.back();
  free_.pop_back();
  burst->acquire();
  burst->times.clear();
  burst->answered = never;
  burst->is_sent = burst->is_over = burst->is_dropped = false;
  if (burst->bytes.size() < bytes) burst->bytes.resize(bytes);
  burst->set_command(command);
  burst->set_address(address);
  burst->set_data_ptr(burst->bytes.data());
  burst->set_data_length(static_cast<unsigned>(bytes));
  burst->set_streaming_width(static_cast<unsigned>(bytes));
  burst->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  burst->set_dmi_allowed(false);
  return burst;
}

/// TLM's exclusion rule allows one request at a time to wait for acceptance.
void BurstPort::send(std::uint64_t time) {
  while (!to_send_.empty() && request_phase_ == nullptr) {
    Burst& burst = *to_send_.front();
    to_send_.pop_front();
    if (burst.is_dropped) {
      burst.release();
      continue;
    }
    burst.is_sent = true;
    if (!pulled_) ++clock_.transactions;
    if (transport_ == Transport::blocking) {
      calls_.request(burst, time);
      continue;
    }
    const std::uint64_t now = kernel_time().value();
    // With a clock port a cycle is evaluated at its end: a request that has waited is then late.
    if (clock_.edges != nullptr) time = std::max(time, now);
    sc_core::sc_time delay = sc_core::sc_time::from_value(time - now);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    request_phase_ = &burst;
    const tlm::tlm_sync_enum status = socket->nb_transport_fw(burst, phase, delay);
    if (status == tlm::TLM_ACCEPTED) continue;
    if (request_phase_ == &burst) request_phase_ = nullptr;
    if (status == tlm::TLM_UPDATED && phase != tlm::BEGIN_RESP) continue;
    burst.acquire();  // its owner may release it when it is answered, before the response has ended
    answer(burst, delay);
    if (status == tlm::TLM_UPDATED) {
      tlm::tlm_phase end = tlm::END_RESP;
      socket->nb_transport_fw(burst, end, delay);
    }
    burst.release();
  }
}

tlm::tlm_sync_enum BurstPort::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                              tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  auto& burst = static_cast<Burst&>(payload);
  // A response without an earlier END_REQ also ends the request phase.
  if (request_phase_ == &burst) {
    request_phase_ = nullptr;
    if (phase == tlm::BEGIN_RESP && !to_send_.empty() && on_serial) on_serial();
  }
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  answer(burst, delay);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void BurstPort::answer(Burst& burst, const sc_core::sc_time& delay) {
  burst.is_over = true;
  burst.answered = (kernel_time() + delay).value();
  if (burst.is_dropped) {
    burst.release();
  } else if (on_answer) {
    on_answer(burst);
  }
}

/// Drops a burst. A burst that waits to be sent is released by send(), one in flight by its answer.
void BurstPort::drop(Burst* burst) {
  if (burst->is_over) {
    burst->release();
  } else {
    burst->is_dropped = true;
  }
}

}  // namespace tactus
