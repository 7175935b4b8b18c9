// A DRAM bank for tests. It can conduct a transaction in every way that TLM-2.0 allows a target.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "firmware/driver/tcu/simulation.h"
#include "tests/support/functional_model.h"

namespace tactus {

class PhasedMemory final : public sc_core::sc_module {
 public:
  enum class Protocol {
    completed,         ///< returns TLM_COMPLETED at BEGIN_REQ, with annotated time
    updated_response,  ///< returns TLM_UPDATED with BEGIN_RESP, with annotated time
    updated_request,   ///< returns TLM_UPDATED with END_REQ; calls with BEGIN_RESP later
    accepted,          ///< calls with END_REQ after request_cycles, with BEGIN_RESP later
    response_only,     ///< calls with BEGIN_RESP, which implies END_REQ
  };

  struct Config {
    Protocol protocol = Protocol::accepted;
    sc_core::sc_time period;
    double request_cycles = 0;  ///< cycles from BEGIN_REQ to END_REQ (accepted only)
    /// Returns the cycles from the handshake to the answer, 1 or more; 0: there is no answer.
    /// Called once per transaction.
    std::function<Cycle(bool write)> latency;
    bool ends_requests = true;  ///< false: END_REQ never comes (accepted only)
    /// Returns true for addresses whose requests get an address error; empty: none.
    std::function<bool(std::uint32_t address)> refuses;
    std::function<void(const tlm::tlm_generic_payload&)>
        sees;  ///< called with each transaction at BEGIN_REQ
  };

  tlm_utils::simple_target_socket<PhasedMemory> socket{"socket"};

  PhasedMemory(const sc_core::sc_module_name& name, Config config);

 private:
  struct Request {
    Cycle latency = 0;
    bool ended = false;  ///< true: END_REQ has been sent, or a response has implied it
  };
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);
  void at_time(tlm::tlm_generic_payload& transaction, const tlm::tlm_phase& phase);
  /// Throws if the initiator breaks TLM's rules for a request.
  void check_request(tlm::tlm_generic_payload& transaction) const;
  void begin(tlm::tlm_generic_payload& transaction);
  void access(tlm::tlm_generic_payload& transaction);
  [[nodiscard]] sc_core::sc_time answer_delay(Cycle latency) const;

  Config config_;
  FunctionalDram bytes_;
  tlm_utils::peq_with_cb_and_phase<PhasedMemory> queue_;
  std::map<tlm::tlm_generic_payload*, Request> requests_;  ///< transactions in progress
};

/// Gives each port of a configuration a PhasedMemory with the configuration's clock period.
void use_phased_memory(TcuSimulationConfig& config, PhasedMemory::Config memory);

}  // namespace tactus
