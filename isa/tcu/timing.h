// Predicts when instructions are done, without simulation: by the formula of the reference's
// compiler, which adds up cycles, and by closed forms in which units work at the same time.
//
// Source: toolchain spec section 4; hardware spec section 12. For shadow weights and the queue for
// transfers, which no RTL has: models/tcu/README.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "isa/tcu/accesses.h"

namespace tactus::tcu {

/// Cycles of an instruction by the formula, in which instructions follow each other:
/// - NoOp and SIMD: 1;
/// - DataMove from or to a DRAM: `dram`;
/// - MatMul: one per vector, plus N after a LoadWeights, plus 2 N after anything else but a MatMul;
/// - Dais: the number of vectors that it reads or that it writes, whichever is larger;
/// - Configure and undefined instructions: 0;
/// - all others: one per vector.
/// `array_size` is N; `previous` is the action of the previous instruction.
[[nodiscard]] std::uint64_t formula_cycles(const VectorFlow& flow, Action previous,
                                           std::uint64_t array_size, std::uint64_t dram);

/// Parameters of the closed forms that the architecture does not give. Latencies are in cycles.
struct TimedMachine {
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

/// Predicts when each instruction of a program is done, by closed forms.
///
/// Two resources serve instructions in order: the decoder's head and the stream of the
/// accumulators. An instruction with a local port occupies the head up to its last access.
/// Products, moves and SIMD instructions take turns at the accumulators. Weights wait until the
/// array is drained. The forms ignore the effects of Configure on memory, and the time of DAIS
/// blocks. For programs of the optimising compiler they are exact, except for transfers of single
/// vectors and for write responses. For other programs they are an approximation.
class Timeline {
 public:
  explicit Timeline(const TimedMachine& machine) : machine_(machine) {}

  /// Adds the next instruction of the program.
  void add(const Architecture& architecture, const InstructionLayout& layout,
           const Instruction& instruction) {
    add(flow_of(architecture, layout, instruction));
  }
  void add(const VectorFlow& flow);

  /// Cycles, from now on, for which an instruction at the head would have to wait anyway.
  [[nodiscard]] std::uint64_t stall(Action action) const;
  /// Cycles before a read of the port begins.
  [[nodiscard]] std::uint64_t turnaround(unsigned port) const {
    return port == 0 && written_ + 2 > head_ ? written_ + 2 - head_ : 0;
  }
  /// Number of transfers that are queued when the next instruction is at the head.
  [[nodiscard]] std::size_t queued_moves();
  /// Head cycles in which instructions other than transfers waited for queued transfers, by the
  /// DRAM port of the last transfer for which each waited.
  [[nodiscard]] const std::array<std::uint64_t, 2>& waits() const { return waits_; }
  /// Cycles from now to the end of all work that is queued at the accumulators.
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
  /// A LoadWeights with reads of its own, of which weights may still be queued.
  struct Load {
    std::uint64_t end = 0;  ///< cycle in which their last vector enters the array
    LocalRange range;
  };
  // These add the time of an instruction at the head, with this number of vectors.
  void load_weights(std::uint64_t count, const LocalRange& range);
  void load_zeroes();
  void load_beside(std::uint64_t count, const LocalRange& range);
  void mat_mul(std::uint64_t count, bool accumulate, bool zeroes);
  void to_local(std::uint64_t count, bool activated);
  void to_accumulators(std::uint64_t count, bool accumulate);
  void simd(bool reads, bool writes);
  /// Waits for the SIMD instructions before the lookup table.
  void load_table(std::uint64_t count);
  /// Transfers at the head. `range` matters only with a queue for transfers.
  void dram_read(unsigned port, std::uint64_t count, bool strided, const LocalRange& range);
  void dram_write(std::uint64_t count, const LocalRange& range);
  /// Notes that the next instruction reaches the head. `range` is what it writes.
  void come(const std::optional<LocalRange>& range);
  /// Lets the head wait for queued transfers that conflict with the range.
  void access(const LocalRange& range);
  /// Lets an instruction that overwrites weights wait until they are read.
  void wait_for_loads(const LocalRange& range);
  /// True if the range conflicts with a transfer that is queued while the previous instruction is
  /// at the head.
  [[nodiscard]] bool moves_conflict(const LocalRange& range) const;
  void run(std::uint64_t first, std::uint64_t count);
  /// First cycle in which weights may enter the array.
  [[nodiscard]] std::uint64_t first_load() const;
  [[nodiscard]] std::uint64_t first_product(bool accumulate) const;
  /// Begins a transfer. Returns the cycle in which it begins; the next one may begin in the cycle
  /// `next`.
  [[nodiscard]] std::uint64_t begin_move(const LocalRange& range);
  void end_move(std::uint64_t next, unsigned port, const LocalRange& range);

  TimedMachine machine_;
  std::uint64_t head_ = 1;
  std::uint64_t last_run_ = 0, last_load_ = 0;
  std::uint64_t accumulators_ = 0;  ///< last cycle of the last operation at the accumulators
  bool by_array_ = false;           ///< that operation was one of the array
  /// Cycles in which this instruction, and the previous one, came to the head.
  std::uint64_t came_ = 0, came_before_ = 0;
  std::optional<LocalRange> range_, range_before_;  ///< ranges that these two write
  bool is_load_ = false, is_load_before_ = false;
  std::uint64_t taken_over_ = 0;      ///< cycle of the first product with the newest weights
  bool has_new_weights_ = false;      ///< no product has used them yet
  bool many_loaded_ = false;          ///< more weights were loaded than local memory can read ahead
  std::deque<std::uint64_t> queued_;  ///< last cycle of each queued SIMD instruction
  std::uint64_t write_free_ = 0, written_ = 0;
  std::deque<Move> moves_;   ///< queued transfers; the oldest is under way
  std::uint64_t moved_ = 0;  ///< last cycle of the newest transfer
  std::deque<Load> loads_;   ///< loads that may still be queued; the oldest is under way
  std::array<std::uint64_t, 2> waits_{};
};

/// Predictions for a whole program.
struct Prediction {
  std::vector<std::uint64_t> heads;  ///< for each part: the cycle of the decoder's head at its end
  std::uint64_t cycles = 0;          ///< cycles of the whole program
};
/// `ends` has one past the last instruction of each part, in increasing order.
[[nodiscard]] Prediction predict(const std::vector<Instruction>& program,
                                 const Architecture& architecture, const TimedMachine& machine,
                                 const std::vector<std::size_t>& ends);

}  // namespace tactus::tcu
