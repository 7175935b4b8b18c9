#include "models/tcu/fast/sequenced_decoder.h"

#include <utility>

#include "models/axi/axi_registers.h"
#include "models/tcu/decoder/transfers.h"
#include "models/tcu/fast/item_registers.h"

namespace tactus {

/// Calls fill(i, entry) for both entries of the decoder's queue. The numbers of LoadWeights, which
/// do not follow from the program, are kept.
template <typename Fill>
void SequencedDecoder::adopt(const Fill& fill) {
  const std::size_t count = d_.queue_.count();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    Decoded& d = d_.queue_.entry((count + i) % 2);
    const Decoded before = d;
    fill(i, d);
    d.weights.number = before.weights.number;
    d.weights.after_product = before.weights.after_product;
    d.array.loads = before.array.loads;
  }
}

void SequencedDecoder::adopt_shapes(const std::array<std::uint32_t, 2>& shapes) {
  adopt([&](std::size_t i, Decoded& d) { d_.shapes_.enter(shapes[i], d); });
}

void SequencedDecoder::adopt_instructions(const std::array<tcu::Instruction, 2>& instructions) {
  adopt([&](std::size_t i, Decoded& d) { d_.decoding_.decode(instructions[i], d); });
}

std::array<tcu::Instruction, 2> SequencedDecoder::last_entered() {
  const std::size_t count = d_.queue_.count();
  return {d_.queue_.entry(count % 2).raw, d_.queue_.entry((count + 1) % 2).raw};
}

bool SequencedDecoder::rests(unsigned legs) const {
  if (((d_.queued_legs_ | d_.fork_.done()) & legs) != 0) return false;
  for (const Decoder::Stream& stream : d_.streams_) {
    if ((1U << stream.index & legs) != 0 && stream.expander.count() != 0) return false;
  }
  if (d_.transfers_ && (!d_.transfers_->empty() || d_.transfer_fork_.done() != 0)) return false;
  // A LoadWeights whose weights were sent ahead has begun although it still waits.
  const auto was_sent = [](const Decoded& d) {
    return d.kind == tcu::InstructionKind::load_weights && d.is_sent;
  };
  return d_.links_.weight_loads == nullptr || d_.queue_.empty() ||
         !(was_sent(d_.queue_.front()) || was_sent(d_.queue_.newest()));
}

void SequencedDecoder::drop_head() {
  d_.queue_.commit_entered(false, true);
  d_.fresh_legs_ |= leg_dataflow | local_legs;
  d_.turned_ = true;
}

bool SequencedDecoder::head_move_has_begun() const {
  return (d_.fork_.done() & leg_host) != 0 && (d_.fork_.done() & (leg_dram0 | leg_dram1)) != 0;
}

void SequencedDecoder::item_registers(Registers& r, AccumulatorItem& item) {
  r(item.form);
  if (r.loads()) item = d_.shapes_.form(item.form);
  address_registers(r, item.control, d_.accumulator_mask_);
}

void SequencedDecoder::shape_register(Registers& r, Decoded& d) {
  std::uint32_t shape = d.shape;
  r(shape);
  if (r.loads()) d = d_.shapes_.item(shape);
}

void SequencedDecoder::item_registers(Registers& r, Decoded& d) {
  shape_register(r, d);
  if ((d.legs & leg_accumulator) != 0) {
    address_registers(r, d.accumulator.control, d_.accumulator_mask_);
  }
  if (d_.links_.weight_loads != nullptr) number_registers(r, d);
}

void SequencedDecoder::number_registers(Registers& r, Decoded& d) const {
  if (d.kind != tcu::InstructionKind::load_weights) {
    d_.links_.weight_loads->number(r, d.array.loads);
    return;
  }
  d_.links_.weight_loads->number(r, d.weights.number);
  r(d.weights.after_product);
  r(d.is_sent);
}

/// Saves or loads the queue for transfers.
void SequencedDecoder::transfer_registers(Registers& r) {
  Decoder::Transfers& queue = *d_.transfers_;
  r(queue.count);
  if (r.loads()) queue.first = 0;
  for (std::size_t i = 0; i < queue.count; ++i) {
    Decoded& d = queue.at(i);
    r(d.shape);
    if (!r.loads()) continue;
    d = d_.shapes_.item(d.shape);
    d.legs = d.moves;
  }
  d_.oldest_ = &queue.at(0);
  d_.transfer_fork_.registers(r);
  queue.account.registers(r);
}

/// Items with a stride have one vector per burst. `offset` leads from the item's first vector to
/// its next one.
void SequencedDecoder::item_registers(Registers& r, DramItem& item, std::uint64_t offset) {
  r(item.request.write);
  r(item.request.size);
  PlaceInPage place = place_in_page(item.request.address + offset, item.step, item.request.size,
                                    d_.architecture_.vector_bytes());
  r(place.address);
  r(place.step);
  if (!r.loads()) return;
  item.request.address = place.address;
  item.step = place.step;
}

void SequencedDecoder::leg_registers(Registers& r, unsigned& legs, unsigned of) {
  unsigned part = legs & of;
  r(part);
  if (r.loads()) legs = (legs & ~of) | part;
}

void SequencedDecoder::fork_registers(Registers& r, unsigned of) {
  unsigned done = d_.fork_.done();
  leg_registers(r, done, of);
  if (r.loads()) d_.fork_.move(done);
  leg_registers(r, d_.queued_legs_, of);
  leg_registers(r, d_.full_legs_, of);
  // The legs at their last output follow from the items that the coming cycle shows.
}

void SequencedDecoder::stream_registers(Registers& r, unsigned of) {
  Decoder::for_each(of, [&](std::size_t i) {
    Decoder::Stream& stream = d_.streams_[i];
    stream.expander.registers(r, stream.size, 1U << i == leg_accumulator ? 1 : 0);
  });
}

/// Lets the wires follow from the loaded registers.
void SequencedDecoder::forget_wires() {
  d_.turned_ = true;
  d_.fresh_legs_ = all_legs;
  d_.shown_legs_ = d_.moving_ = d_.resumed_legs_ = 0;
  for (const Decoder::Stream& stream : d_.streams_) {
    if (stream.expander.count() != 0) d_.resumed_legs_ |= 1U << stream.index;
  }
}

void SequencedDecoder::registers_of_moves(Registers& r, bool alone) {
  if (d_.transfers_) transfer_registers(r);
  fork_registers(r, transfer_legs);
  r.items(d_.host_queue_, [&](HostDataflow& item) {
    r(item.dram);
    r(item.to_dram);
    r(item.size);
  });
  for (const unsigned port : {0U, 1U}) {
    std::uint64_t offset = d_.stream(dram_leg(port)).expander.offset();
    r.items(d_.dram_queue_[port],
            [&](DramItem& item) { item_registers(r, item, std::exchange(offset, 0)); });
  }
  stream_registers(r, alone ? transfer_legs & ~leg_local_b : transfer_legs);
  if (alone) {
    // Only the instruction tells where its vectors end. Without it the registers must hold this.
    Decoder::Stream& local = d_.stream(leg_local_b);
    bool begun = local.expander.count() != 0 || head_move_has_begun();
    r(begun);
    std::uint64_t end = begun ? local.size : 0;
    if (!local.expander.registers_up_to(r, end)) r(end);
  }
  if (r.loads()) forget_wires();
}

void SequencedDecoder::registers_of_instructions(Registers& r) {
  r.items(
      d_.queue_, [&](Decoded& d) { item_registers(r, d); },
      [&](Decoded& d) { shape_register(r, d); });
  if (r.loads()) forget_wires();
}

void SequencedDecoder::registers_but_moves(Registers& r, bool alone) {
  constexpr unsigned legs = all_legs & ~transfer_legs;
  registers_of_instructions(r);
  fork_registers(r, legs);
  r.items(d_.dataflow_queue_, [&](Dataflow& flow) {
    r(flow.kind);
    r(flow.size);
  });
  r.items(d_.accumulator_queue_, [&](AccumulatorItem& item) { item_registers(r, item); });
  r.items(d_.array_queue_,
          [&](ArrayControl& item) { item_of_array(r, item, d_.links_.weight_loads); });
  stream_registers(r, legs);
  r.count_of_burst(d_.timer_, d_.registers_.timeout);
  if (!alone) d_.account_.registers(r);  // otherwise the account depends on the transfers
  if (d_.links_.weight_loads != nullptr) {
    d_.links_.weight_loads->number(r, d_.loads_);
    r(d_.product_follows_);
  }
  if (r.loads()) forget_wires();
}

}  // namespace tactus
