// A DRAM bank behind a TLM-2.0 socket that answers every burst after a fixed time.
//
// A read's first beat is offered `read_latency` cycles after its address handshake, a write's
// response `write_latency` cycles after its last data beat; any number of bursts may be in flight.
// The bank has 2^32 bytes; an access beyond them is answered with an address error.
// The golden figures were recorded with this memory ("axi_slave" in their manifest).
#pragma once

#include <cstdint>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/dram/sparse_memory.h"

namespace tactus {

class FixedLatencyBank final : public sc_core::sc_module {
 public:
  struct Config {
    std::uint64_t read_latency = 1;   ///< cycles, 1 or more
    std::uint64_t write_latency = 1;  ///< cycles, 1 or more
    sc_core::sc_time period;          ///< period of the clock that counts them
  };

  tlm_utils::simple_target_socket<FixedLatencyBank> socket{"socket"};

  FixedLatencyBank(const sc_core::sc_module_name& name, const Config& config);

  [[nodiscard]] SparseMemory& memory() { return memory_; }
  [[nodiscard]] const SparseMemory& memory() const { return memory_; }

 private:
  /// Reads or writes the data and sets the response status. Returns false if the transaction has
  /// byte enables or is neither a read nor a write.
  bool access(tlm::tlm_generic_payload& transaction);
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

  sc_core::sc_time read_delay_, write_delay_;
  SparseMemory memory_;
};

}  // namespace tactus
