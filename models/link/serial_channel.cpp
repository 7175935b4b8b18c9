#include "models/link/serial_channel.h"

#include <algorithm>

namespace tactus {

sc_core::sc_time time_of(std::uint64_t bytes, std::uint64_t bytes_per_second) {
  constexpr std::uint64_t picoseconds = 1000000000000;
  __extension__ using Wide = unsigned __int128;
  const Wide time = (Wide{bytes} * picoseconds + bytes_per_second - 1) / bytes_per_second;
  // The SystemC kernel counts in picoseconds, its default resolution.
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(time));
}

SerialChannel::SerialChannel(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), config_(config) {
  socket.register_b_transport(this, &SerialChannel::b_transport);
}

std::uint64_t SerialChannel::wire_bytes(std::uint64_t bytes) const {
  const std::uint64_t packets =
      config_.packet_bytes == 0
          ? 1
          : std::max<std::uint64_t>(1, (bytes + config_.packet_bytes - 1) / config_.packet_bytes);
  return bytes + packets * config_.overhead_bytes;
}

void SerialChannel::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  const std::uint64_t bytes = transaction.get_data_length();
  const std::uint64_t on_wire = wire_bytes(bytes);
  const sc_core::sc_time start = std::max(now + delay, free_);
  const sc_core::sc_time time = time_of(on_wire, config_.bytes_per_second);
  last_start_ = start;
  free_ = start + time;
  ++stats_.transactions;
  stats_.bytes += bytes;
  stats_.wire_bytes += on_wire;
  stats_.busy += time;
  delay = free_ - now;
  sink->b_transport(transaction, delay);
}

}  // namespace tactus
