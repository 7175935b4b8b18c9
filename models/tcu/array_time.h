// Account of the array's time: in every cycle it computes, or the cycle is lost for one reason.
//
// A cycle in which no vector is multiplied is lost, and is attributed by the first of these rules:
//   1. The array has an instruction: weights entering, waiting to drain, waiting for an operand
//      from local memory, or held by the accumulators or by results of DAIS blocks before its own.
//   2. It has none: whatever the decoder's head is doing keeps further work from it, since
//      instructions are decoded in order. A DRAM transfer at the head counts as data while beats
//      pass its port, else as waiting. A move out of the accumulators counts as waiting while its
//      vector has not come, which is how the tail of a MatMul and of SIMD work shows.
//   3. There is no head: the instruction stream is late, or has ended.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/machine_info.h"

namespace tactus {

class ArrayTime final : private AccountFollower {
 public:
  enum State : std::uint8_t {
    compute,
    load_weights,
    drain,
    operands,
    accumulators,
    simd,
    dais,
    accumulator_moves,
    accumulator_results,
    dram0_read_data,
    dram0_read_wait,
    dram0_write_data,
    dram0_write_wait,
    dram1_read_data,
    dram1_read_wait,
    dram1_write_data,
    dram1_write_wait,
    queued_transfers,
    other_instructions,
    instruction_stream,
    ended,
  };
  static constexpr std::size_t states = 21;
  static const std::array<UnitState, states> state_table;
  /// The states as reasons for lost cycles, with their titles and groups.
  [[nodiscard]] static TimeInfo info();

  /// Follows the accounts of the array, the decoder and the two DRAM ports.
  ArrayTime(const Clock& clock, Account& array, Account& decoder,
            const std::array<Account*, 2>& ports);

  [[nodiscard]] Account& account() { return account_; }
  /// True if, in this state of the array, the reason is the array's own and not that of the
  /// decoder's head.
  [[nodiscard]] static bool of_array(unsigned array_state);
  /// The state that follows from these states of the array and the decoder. `moves`: beats pass
  /// port 0 and port 1.
  [[nodiscard]] State state(unsigned array_state, unsigned decoder_code,
                            const std::array<bool, 2>& moves) const;
  /// True if beats pass a port in this state of its account.
  [[nodiscard]] static bool port_moves(unsigned port_state);
  /// The state in the current cycle if the array has no instruction.
  [[nodiscard]] State of_head() const;
  /// Call when the accounts that it follows have been set to values of another cycle.
  void renew() { follow(); }

 private:
  void follow() override;
  [[nodiscard]] State state(unsigned array_state) const;

  const Account& array_;
  const Account& decoder_;
  std::array<const Account*, 2> ports_;
  /// States by the array's code, the decoder's code, and whether beats pass port 0 and port 1.
  std::vector<std::array<std::array<State, 2>, 2>> states_;
  Account account_;
};

}  // namespace tactus
