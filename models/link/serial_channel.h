// One direction of a host link: a wire that carries one transaction at a time.
//
// A transaction of n bytes occupies the wire for n bytes and the overhead of its packets, rounded
// up to whole picoseconds. It starts when it arrives or when the wire becomes free, whichever is
// later. It is then passed on to the module bound to `sink`, which adds its own time. Time is
// annotated; blocking transport never waits. Addresses and data pass unchanged; data may be null,
// since a replay has none. Requests must come in order of time. Not modelled: errors and retries,
// flow control below the transfers.
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
  /// Bytes on the wire for so many bytes of payload.
  [[nodiscard]] std::uint64_t wire_bytes(std::uint64_t bytes) const;

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  const Config config_;
  sc_core::sc_time free_;  ///< time at which the wire becomes free
  sc_core::sc_time last_start_;
  Stats stats_;
};

/// Time of so many bytes at a rate, rounded up to whole picoseconds.
[[nodiscard]] sc_core::sc_time time_of(std::uint64_t bytes, std::uint64_t bytes_per_second);

}  // namespace tactus
