#include "models/tcu/sampler/sampler.h"

#include <algorithm>

#include "models/tcu/channel_signals.h"

namespace tactus {
Sampler::Sampler(const sc_core::sc_module_name& name, std::uint32_t block_size,
                 const Decoder& decoder, const DecoderLinks& links, Link<Sample>& output)
    : sc_module(name), block_size_(block_size), decoder_(decoder), links_(links), output_(output) {}

void Sampler::drive() {
  output_.valid = valid_;
  output_.bits = sample_;
}

void Sampler::observe() {
  unsigned bit = 0, flags = 0;
  const auto add = [&](bool valid, bool ready) {
    flags |= (valid ? 1U : 0U) << bit | (ready ? 2U : 0U) << bit;
    bit += 2;
  };
  const auto link = [&](const auto& l) { add(l.valid, l.ready); };
  link(links_.array);
  link(links_.accumulator);
  link(links_.dataflow);
  link(*links_.dram[1]);
  link(*links_.dram[0]);
  link(links_.local_b.request);
  link(links_.local_a.request);
  const Decoder::Head head = decoder_.head();
  add(head.valid, head.ready);
  observe(static_cast<std::uint16_t>(flags), decoder_.registers().program_counter);
}

void Sampler::observe(std::uint16_t flags, std::uint32_t program_counter) {
  interval_ = decoder_.registers().sample_interval;
  flags_ = flags;
  program_counter_ = program_counter;
}

Cycle Sampler::pass_time(Cycle most) {
  if (valid_) return 0;
  interval_ = decoder_.registers().sample_interval;
  if (interval_ == 0) {
    countdown_ = 0;
    return most;
  }
  const Cycle cycles = std::min<Cycle>(most, countdown_);
  countdown_ -= static_cast<std::uint32_t>(cycles);
  return cycles;
}

void Sampler::commit() {
  const bool take = interval_ != 0 && countdown_ == 0;
  if (interval_ == 0) {
    countdown_ = 0;
  } else {
    countdown_ = take ? interval_ - 1 : countdown_ - 1;
  }
  if (valid_ && !output_.ready) {  // full: the sample of this cycle is dropped
    stats_.dropped += take ? 1 : 0;
    return;
  }
  valid_ = take;
  sample_.last = false;
  if (!take) return;
  sample_.word = std::uint64_t{flags_} << 32 | program_counter_;
  sample_.last = in_block_ + 1 == block_size_;
  in_block_ = sample_.last ? 0 : in_block_ + 1;
}

void Sampler::describe(const trace::Scope& scope) const {
  scope.channel("sample", output_);
  scope.reg(
      "counter", 16, [this] { return countdown_; }, trace::Radix::decimal);
  scope.reg(
      "block_counter", 32, [this] { return in_block_; }, trace::Radix::decimal);
}

}  // namespace tactus
