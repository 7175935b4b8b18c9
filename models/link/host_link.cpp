#include "models/link/host_link.h"

namespace tactus {

HostLink::HostLink(const sc_core::sc_module_name& name, const LinkValues& values)
    : sc_module(name),
      out("out", {values.wire_bytes_per_second, values.packet_bytes, values.packet_overhead_bytes}),
      in("in", {values.wire_bytes_per_second, values.packet_bytes, values.packet_overhead_bytes}),
      bus_in("bus_in", {values.device_bus_hz, values.device_bus_bytes, false}),
      bus_out("bus_out", {values.device_bus_hz, values.device_bus_bytes, true}) {
  device_.register_b_transport(this, &HostLink::accept);
  host_.register_b_transport(this, &HostLink::accept);
  out.sink.bind(bus_in.socket);
  bus_in.sink.bind(device_);
  bus_out.sink.bind(in.socket);
  in.sink.bind(host_);
}

void HostLink::accept(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

}  // namespace tactus
