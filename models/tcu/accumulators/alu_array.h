// SIMD ALU array: one ALU per lane, with registers of its own.
//
// One operation a cycle; the result is offered 2 cycles after the issue and waits in a 2-entry
// queue. An operation reads and writes registers in one stage, so dependent operations may issue
// back to back. Lookup, which only a machine with lookup tables has, writes the difference and the
// tables' values to consecutive registers in that stage, and its output is the difference. An input
// vector is needed unless the operation is NoOp or Zero or both sources are registers. Source:
// hardware spec section 8.3.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "isa/tcu/names.h"
#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/queue.h"
#include "models/tcu/accumulators/lookup_memory.h"
#include "models/tcu/channels.h"

namespace tactus {

struct AluArrayLinks {
  Link<AluOperation>& operation;
  Link<VectorRef>& input;
  Link<VectorRef>& output;
  LookupMemory* tables;  ///< lookup tables; null: there are none
};

class AluArray final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t issued = 0;  ///< operations
  };
  enum State : std::uint8_t { issue, pipeline, wait_input, wait_output, rest };
  static constexpr std::array<UnitState, 5> state_table{{
      {"issue", StateKind::busy, "an operation issues"},
      {"pipeline", StateKind::busy, "none issues, a result is on its way"},
      {"wait_input", StateKind::stall, "an operation waits for its vector from the accumulators"},
      {"wait_output", StateKind::stall,
       "an operation waits because two earlier results have not been taken"},
      {"idle", StateKind::idle, "nothing to do"},
  }};

  AluArray(const sc_core::sc_module_name& name, Clock& clock, const tcu::Architecture& architecture,
           const AluArrayLinks& links);

  void drive() {  ///< output.valid
    links_.output.valid = stored_ > 0 || stage2_;
    links_.output.bits = results_.front();
  }
  void accept() {  ///< operation.ready, input.ready; needs operation and input driven
    const bool room = stored_ < 2;
    const bool needs = needs_input(links_.operation.bits);
    links_.operation.ready = room && (links_.input.valid || !needs);
    links_.input.ready = room && needs && links_.operation.valid;
  }

  /// Changes made at the clock edge.
  struct Edge {
    bool issues, has_input, leaves;
    State state;
  };
  void decide();  ///< needs output.ready
  [[nodiscard]] const Edge& edge() const { return edge_; }
  void move() {  ///< the account is entered by the parent
    if (!idle() || edge_.issues) move_results();
  }
  [[nodiscard]] static bool needs_input(const AluOperation& operation) {
    if (operation.left != 0 && operation.right != 0) return false;
    return operation.op != tcu::SimdOp::no_op && operation.op != tcu::SimdOp::zero;
  }

  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// Computes the result of an operation, and writes its register. Called at the clock edge of an
  /// issue, and for the data of whole instructions.
  void execute(const AluOperation& operation, VectorRef input, std::uint8_t* out);
  /// Vector used in place of an input that is not offered.
  [[nodiscard]] VectorRef no_input() const { return zero_.data(); }
  [[nodiscard]] bool idle() const { return results_.empty(); }
  /// True if no register changes at the clock edge.
  [[nodiscard]] bool rests() const {
    return !edge_.issues && !edge_.leaves && !stage1_ && !stage2_;
  }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] Account& account() { return account_; }

 private:
  [[nodiscard]] State state() const {
    if (links_.operation.fires()) return issue;
    if (links_.operation.valid) return stored_ < 2 ? wait_input : wait_output;
    return idle() ? rest : pipeline;
  }
  void move_results();
  void look_up(const AluOperation& operation, VectorRef input, std::uint8_t* out);
  /// Returns the vector of a source selector.
  [[nodiscard]] const std::uint8_t* source(unsigned selector, VectorRef input) const;

  Clock& clock_;
  AluArrayLinks links_;
  const tcu::VectorKernels& kernels_;
  std::size_t lanes_;
  std::size_t vector_bytes_;
  unsigned registers_;
  unsigned register_mask_;              ///< mask of the register file's address bits
  std::vector<std::uint8_t> file_;      ///< registers, one vector each
  std::vector<std::uint8_t> zero_;      ///< used in place of an input that is not offered
  std::vector<std::uint8_t> argument_;  ///< argument of a Lookup

  BlockRing results_;
  unsigned stored_ = 0;                   ///< results that have reached the output queue
  bool stage1_ = false, stage2_ = false;  ///< results on their way to it
  Edge edge_{};
  Stats stats_;
  Account account_;
};

}  // namespace tactus
