// Tensor compute unit: decoder, systolic array, accumulators with ALUs, local memory, routers; DAIS
// blocks where the architecture names some.
//
// One call sequence a cycle: drive(), accept(), commit(). Between drive() and accept() nothing of
// the outside is needed, so the parent drives what is connected to the DRAM links first. Source:
// hardware spec section 1.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/sim/clock.h"
#include "models/sim/gate.h"
#include "models/sim/phases.h"
#include "models/top/tcu/accumulators/accumulator_with_alu.h"
#include "models/top/tcu/channels.h"
#include "models/top/tcu/dais/dais_unit.h"
#include "models/top/tcu/decoder/decoder.h"
#include "models/top/tcu/memory/dual_port_memory.h"
#include "models/top/tcu/routers/host_router.h"
#include "models/top/tcu/routers/local_router.h"
#include "models/top/tcu/systolic_array/systolic_array.h"

namespace tactus {

/// The TCU's side of one DRAM port.
struct DramLinks {
  Link<DramRequest> request;
  Link<VectorRef> in;   ///< from DRAM
  Link<VectorRef> out;  ///< to DRAM
};

class Tcu final : public sc_core::sc_module {
 public:
  /// The units' bits in the agenda; the first that is free.
  enum : UnitSet {
    decoder_unit = 1,
    local_unit = 2,
    local_router_unit = 4,
    host_router_unit = 8,
    array_unit = 16,
    dais_unit = 32,
    accumulators_unit = 64,
    first_free_unit = 128,
  };

  struct Config {
    tcu::Architecture architecture;
    tcu::MacRounding rounding = tcu::MacRounding::sum;
    std::uint16_t reset_timeout = 100;  ///< cycles, reset value of the timeout register
  };

  Tcu(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
      Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram);

  void drive();
  void accept();
  void commit();
  [[nodiscard]] Cycle steady(Cycle most) const;  ///< see models/sim/engine.h
  /// What the TCU gives to the DRAM ports in a run; false if it cannot be. Moves nothing.
  [[nodiscard]] bool offer_run(Cycle cycles);
  void run(Cycle cycles);  ///< needs what the ports give

  /// The same three steps unit by unit, for running them in any order.
  void add_phases(Phases& phases);

  /// Something that is no wire but decides a state has changed: whether the stream has ended.
  void stir() { clock_.agenda.stirred |= decoder_unit; }
  [[nodiscard]] bool idle() const;
  /// One line for each unit that is in the middle of something.
  [[nodiscard]] std::vector<std::string> waits_for() const;

  Decoder& decoder() { return decoder_; }
  [[nodiscard]] const Decoder& decoder() const { return decoder_; }
  [[nodiscard]] const SystolicArray& array() const { return array_; }
  /// Null unless the architecture names DAIS blocks.
  [[nodiscard]] const DaisUnit* dais() const { return dais_.get(); }
  [[nodiscard]] AccumulatorWithAlu& accumulators() { return accumulators_; }
  [[nodiscard]] const AccumulatorWithAlu& accumulators() const { return accumulators_; }
  [[nodiscard]] DualPortMemory& local() { return local_; }
  [[nodiscard]] const DualPortMemory& local() const { return local_; }
  void describe(const trace::Scope& scope) const;

  [[nodiscard]] Account& array_account() { return array_.account(); }
  /// Of every unit, in the order of reports.
  [[nodiscard]] std::vector<Account*> accounts();

 private:
  Clock& clock_;
  MemoryPort local_a_, local_b_;
  Link<Dataflow> dataflow_;
  Link<HostDataflow> host_;
  Link<ArrayControl> array_control_;
  Link<AccumulatorControl> accumulator_control_;
  Link<DaisControl> dais_control_;
  Link<VectorRef> array_weights_, array_input_, array_output_;
  Link<VectorRef> accumulator_input_, accumulator_output_;
  Link<VectorRef> dais_input_, dais_output_;

  Decoder decoder_;
  DualPortMemory local_;
  LocalRouter local_router_;
  HostRouter host_router_;
  SystolicArray array_;
  std::unique_ptr<DaisUnit> dais_;
  AccumulatorWithAlu accumulators_;

  /// Tells the wires between the units to those at their ends.
  void connect(Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram);
  [[nodiscard]] bool goes_on(UnitSet unit) const { return (clock_.agenda.moving & unit) != 0; }

  /// The memory's ports are accounted here because those of the accumulators are not units.
  void account_local() {
    local_a_account_.enter(DualPortMemory::state(local_a_));
    local_b_account_.enter(DualPortMemory::state(local_b_));
  }
  Account local_a_account_, local_b_account_;
};

}  // namespace tactus
