// The cost model: when each instruction is done, by closed forms.
//
// Two things are in order: the decoder's head and the stream of the accumulators. An instruction
// with a local port holds the head to its last access; products, moves and SIMD instructions take
// their turn at the accumulators; weights wait until the array is drained. Exact for the programs
// that the optimiser makes but for transfers of single vectors and write responses.
// Source: hardware spec section 12.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "firmware/compiler/targets/tcu/optimise/code.h"

namespace tactus::compiler::optimise {

/// What the cost of a program depends on beside the architecture; cycles.
struct Machine {
  std::uint32_t array_size = 8;
  std::uint32_t beats = 2;  ///< AXI words of a vector
  std::uint32_t read_latency = 20, write_latency = 5;

  /// The part of a DRAM read that does not depend on its size.
  [[nodiscard]] std::uint32_t read_start() const { return read_latency + (beats > 1 ? 5 : 4); }
};

class Timeline {
 public:
  explicit Timeline(const Machine& machine) : machine_(machine) {}

  /// Head cycles, from now, in which the instruction could not go on anyway.
  [[nodiscard]] std::uint64_t stall(const Code& code) const;

  /// Cycles before a read of the port begins.
  [[nodiscard]] std::uint64_t turnaround(unsigned port) const {
    return port == 0 && written_ + 2 > head_ ? written_ + 2 - head_ : 0;
  }

  void load_weights(std::uint64_t count);
  void load_zeroes();
  void mat_mul(std::uint64_t count, bool accumulate);
  void mat_mul_zeroes(std::uint64_t count, bool accumulate);
  void to_local(std::uint64_t count);
  void to_accumulators(std::uint64_t count, bool accumulate);
  void simd(bool reads, bool writes);
  void dram_read(unsigned port, std::uint64_t count, bool strided);
  void dram_write(std::uint64_t count);
  void wait(std::uint64_t count) { head_ += count; }

  /// First cycle in which the next instruction is at the head.
  [[nodiscard]] std::uint64_t head() const { return head_; }
  /// Last cycle of the program so far.
  [[nodiscard]] std::uint64_t end() const { return std::max(head_ - 1, written_); }

 private:
  void run(std::uint64_t first, std::uint64_t count);

  Machine machine_;
  std::uint64_t head_ = 1;
  std::uint64_t last_run_ = 0, last_load_ = 0;
  std::uint64_t accumulators_ = 0;    ///< last cycle of their last operation
  bool by_array_ = false;             ///< which was one of the array
  bool many_loaded_ = false;          ///< more weights than local memory reads ahead
  std::deque<std::uint64_t> queued_;  ///< ends of SIMD instructions
  std::uint64_t write_free_ = 0, written_ = 0;
};

}  // namespace tactus::compiler::optimise
