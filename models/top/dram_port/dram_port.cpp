#include "models/top/dram_port/dram_port.h"

namespace tactus {

DramPort::DramPort(const sc_core::sc_module_name& name, Clock& clock,
                   const tcu::Architecture& architecture, unsigned beat_bytes, unsigned port,
                   const ConfigRegisters& registers, DramLinks& tcu, AxiLinks& pins)
    : sc_module(name),
      converter_("converter", clock, architecture, beat_bytes, port, registers, tcu, inner_),
      queue_("queue", clock, beat_bytes, inner_, middle_),
      splitter_("splitter", clock, beat_bytes, port, middle_, pins) {}

void DramPort::drive() {
  converter_.drive();
  queue_.drive();
  splitter_.drive();
}

void DramPort::accept() { splitter_.accept(); }

void DramPort::commit() {
  converter_.commit();
  queue_.commit();
  splitter_.commit();
}

bool DramPort::redrive() {
  if (!converter_.redrive()) return false;
  queue_.redrive();
  return splitter_.redrive();
}

void DramPort::add_phases(Phases& phases) {
  phases.settle.insert(phases.settle.end(),
                       {[this] { converter_.drive(); }, [this] { queue_.drive(); },
                        [this] { splitter_.drive(); }, [this] { splitter_.accept(); }});
  phases.commit.insert(phases.commit.end(),
                       {[this] { converter_.commit(); }, [this] { queue_.commit(); },
                        [this] { splitter_.commit(); }});
}

}  // namespace tactus
