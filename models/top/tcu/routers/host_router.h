// Host router: connects local memory port B with the two DRAM ports.
//
// Combinational, no queue inside: one control item is consumed together with each vector, strictly
// in program order. So data read by a later move enters local memory only after every vector of an
// earlier write has been handed to its DRAM port. Source: hardware spec section 6.
#pragma once

#include <array>

#include <systemc>

#include "models/top/tcu/channels.h"

namespace tactus {

struct HostRouterLinks {
  Link<HostDataflow>& control;
  MemoryPort& local;                         ///< port B
  std::array<Link<VectorRef>*, 2> dram_in;   ///< from DRAM
  std::array<Link<VectorRef>*, 2> dram_out;  ///< to DRAM
};

class HostRouter final : public sc_core::sc_module {
 public:
  HostRouter(const sc_core::sc_module_name& name, const HostRouterLinks& links);

  void drive();
  void accept();
  void redrive() { route(); }  ///< see models/sim/engine.h


 private:
  void route();

  HostRouterLinks links_;
};

}  // namespace tactus
