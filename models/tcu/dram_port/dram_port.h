// One DRAM port of the design: Converter, AXI queues, boundary splitter.
#pragma once

#include <systemc>

#include "models/axi/axi_queue.h"
#include "models/axi/boundary_splitter.h"
#include "models/sim/account.h"
#include "models/sim/phases.h"
#include "models/tcu/dram_port/converter.h"

namespace tactus {

class DramPort final : public sc_core::sc_module {
 public:
  enum State : unsigned {
    read,
    write,
    address,
    wait_tcu,
    wait_slave,
    wait_vectors,
    wait_read,
    wait_response,
    transit,
    rest,
  };
  static constexpr std::array<UnitState, 10> state_table{{
      {"read", StateKind::busy, "a beat of read data passes the pins"},
      {"write", StateKind::busy, "a beat of write data passes the pins"},
      {"address", StateKind::busy, "a burst's address passes the pins, and no data"},
      {"wait_tcu", StateKind::stall, "read data is offered and the TCU does not take it"},
      {"wait_slave", StateKind::stall, "an address or write data is offered and not taken"},
      {"wait_vectors", StateKind::stall, "a write waits for its vectors from local memory"},
      {"wait_read", StateKind::stall, "waiting for data of bursts already requested"},
      {"wait_response", StateKind::stall, "waiting for responses to data already written"},
      {"transit", StateKind::stall, "a request or data is still inside the port's queues"},
      {"idle", StateKind::idle, "nothing to do"},
  }};

  DramPort(const sc_core::sc_module_name& name, Clock& clock, const tcu::Architecture& architecture,
           unsigned beat_bytes, unsigned port, const ConfigRegisters& registers, DramLinks& tcu,
           AxiLinks& pins);

  /// See Border. `registers` are those of the constructor.
  template <typename List>
  void border(List& list, ConfigRegisters& registers) {
    list.consumes("request", tcu_.request, port_);
    list.produces("in", tcu_.in);
    list.consumes("out", tcu_.out);
    border_pins(list);
    list.reads("offset", 32, registers.dram_offset[port_]);
    list.reads("cache", 4, registers.dram_cache[port_]);
  }
  /// The part of border() that is at the pins.
  template <typename List>
  void border_pins(List& list) {
    list.produces("ar", pins_.ar);
    list.consumes("r", pins_.r, false);
    list.produces("aw", pins_.aw);
    list.produces("w", pins_.w, true);
    list.consumes("b", pins_.b);
  }
  void drive();  ///< after the pins' slave has driven
  void accept();
  void commit();
  /// See models/sim/activity.h; after commit().
  [[nodiscard]] bool sleeps() const { return !moves_; }
  void add_phases(Phases& phases);

  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  [[nodiscard]] unsigned beat_phase() const { return converter_.beat_phase(); }
  [[nodiscard]] BoundarySplitter& splitter() { return splitter_; }
  [[nodiscard]] bool idle() const { return converter_.idle() && queue_.idle() && splitter_.idle(); }
  [[nodiscard]] const BoundarySplitter& splitter() const { return splitter_; }
  [[nodiscard]] const Converter& converter() const { return converter_; }
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] Account& account() { return account_; }

 private:
  [[nodiscard]] State state() const;
  void observe() { account_.enter(state()); }

  Clock& clock_;
  unsigned port_;
  DramLinks& tcu_;
  AxiLinks& pins_;
  AxiLinks inner_;   ///< Converter to queue
  AxiLinks middle_;  ///< queue to splitter
  Converter converter_;
  AxiQueue queue_;
  BoundarySplitter splitter_;
  bool moves_ = true;  ///< a register did, at the last clock edge
  Account account_;
};

}  // namespace tactus
