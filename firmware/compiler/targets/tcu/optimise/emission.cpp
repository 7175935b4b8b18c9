#include "firmware/compiler/targets/tcu/optimise/emission.h"

#include <algorithm>
#include <deque>

#include "firmware/compiler/targets/tcu/optimise/early_moves.h"

namespace tactus::compiler::optimise {
namespace {

/// Number of transfers kept in the queue. More would delay urgent ones, since the queue is in
/// order.
constexpr std::size_t queued_ahead = 2;

/// What the code's instruction does, as far as it may have to wait for others.
tcu::Action action_of(const Code& code) {
  switch (code.kind) {
    case CodeKind::load_block:
    case CodeKind::load_local:
    case CodeKind::load_zeroes:
      return tcu::Action::load_weights;
    case CodeKind::to_local:
      return tcu::Action::accumulator_to_local;
    case CodeKind::to_accumulators:
      return tcu::Action::local_to_accumulator;
    case CodeKind::mat_mul:
      return tcu::Action::multiply;
    case CodeKind::simd:
      return tcu::Action::simd;
    default:
      return tcu::Action::none;
  }
}

class Emission {
 public:
  Emission(const Lowered& lowered, const Blocks& blocks, const tcu::Architecture& architecture,
           const Machine& machine, const Ring& ring, std::uint64_t first_constant,
           bool keep_instructions)
      : keeps_(keep_instructions),
        blocks_(blocks),
        architecture_(architecture),
        layout_(architecture),
        machine_(machine),
        ring_(ring),
        timeline_(machine),
        codes_(lowered.codes),
        weights_(blocks, lowered.codes, ring, machine.own_weight_reads, first_constant) {}

  Emitted run(const Lowered& lowered, const Codes& prologue) {
    weights_.check_room(architecture_.dram1_depth);
    emitted_.resident = weights_.keep_resident();
    if (is_queued()) moves_ = early_moves(lowered.codes, architecture_.local_depth);
    for (const Code& code : prologue) add(code);
    for (const std::size_t end : lowered.job_ends) {
      costs_ = {};
      for (; at_ < end; ++at_) add_counted(lowered.codes[at_]);
      emitted_.job_costs.push_back(costs_);
      emitted_.job_ends.push_back(emitted_.instructions.size());
      emitted_.job_cycles.push_back(timeline_.head());
    }
    emitted_.cycles = timeline_.end();
    emitted_.block_order = weights_.block_order();
    return std::move(emitted_);
  }

 private:
  static constexpr std::uint32_t absent = 0xFFFFFFFF;

  void add(const Code& code);
  void put(const Code& code);
  void add_counted(const Code& code);
  void add_load(const Code& code);
  void fetch_in_wait(const Code& code);
  void keep_apart(const Code& code);
  void put(const tcu::Instruction& instruction) {
    const auto [values, weights] = timeline_.waits();
    timeline_.add(architecture_, layout_, instruction);
    transfers_ += timeline_.waits()[0] - values;
    fetching_ += timeline_.waits()[1] - weights;
    if (keeps_) emitted_.instructions.push_back(instruction);
  }
  [[nodiscard]] std::uint64_t read_early(std::uint64_t wait);
  void fetch(std::uint64_t least, std::uint64_t most);
  [[nodiscard]] bool is_queued() const { return machine_.dma_queue != 0; }
  void move_ahead();
  [[nodiscard]] EarlyMove* next_value();
  void add_move(const Code& code);
  void add_next(const Code& code);
  /// Cycles before the code for which the head waits in any case, so that reads of weights cost
  /// nothing.
  [[nodiscard]] std::uint64_t hiding_wait(const Code& code) const {
    return is_queued() ? 0 : timeline_.stall(action_of(code));
  }

  const bool keeps_;
  const Blocks& blocks_;
  const tcu::Architecture& architecture_;
  tcu::InstructionLayout layout_;
  Machine machine_;
  Ring ring_;
  tcu::Timeline timeline_;
  const Codes& codes_;
  WeightStream weights_;
  Emitted emitted_;
  Costs costs_;

  std::uint64_t fetching_ = 0;   ///< cycles at the head for reads of weights
  std::uint64_t transfers_ = 0;  ///< cycles at the head of waiting for queued transfers of values
  std::deque<Code> early_;       ///< reads of values that may be emitted where the head would wait

  // Used on machines with a queue for transfers.
  std::size_t at_ = 0;            ///< index of the current code
  std::vector<EarlyMove> moves_;  ///< transfers of values
  std::size_t next_move_ = 0;     ///< index in moves_

  std::uint32_t loaded_ = absent;  ///< block whose weights the array holds

  // State for keep_apart(): accumulating writes too close to each other lose sums.
  bool accumulated_ = false;
  std::uint32_t last_written_ = 0;
  struct Span {
    std::uint32_t first, last;
  };
  std::vector<Span> under_way_;
};

/// The first transfer of values that may begin now, or null.
EarlyMove* Emission::next_value() {
  constexpr std::size_t window = 24;  // transfers that are considered
  while (next_move_ < moves_.size() && moves_[next_move_].is_done) ++next_move_;
  const std::size_t end = std::min(moves_.size(), next_move_ + window);
  for (std::size_t i = next_move_; i < end; ++i) {
    EarlyMove& move = moves_[i];
    if (move.is_done || move.earliest > at_) continue;
    const Code& code = codes_[move.code];
    const bool passes =
        std::all_of(moves_.begin() + static_cast<std::ptrdiff_t>(next_move_),
                    moves_.begin() + static_cast<std::ptrdiff_t>(i), [&](const EarlyMove& before) {
                      return before.is_done || !must_keep_order(codes_[before.code], code);
                    });
    if (passes) return &move;
  }
  return nullptr;
}

/// Fills the queue, if there is one.
void Emission::move_ahead() {
  while (is_queued() &&
         timeline_.queued_moves() < std::min<std::size_t>(queued_ahead, machine_.dma_queue)) {
    EarlyMove* const value = next_value();
    const bool weights = weights_.stage_chunk();
    if (value == nullptr && !weights) return;
    if (weights && (value == nullptr || weights_.next_code() < value->latest)) {
      fetch(0, weights_.staged());
    } else {
      value->is_done = true;
      add_move(codes_[value->code]);
    }
  }
}

/// Reads at least and at most so many vectors; what is at least needed in as many moves as it
/// takes, more only in the last of them.
void Emission::fetch(std::uint64_t least, std::uint64_t most) {
  std::uint64_t done = 0;
  while (done < most) {
    const auto taken = weights_.take(most - done);
    if (!taken) return;
    const std::uint64_t start = timeline_.head();
    put(tcu::make_data_move(layout_, tcu::DataMoveKind::dram1_to_local, {taken->local, 0},
                            {taken->dram, 0}, taken->count));
    fetching_ += timeline_.head() - start;
    emitted_.fetched += taken->count;
    done += taken->count;
    if (done >= least) return;
  }
}

/// Emits one of the early reads, or the part of it that the wait hides. Returns the cycles it
/// takes.
std::uint64_t Emission::read_early(std::uint64_t wait) {
  if (early_.empty()) return 0;
  Code& next = early_.front();
  const std::uint64_t start = machine_.read_start() + timeline_.turnaround(next.port);
  if (wait < start + machine_.beats) return 0;
  Code part = next;
  part.count = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(next.count, (wait - start) / machine_.beats));
  const std::uint64_t before = timeline_.head();
  add_move(part);
  next.local += part.count;
  next.other += part.count;
  next.count -= part.count;
  if (next.count == 0) early_.pop_front();
  return timeline_.head() - before;
}

void Emission::add_load(const Code& code) {
  const std::uint32_t block = code.block;
  const std::uint64_t missing = weights_.missing(block);
  std::uint64_t wait = hiding_wait(code);
  if (missing == 0) wait -= std::min(wait, read_early(wait));
  const std::uint64_t start = machine_.read_start();
  const std::uint64_t hidden = wait > start ? (wait - start) / machine_.beats : 0;
  const bool no_wait_hides =
      machine_.shadow_weights || 2 * machine_.array_size < start + machine_.beats;
  const std::uint64_t together = is_queued() ? weights_.staged()
                                 : no_wait_hides
                                     ? std::min<std::uint64_t>(bulk_read, ring_.size / 2)
                                     : 0;
  if (missing != 0) {
    fetch(missing, std::max({missing, hidden, together}));
  } else if (hidden != 0) {
    fetch(0, hidden);
  }
  const Block& weights = blocks_[block];
  const std::uint64_t local = weights_.local(block);
  if (code.kind == CodeKind::load_unit) {
    put(tcu::make_load_activation(layout_, {local, 0}));
    weights_.use();
    return;
  }
  if (weights.vectors() != 0) {
    put(tcu::make_load_weights(layout_, {local, 0}, weights.vectors()));
  }
  if (!weights.biased) put(tcu::make_load_weights(layout_, {0, 0}, 1, true));
  weights_.use();
  // With 4 vectors or more, sums of the last product are written before the next product's sums
  // reach the accumulators.
  if (weights.vectors() > 3) accumulated_ = false;
}

/// Inserts NoOps between accumulating writes to the same accumulator: without them the first one
/// would be lost.
void Emission::keep_apart(const Code& code) {
  // With shadow weights the accumulators keep the order of writes.
  if (machine_.shadow_weights) return;
  const bool writes = code.kind == CodeKind::mat_mul || code.kind == CodeKind::mat_mul_zeroes ||
                      code.kind == CodeKind::to_accumulators;
  if (!writes) return;
  const std::uint32_t last = code.other + ((code.count - 1) << code.other_stride);
  bool collides = code.accumulate && accumulated_ && last_written_ == code.other;
  if (architecture_.array_size < 4 && code.accumulate) {
    for (const Span& span : under_way_) {
      collides = collides || (span.first <= last && code.other <= span.last);
    }
  }
  if (collides) {
    // The earlier write may itself wait in the accumulators' queue, behind SIMD instructions.
    const std::uint64_t cycles =
        4 * std::uint64_t{architecture_.array_size} + 12 + timeline_.accumulators_behind();
    for (std::uint64_t i = 0; i < cycles; ++i) put(tcu::make_no_op());
    under_way_.clear();
  }
  if (architecture_.array_size < 4) under_way_.push_back({code.other, last});
  accumulated_ = true;
  last_written_ = last;
}

/// Reads values and weights while the head waits before the code in any case.
void Emission::fetch_in_wait(const Code& code) {
  std::uint64_t wait = hiding_wait(code);
  while (const std::uint64_t taken = read_early(wait)) wait -= std::min(wait, taken);
  const std::uint64_t start = machine_.read_start();
  if (wait >= start + machine_.beats) fetch(0, (wait - start) / machine_.beats);
}

void Emission::add(const Code& code) {
  keep_apart(code);
  if (loads_other_weights(code)) loaded_ = absent;
  if (code.kind == CodeKind::load_block) {
    // The array may have these weights already.
    if (code.block != loaded_) add_load(code);
    loaded_ = code.block;
    return;
  }
  if (code.kind == CodeKind::load_unit) return add_load(code);
  if (code.early) {
    early_.push_back(code);
    return;
  }
  fetch_in_wait(code);
  put(code);
}

/// Emits the instruction of a code that is no load of a block.
void Emission::put(const Code& code) {
  const tcu::Operand local{code.local, code.local_stride}, other{code.other, code.other_stride};
  using Kind = tcu::DataMoveKind;
  Kind kind{};
  switch (code.kind) {
    case CodeKind::load_block:
    case CodeKind::load_unit:
      break;
    case CodeKind::load_local:
      put(tcu::make_load_weights(layout_, local, code.count));
      break;
    case CodeKind::load_zeroes:
      put(tcu::make_load_weights(layout_, {0, 0}, code.count, true));
      break;
    case CodeKind::load_table:
      put(tcu::make_load_lut(layout_, local, code.block));
      break;
    case CodeKind::mat_mul:
      put(tcu::make_mat_mul(layout_, local, other, code.count, code.accumulate));
      break;
    case CodeKind::mat_mul_zeroes:
      put(tcu::make_mat_mul(layout_, {0, 0}, other, code.count, code.accumulate, true));
      break;
    case CodeKind::to_accumulators:
      kind = code.accumulate ? Kind::local_to_accumulator_accumulate : Kind::local_to_accumulator;
      put(tcu::make_data_move(layout_, kind, local, other, code.count));
      break;
    case CodeKind::to_local:
      kind = code.activated ? Kind::accumulator_to_local_activated : Kind::accumulator_to_local;
      put(tcu::make_data_move(layout_, kind, local, other, code.count));
      break;
    case CodeKind::load_activation:
      put(tcu::make_load_activation(layout_, local));
      break;
    case CodeKind::simd:
      put(tcu::make_simd(layout_, code.simd, code.simd_writes ? code.other : 0,
                         code.simd_reads ? code.block : 0, code.simd_reads, code.simd_writes));
      break;
    case CodeKind::dram_read:
    case CodeKind::dram_write:
      add_move(code);
      break;
    case CodeKind::land:
      for (const Code& read : early_) add_move(read);
      early_.clear();
      break;
  }
}

/// Emits a transfer of values.
void Emission::add_move(const Code& code) {
  using Kind = tcu::DataMoveKind;
  const bool reads = code.kind == CodeKind::dram_read;
  const Kind kind = !reads           ? Kind::local_to_dram0
                    : code.port == 0 ? Kind::dram0_to_local
                                     : Kind::dram1_to_local;
  put(tcu::make_data_move(layout_, kind, {code.local, code.local_stride},
                          {code.other, code.other_stride}, code.count));
}

/// Emits the next code of the jobs. A transfer of values that went into the queue has been emitted
/// before.
void Emission::add_next(const Code& code) {
  if (!is_queued()) return add(code);
  const std::uint64_t before = timeline_.head();
  for (; next_move_ < moves_.size() && moves_[next_move_].latest <= at_; ++next_move_) {
    if (!moves_[next_move_].is_done) add_move(codes_[moves_[next_move_].code]);
  }
  transfers_ += timeline_.head() - before;
  move_ahead();
  const bool added = code.kind == CodeKind::dram_read || code.kind == CodeKind::dram_write;
  if (!added) add(code);
}

void Emission::add_counted(const Code& code) {
  const std::uint64_t before = timeline_.head(), fetched = fetching_, moved = transfers_;
  // A fetch that a wait hides counts as part of the wait.
  const std::uint64_t wait = hiding_wait(code);
  add_next(code);
  const std::uint64_t all = timeline_.head() - before;
  const std::uint64_t fetch = fetching_ - fetched;
  const std::uint64_t exposed = std::min(all, fetch > wait ? fetch - wait : 0);
  const std::uint64_t values = std::min(all - exposed, transfers_ - moved);
  costs_.fetches += exposed;
  costs_.values += values;
  const std::uint64_t own = all - exposed - values;
  switch (code.kind) {
    case CodeKind::mat_mul:
      costs_.matrices += own;
      break;
    case CodeKind::load_block:
    case CodeKind::load_local:
    case CodeKind::load_zeroes:
      costs_.weights += own;
      break;
    case CodeKind::simd:
    case CodeKind::load_table:
      costs_.simd += own;
      break;
    case CodeKind::dram_read:
    case CodeKind::dram_write:
    case CodeKind::land:
      costs_.values += own;
      break;
    default:
      costs_.moves += own;
  }
}

}  // namespace

Emitted emit(const Lowered& lowered, const Codes& prologue, const Blocks& blocks,
             const tcu::Architecture& architecture, const Machine& machine, const Ring& ring,
             std::uint64_t first_constant, bool keep_instructions) {
  return Emission(lowered, blocks, architecture, machine, ring, first_constant, keep_instructions)
      .run(lowered, prologue);
}

}  // namespace tactus::compiler::optimise
