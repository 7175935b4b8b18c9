// Tensor compute unit: decoder, systolic array, accumulators with ALUs, local memory, routers; DAIS
// blocks where the architecture names some.
//
// One call sequence a cycle: drive(), accept(), commit(). The outside drives its ends of the links
// first; it may accept before or after. Source: hardware spec section 1.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/sim/clock.h"
#include "models/sim/fast/known_cycles.h"
#include "models/sim/phases.h"
#include "models/tcu/accumulators/accumulator_with_alu.h"
#include "models/tcu/channels.h"
#include "models/tcu/dais/dais_unit.h"
#include "models/tcu/decoder/decoder.h"
#include "models/tcu/memory/dual_port_memory.h"
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

class Tcu final : public sc_core::sc_module {
 public:
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
  /// Instead of drive() and accept(), once the outside has driven: true if a cycle like this one
  /// has been settled before. Then payloads and the wires to the outside show it, others do not.
  /// `new_inputs`: the outside may have changed its wires since the last call. Unless there is an
  /// event sink, units may stay behind from here on: catch_up() before their state is read.
  [[nodiscard]] bool recall(bool new_inputs = true);

  /// Whether the coming cycle is like the last as far as the units' facts go. Catches up.
  [[nodiscard]] bool repeats();
  /// Of the cycle that was recalled: whether it is none of a run.
  [[nodiscard]] bool turns() const { return turned_; }
  /// Of the same: whether nothing moves but the decoder's timer.
  [[nodiscard]] bool rests() const;
  /// After repeats() or, of a cycle that does not turn, recall(): how many cycles from the present
  /// one on, `most` at the most, are alike as long as the outside's are.
  [[nodiscard]] Cycle steady(Cycle most) const;
  void offer_run(Cycle cycles);  ///< what the TCU gives to the DRAM ports in a run; moves nothing
  void run(Cycle cycles);        ///< needs what the ports give
  /// Local memory, array and accumulators may be some cycles behind. Afterwards they are not.
  [[gnu::noinline]] void catch_up();

  /// The same three steps unit by unit, for running them in any order.
  void add_phases(Phases& phases);

  [[nodiscard]] bool idle() const;
  /// One line for each unit that is in the middle of something.
  [[nodiscard]] std::vector<std::string> waits_for() const;
  /// Units settled one by one so far, with every cycle in which they were.
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] unsigned units() const { return dais_ ? 7 : 6; }

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

  /// The memory's ports are accounted here because those of the accumulators are not units.
  void account_local() {
    local_a_account_.enter(local_.edge().ports[0].state);
    local_b_account_.enter(local_.edge().ports[1].state);
  }
  Account local_a_account_, local_b_account_;

  /// What the clock edges do of the units that vectors pass, and which way these take.
  struct DataEdges {
    DualPortMemory::Edge local;
    SystolicArray::Edge array;
    AccumulatorWithAlu::Edge accumulators;
    std::uint8_t moves, source, reader;  ///< of LocalRouter::Edge
  };
  static_assert(std::has_unique_object_representations_v<DataEdges>, "compared as bytes");
  struct Edges {
    Decoder::Edge decoder;
    LocalRouter::Edge local_router;
    HostRouter::Edge host_router;
    DataEdges data;
    std::uint8_t outputs;
    bool turns, may_stay_behind;
  };
  /// Cycles that local memory, array and accumulators have not made yet: for them they are alike.
  struct Behind {
    Cycle first = 0;
    Cycle cycles = 0;
    Cycle most = 0;  ///< what comes after so many is not known
    DataEdges edges{};
  };
  // recall() is called once a cycle, and these two by nearly nobody else.
  [[gnu::always_inline]] void look();
  [[gnu::always_inline]] void recall_data(const Edges& edges);
  void decide();
  [[nodiscard]] bool data_rests() const;
  [[nodiscard]] Cycle data_steady(Cycle most) const;
  void enter_data_accounts();
  void enter_accounts();
  void run_data(Cycle first, Cycle cycles, unsigned source);
  [[nodiscard]] Edges edges() const;
  [[nodiscard]] std::uint64_t inputs() const;
  [[nodiscard]] std::uint8_t outputs() const;
  void show_outputs(std::uint8_t outputs);

  // A cycle: look() finds the facts; recall() then knows the cycle, or a place for what commit()
  // learns of it; commit() or run() end it. A cycle settled in full makes facts_known_ false.
  Link<const std::uint8_t*>& instruction_;
  std::array<DramLinks, 2>& dram_;
  KnownCycles<Edges> known_;
  KnownCycles<Edges>::Place* place_ = nullptr;  ///< for a cycle that is not known yet
  CycleFacts place_facts_;                      ///< of it
  CycleFacts facts_;       ///< of the units in the coming cycle, without the outside's
  CycleFacts last_facts_;  ///< in the last cycle
  /// Of single units, at their places in these. They last while the units stay behind, and the
  /// accumulators' while these rest.
  std::uint64_t local_facts_ = 0, array_facts_ = 0, accumulators_facts_ = 0;
  bool facts_known_ = false;   ///< the last three are of the last cycle
  bool looked_ = false;        ///< facts_ is of the coming cycle
  bool recalled_ = false;      ///< the present cycle
  bool stays_behind_ = false;  ///< in the present cycle
  bool turned_ = true;         ///< the last cycle, or nobody looked at it
  std::uint8_t outputs_ = 0;   ///< what the wires to the outside show
  std::uint64_t inputs_ = 0;   ///< what the outside drove when it was looked at
  Behind behind_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace tactus
