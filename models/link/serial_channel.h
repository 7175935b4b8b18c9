// One direction of a host link: a wire that carries one transaction at a time.
//
// A transaction of n bytes occupies the wire for the time of n bytes and the overhead of their
// packets, rounded up to whole picoseconds. It starts when it arrives, or when the wire becomes
// free if that is later. It is then passed on to the module bound to `sink`, which adds its own
// time. Time is annotated; blocking transport never waits. Addresses and data pass unchanged; the
// data pointer may be null, since a replay has no data. Requests must come in order of time.
// Errors, retries and flow control between packets are not modelled.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace tactus {

class SerialChannel final : public sc_core::sc_module {
 public:
  struct Config {
    std::uint64_t bytes_per_second = 1;
    std::uint64_t packet_bytes = 0;    ///< payload of a packet; 0: one packet of any length
    std::uint64_t overhead_bytes = 0;  ///< per packet
  };
  struct Stats {
    std::uint64_t transactions = 0, bytes = 0, wire_bytes = 0;
    sc_core::sc_time busy;  ///< time in which the wire was occupied
  };

  SerialChannel(const sc_core::sc_module_name& name, const Config& config);

  tlm_utils::simple_target_socket<SerialChannel> socket{"socket"};
  tlm_utils::simple_initiator_socket<SerialChannel> sink{"sink"};

  [[nodiscard]] const Stats& stats() const { return stats_; }
  /// Time at which the last transaction began to occupy the wire.
  [[nodiscard]] sc_core::sc_time last_start() const { return last_start_; }
  /// Bytes that `bytes` of payload occupy on the wire: payload and overhead. A transfer of 0 bytes
  /// has one packet.
  [[nodiscard]] std::uint64_t wire_bytes(std::uint64_t bytes) const;

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  const Config config_;
  sc_core::sc_time free_;  ///< time at which the wire becomes free
  sc_core::sc_time last_start_;
  Stats stats_;
};

/// Time of `bytes` at `bytes_per_second`, rounded up to whole picoseconds.
[[nodiscard]] sc_core::sc_time time_of(std::uint64_t bytes, std::uint64_t bytes_per_second);

}  // namespace tactus
