// The queue for transfers beside the decoder's head: an extension of Tactus's own, absent from the
// RTL.

#include "models/tcu/decoder/transfers.h"

namespace tactus {

Decoder::~Decoder() = default;

void Decoder::make_transfers() {
  if (architecture_.dma_queue == 0) return;
  transfers_ = std::make_unique<Transfers>(clock_, architecture_.dma_queue);
  oldest_ = &transfers_->at(0);
  head_local_legs_ = leg_local_a;
  head_legs_ = all_legs & ~transfer_legs;
}

/// True if an instruction would read or overwrite vectors of a queued transfer. `moves_between`:
/// number of transfers before it that are not in the queue yet.
bool Decoder::conflicts(const Decoded& head, std::size_t moves_between) const {
  if (clock_.timing_only) return transfers_->count + moves_between > head.order.moves;
  for (std::size_t i = 0; i < transfers_->count; ++i) {
    const Decoded& move = transfers_->at(i);
    const bool overlap = head.local_low <= move.local_high && move.local_low <= head.local_high;
    if (overlap && (head.local_write || move.local_write)) return true;
  }
  return false;
}

Decoder::Block Decoder::block_of_head() const {
  if (queue_.empty()) return Block::none;
  const Decoded& head = queue_.front();
  if (holds_moves_) return moves_dram(head) ? Block::transfer : Block::none;
  if (transfers_) {
    const Block block = block_by_transfers(head);
    if (block != Block::none) return block;
  }
  return links_.weight_loads == nullptr ? Block::none : block_by_weights(head);
}

/// Checks for a conflict with weights. Weights are read in order, and vectors must not be
/// overwritten before they are read. An instruction that has begun writes no vectors that later
/// weights read.
Decoder::Block Decoder::block_by_weights(const Decoded& head) const {
  const WeightLoads& loads = *links_.weight_loads;
  if (head.kind == tcu::InstructionKind::load_weights) {
    return loads.full() && !head.is_sent ? Block::weights : Block::none;
  }
  if (!head.local_write || loads.empty()) return Block::none;
  if (clock_.timing_only) {
    const std::uint64_t before = head.order.loads;
    const bool reads = before != LocalOrder::any && before < head.array.loads &&
                       loads.reads_upto(head.array.loads - before);
    return reads ? Block::weights : Block::none;
  }
  return loads.reads(head.local_low, head.local_high) ? Block::weights : Block::none;
}

/// Transfers keep their order among themselves, and the DRAM ports keep the order of reads and
/// writes.
Decoder::Block Decoder::block_by_transfers(const Decoded& head) const {
  if (head.moves != 0) return transfers_->full() ? Block::queue_full : Block::none;
  if (transfers_->empty()) return Block::none;
  const bool reads_weights = links_.weight_loads != nullptr && !head.weights.zeroes &&
                             head.kind == tcu::InstructionKind::load_weights;
  if ((head.legs & leg_local_a) != 0 || reads_weights) {
    return conflicts(head) ? Block::transfer : Block::none;
  }
  if (head.kind != tcu::InstructionKind::configure) return Block::none;
  switch (static_cast<tcu::ConfigRegister>(configure_fields(layout_, head.raw).register_number)) {
    case tcu::ConfigRegister::dram0_offset:
    case tcu::ConfigRegister::dram1_offset:
    case tcu::ConfigRegister::dram0_cache:
    case tcu::ConfigRegister::dram1_cache:
      return Block::transfer;
    default:
      return Block::none;
  }
}

/// Once an instruction may begin it remains free to continue, because transfers and weights enter
/// their queues only from the head.
void Decoder::offer_head() {
  blocked_ = block_of_head();
  fork_.offer(!queue_.empty() && blocked_ == Block::none, queue_.front().legs);
  if (transfers_) offer_transfers();
  sends_ahead_ = links_.weight_loads != nullptr && can_send_ahead();
}

/// True if a LoadWeights behind the head may be sent ahead. LoadWeights keep their order, and read
/// the results of the head and of queued transfers.
bool Decoder::can_send_ahead() const {
  if (queue_.count() < 2 || links_.weight_loads->full()) return false;
  const Decoded& head = queue_.front();
  const Decoded& next = queue_.newest();
  if (next.kind != tcu::InstructionKind::load_weights || next.is_sent) return false;
  if (head.kind == tcu::InstructionKind::load_weights) return head.is_sent;
  if (next.weights.zeroes) return true;
  if (overwrites(head, next)) return false;
  return !transfers_ || !conflicts(next, head.moves != 0 ? 1 : 0);
}

/// True if the head writes vectors that the instruction behind it reads.
bool Decoder::overwrites(const Decoded& head, const Decoded& next) const {
  if (clock_.timing_only) return next.order.overwritten;
  return head.local_write && head.local_low <= next.local_high && next.local_low <= head.local_high;
}

void Decoder::send_weights(Decoded& d) {
  WeightLoad load = d.weights;
  load.first = clock_.now + 2;
  links_.weight_loads->push(load);
  d.is_sent = turned_ = true;
  sends_ahead_ = false;
}

void Decoder::offer_transfers() {
  const bool under_way = !transfers_->empty();
  oldest_ = &transfers_->at(0);
  transfer_fork_.offer(under_way, under_way ? oldest_->legs : 0);
}

void Decoder::move_transfers() {
  enter_transfer_account();
  const unsigned entering = edge_.entering;
  Transfers& queue = *transfers_;
  const unsigned open = transfer_fork_.open();
  const bool ends = !queue.empty() && (open & ~entering) == 0;
  const bool enters = edge_.head_ready && !queue_.empty() && queue_.front().moves != 0;
  transfer_fork_.move(transfer_fork_.after(ends, entering & transfer_legs));
  if (!enters && !ends) return;
  if (enters) {
    queue.at(queue.count) = queue_.front();
    queue.at(queue.count).legs = queue_.front().moves;
    ++queue.count;
  }
  if (ends) {
    queue.first = (queue.first + 1) % queue.slots.size();
    --queue.count;
  }
  oldest_ = &queue.at(0);
  fresh_legs_ |= leg_local_b;
}

void Decoder::enter_transfer_account() {
  const bool under_way = !transfers_->empty();
  const bool moves = (edge_.firing & leg_local_b) != 0;
  transfers_->account.enter(moves ? passes : under_way ? waits : no_transfer);
}

std::vector<Account*> Decoder::accounts() {
  std::vector<Account*> accounts{&account_};
  if (transfers_) accounts.push_back(&transfers_->account);
  return accounts;
}

std::size_t Decoder::queued_transfers() const { return transfers_ ? transfers_->count : 0; }

}  // namespace tactus
