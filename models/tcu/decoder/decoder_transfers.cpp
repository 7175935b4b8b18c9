#include "models/tcu/decoder/transfers.h"

namespace tactus {

Decoder::~Decoder() = default;

void BesideHead::make_queue() {
  if (d_.architecture_.dma_queue == 0) return;
  d_.transfers_ = std::make_unique<Decoder::Transfers>(d_.clock_, d_.architecture_.dma_queue);
  d_.oldest_ = &d_.transfers_->at(0);
  d_.head_local_legs_ = leg_local_a;
  d_.head_legs_ = all_legs & ~transfer_legs;
}

/// True if an instruction would read or overwrite vectors of a queued transfer. `moves_between`:
/// number of transfers before it that are not in the queue yet.
bool BesideHead::conflicts(const Decoded& head, std::size_t moves_between) const {
  if (d_.clock_.timing_only) return d_.transfers_->count + moves_between > head.order.moves;
  for (std::size_t i = 0; i < d_.transfers_->count; ++i) {
    const Decoded& move = d_.transfers_->at(i);
    const bool overlap = head.local_low <= move.local_high && move.local_low <= head.local_high;
    if (overlap && (head.local_write || move.local_write)) return true;
  }
  return false;
}

Decoder::Block BesideHead::block_of_head() const {
  if (d_.queue_.empty()) return Decoder::Block::none;
  const Decoded& head = d_.queue_.front();
  if (d_.holds_moves_) return head.moves_dram() ? Decoder::Block::transfer : Decoder::Block::none;
  if (d_.transfers_) {
    const Decoder::Block block = block_by_transfers(head);
    if (block != Decoder::Block::none) return block;
  }
  return d_.links_.weight_loads == nullptr ? Decoder::Block::none : block_by_weights(head);
}

/// Checks for a conflict with weights. Weights are read in order, and vectors must not be
/// overwritten before they are read. An instruction that has begun writes no vectors that later
/// weights read.
Decoder::Block BesideHead::block_by_weights(const Decoded& head) const {
  const WeightLoads& loads = *d_.links_.weight_loads;
  if (head.kind == tcu::InstructionKind::load_weights) {
    return loads.full() && !head.is_sent ? Decoder::Block::weights : Decoder::Block::none;
  }
  if (!head.local_write || loads.empty()) return Decoder::Block::none;
  if (d_.clock_.timing_only) {
    const std::uint64_t before = head.order.loads;
    const bool reads = before != LocalOrder::any && before < head.array.loads &&
                       loads.reads_upto(head.array.loads - before);
    return reads ? Decoder::Block::weights : Decoder::Block::none;
  }
  return loads.reads(head.local_low, head.local_high) ? Decoder::Block::weights
                                                      : Decoder::Block::none;
}

/// Transfers keep their order among themselves, and the DRAM ports keep the order of reads and
/// writes.
Decoder::Block BesideHead::block_by_transfers(const Decoded& head) const {
  if (head.moves != 0)
    return d_.transfers_->full() ? Decoder::Block::queue_full : Decoder::Block::none;
  if (d_.transfers_->empty()) return Decoder::Block::none;
  const bool reads_weights = d_.links_.weight_loads != nullptr && !head.weights.zeroes &&
                             head.kind == tcu::InstructionKind::load_weights;
  if ((head.legs & leg_local_a) != 0 || reads_weights) {
    return conflicts(head) ? Decoder::Block::transfer : Decoder::Block::none;
  }
  if (head.kind != tcu::InstructionKind::configure) return Decoder::Block::none;
  switch (
      static_cast<tcu::ConfigRegister>(configure_fields(d_.layout_, head.raw).register_number)) {
    case tcu::ConfigRegister::dram0_offset:
    case tcu::ConfigRegister::dram1_offset:
    case tcu::ConfigRegister::dram0_cache:
    case tcu::ConfigRegister::dram1_cache:
      return Decoder::Block::transfer;
    default:
      return Decoder::Block::none;
  }
}

/// Once an instruction may begin it remains free to continue, because transfers and weights enter
/// their queues only from the head.
void BesideHead::offer_head() {
  d_.blocked_ = block_of_head();
  d_.fork_.offer(!d_.queue_.empty() && d_.blocked_ == Decoder::Block::none, d_.queue_.front().legs);
  if (d_.transfers_) offer_transfers();
  d_.sends_ahead_ = d_.links_.weight_loads != nullptr && can_send_ahead();
}

/// True if a LoadWeights behind the head may be sent ahead. LoadWeights keep their order, and read
/// the results of the head and of queued transfers.
bool BesideHead::can_send_ahead() const {
  if (d_.queue_.count() < 2 || d_.links_.weight_loads->full()) return false;
  const Decoded& head = d_.queue_.front();
  const Decoded& next = d_.queue_.newest();
  if (next.kind != tcu::InstructionKind::load_weights || next.is_sent) return false;
  if (head.kind == tcu::InstructionKind::load_weights) return head.is_sent;
  if (next.weights.zeroes) return true;
  if (overwrites(head, next)) return false;
  return !d_.transfers_ || !conflicts(next, head.moves != 0 ? 1 : 0);
}

/// True if the head writes vectors that the instruction behind it reads.
bool BesideHead::overwrites(const Decoded& head, const Decoded& next) const {
  if (d_.clock_.timing_only) return next.order.overwritten;
  return head.local_write && head.local_low <= next.local_high && next.local_low <= head.local_high;
}

void BesideHead::send_weights(Decoded& d) {
  WeightLoad load = d.weights;
  load.first = d_.clock_.now + 2;
  d_.links_.weight_loads->push(load);
  d.is_sent = d_.turned_ = true;
  d_.sends_ahead_ = false;
}

void BesideHead::offer_transfers() {
  const bool under_way = !d_.transfers_->empty();
  d_.oldest_ = &d_.transfers_->at(0);
  d_.transfer_fork_.offer(under_way, under_way ? d_.oldest_->legs : 0);
}

void BesideHead::move_transfers() {
  enter_account();
  const unsigned entering = d_.edge_.entering;
  Decoder::Transfers& queue = *d_.transfers_;
  const unsigned open = d_.transfer_fork_.open();
  const bool ends = !queue.empty() && (open & ~entering) == 0;
  const bool enters = d_.edge_.head_ready && !d_.queue_.empty() && d_.queue_.front().moves != 0;
  d_.transfer_fork_.move(d_.transfer_fork_.after(ends, entering & transfer_legs));
  if (!enters && !ends) return;
  if (enters) {
    queue.at(queue.count) = d_.queue_.front();
    queue.at(queue.count).legs = d_.queue_.front().moves;
    ++queue.count;
  }
  if (ends) {
    queue.first = (queue.first + 1) % queue.slots.size();
    --queue.count;
  }
  d_.oldest_ = &queue.at(0);
  d_.fresh_legs_ |= leg_local_b;
}

void BesideHead::enter_account() {
  const bool under_way = !d_.transfers_->empty();
  const bool moves = (d_.edge_.firing & leg_local_b) != 0;
  d_.transfers_->account.enter(moves       ? Decoder::passes
                               : under_way ? Decoder::waits
                                           : Decoder::no_transfer);
}

/// Numbers weight loads in program order.
void BesideHead::number_loads(Decoded& d) {
  if (d.kind == tcu::InstructionKind::load_weights) {
    d.weights.number = ++d_.loads_;
    d.weights.after_product = d_.product_follows_;
    d_.product_follows_ = false;
    return;
  }
  d.array.loads = d_.loads_;
  d_.product_follows_ |= d.kind == tcu::InstructionKind::mat_mul;
}

std::vector<Account*> Decoder::accounts() {
  std::vector<Account*> accounts{&account_};
  if (transfers_) accounts.push_back(&transfers_->account);
  return accounts;
}

std::size_t Decoder::queued_transfers() const { return transfers_ ? transfers_->count : 0; }

}  // namespace tactus
