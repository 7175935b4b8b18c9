// When instructions are done, without simulation: by the formula of the reference's compiler, which
// adds cycles up, and by closed forms of what the units do beside each other.
//
// Source: toolchain spec section 4; hardware spec section 12; of shadow weights and the queue for
// DRAM moves, which no RTL has, models/tcu/README.md.
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

/// Cycles of an instruction by the formula, in which instructions follow each other: a cycle for a
/// NoOp or SIMD, `dram` for a DataMove from or to DRAM, a cycle a vector for all others, of which a
/// MatMul needs N more after a LoadWeights and 2 N after anything but a MatMul; of Dais the vectors
/// that it reads or writes, whichever are more; 0 for Configure and what is undefined.
/// `array_size` is N; `previous` is the action of the instruction before.
[[nodiscard]] std::uint64_t formula_cycles(const VectorFlow& flow, Action previous,
                                           std::uint64_t array_size, std::uint64_t dram);

/// What the closed forms need to know beside the architecture; cycles.
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

/// When each instruction of a program is done, by closed forms.
///
/// Two things are in order: the decoder's head and the stream of the accumulators. An instruction
/// with a local port holds the head to its last access; products, moves and SIMD instructions take
/// their turn at the accumulators; weights wait until the array is drained. Instructions are taken
/// in order, without Configure's effects on memory and without what DAIS blocks take. Exact for the
/// programs that the optimising compiler makes but for transfers of single vectors and write
/// responses; as near as closed forms come for others.
class Timeline {
 public:
  explicit Timeline(const TimedMachine& machine) : machine_(machine) {}

  /// The next instruction of the program.
  void add(const Architecture& architecture, const InstructionLayout& layout,
           const Instruction& instruction) {
    add(flow_of(architecture, layout, instruction));
  }
  void add(const VectorFlow& flow);

  /// Head cycles, from now, in which an instruction could not go on anyway.
  [[nodiscard]] std::uint64_t stall(Action action) const;
  /// Cycles before a read of the port begins.
  [[nodiscard]] std::uint64_t turnaround(unsigned port) const {
    return port == 0 && written_ + 2 > head_ ? written_ + 2 - head_ : 0;
  }
  /// Moves that are queued when the next instruction is at the head.
  [[nodiscard]] std::size_t queued_moves();
  /// Head cycles in which instructions other than DRAM moves have waited for queued ones, by the
  /// DRAM port of the last move that each waited for.
  [[nodiscard]] const std::array<std::uint64_t, 2>& waits() const { return waits_; }
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
    std::uint64_t end = 0;  ///< last cycle of the transfer
    LocalRange range;
    unsigned port = 0;
  };
  /// Weights with reads of their own, of which some may still be queued.
  struct Load {
    std::uint64_t end = 0;  ///< cycle in which their last vector enters the array
    LocalRange range;
  };
  // What instructions take that have come to the head, of so many vectors.
  void load_weights(std::uint64_t count, const LocalRange& range);
  void load_zeroes();
  void load_beside(std::uint64_t count, const LocalRange& range);
  void mat_mul(std::uint64_t count, bool accumulate, bool zeroes);
  void to_local(std::uint64_t count, bool activated);
  void to_accumulators(std::uint64_t count, bool accumulate);
  void simd(bool reads, bool writes);
  /// SIMD instructions before a lookup table are over by then.
  void load_table(std::uint64_t count);
  /// DRAM moves at the head; `range` matters where there is a queue for them.
  void dram_read(unsigned port, std::uint64_t count, bool strided, const LocalRange& range);
  void dram_write(std::uint64_t count, const LocalRange& range);
  /// The next instruction comes to the head, or waits there; `range` is what it writes.
  void come(const std::optional<LocalRange>& range);
  /// The head waits for queued moves in conflict with what its instruction touches.
  void access(const LocalRange& range);
  /// What overwrites weights that are to be read waits.
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

  TimedMachine machine_;
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
  std::deque<Move> moves_;   ///< queued, the oldest under way
  std::uint64_t moved_ = 0;  ///< last cycle of the newest
  std::deque<Load> loads_;   ///< that may still be queued, the oldest under way
  std::array<std::uint64_t, 2> waits_{};
};

/// The closed forms of a whole program.
struct Prediction {
  std::vector<std::uint64_t> heads;  ///< by part: the decoder's head cycle at its end
  std::uint64_t cycles = 0;          ///< of the whole program
};
/// `ends`: one past the last instruction of each part, rising.
[[nodiscard]] Prediction predict(const std::vector<Instruction>& program,
                                 const Architecture& architecture, const TimedMachine& machine,
                                 const std::vector<std::size_t>& ends);

}  // namespace tactus::tcu
