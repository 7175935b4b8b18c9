// Local router: connects local memory port A with the array and the accumulators.
//
// Its data paths are combinational. Three select streams, each a queue (pass-through when empty)
// and a counter, select the path of each vector: R local read data -> weights, array input,
// accumulators or DAIS blocks; L accumulator output -> local write data; W array output, local read
// data or results of DAIS blocks -> accumulators. W items are in program order, so a DataMove to
// the accumulators waits until the last result of an earlier MatMul has passed. Source: hardware
// spec section 5; the paths of DAIS blocks and of the activation unit, between accumulator output
// and local write data, are Tactus's own.
#pragma once

#include <array>
#include <string>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/sim/fork.h"
#include "models/sim/queue.h"
#include "models/tcu/activation/activation_unit.h"
#include "models/tcu/channels.h"
#include "models/tcu/decoder/expander.h"

namespace tactus {

struct LocalRouterLinks {
  Link<Dataflow>& control;
  MemoryPort& local;                    ///< port A: read_data in, write_data out
  Link<VectorRef>& array_weights;       ///< out
  Link<VectorRef>& array_input;         ///< out
  Link<VectorRef>& array_output;        ///< input
  Link<VectorRef>& accumulator_input;   ///< out
  Link<VectorRef>& accumulator_output;  ///< input
  Link<VectorRef>* dais_input;          ///< out; null if there are no DAIS blocks
  Link<VectorRef>* dais_output;         ///< input
  ActivationLinks* activation;          ///< null if there is no activation unit
};

class LocalRouter final : public sc_core::sc_module {
 public:
  enum State : std::uint8_t { pass, wait_source, wait_consumer, rest };
  static constexpr std::array<UnitState, 4> state_table{{
      {"pass", StateKind::busy, "a vector passes on at least one path"},
      {"wait_source", StateKind::stall, "paths are selected, but none has a vector yet"},
      {"wait_consumer", StateKind::stall, "a vector is there and its consumer does not take it"},
      {"idle", StateKind::idle, "no path is selected"},
  }};

  LocalRouter(const sc_core::sc_module_name& name, Clock& clock, unsigned array_size,
              std::uint64_t local_depth, const LocalRouterLinks& links);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("control", links_.control);
    list.consumes("read_data", links_.local.read_data);
    list.produces("write_data", links_.local.write_data);
    list.produces("array_weights", links_.array_weights);
    list.produces("array_input", links_.array_input);
    list.consumes("array_output", links_.array_output);
    list.produces("accumulator_input", links_.accumulator_input);
    list.consumes("accumulator_output", links_.accumulator_output);
    if (links_.dais_input != nullptr) {
      list.produces("dais_input", *links_.dais_input);
      list.consumes("dais_output", *links_.dais_output);
    }
    if (links_.activation != nullptr) {
      list.produces("activation_parameters", links_.activation->parameters);
      list.produces("activation_input", links_.activation->input);
      list.consumes("activation_output", links_.activation->output);
    }
  }
  void drive();           ///< valids towards array, accumulators and local memory
  void accept_results();  ///< readies of array output and accumulator output
  void accept_reads();    ///< readies of local read data and control; after the array's accept()
  void commit() {
    decide();
    move();
  }

  /// Changes made at the clock edge.
  struct Edge {
    unsigned fires, done;  ///< legs of the control: taken by their streams, and taken so far
    unsigned moves, ends;  ///< streams, by their legs: data is taken; an item ends with it
    State state;
    bool rests;  ///< no register moves
  };
  void decide();
  void move();
  [[nodiscard]] bool sleeps() const { return edge_.rests; }  ///< models/sim/activity.h

  [[nodiscard]] static std::string waits_for() { return "a vector for a selected path"; }
  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// No item is in the middle of something.
  [[nodiscard]] bool rests() const { return idle() && fork_.done() == 0; }
  [[nodiscard]] bool idle() const {
    return read_.queue.empty() && write_.queue.empty() && accumulator_.queue.empty();
  }
  /// True if the next vector for the accumulators comes from a DAIS block; settled with drive().
  [[nodiscard]] Wire& results_of_dais() { return results_of_dais_; }
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] std::array<Account*, 1> accounts() { return {&account_}; }

 private:
  struct Select {
    unsigned route = 0;
    std::uint64_t size = 0;
  };

  /// A select stream and its state in the current cycle.
  struct SelectStream {
    SelectStream(std::size_t capacity, std::uint64_t depth) : queue(capacity), expander(depth) {}
    void drive(bool leg_valid, const Select& leg);
    [[nodiscard]] bool routes_to(unsigned route) const { return valid && select.route == route; }
    /// True if the queue takes an item, given the handshake of the data in this cycle.
    [[nodiscard]] bool can_enqueue() const {
      return queue.can_enqueue(data_fires && expander.last(select.size));
    }
    void move(bool enqueue, const Select& leg, bool moves, bool ends);
    void registers(Registers& r);

    Queue<Select, QueueKind::pipe_flow> queue;
    Expander expander;
    bool valid = false;
    Select select;
    bool data_fires = false;  ///< the data this item waits for is offered and taken
  };

  enum ReadRoute : unsigned { to_weights, to_input, to_accumulator, to_dais, to_activation };
  enum WriteRoute : unsigned { from_nowhere, from_accumulator, from_activation };
  enum AccumulatorRoute : unsigned { from_array, from_local, from_dais };
  enum Leg : unsigned { leg_read = 1, leg_write = 2, leg_accumulator = 4 };

  [[nodiscard]] unsigned ready_legs() const;
  unsigned select_legs(const Dataflow& flow);
  void route(unsigned source);
  void drive_activation();
  [[nodiscard]] State state() const;

  Clock& clock_;
  LocalRouterLinks links_;
  SelectStream read_;         ///< R
  SelectStream write_;        ///< L
  SelectStream accumulator_;  ///< W
  Wire results_of_dais_;
  Fork fork_;                ///< fork of the control's item
  unsigned ready_legs_ = 0;  ///< legs whose queues are ready in this cycle
  Edge edge_{};
  Select read_leg_, write_leg_, accumulator_leg_;
  Account account_;
};

}  // namespace tactus
