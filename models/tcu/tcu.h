// Tensor compute unit: decoder, systolic array, accumulators with ALUs, local memory, routers; DAIS
// blocks where the architecture names some.
//
// One call sequence a cycle: drive(), accept(), commit(). The outside drives its ends of the links
// first; it may accept before or after. Units that sleep are left out (models/sim/activity.h).
// Source: hardware spec section 1.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/sim/clock.h"
#include "models/sim/phases.h"
#include "models/tcu/accumulators/accumulator_with_alu.h"
#include "models/tcu/activation/activation_unit.h"
#include "models/tcu/channels.h"
#include "models/tcu/dais/dais_unit.h"
#include "models/tcu/decoder/decoder.h"
#include "models/tcu/memory/local_memory.h"
#include "models/tcu/routers/host_router.h"
#include "models/tcu/routers/local_router.h"
#include "models/tcu/systolic_array/systolic_array.h"

namespace tactus {

/// The TCU's side of one DRAM port.
struct DramLinks {
  Link<DramRequest> request;
  Link<VectorRef> in;   ///< from DRAM
  Link<VectorRef> out;  ///< to DRAM
};

struct PinnedUnit;

class Tcu final : public sc_core::sc_module {
 public:
  struct Config {
    tcu::Architecture architecture;
    tcu::MacRounding rounding = tcu::MacRounding::sum;
    std::uint16_t reset_timeout = 100;  ///< cycles, reset value of the timeout register
  };

  Tcu(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
      Link<const std::uint8_t*>& instruction, std::array<DramLinks, 2>& dram);

  void drive() { settle<Stage::registers, Stage::routers>(); }
  void accept() { settle<Stage::ends, Stage::results, Stage::sources, Stage::reads>(); }
  void commit();
  /// Passes cycles in which no unit is awake.
  void pass_time(Cycle cycles) { decoder_.pass_time(cycles); }

  /// The bits of the TCU's units in UnitActivity. The bits of other units begin with `first_other`.
  enum : UnitSet {
    decoder_unit = 1,
    array_unit = 2,
    dais_unit = 4,
    activation_unit = 8,
    accumulators_unit = 16,
    local_unit = 32,
    local_router_unit = 64,
    host_router_unit = 128,
    first_other = 256,
  };

  /// Adds the units with what is needed to evaluate one alone, at its pins.
  void add_pinned_units(std::vector<PinnedUnit>& units);

  /// Adds the steps unit by unit, for running them in any order.
  void add_phases(Phases& phases);

  /// Calls visit(bit in UnitActivity, name in messages) for each.
  template <typename Visit>
  void name_units(Visit&& visit) const {
    for_each_unit(*this,
                  [&](const UnitName& name, const auto&, auto...) { visit(name.bit, name.title); });
  }

  /// Counts at the wires what units that modules replace would count of this cycle.
  void count_outside(UnitSet replaced);

  [[nodiscard]] bool idle() const;
  /// Saves or loads all units but the decoder and DAIS blocks; see models/sim/fast/registers.h.
  void registers(Registers& r);
  /// One line for each unit that is in the middle of something.
  [[nodiscard]] std::vector<std::string> waits_for() const;
  [[nodiscard]] unsigned units() const { return units_; }

  Decoder& decoder() { return decoder_; }
  [[nodiscard]] const Decoder& decoder() const { return decoder_; }
  SystolicArray& array() { return array_; }
  [[nodiscard]] const SystolicArray& array() const { return array_; }
  /// The DAIS unit; null unless the architecture has DAIS blocks.
  [[nodiscard]] const DaisUnit* dais() const { return dais_.get(); }
  DaisUnit* dais() { return dais_.get(); }
  /// The activation unit; null unless the architecture has it.
  [[nodiscard]] const ActivationUnit* activation() const { return activation_.get(); }
  ActivationUnit* activation() { return activation_.get(); }
  [[nodiscard]] AccumulatorWithAlu& accumulators() { return accumulators_; }
  [[nodiscard]] const AccumulatorWithAlu& accumulators() const { return accumulators_; }
  [[nodiscard]] LocalMemory& local() { return local_; }
  [[nodiscard]] const LocalMemory& local() const { return local_; }
  void describe(const trace::Scope& scope) const;

  [[nodiscard]] Account& array_account() { return array_.account(); }
  /// The accounts of these units, in the order of reports.
  [[nodiscard]] std::vector<Account*> accounts(UnitSet units = UnitActivity::all);

 private:
  friend class SequencedDesign;
  friend class SequenceLearner;
  friend class SequenceObservers;
  friend class SequencePath;
  friend class SequenceStates;
  friend class TcuSequences;
  void connect();

  /// The order in which units' clock edges are evaluated. It does not affect results; in timelines,
  /// states entered in one cycle appear in this order.
  enum class EdgeOrder : std::uint8_t { blocks, control, data, host };
  struct UnitName {
    UnitSet bit;
    const char* key;    ///< name in waveforms
    const char* title;  ///< name in messages
    EdgeOrder edge;
  };
  /// The units of the TCU, named once, in the order of reports: calls visit(name, unit, steps...)
  /// for each, with the steps that settle its wires. Everything that concerns every unit follows
  /// from this list; a new unit is one entry here. It is expanded at compile time.
  template <typename Self, typename Visit>
  static void for_each_unit(Self& tcu, Visit&& visit) {
    visit(UnitName{decoder_unit, "decoder", "decoder", EdgeOrder::control}, tcu.decoder_,
          step<Stage::registers, &Decoder::drive>);
    visit(UnitName{array_unit, "array", "array", EdgeOrder::data}, tcu.array_,
          step<Stage::registers, &SystolicArray::drive>,
          step<Stage::sources, &SystolicArray::accept>);
    if (tcu.dais_) {
      visit(UnitName{dais_unit, "dais", "DAIS blocks", EdgeOrder::blocks}, *tcu.dais_,
            step<Stage::registers, &DaisUnit::drive>, step<Stage::sources, &DaisUnit::accept>);
    }
    if (tcu.activation_) {
      visit(UnitName{activation_unit, "activation", "activation unit", EdgeOrder::blocks},
            *tcu.activation_, step<Stage::registers, &ActivationUnit::drive>);
    }
    visit(UnitName{accumulators_unit, "accumulators", "accumulators", EdgeOrder::data},
          tcu.accumulators_, step<Stage::registers, &AccumulatorWithAlu::drive>,
          step<Stage::ends, &AccumulatorWithAlu::accept>);
    visit(UnitName{local_unit, "local", "local memory", EdgeOrder::data}, tcu.local_,
          step<Stage::registers, &LocalMemory::drive>, step<Stage::ends, &LocalMemory::accept>);
    visit(UnitName{local_router_unit, "local_router", "local router", EdgeOrder::control},
          tcu.local_router_, step<Stage::routers, &LocalRouter::drive>,
          step<Stage::results, &LocalRouter::accept_results>,
          step<Stage::reads, &LocalRouter::accept_reads>);
    visit(UnitName{host_router_unit, "host_router", "host router", EdgeOrder::host},
          tcu.host_router_, step<Stage::routers, &HostRouter::drive>,
          step<Stage::reads, &HostRouter::accept>);
  }
  /// The steps of these stages, stage by stage.
  template <Stage... stages>
  void settle() {
    (settle_stage<stages>(), ...);
  }
  template <Stage stage>
  void settle_stage() {
    for_each_unit(*this, [this](const UnitName& name, auto& unit, auto... steps) {
      const auto settle = [&](auto step) {
        if constexpr (decltype(step)::stage == stage) {
          if (clock_.activity.is_awake(name.bit)) step(unit);
        }
      };
      (settle(steps), ...);
    });
  }

  template <EdgeOrder edge>
  void move_units() {
    for_each_unit(*this, [this](const UnitName& name, auto& unit, auto...) {
      if (name.edge != edge || (moving_ & name.bit) == 0) return;
      unit.move();
      if (!unit.sleeps()) clock_.activity.wake(name.bit);
    });
  }

  Clock& clock_;
  Link<const std::uint8_t*>& instruction_;
  std::array<DramLinks, 2>& dram_;
  MemoryPort local_a_, local_b_;
  Link<Dataflow> dataflow_;
  Link<HostDataflow> host_;
  Link<ArrayControl> array_control_;
  Link<AccumulatorControl> accumulator_control_;
  Link<DaisControl> dais_control_;
  Link<VectorRef> array_weights_, array_input_, array_output_;
  Link<VectorRef> accumulator_input_, accumulator_output_;
  Link<VectorRef> dais_input_, dais_output_;
  ActivationLinks activation_links_;
  WeightLoads weight_loads_;  ///< empty unless weights have reads of their own

  Decoder decoder_;
  LocalMemory local_;
  LocalRouter local_router_;
  HostRouter host_router_;
  SystolicArray array_;
  std::unique_ptr<DaisUnit> dais_;
  std::unique_ptr<ActivationUnit> activation_;
  AccumulatorWithAlu accumulators_;
  unsigned units_ = 0;
  UnitSet moving_ = 0;  ///< units that were awake in this cycle
};

}  // namespace tactus
