#include "models/link/device_bus.h"

#include <algorithm>

#include "models/link/serial_channel.h"

namespace tactus {

DeviceBus::DeviceBus(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), config_(config) {
  socket.register_b_transport(this, &DeviceBus::b_transport);
}

sc_core::sc_time DeviceBus::beats(std::uint64_t bytes) const {
  return time_of((bytes + config_.width - 1) / config_.width, config_.hz);
}

void DeviceBus::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  const std::uint64_t bytes = transaction.get_data_length();
  bytes_ += bytes;
  if (config_.hz != 0) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const sc_core::sc_time arrived = now + delay;
    free_ = config_.sends ? std::max(arrived, free_) + beats(bytes)
                          : std::max(arrived + beats(1), free_ + beats(bytes));
    delay = free_ - now;
  }
  sink->b_transport(transaction, delay);
}

}  // namespace tactus
