// The cost model: closed forms for the cycle in which each instruction completes.
//
// Instructions are in order at two places: at the decoder's head and at the accumulators. An
// instruction that uses a port of local memory stays at the head until its last access; products,
// DataMoves and SIMD instructions use the accumulators one after the other; weights wait until the
// array is drained. The model is exact for the optimiser's programs, except for transfers of single
// vectors and for write responses. Source: hardware spec section 12; for shadow weights and the
// queue for transfers, which no RTL has, models/tcu/README.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "firmware/compiler/targets/tcu/optimise/code.h"

namespace tactus::compiler::optimise {

/// Properties of a machine, besides its architecture, that the cost of a program depends on, in
/// cycles.
struct Machine {
  std::uint32_t array_size = 8;
  std::uint32_t beats = 2;  ///< AXI words of a vector
  std::uint32_t read_latency = 20, write_latency = 5;
  // Extensions of the architecture.
  bool shadow_weights = false;    ///< weights do not wait for the drain
  bool own_weight_reads = false;  ///< weights are read and loaded during products
  std::uint32_t dma_queue = 0;    ///< entries; 0: transfers hold the head

  /// Cycles of a DRAM read that do not depend on its size.
  [[nodiscard]] std::uint32_t read_start() const { return read_latency + (beats > 1 ? 5 : 4); }
};

/// Range of local vectors from the lowest to the highest that an instruction uses.
struct LocalRange {
  std::uint32_t low = 0, high = 0;
  bool writes = false;

  [[nodiscard]] bool conflicts(const LocalRange& other) const {
    return low <= other.high && other.low <= high && (writes || other.writes);
  }
};

[[nodiscard]] inline LocalRange local_range(const Code& code, bool writes) {
  return {code.local, code.local + ((code.count - 1) << code.local_stride), writes};
}

/// Local vectors that an instruction uses at the head, except weights of a block, whose address is
/// not known yet.
[[nodiscard]] inline std::optional<LocalRange> local_range_of(const Code& code) {
  switch (code.kind) {
    case CodeKind::to_local:
      return local_range(code, true);
    case CodeKind::load_local:
    case CodeKind::load_activation:
    case CodeKind::mat_mul:
    case CodeKind::to_accumulators:
      return local_range(code, false);
    default:
      return std::nullopt;
  }
}

class Timeline {
 public:
  explicit Timeline(const Machine& machine) : machine_(machine) {}

  /// Cycles, from now, for which the instruction would wait at the head in any case.
  [[nodiscard]] std::uint64_t stall(const Code& code) const;

  /// Cycles from now until a read of the port can begin.
  [[nodiscard]] std::uint64_t turnaround(unsigned port) const {
    return port == 0 && written_ + 2 > head_ ? written_ + 2 - head_ : 0;
  }

  /// Loads `count` vectors from `local` on.
  void load_weights(std::uint64_t count, std::uint32_t local);
  void load_zeroes();
  void mat_mul(std::uint64_t count, bool accumulate);
  void mat_mul_zeroes(std::uint64_t count, bool accumulate);
  void to_local(std::uint64_t count, bool activated);
  void load_activation(std::uint64_t count) { head_ += count; }
  void to_accumulators(std::uint64_t count, bool accumulate);
  void simd(bool reads, bool writes);
  /// Loads a lookup table of `count` vectors, after earlier SIMD instructions have completed.
  void load_table(std::uint64_t count);
  /// A transfer comes to the head; `range` is used only on machines with a queue for transfers.
  void dram_read(unsigned port, std::uint64_t count, bool strided, const LocalRange& range);
  void dram_write(std::uint64_t count, const LocalRange& range);
  /// Lets the head wait for queued transfers that conflict with the vectors of its instruction.
  /// Returns the DRAM port of the last of them if it waited.
  std::optional<unsigned> access(const LocalRange& range);
  /// Number of transfers in the queue when the next instruction comes to the head.
  [[nodiscard]] std::size_t queued_moves();
  void wait(std::uint64_t count) { head_ += count; }

  /// The next instruction comes to the head; `range` is the range that it writes.
  void come(const std::optional<LocalRange>& range);
  /// Cycles from now until all work queued at the accumulators is done.
  [[nodiscard]] std::uint64_t accumulators_behind() const {
    return accumulators_ > head_ ? accumulators_ - head_ : 0;
  }
  /// First cycle in which the next instruction is at the head.
  [[nodiscard]] std::uint64_t head() const { return head_; }
  /// Last cycle of the program so far.
  [[nodiscard]] std::uint64_t end() const { return std::max({head_ - 1, written_, moved_}); }

 private:
  struct Move {
    std::uint64_t end = 0;  ///< last cycle of the transfer
    LocalRange range;
    unsigned port = 0;
  };
  /// Weights with reads of their own, of which some may still be queued.
  struct Load {
    std::uint64_t end = 0;  ///< cycle in which their last vector enters the array
    LocalRange range;
  };
  void load_beside(std::uint64_t count, const LocalRange& range);
  /// Lets an instruction wait that would overwrite weights which are still to be read.
  void wait_for_loads(const LocalRange& range);
  /// True if the range conflicts with a transfer that is queued while the instruction before is at
  /// the head.
  [[nodiscard]] bool moves_conflict(const LocalRange& range) const;
  void run(std::uint64_t first, std::uint64_t count);
  /// First cycle in which weights may enter the array.
  [[nodiscard]] std::uint64_t first_load() const;
  [[nodiscard]] std::uint64_t first_product(bool accumulate) const;
  /// Begins a transfer. Returns the cycle in which it begins; the next one may begin in the cycle
  /// `next`.
  [[nodiscard]] std::uint64_t begin_move(const LocalRange& range);
  void end_move(std::uint64_t next, unsigned port, const LocalRange& range);

  Machine machine_;
  std::uint64_t head_ = 1;
  std::uint64_t last_run_ = 0, last_load_ = 0;
  std::uint64_t accumulators_ = 0;  ///< last cycle of the last operation at the accumulators
  bool by_array_ = false;           ///< that operation was one of the array
  std::uint64_t came_ = 0,
                /// Cycle in which this instruction, and the one before, came to the head.
      came_before_ = 0;
  std::optional<LocalRange> range_, range_before_;  ///< range that each of them writes
  bool is_load_ = false, is_load_before_ = false;
  std::uint64_t taken_over_ = 0;      ///< cycle of the first product with the newest weights
  bool has_new_weights_ = false;      ///< no product has used them yet
  bool many_loaded_ = false;          ///< more weights than local memory can read ahead
  std::deque<std::uint64_t> queued_;  ///< last cycle of each queued SIMD instruction
  std::uint64_t write_free_ = 0, written_ = 0;
  std::deque<Move> moves_;   ///< queued transfers; the oldest is in progress
  std::uint64_t moved_ = 0;  ///< last cycle of the newest transfer
  std::deque<Load> loads_;   ///< loads that may still be queued; the oldest is in progress
};

}  // namespace tactus::compiler::optimise
