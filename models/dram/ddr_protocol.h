// The protocol between a PortPath and a DdrController. It is not TLM-2.0's base protocol, so its
// sockets have a type of their own and bind to no others; DdrMemory
// (firmware/driver/common/ddr_memory.h) has sockets of the base protocol in front of it.
#pragma once

#include <tlm>

namespace tactus {

/// Payload and phases are those of the base protocol. The rules are in
/// models/dram/ddr_controller.h.
struct DdrProtocol {
  using tlm_payload_type = tlm::tlm_generic_payload;
  using tlm_phase_type = tlm::tlm_phase;
};

}  // namespace tactus
