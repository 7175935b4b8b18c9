// DAIS blocks between local memory and accumulators: an extension of Tactus's own, absent from the
// RTL.
//
// Takes input vectors in program order, one per cycle, each with an item of a 2-entry control
// queue. All vectors of a sample except the last are always taken, into a register before the
// block. The last one enters the block together with them, if the block has room. The result is
// offered after the block's latency L (1; for a pipeline 1 plus the number of stages), one vector
// per cycle, and stays in the block until its last vector is taken. So a sample of k_in and k_out
// vectors takes max(k_in, k_out) cycles in a long sequence, and a block of L ranks holds L samples
// before its input stops. Results leave in the order in which samples entered, whatever the blocks'
// latencies. isa/tcu/dais_block.h defines the lanes.
//
// Stalls: input waits for a vector from local memory or for room in the block; output for the
// accumulators or for an earlier sample of another block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "isa/tcu/architecture.h"
#include "models/dais/dais_block.h"
#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/queue.h"
#include "models/tcu/channels.h"

namespace tactus {

struct DaisUnitLinks {
  Link<DaisControl>& control;
  Link<VectorRef>& input;
  Link<VectorRef>& output;
};

class DaisUnit final : public sc_core::sc_module {
 public:
  struct Stats {
    /// Samples that entered each block.
    std::array<std::uint64_t, tcu::most_dais_blocks> samples{};
    std::uint64_t vectors = 0;  ///< vectors taken from local memory
  };
  enum State : unsigned { take, give, wait_output, wait_order, wait_input, pass, rest };
  static constexpr std::array<UnitState, 7> state_table{{
      {"take", StateKind::busy, "a vector of a sample enters"},
      {"give", StateKind::busy, "a vector of a result leaves, and none enters"},
      {"wait_output", StateKind::stall,
       "a result is there and nothing enters: the accumulators use its path for results of "
       "earlier instructions, or are not ready for it"},
      {"wait_order", StateKind::stall,
       "the next sample's block is full, and its results wait for those of another block"},
      {"wait_input", StateKind::stall, "the next vector has not come from local memory"},
      {"pass", StateKind::busy, "samples only advance inside the blocks"},
      {"idle", StateKind::idle, "no sample is inside, and none is to come"},
  }};

  /// Throws UserError for a block that the architecture cannot have.
  DaisUnit(const sc_core::sc_module_name& name, Clock& clock, const tcu::Architecture& architecture,
           const DaisUnitLinks& links);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("control", links_.control);
    list.consumes("input", links_.input);
    list.produces("output", links_.output);
  }
  void drive();            ///< output.valid, control.ready
  void accept();           ///< input.ready; needs output.ready and input driven
  static void decide() {}  ///< move() reads wires, too
  void move();  ///< throws UserError for a failed lookup, naming block, operation and sample
  void commit() { move(); }
  /// See models/sim/activity.h.
  [[nodiscard]] bool sleeps() const { return idle() && account_.code() == rest; }

  [[nodiscard]] bool idle() const { return control_.empty() && collected_ == 0 && order_->empty(); }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  [[nodiscard]] std::string waits_for() const;
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] std::array<Account*, 1> accounts() { return {&account_}; }

 private:
  struct Slot {
    Slot(Clock& clock, const tcu::Architecture& architecture, const tcu::DaisBlockEntry& entry);
    Link<RealsRef> input, output;
    std::unique_ptr<DaisBlock> block;
    std::string name;
    std::size_t input_vectors, output_vectors;
    std::vector<double> sample;  ///< collected inputs, padded to whole vectors
    std::size_t outputs;
  };

  [[nodiscard]] State state() const;
  void collect(VectorRef vector);
  void convert_result(const Slot& slot);

  Clock& clock_;
  DaisUnitLinks links_;
  tcu::DataType type_;
  std::size_t lanes_;  ///< N
  std::size_t vector_bytes_;
  std::vector<std::unique_ptr<Slot>> slots_;

  Queue<DaisControl, QueueKind::plain> control_{2};
  std::size_t collected_ = 0;  ///< vectors of the sample at the input
  /// Blocks of the samples that are inside, oldest first.
  std::unique_ptr<Queue<std::uint8_t, QueueKind::plain>> order_;
  std::size_t most_inside_ = 0;       ///< number of samples that all blocks together hold
  std::vector<std::uint8_t> result_;  ///< vectors of the oldest sample, when it is offered
  bool result_converted_ = false;
  std::size_t delivered_ = 0;  ///< number of these vectors that were delivered
  Stats stats_;
  Account account_;
};

}  // namespace tactus
