// A DAIS program or pipeline as hardware: registers behind combinational logic.
//
// A program has one rank of registers, at its outputs: a sample accepted in cycle t is offered in t
// + 1. A pipeline of n stages has n + 1 ranks, at its inputs and behind every stage: a sample
// accepted in t is offered in t + n + 1. Both accept one sample per cycle. If the output is not
// taken, samples advance until they fill the ranks before the output, and wait. The input is not
// ready while all ranks are full, except in a cycle in which a sample leaves. Source: dais.md
// section 4; da4ml's own pipelines have no handshake and never wait.
#pragma once

#include <cstdint>
#include <vector>

#include <systemc>

#include "isa/dais/executor.h"
#include "models/sim/clock.h"
#include "models/sim/link.h"
#include "models/sim/trace/signals.h"

namespace tactus {

/// A row of real numbers on a channel, stored by its producer. It stays unchanged until the end of
/// the cycle, including the commit() of all units.
using RealsRef = const double*;

struct DaisLinks {
  Link<RealsRef>& input;   ///< as many numbers as the program has inputs
  Link<RealsRef>& output;  ///< as many as it has outputs
};

class DaisBlock final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t accepted = 0;
    std::uint64_t delivered = 0;
    std::uint64_t stalled = 0;  ///< cycles in which a sample was offered but not taken
  };

  /// Throws UserError if the program breaks a rule of check_program() or check_pipeline().
  DaisBlock(const sc_core::sc_module_name& name, Clock& clock, const dais::Program& program,
            const DaisLinks& links, const dais::ExecutorOptions& options = {});
  DaisBlock(const sc_core::sc_module_name& name, Clock& clock, const dais::Pipeline& pipeline,
            const DaisLinks& links, const dais::ExecutorOptions& options = {});

  void drive();   ///< sets output.valid
  void accept();  ///< sets input.ready; needs output.ready
  /// throws UserError "name: stage 1: operation 3: sample 17: what" for a failed lookup
  void commit();

  /// Cycles from acceptance to the first offer; also the number of samples the block holds.
  [[nodiscard]] std::size_t latency() const { return ranks_.size(); }
  [[nodiscard]] bool idle() const;
  [[nodiscard]] const Stats& stats() const { return stats_; }
  void describe(const trace::Scope& scope) const;

 private:
  struct Rank {
    bool full = false;
    std::vector<double> values;
    std::uint64_t sample = 0;  ///< number of the sample, from 0
  };

  DaisBlock(const sc_core::sc_module_name& name, Clock& clock, const DaisLinks& links,
            bool has_input_rank, std::vector<dais::Executor> stages);
  /// True if rank `index` is empty, or its sample advances at this clock edge.
  [[nodiscard]] bool can_load(std::size_t index) const;
  void load(std::size_t index, const double* inputs, std::uint64_t sample);

  Clock& clock_;
  DaisLinks links_;
  bool has_input_rank_;  ///< true: rank 0 holds the inputs, rank i + 1 the results of stage i
  std::vector<dais::Executor> stages_;
  std::vector<Rank> ranks_;
  std::vector<double> next_output_;  ///< swapped with the last rank, whose values the channel shows
  Stats stats_;
};

}  // namespace tactus
