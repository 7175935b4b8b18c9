#include "tests/support/phased_memory.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tactus {

PhasedMemory::PhasedMemory(const sc_core::sc_module_name& name, Config config)
    : sc_module(name), config_(std::move(config)), queue_(this, &PhasedMemory::at_time) {
  socket.register_nb_transport_fw(this, &PhasedMemory::nb_transport_fw);
  socket.register_transport_dbg(this, &PhasedMemory::transport_dbg);
}

/// PhasedMemory gets a request at the clock edge that ends the cycle of the handshake, so one cycle
/// of the latency is over.
sc_core::sc_time PhasedMemory::answer_delay(Cycle latency) const {
  return config_.period * static_cast<double>(latency - 1);
}

void PhasedMemory::check_request(tlm::tlm_generic_payload& transaction) const {
  const auto require = [](bool ok, const char* rule) {
    if (!ok) throw std::logic_error(rule);
  };
  const auto open = [](const auto& request) { return !request.second.ended; };
  require(std::none_of(requests_.begin(), requests_.end(), open),
          "one request at a time may wait for END_REQ");
  require(requests_.count(&transaction) == 0, "a payload is used for one transaction at a time");
  require(transaction.has_mm(), "a non-blocking payload has a memory manager");
  require(transaction.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE,
          "the initiator sets the response status");
  require(transaction.get_streaming_width() == transaction.get_data_length(), "no streaming");
}

tlm::tlm_sync_enum PhasedMemory::nb_transport_fw(tlm::tlm_generic_payload& transaction,
                                                 tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
  check_request(transaction);
  if (config_.sees) config_.sees(transaction);
  const Cycle latency = config_.latency(transaction.is_write());
  switch (config_.protocol) {
    case Protocol::completed:
      access(transaction);
      delay += answer_delay(latency);
      return tlm::TLM_COMPLETED;
    case Protocol::updated_response:
      access(transaction);
      delay += answer_delay(latency);
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    case Protocol::updated_request:
    case Protocol::accepted:
    case Protocol::response_only:
      break;
  }
  transaction.acquire();
  const bool ends_now = config_.protocol == Protocol::updated_request;
  requests_[&transaction] = {latency, ends_now};
  queue_.notify(transaction, tlm::BEGIN_REQ, delay);
  if (!ends_now) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void PhasedMemory::begin(tlm::tlm_generic_payload& transaction) {
  // Writes take effect in the order of the requests, as bursts of one AXI ID do.
  if (transaction.is_write()) access(transaction);
  if (config_.protocol == Protocol::accepted && config_.ends_requests) {
    queue_.notify(transaction, tlm::END_REQ, config_.period * config_.request_cycles);
  }
  const Cycle latency = requests_[&transaction].latency;
  if (latency > 0) queue_.notify(transaction, tlm::BEGIN_RESP, answer_delay(latency));
}

void PhasedMemory::at_time(tlm::tlm_generic_payload& transaction, const tlm::tlm_phase& at) {
  if (at == tlm::BEGIN_REQ) return begin(transaction);
  tlm::tlm_phase phase = at;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const auto request = requests_.find(&transaction);
  if (at == tlm::END_REQ) {
    // The response may have come before and have ended the request.
    if (request == requests_.end() || request->second.ended) return;
    request->second.ended = true;
    socket->nb_transport_bw(transaction, phase, delay);
    return;
  }
  if (transaction.is_read()) access(transaction);
  requests_.erase(request);
  socket->nb_transport_bw(transaction, phase, delay);
  transaction.release();
}

void PhasedMemory::access(tlm::tlm_generic_payload& transaction) {
  auto address = static_cast<std::uint32_t>(transaction.get_address());
  if (config_.refuses && config_.refuses(address)) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  std::uint8_t* data = transaction.get_data_ptr();
  for (unsigned i = 0; i < transaction.get_data_length(); ++i, ++address) {
    if (transaction.is_write()) {
      bytes_.write(address, data[i]);
    } else {
      data[i] = bytes_.read(address);
    }
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned PhasedMemory::transport_dbg(tlm::tlm_generic_payload& transaction) {
  const auto refuses = std::exchange(config_.refuses, nullptr);
  access(transaction);
  config_.refuses = refuses;
  return transaction.get_data_length();
}

void use_phased_memory(TcuSimulationConfig& config, PhasedMemory::Config memory) {
  memory.period = clock_period(config.clock_mhz);
  config.memory = [memory](unsigned port, AxiSlave& slave) {
    auto bank = std::make_unique<PhasedMemory>(port == 0 ? "phased0" : "phased1", memory);
    slave.socket.bind(bank->socket);
    return bank;
  };
}

}  // namespace tactus
