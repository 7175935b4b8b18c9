// The cost model: when each instruction is done, by closed forms.
//
// Two things are in order: the decoder's head and the stream of the accumulators. An instruction
// with a local port holds the head to its last access; products, moves and SIMD instructions take
// their turn at the accumulators; weights wait until the array is drained. Exact for the programs
// that the optimiser makes but for transfers of single vectors and write responses.
// Source: hardware spec section 12; of shadow weights and the queue for DRAM moves, which no RTL
// has, models/tcu/README.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>

#include "firmware/compiler/targets/tcu/optimise/code.h"

namespace tactus::compiler::optimise {

/// What the cost of a program depends on beside the architecture; cycles.
struct Machine {
  std::uint32_t array_size = 8;
  std::uint32_t beats = 2;  ///< AXI words of a vector
  std::uint32_t read_latency = 20, write_latency = 5;
  // Extensions of the architecture.
  bool shadow_weights = false;    ///< weights do not wait for the drain
  bool own_weight_reads = false;  ///< and come beside products
  std::uint32_t dma_queue = 0;    ///< entries; 0: DRAM moves hold the head

  /// The part of a DRAM read that does not depend on its size.
  [[nodiscard]] std::uint32_t read_start() const { return read_latency + (beats > 1 ? 5 : 4); }
};

/// Local vectors that an instruction touches, from the lowest to the highest.
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

/// What an instruction touches at the head, but for the weights of a block, whose place is not
/// known yet.
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

  /// Head cycles, from now, in which the instruction could not go on anyway.
  [[nodiscard]] std::uint64_t stall(const Code& code) const;

  /// Cycles before a read of the port begins.
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
  /// A lookup table of `count` vectors; SIMD instructions before it are over by then.
  void load_table(std::uint64_t count);
  /// DRAM moves at the head; `range` matters where there is a queue for them.
  void dram_read(unsigned port, std::uint64_t count, bool strided, const LocalRange& range);
  void dram_write(std::uint64_t count, const LocalRange& range);
  /// The head waits for queued moves in conflict with what its instruction touches. Returns the
  /// DRAM port of the last of them if it waited.
  std::optional<unsigned> access(const LocalRange& range);
  /// Moves that are queued when the next instruction is at the head.
  [[nodiscard]] std::size_t queued_moves();
  void wait(std::uint64_t count) { head_ += count; }

  /// The next instruction comes to the head, or waits there; `range` is what it writes.
  void come(const std::optional<LocalRange>& range);
  /// Cycles from now to the end of what is queued at the accumulators.
  [[nodiscard]] std::uint64_t accumulators_behind() const {
    return accumulators_ > head_ ? accumulators_ - head_ : 0;
  }
  /// First cycle in which the next instruction is at the head.
  [[nodiscard]] std::uint64_t head() const { return head_; }
  /// Last cycle of the program so far.
  [[nodiscard]] std::uint64_t end() const { return std::max({head_ - 1, written_, moved_}); }

 private:
  struct Move {
    std::uint64_t end = 0;  ///< its last cycle
    LocalRange range;
    unsigned port = 0;
  };
  /// Weights with reads of their own, of which some may still be queued.
  struct Load {
    std::uint64_t end = 0;  ///< their last vector enters
    LocalRange range;
  };
  void load_beside(std::uint64_t count, const LocalRange& range);
  /// What overwrites weights that are to be read waits.
  void wait_for_loads(const LocalRange& range);
  /// With moves that are queued when the instruction before is at the head.
  [[nodiscard]] bool moves_conflict(const LocalRange& range) const;
  void run(std::uint64_t first, std::uint64_t count);
  /// First cycle in which weights may enter the array.
  [[nodiscard]] std::uint64_t first_load() const;
  [[nodiscard]] std::uint64_t first_product(bool accumulate) const;
  /// A DRAM move begins in the cycle that is returned and lets go in the cycle `next`.
  [[nodiscard]] std::uint64_t begin_move(const LocalRange& range);
  void end_move(std::uint64_t next, unsigned port, const LocalRange& range);

  Machine machine_;
  std::uint64_t head_ = 1;
  std::uint64_t last_run_ = 0, last_load_ = 0;
  std::uint64_t accumulators_ = 0;            ///< last cycle of their last operation
  bool by_array_ = false;                     ///< which was one of the array
  std::uint64_t came_ = 0, came_before_ = 0;  ///< to the head: this instruction, the one before
  std::optional<LocalRange> range_, range_before_;  ///< what they write
  bool is_load_ = false, is_load_before_ = false;
  std::uint64_t taken_over_ = 0;      ///< first run with the newest weights
  bool has_new_weights_ = false;      ///< no product has met them yet
  bool many_loaded_ = false;          ///< more weights than local memory reads ahead
  std::deque<std::uint64_t> queued_;  ///< ends of SIMD instructions
  std::uint64_t write_free_ = 0, written_ = 0;
  std::deque<Move> moves_;   ///< queued, the oldest under way
  std::uint64_t moved_ = 0;  ///< last cycle of the newest
  std::deque<Load> loads_;   ///< that may still be queued, the oldest under way
};

}  // namespace tactus::compiler::optimise
