// One direction of a host link: a wire that carries one thing after the other.
//
// A transaction of n bytes takes the wire for n bytes and the overhead of each packet, rounded up
// to whole picoseconds, from when it arrives or the wire is free; then it is passed on to whatever
// is bound to `sink`, which adds its own time. Time is annotated, blocking transport never waits,
// and addresses and data pass unchanged; data may be null, for a replay has none. Requests must
// come in the order of their times. Not modelled: errors and retries, flow control below the
// transfers.
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
    std::uint64_t packet_bytes = 0;    ///< payload of a packet; 0: one packet, however long
    std::uint64_t overhead_bytes = 0;  ///< of each packet
  };
  struct Stats {
    std::uint64_t transactions = 0, bytes = 0, wire_bytes = 0;
    sc_core::sc_time busy;  ///< of the wire
  };

  SerialChannel(const sc_core::sc_module_name& name, const Config& config);

  tlm_utils::simple_target_socket<SerialChannel> socket{"socket"};
  tlm_utils::simple_initiator_socket<SerialChannel> sink{"sink"};

  [[nodiscard]] const Stats& stats() const { return stats_; }
  /// When the last transaction began to take the wire.
  [[nodiscard]] sc_core::sc_time last_start() const { return last_start_; }
  /// Bytes on the wire for so many of payload.
  [[nodiscard]] std::uint64_t wire_bytes(std::uint64_t bytes) const;

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  const Config config_;
  sc_core::sc_time free_;  ///< when the wire is
  sc_core::sc_time last_start_;
  Stats stats_;
};

/// Bytes over a rate as a time, rounded up to whole picoseconds.
[[nodiscard]] sc_core::sc_time time_of(std::uint64_t bytes, std::uint64_t bytes_per_second);

}  // namespace tactus
