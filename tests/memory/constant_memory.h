// A memory behind a PortPath with a constant latency for every access.
#pragma once

#include <cstdint>

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/dram/ddr_protocol.h"
#include "models/dram/sparse_memory.h"

namespace tactus {

class ConstantMemory final : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<ConstantMemory, 32, DdrProtocol> socket{"socket"};

  ConstantMemory(const sc_core::sc_module_name& name, std::uint64_t read_ps, std::uint64_t write_ps)
      : sc_module(name), read_ps_(read_ps), write_ps_(write_ps) {
    socket.register_nb_transport_fw(this, &ConstantMemory::nb_transport_fw);
    socket.register_transport_dbg(this, &ConstantMemory::transport_dbg);
  }

 private:
  void access(tlm::tlm_generic_payload& payload) {
    const auto address = static_cast<std::uint32_t>(payload.get_address());
    if (payload.is_read()) {
      memory_.read(address, payload.get_data_ptr(), payload.get_data_length());
    } else {
      memory_.write(address, payload.get_data_ptr(), payload.get_data_length());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_sync_enum nb_transport_fw(int /*binding*/, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& /*phase*/, sc_core::sc_time& delay) {
    access(payload);
    delay += sc_core::sc_time::from_value(payload.is_read() ? read_ps_ : write_ps_);
    return tlm::TLM_COMPLETED;
  }
  unsigned transport_dbg(int /*binding*/, tlm::tlm_generic_payload& payload) {
    access(payload);
    return payload.get_data_length();
  }

  std::uint64_t read_ps_, write_ps_;
  SparseMemory memory_;
};

}  // namespace tactus
