#include "models/top/tcu/routers/host_router.h"

namespace tactus {

HostRouter::HostRouter(const sc_core::sc_module_name& name, const HostRouterLinks& links)
    : sc_module(name), links_(links) {}

void HostRouter::drive() {
  const bool valid = links_.control.valid;
  const unsigned selected = links_.control.bits.dram;
  const bool out = valid && links_.control.bits.to_dram;
  const bool in = valid && !links_.control.bits.to_dram;
  for (unsigned port = 0; port < 2; ++port) {
    links_.dram_out[port]->valid = out && selected == port && links_.local.read_data.valid;
  }
  links_.local.write_data.valid = in && links_.dram_in[selected]->valid;
  route();
}

/// The data paths.
void HostRouter::route() {
  for (Link<VectorRef>* out : links_.dram_out) out->bits = links_.local.read_data.bits;
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
  links_.control.ready =
      out ? links_.dram_out[selected]->fires() : in && links_.local.write_data.fires();
}

}  // namespace tactus
