// A host link: two channels, one each way, and the bus in the device behind them.
//
//   host  -> out -> bus in -> (device)         data to the device
//   host <-  in  <- bus out <- (device)        data from the device
//
// The transfers themselves, and who waits for what, are the business of whoever drives the two
// sockets: of the host's driver and the device. Units, latency and overheads: serial_channel.h,
// device_bus.h.
#pragma once

#include "isa/support/link_values.h"
#include "models/link/device_bus.h"
#include "models/link/serial_channel.h"

namespace tactus {

class HostLink final : public sc_core::sc_module {
 public:
  HostLink(const sc_core::sc_module_name& name, const LinkValues& values);

  /// The host's end of the way out, and the device's end of the way in.
  [[nodiscard]] tlm::tlm_target_socket<>& to_device() { return out.socket; }
  [[nodiscard]] tlm::tlm_target_socket<>& to_host() { return bus_out.socket; }

  SerialChannel out, in;
  DeviceBus bus_in, bus_out;

 private:
  /// Memory that takes everything at once.
  void accept(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  tlm_utils::simple_target_socket<HostLink> device_{"device"}, host_{"host"};
};

}  // namespace tactus
