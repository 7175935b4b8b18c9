// Performance sampler: every `interval` cycles one 64-bit word of handshake flags and the program
// counter, on a stream.
//
// The interval comes from a configuration register; 0 produces nothing. A sample is offered one
// cycle after its capture. While one is waiting, new ones are dropped. `last` marks every
// block_size-th sample. Source: hardware spec section 11.
#pragma once

#include <cstdint>

#include <systemc>

#include "models/sim/clock.h"
#include "models/tcu/decoder/decoder.h"

namespace tactus {

class Sampler final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t dropped = 0;  ///< samples that found the register full
  };

  Sampler(const sc_core::sc_module_name& name, std::uint32_t block_size, const Decoder& decoder,
          const DecoderLinks& links, Link<Sample>& output);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.reads("flags", 16, flags_);
    list.reads("program_counter", 32, program_counter_);
    list.reads("interval", 16, interval_);
    list.produces("sample", output_);
  }
  void drive();
  void observe();  ///< captures this cycle's flags: all wires settled, nothing committed
  void commit();
  /// Bits 47:32 of a sample of the cycle that was observed last.
  [[nodiscard]] std::uint16_t flags() const { return flags_; }
  /// Captures these flags for a cycle that is skipped, in place of observe().
  void observe(std::uint16_t flags, std::uint32_t program_counter);
  /// Passes cycles without a sample, `most` at the most; returns how many.
  [[nodiscard]] Cycle pass_time(Cycle most);
  /// Resets the sampler to its state before cycle 0, but keeps the count of dropped samples.
  void reset() {
    countdown_ = in_block_ = 0;
    valid_ = false;
  }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  void describe(const trace::Scope& scope) const;

 private:
  std::uint32_t block_size_;
  const Decoder& decoder_;
  DecoderLinks links_;
  Link<Sample>& output_;

  std::uint32_t countdown_ = 0;
  std::uint32_t in_block_ = 0;
  Sample sample_;
  bool valid_ = false;
  // What was observed in this cycle.
  std::uint16_t flags_ = 0;
  std::uint32_t program_counter_ = 0;
  std::uint16_t interval_ = 0;
  Stats stats_;
};

}  // namespace tactus
