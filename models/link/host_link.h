// A host link: two channels, one in each direction, and the bus in the device behind them.
//
//   host  -> out -> bus in -> (device)         data to the device
//   host <-  in  <- bus out <- (device)        data from the device
//
// The host's driver and the device call the two sockets; they decide which transfers are made, and
// in which order. Units, latency and overheads: serial_channel.h, device_bus.h.
#pragma once

#include "isa/support/link_values.h"
#include "models/link/device_bus.h"
#include "models/link/serial_channel.h"

namespace tactus {

class HostLink final : public sc_core::sc_module {
 public:
  HostLink(const sc_core::sc_module_name& name, const LinkValues& values);

  /// to_device(): the socket that the host calls to send. to_host(): the socket that the device
  /// calls to send.
  [[nodiscard]] tlm::tlm_target_socket<>& to_device() { return out.socket; }
  [[nodiscard]] tlm::tlm_target_socket<>& to_host() { return bus_out.socket; }

  SerialChannel out, in;
  DeviceBus bus_in, bus_out;

 private:
  /// Accepts all data at once. It stands for the memories at both ends.
  void accept(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  tlm_utils::simple_target_socket<HostLink> device_{"device"}, host_{"host"};
};

}  // namespace tactus
