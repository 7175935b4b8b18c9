#include "firmware/compiler/targets/tcu/optimise/timeline.h"

#include <algorithm>

namespace tactus::compiler::optimise {

std::uint64_t Timeline::stall(const Code& code) const {
  std::uint64_t until = 0;
  switch (code.kind) {
    case CodeKind::load_block:
    case CodeKind::load_local:
      if (last_run_ != 0) until = last_run_ + 2 * std::uint64_t{machine_.array_size} - 1;
      break;
    case CodeKind::to_local:
    case CodeKind::to_accumulators:
      until = accumulators_;
      break;
    case CodeKind::mat_mul:
      if (!by_array_) until = accumulators_;
      break;
    case CodeKind::simd:
      if (queued_.size() >= 2 * std::size_t{machine_.array_size} + 2) until = accumulators_;
      break;
    default:
      break;
  }
  return until > head_ ? until - head_ : 0;
}

void Timeline::load_weights(std::uint64_t count) {
  const std::uint64_t drained =
      last_run_ == 0 ? 0 : last_run_ + 2 * std::uint64_t{machine_.array_size};
  const std::uint64_t first = std::max({head_ + 1, drained, last_load_ + 1});
  last_load_ = first + count - 1;
  many_loaded_ = count > 3;
  head_ = many_loaded_ ? std::max(head_ + count, last_load_) : head_ + count;
}

void Timeline::load_zeroes() {
  const std::uint64_t drained =
      last_run_ == 0 ? 0 : last_run_ + 2 * std::uint64_t{machine_.array_size};
  last_load_ = std::max({head_ + 1, drained, last_load_ + 1});
  ++head_;
}

void Timeline::run(std::uint64_t first, std::uint64_t count) {
  if (!by_array_) first = std::max(first, accumulators_ + 1);
  last_run_ = first + count - 1;
  accumulators_ = last_run_ + 2 * std::uint64_t{machine_.array_size} - 1;
  by_array_ = true;
}

void Timeline::mat_mul(std::uint64_t count, bool accumulate) {
  const bool follows_load = last_load_ > last_run_;
  std::uint64_t first = std::max({head_ + 1, last_load_ + 1, last_run_ + 1});
  if (accumulate && follows_load) ++first;
  run(first, count);
  const std::uint64_t late = last_run_ > 2 ? last_run_ - 2 : 0;
  head_ = std::max(head_ + count, late);
}

void Timeline::mat_mul_zeroes(std::uint64_t count, bool accumulate) {
  const bool follows_load = last_load_ > last_run_;
  std::uint64_t first = std::max({head_ + 1, last_load_ + 1, last_run_ + 1});
  if (accumulate && follows_load) ++first;
  run(first, count);
  ++head_;
}

void Timeline::to_local(std::uint64_t count) {
  const std::uint64_t first = std::max(head_ + 1, accumulators_ + 1);
  accumulators_ = first + count - 1;
  by_array_ = false;
  head_ = accumulators_ + 2;
}

void Timeline::to_accumulators(std::uint64_t count, bool accumulate) {
  const std::uint64_t first = std::max(head_ + (accumulate ? 2 : 1), accumulators_ + 1);
  accumulators_ = first + count - 1;
  by_array_ = false;
  head_ = std::max(head_ + count, accumulators_ > 2 ? accumulators_ - 2 : 0);
}

void Timeline::simd(bool reads, bool writes) {
  while (!queued_.empty() && queued_.front() < head_) queued_.pop_front();
  if (queued_.size() >= 2 * std::size_t{machine_.array_size} + 2) {
    head_ = std::max(head_, queued_.front());
    queued_.pop_front();
  }
  const std::uint64_t cycles = reads && writes ? 4 : 2;
  accumulators_ = std::max(accumulators_, head_) + cycles;
  by_array_ = false;
  queued_.push_back(accumulators_);
  ++head_;
}

void Timeline::dram_read(unsigned port, std::uint64_t count, bool strided) {
  // The port turns round when its writes are answered.
  head_ += turnaround(port);
  if (strided) {
    head_ += machine_.read_start() +
             count * std::max<std::uint64_t>(machine_.beats,
                                             (machine_.read_latency + machine_.beats + 2) / 3);
  } else {
    head_ += machine_.read_start() + count * machine_.beats;
  }
}

void Timeline::dram_write(std::uint64_t count) {
  const std::uint64_t first = std::max(head_ + 4, write_free_);
  write_free_ = first + count * machine_.beats;
  const std::uint64_t ahead = 4 * std::uint64_t{machine_.beats} + 1;
  head_ = std::max(head_ + count, write_free_ > ahead ? write_free_ - ahead : 0);
  written_ = write_free_ + machine_.write_latency + 3;
}

}  // namespace tactus::compiler::optimise
