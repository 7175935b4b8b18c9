#include "models/tcu/dram_port/dram_port.h"

#include "models/axi/axi_signals.h"
#include "models/tcu/channel_signals.h"
#include "models/tcu/events.h"

namespace tactus {

DramPort::DramPort(const sc_core::sc_module_name& name, Clock& clock,
                   const tcu::Architecture& architecture, unsigned beat_bytes, unsigned port,
                   const ConfigRegisters& registers, DramLinks& tcu, AxiLinks& pins)
    : sc_module(name),
      clock_(clock),
      port_(port),
      tcu_(tcu),
      pins_(pins),
      converter_("converter", clock, architecture, beat_bytes, port, registers, tcu, inner_),
      queue_("queue", clock, beat_bytes, inner_, middle_),
      splitter_("splitter", clock, beat_bytes, port, TcuEvent::axi, middle_, pins),
      account_(basename(), clock, state_table, rest) {}

void DramPort::drive() {
  converter_.drive();
  queue_.drive();
  splitter_.drive();
}

void DramPort::accept() { splitter_.accept(); }

DramPort::State DramPort::state() const {
  if (pins_.r.fires()) return read;
  if (pins_.w.fires()) return write;
  if (pins_.ar.fires() || pins_.aw.fires()) return address;
  if (pins_.r.valid) return wait_tcu;
  if (pins_.ar.valid || pins_.aw.valid || pins_.w.valid) return wait_slave;
  if (converter_.outstanding_reads() > 0) return wait_read;
  if (converter_.lacks_vectors()) return wait_vectors;
  if (converter_.outstanding_writes() > 0) return wait_response;
  return idle() ? rest : transit;
}

void DramPort::commit() {
  observe();
  const std::uint64_t progress = clock_.progress;
  converter_.commit();
  queue_.commit();
  splitter_.commit();
  moves_ =
      clock_.progress != progress || tcu_.request.fires() || tcu_.out.fires() || tcu_.in.fires();
}

void DramPort::add_phases(Phases& phases) {
  phases.settle.insert(phases.settle.end(),
                       {[this] { converter_.drive(); }, [this] { queue_.drive(); },
                        [this] { splitter_.drive(); }, [this] { splitter_.accept(); }});
  phases.commit.insert(phases.commit.end(),
                       {[this] { converter_.commit(); }, [this] { queue_.commit(); },
                        [this] { splitter_.commit(); }});
  phases.observe.emplace_back([this] { observe(); });
}

void DramPort::describe(const trace::Scope& scope) const {
  trace::describe_axi(scope.part("axi"), pins_);
  converter_.describe(scope.unit("converter"));
  queue_.describe(scope.unit("queue"));
  splitter_.describe(scope.unit("boundary_splitter"));
}

}  // namespace tactus
