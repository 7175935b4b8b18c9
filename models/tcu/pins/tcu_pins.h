// A whole TCU as a module with its AXI pins, for pin-level test benches, DMA engines and memory
// controllers.
//
// Ports are those of the public RTL's top, with the names of AXI: m_axi_dram0_arvalid and so on for
// two AXI4 masters, instruction_tvalid for the stream of instructions, and sample_tvalid with a
// sampler. Clock, reset and delta cycles are those of UnitPins; cycle 0 begins at the last rising
// edge with `reset` high. Ready may depend on valid within a cycle, no valid on ready. Bursts are
// those of the hardware, so that cycles equal those of a TcuSimulation with the same memory.
// firmware/guides/pins.md has the list of pins.
#pragma once

#include "models/tcu/pins/unit_pins.h"

namespace tactus {

class TcuPins final : public UnitPins {
 public:
  /// Throws UserError for a machine that cannot be built.
  TcuPins(const sc_core::sc_module_name& name, const TcuSystem::Config& config)
      : UnitPins(name, config, [](TcuSystem& system) { return system.pinned_at_axi(); }) {}
};

}  // namespace tactus
