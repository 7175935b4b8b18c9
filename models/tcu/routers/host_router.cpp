#include "models/tcu/routers/host_router.h"

#include "models/tcu/channel_signals.h"

namespace tactus {

HostRouter::HostRouter(const sc_core::sc_module_name& name, const Clock& clock,
                       const HostRouterLinks& links)
    : sc_module(name), links_(links), account_("host_router", clock, state_table, rest) {}

void HostRouter::drive() {
  const bool valid = links_.control.valid;
  const unsigned selected = links_.control.bits.dram;
  const bool out = valid && links_.control.bits.to_dram;
  const bool in = valid && !links_.control.bits.to_dram;
  for (unsigned port = 0; port < 2; ++port) {
    links_.dram_out[port]->valid = out && selected == port && links_.local.read_data.valid;
  }
  links_.local.write_data.valid = in && links_.dram_in[selected]->valid;
  for (Link<VectorRef>* port : links_.dram_out) port->bits = links_.local.read_data.bits;
  links_.local.write_data.bits = links_.dram_in[links_.control.bits.dram]->bits;
}

void HostRouter::accept() {
  const bool valid = links_.control.valid;
  const unsigned selected = links_.control.bits.dram;
  const bool out = valid && links_.control.bits.to_dram;
  const bool in = valid && !links_.control.bits.to_dram;
  links_.local.read_data.ready = out && links_.dram_out[selected]->ready;
  for (unsigned port = 0; port < 2; ++port) {
    links_.dram_in[port]->ready = in && selected == port && links_.local.write_data.ready;
  }
  // As in the RTL, the control's ready depends on the data's handshake, not on its own valid.
  links_.control.ready = links_.control.bits.to_dram
                             ? links_.local.read_data.valid && links_.dram_out[selected]->ready
                             : links_.dram_in[selected]->valid && links_.local.write_data.ready;
}

void HostRouter::describe(const trace::Scope& scope) const {
  scope.channel("control", links_.control);
  scope.channel("write_data", links_.local.write_data);
  scope.channel("read_data", links_.local.read_data);
  scope.channel("dram0_in", *links_.dram_in[0]);
  scope.channel("dram1_in", *links_.dram_in[1]);
  scope.channel("dram0_out", *links_.dram_out[0]);
  scope.channel("dram1_out", *links_.dram_out[1]);
}

HostRouter::State HostRouter::state() const {
  const Link<HostDataflow>& control = links_.control;
  if (!control.valid) return rest;
  if (control.ready) return pass;
  if (control.bits.to_dram && !links_.local.read_data.valid) return wait_local;
  return control.bits.dram == 0 ? wait_dram0 : wait_dram1;
}

}  // namespace tactus
