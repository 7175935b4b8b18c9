// Systolic array: N x N multiply-accumulates, weight stationary.
//
// One vector a cycle in and out. A result is offered D = 2N-1 cycles after its multiplication and,
// while the consumer is not ready, waits in a D-entry queue. A multiplication needs the consumer of
// the results ready in the cycle of the multiplication itself. A load needs the array drained: the
// first load after a multiplication in cycle r happens in r + 2N. Multiplications may follow the
// last load in the next cycle. With shadow weights, an extension of Tactus's own, a load needs no
// drain: it passes the array as a wave behind the vectors before it, so it may follow the last one
// in r + 1, and results are those of the weights that were there when their vector entered. Weights
// with reads of their own come beside the vectors (weight_loads.h). The
// physical skew (input j delayed j cycles, row i by N-1-i) adds up to D for every element, so
// results are computed whole at the multiplication. Source: hardware spec section 7.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/sim/queue.h"
#include "models/tcu/channels.h"
#include "models/tcu/memory/dual_port_memory.h"
#include "models/tcu/systolic_array/weight_loads.h"

namespace tactus {

struct SystolicArrayLinks {
  Link<ArrayControl>& control;
  Link<VectorRef>& weights;
  Link<VectorRef>& input;
  Link<VectorRef>& output;
  /// Results of DAIS blocks have to reach the accumulators before the array's next result. Used
  /// only to name the reason for which the output is not ready.
  Wire& results_of_dais;
  WeightLoads* weight_loads = nullptr;    ///< null unless weights have reads of their own
  const DualPortMemory* local = nullptr;  ///< local memory that they read
};

class SystolicArray final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t multiplications = 0;  ///< vectors multiplied, zero vectors included
    std::uint64_t loads = 0;            ///< weight vectors loaded, zero vectors included
    std::uint64_t loads_in_turn = 0;    ///< loads in cycles in which a product could have entered
    std::uint64_t zero_multiplications = 0;
  };
  enum State : std::uint8_t {
    compute,
    load_weights,
    wait_input,
    wait_weights,
    wait_drain,
    wait_output,
    wait_dais,
    rest
  };
  static constexpr std::array<UnitState, 8> state_table{{
      {"compute", StateKind::busy, "a vector enters and is multiplied"},
      {"load_weights", StateKind::busy, "a weight vector enters"},
      {"wait_input", StateKind::stall, "the input vector has not come from local memory"},
      {"wait_weights", StateKind::stall, "the weight vector has not come from local memory"},
      {"wait_drain", StateKind::stall,
       "new weights wait until the last result has left, 2N-1 cycles after its input entered"},
      {"wait_output", StateKind::stall,
       "the accumulators are not ready to take the result: earlier SIMD instructions or DataMoves "
       "use "
       "them, or the old value of an accumulation is still being read"},
      {"wait_dais", StateKind::stall,
       "a MatMul waits until results of earlier Dais instructions have reached the accumulators",
       "dais"},
      {"idle", StateKind::idle, "nothing to do; results may still be on their way out"},
  }};

  SystolicArray(const sc_core::sc_module_name& name, Clock& clock,
                const tcu::Architecture& architecture, tcu::MacRounding rounding,
                const SystolicArrayLinks& links);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("control", links_.control);
    list.consumes("weights", links_.weights);
    list.consumes("input", links_.input);
    list.produces("output", links_.output);
    list.watches(links_.results_of_dais);
  }
  void drive();   ///< output.valid, control.ready
  void accept();  ///< input.ready, weights.ready; needs output.ready
  void commit() {
    decide();
    move();
  }

  /// Changes made at the clock edge.
  struct Edge {
    bool enters, taken;  ///< control items
    bool leaves;         ///< a result
    bool rests;          ///< no register changes
    State state;
  };
  void decide();
  void move();
  /// See models/sim/activity.h. Weights with reads of their own come from the decoder without a
  /// wire.
  [[nodiscard]] bool sleeps() const { return edge_.rests && links_.weight_loads == nullptr; }
  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// True if every result has left and no control item is present.
  [[nodiscard]] bool idle() const {
    return control_.empty() && results_.empty() &&
           (links_.weight_loads == nullptr || links_.weight_loads->empty());
  }
  // For the data of whole instructions; no time passes. The array must be empty.
  /// Takes the next weight vector; null: zeroes.
  void take_weights(VectorRef weights);
  /// Begins a product, with the second set of weights if it is new.
  void begin_product_now() {
    if (second_is_new_) copy_second_weights();
  }
  /// Computes the results of `count` inputs (null: zeroes), stored one behind the other.
  void multiply_now(const VectorRef* inputs, std::uint8_t* results, std::size_t count) const {
    kernels_.mac_chains(weights_.data() + window_ * vector_bytes_, inputs, results, size_, count);
  }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  [[nodiscard]] std::string waits_for() const;
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] Account& account() { return account_; }
  [[nodiscard]] std::array<Account*, 1> accounts() { return {&account_}; }

 private:
  [[nodiscard]] State state() const;
  [[nodiscard]] bool drained() const { return countdown_ == 0; }
  [[nodiscard]] bool can_load() const { return shadow_ || drained(); }
  [[nodiscard]] bool offers() const {
    return !results_.empty() && available_[available_front_] <= clock_.now;
  }
  /// True if the control item at the head would be consumed, whether or not it is valid. Call with
  /// settled wires.
  [[nodiscard]] bool head_ready() const {
    const ArrayControl& control = control_.front();
    if (control.load) return can_load() && (control.zeroes || links_.weights.valid);
    return has_weights() && links_.output.ready && (control.zeroes || links_.input.valid);
  }
  /// True if the weights of the product at the head are loaded.
  [[nodiscard]] bool has_weights() const {
    return links_.weight_loads == nullptr || links_.weight_loads->has(control_.front().loads);
  }
  /// Call when the product at the head enters: the second set of weights becomes the first if it is
  /// new.
  void take_over_weights();
  void copy_second_weights();
  void shift_second_weights(VectorRef weights);
  void move_vectors();
  void move_weights();
  void describe_own_weights(const trace::Scope& scope) const;
  void take_input(VectorRef input);
  void load(VectorRef weights);
  void note_load();
  void multiply_pending();
  void multiply(const VectorRef* inputs, std::size_t inputs_count);
  void show_result();

  Clock& clock_;
  SystolicArrayLinks links_;
  const tcu::VectorKernels& kernels_;
  std::size_t size_;  ///< N
  std::size_t vector_bytes_;
  Cycle depth_;  ///< D
  bool shadow_;  ///< weights do not wait for the drain

  Queue<ArrayControl, QueueKind::plain, 2> control_;
  Cycle countdown_ = 0;  ///< cycles until the array is drained
  Edge edge_{};
  /// Bias and columns 0..N-1 in the order of the MAC chain, as a window that moves down by one
  /// vector a load. Every vector is stored twice, N+1 apart, so the window is always contiguous.
  std::vector<std::uint8_t> weights_;
  std::size_t window_ = 0;
  std::vector<std::uint8_t> second_;  ///< set of weights, the newest vector at the end
  bool second_is_new_ = false;        ///< no product has it yet
  /// Results in flight and waiting; the last ones are not computed yet.
  BlockRing results_;
  std::vector<Cycle> available_;  ///< cycle in which each result is offered, in step with results_
  std::size_t available_front_ = 0;
  std::size_t available_back_ = 0;
  std::vector<std::uint8_t> inputs_;  ///< inputs of the results that are not computed yet
  std::vector<VectorRef> pending_;    ///< pointers to these inputs; null: a vector of zeroes
  Stats stats_;
  Account account_;
};

}  // namespace tactus
