// One DRAM port of the design: Converter, AXI queues, boundary splitter.
#pragma once

#include <systemc>

#include "models/sim/phases.h"
#include "models/top/dram_port/axi_queue.h"
#include "models/top/dram_port/boundary_splitter.h"
#include "models/top/dram_port/converter.h"

namespace tactus {

class DramPort final : public sc_core::sc_module {
 public:
  DramPort(const sc_core::sc_module_name& name, Clock& clock, const tcu::Architecture& architecture,
           unsigned beat_bytes, unsigned port, const ConfigRegisters& registers, DramLinks& tcu,
           AxiLinks& pins);

  void drive();  ///< after the pins' slave has driven
  void accept();
  void commit();
  [[nodiscard]] bool redrive();  ///< see models/sim/engine.h; after the pins' slave has driven
  void add_phases(Phases& phases);

  [[nodiscard]] bool idle() const { return converter_.idle() && queue_.idle() && splitter_.idle(); }
  [[nodiscard]] const BoundarySplitter& splitter() const { return splitter_; }
  [[nodiscard]] const Converter& converter() const { return converter_; }

 private:
  AxiLinks inner_;   ///< Converter to queue
  AxiLinks middle_;  ///< queue to splitter
  Converter converter_;
  AxiQueue queue_;
  BoundarySplitter splitter_;
};

}  // namespace tactus
