#include "isa/tcu/timing.h"

#include <algorithm>

namespace tactus::tcu {
namespace {

/// Number of LoadWeights that a machine can queue if weights have reads of their own.
constexpr std::size_t queued_loads = 4;

}  // namespace

std::uint64_t formula_cycles(const VectorFlow& flow, Action previous, std::uint64_t array_size,
                             std::uint64_t dram) {
  const std::uint64_t vectors = flow.size + 1;
  switch (info(flow.kind).action) {
    case Action::none:
    case Action::simd:
      return 1;
    case Action::multiply:
      if (previous == Action::multiply) return vectors;
      return vectors + (previous == Action::load_weights ? 1 : 2) * array_size;
    case Action::from_dram:
    case Action::to_dram:
      return dram;
    case Action::dais:
      return std::max(flow.size, flow.to.size) + 1;
    case Action::load_weights:
    case Action::accumulator_to_local:
    case Action::local_to_accumulator:
    case Action::load_table:
    case Action::load_activation:
      return vectors;
    case Action::configure:
    case Action::undefined:
      break;
  }
  return 0;
}

void Timeline::add(const VectorFlow& flow) {
  const InstructionKindInfo& row = info(flow.kind);
  const std::uint64_t count = flow.size + 1;
  const std::optional<LocalRange> range = local_range(flow);
  const bool moves = row.action == Action::from_dram || row.action == Action::to_dram;
  if (range && !moves) access(*range);
  come(range && range->writes ? range : std::nullopt);
  switch (row.action) {
    case Action::multiply:
      return mat_mul(count, flow.accumulate, flow.zeroes);
    case Action::load_weights:
      if (!flow.zeroes) return load_weights(count, *range);
      for (std::uint64_t k = 0; k < count; ++k) load_zeroes();
      return;
    case Action::simd:
      return simd(flow.from.memory != VectorMemory::none, flow.to.memory != VectorMemory::none);
    case Action::from_dram:
      return dram_read(row.from == VectorMemory::dram0 ? 0 : 1, count, flow.from.first.stride != 0,
                       *range);
    case Action::to_dram:
      return dram_write(count, *range);
    case Action::accumulator_to_local:
      return to_local(count, row.needs == Extension::activation_unit);
    case Action::local_to_accumulator:
      return to_accumulators(count, flow.accumulate);
    case Action::load_table:
      return load_table(count);
    case Action::load_activation:
    case Action::dais:
      head_ += count;
      return;
    case Action::none:
    case Action::configure:
    case Action::undefined:
      break;
  }
  ++head_;
}

std::uint64_t Timeline::stall(Action action) const {
  std::uint64_t until = 0;
  switch (action) {
    case Action::load_weights:
      if (last_run_ != 0) until = first_load() - 1;
      break;
    case Action::accumulator_to_local:
    case Action::local_to_accumulator:
      until = accumulators_;
      break;
    case Action::multiply:
      if (!by_array_) until = accumulators_;
      break;
    case Action::simd:
      if (queued_.size() >= 2 * std::size_t{machine_.array_size} + 2) until = accumulators_;
      break;
    default:
      break;
  }
  return until > head_ ? until - head_ : 0;
}

std::uint64_t Timeline::first_load() const {
  if (last_run_ == 0) return 0;
  return last_run_ + (machine_.shadow_weights ? 1 : 2 * std::uint64_t{machine_.array_size});
}

/// The weights may enter when a product has taken over the previous ones.
void Timeline::load_beside(std::uint64_t count, const LocalRange& range) {
  while (!loads_.empty() && loads_.front().end < head_) loads_.pop_front();
  if (loads_.size() >= queued_loads) {
    head_ = loads_.front().end + 1;
    loads_.pop_front();
  }
  // They are sent from behind the head, unless the instruction at the head writes them or is a
  // LoadWeights, too.
  is_load_ = true;
  const bool ahead = !is_load_before_ && !(range_before_ && range_before_->conflicts(range)) &&
                     !moves_conflict(range);
  const std::uint64_t sent = ahead ? std::min(head_, came_before_ + 1) : head_;
  last_load_ = std::max({sent + 2, taken_over_, last_load_ + 1}) + count - 1;
  loads_.push_back({last_load_, range});
  has_new_weights_ = true;
  ++head_;
}

void Timeline::come(const std::optional<LocalRange>& range) {
  came_before_ = came_;
  came_ = head_;
  range_before_ = range_;
  range_ = range;
  is_load_before_ = is_load_;
  is_load_ = false;
}

bool Timeline::moves_conflict(const LocalRange& range) const {
  return std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
    return move.end > came_before_ && move.range.conflicts(range);
  });
}

void Timeline::wait_for_loads(const LocalRange& range) {
  for (std::size_t i = loads_.size(); i-- > 0;) {
    if (loads_[i].end < head_ || !loads_[i].range.conflicts(range)) continue;
    head_ = loads_[i].end + 1;
    return;
  }
}

void Timeline::load_weights(std::uint64_t count, const LocalRange& range) {
  if (machine_.own_weight_reads) return load_beside(count, range);
  const std::uint64_t first = std::max({head_ + 1, first_load(), last_load_ + 1});
  last_load_ = first + count - 1;
  many_loaded_ = count > 3;
  // Local memory reads two vectors ahead of an array that takes one vector per cycle.
  const std::uint64_t late = machine_.shadow_weights ? last_load_ - 2 : last_load_;
  head_ = many_loaded_ ? std::max(head_ + count, late) : head_ + count;
}

void Timeline::load_zeroes() {
  if (machine_.own_weight_reads) {
    return load_beside(1, {~std::uint64_t{0}, 0, false});  // reads nothing
  }
  last_load_ = std::max({head_ + 1, first_load(), last_load_ + 1});
  ++head_;
}

/// The old vector of a sum is read one cycle before the product, and not before the head's first
/// cycle.
std::uint64_t Timeline::first_product(bool accumulate) const {
  const bool follows_load = last_load_ > last_run_;
  const std::uint64_t first = std::max({head_ + 1, last_load_ + 1, last_run_ + 1});
  if (!accumulate || !follows_load) return first;
  return machine_.shadow_weights ? std::max(first, head_ + 2) : first + 1;
}

void Timeline::run(std::uint64_t first, std::uint64_t count) {
  if (!by_array_) first = std::max(first, accumulators_ + 1);
  if (has_new_weights_) taken_over_ = first;
  has_new_weights_ = false;
  last_run_ = first + count - 1;
  accumulators_ = last_run_ + 2 * std::uint64_t{machine_.array_size} - 1;
  by_array_ = true;
}

void Timeline::mat_mul(std::uint64_t count, bool accumulate, bool zeroes) {
  run(first_product(accumulate), count);
  if (zeroes) {
    ++head_;
    return;
  }
  // Local memory reads three vectors ahead. After a wait in which it has done so, it only keeps up.
  constexpr std::uint64_t ahead = 3;
  const bool waited =
      machine_.own_weight_reads && count > ahead && last_run_ - count >= head_ + ahead;
  const std::uint64_t late = waited ? last_run_ : last_run_ > 2 ? last_run_ - 2 : 0;
  head_ = std::max(head_ + count, late);
}

void Timeline::to_local(std::uint64_t count, bool activated) {
  const std::uint64_t first = std::max(head_ + 1, accumulators_ + 1);
  accumulators_ = first + count - 1;
  by_array_ = false;
  head_ = accumulators_ + (activated ? 4 : 2);
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
  // A SIMD instruction that only writes is followed by one that reads the next vector, which waits
  // for the write.
  const std::uint64_t cycles = writes ? 4 : reads ? 2 : 1;
  accumulators_ = std::max(accumulators_, head_) + cycles;
  by_array_ = false;
  queued_.push_back(accumulators_);
  ++head_;
}

void Timeline::load_table(std::uint64_t count) { head_ = std::max(head_, accumulators_) + count; }

std::size_t Timeline::queued_moves() {
  while (!moves_.empty() && moves_.front().end < head_) moves_.pop_front();
  return moves_.size();
}

void Timeline::access(const LocalRange& range) {
  const std::uint64_t before = head_;
  if (range.writes) wait_for_loads(range);
  for (std::size_t i = queued_moves(); i-- > 0;) {
    if (!moves_[i].range.conflicts(range)) continue;
    head_ = moves_[i].end + 1;
    waits_[moves_[i].port] += head_ - before;
    return;
  }
}

std::uint64_t Timeline::begin_move(const LocalRange& range) {
  if (range.writes) wait_for_loads(range);
  if (machine_.dma_queue == 0) return head_;
  if (queued_moves() >= machine_.dma_queue) head_ = moves_.front().end + 1;
  return std::max(head_, moved_) + 1;
}

void Timeline::end_move(std::uint64_t next, unsigned port, const LocalRange& range) {
  if (machine_.dma_queue == 0) {
    head_ = next;
    return;
  }
  ++head_;
  moved_ = next - 1;
  moves_.push_back({moved_, range, port});
}

void Timeline::dram_read(unsigned port, std::uint64_t count, bool strided,
                         const LocalRange& range) {
  std::uint64_t at = begin_move(range);
  // The port changes to reads when its writes have been answered.
  if (port == 0) at = std::max(at, written_ + 2);
  const std::uint64_t vector =
      strided ? std::max<std::uint64_t>(machine_.beats,
                                        (machine_.read_latency + machine_.beats + 2) / 3)
              : machine_.beats;
  end_move(at + machine_.read_start() + count * vector, port, range);
}

void Timeline::dram_write(std::uint64_t count, const LocalRange& range) {
  const std::uint64_t at = begin_move(range);
  const std::uint64_t first = std::max(at + 4, write_free_);
  write_free_ = first + count * machine_.beats;
  const std::uint64_t ahead = 4 * std::uint64_t{machine_.beats} + 1;
  written_ = write_free_ + machine_.write_latency + 3;
  end_move(std::max(at + count, write_free_ > ahead ? write_free_ - ahead : 0), 0, range);
}

Prediction predict(const std::vector<Instruction>& program, const Architecture& architecture,
                   const TimedMachine& machine, const std::vector<std::size_t>& ends) {
  const InstructionLayout layout(architecture);
  Timeline timeline(machine);
  Prediction prediction;
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    for (; next < end; ++next) timeline.add(architecture, layout, program[next]);
    prediction.heads.push_back(timeline.head());
  }
  for (; next < program.size(); ++next) timeline.add(architecture, layout, program[next]);
  prediction.cycles = timeline.end();
  return prediction;
}

}  // namespace tactus::tcu
