// The decoder's registers and the shapes of instructions; see models/sim/fast/registers.h.
#include <algorithm>
#include <utility>

#include "models/axi/axi_registers.h"
#include "models/tcu/accumulators/alu_array.h"
#include "models/tcu/decoder/transfers.h"
#include "models/tcu/fast/item_registers.h"

namespace tactus {

std::uint32_t Decoder::add_shape(const tcu::Instruction& instruction, bool meets,
                                 const LocalOrder& order) {
  Shape& shape = shapes_->shapes.emplace_back();
  Decoded& d = shape.item;
  shape.meets = meets;
  decode(instruction, d);
  d.local_base = 0;
  d.order = order;
  d.is_sent = false;
  // The timing depends on two facts only: whether the operation takes an input, and whether it is a
  // lookup.
  if (d.kind == tcu::InstructionKind::simd) {
    AluOperation& alu = d.accumulator.control.alu;
    const unsigned source = AluArray::needs_input(alu) ? 0 : 1;
    const tcu::SimdOp other = source == 0 ? tcu::SimdOp::move : tcu::SimdOp::zero;
    alu = {alu.op == tcu::SimdOp::lookup ? alu.op : other, source, source, 0};
  }
  // With a step of 1, no two consecutive addresses of the accumulators are equal.
  if (d.accumulator.step != 0) d.accumulator.step = 1;
  d.accumulator.form = form_of(d.accumulator);
  return d.shape = static_cast<std::uint32_t>(shapes_->shapes.size() - 1);
}

/// The slots of the decoder's queue get shape 0.
void Decoder::reset(std::uint16_t timeout) {
  registers_ = {};
  registers_.timeout = timeout;
  timer_ = 0;
  own_shapes_ = {};
  use_shapes(nullptr);
  (void)add_shape({}, false, {});
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) queue_.entry(i).shape = 0;
  loads_ = 0;
  product_follows_ = false;
  last_access_ = 0;
}

void Decoder::use_shapes(Shapes* shapes) { shapes_ = shapes != nullptr ? shapes : &own_shapes_; }

std::uint32_t Decoder::form_of(AccumulatorItem item) {
  item.control.alu.dest = 0;
  // The number of the table does not affect the timing
  item.control.table = item.control.table == 0 ? 0 : 1;
  item.control.read_address = item.control.write_address = 0;
  std::vector<AccumulatorItem>& forms = shapes_->forms;
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const AccumulatorItem& form) {
    return form.control == item.control && form.size == item.size && form.step == item.step;
  });
  item.form = static_cast<std::uint32_t>(found - forms.begin());
  if (found == forms.end()) forms.push_back(item);
  return item.form;
}

void Decoder::enter_shape(std::uint32_t shape, Decoded& d) {
  const Shape& known = shapes_->shapes[shape];
  d = known.item;
  AccumulatorControl& c = d.accumulator.control;
  if ((d.legs & leg_accumulator) == 0 || (!c.read && !c.write)) return;
  const std::uint64_t first = (last_access_ + (known.meets ? 0 : 1)) & accumulator_mask_;
  c.read_address = c.write_address = first;
  last_access_ = first;
  if (c.read && c.write) {
    last_access_ = c.write_address = (first + 1) & accumulator_mask_;
  } else if (d.accumulator.step != 0) {
    // A move or a product uses one address; the other one stays 0.
    (c.write ? c.read_address : c.write_address) = 0;
    last_access_ = (first + d.accumulator.size) & accumulator_mask_;
  }
}

/// Calls fill(i, entry) for both entries of the decoder's queue. The numbers of LoadWeights, which
/// do not follow from the program, are kept.
template <typename Fill>
void Decoder::adopt(const Fill& fill) {
  const std::size_t count = queue_.count();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    Decoded& d = queue_.entry((count + i) % 2);
    const Decoded before = d;
    fill(i, d);
    d.weights.number = before.weights.number;
    d.weights.after_product = before.weights.after_product;
    d.array.loads = before.array.loads;
  }
}

void Decoder::adopt_shapes(const std::array<std::uint32_t, 2>& shapes) {
  adopt([&](std::size_t i, Decoded& d) { enter_shape(shapes[i], d); });
}

void Decoder::adopt_instructions(const std::array<tcu::Instruction, 2>& instructions) {
  adopt([&](std::size_t i, Decoded& d) { decode(instructions[i], d); });
}

std::array<tcu::Instruction, 2> Decoder::last_entered() {
  const std::size_t count = queue_.count();
  return {queue_.entry(count % 2).raw, queue_.entry((count + 1) % 2).raw};
}

bool Decoder::rests(unsigned legs) const {
  if (((queued_legs_ | fork_.done()) & legs) != 0) return false;
  for (const Stream& stream : streams_) {
    if ((1U << stream.index & legs) != 0 && stream.expander.count() != 0) return false;
  }
  if (transfers_ && (!transfers_->empty() || transfer_fork_.done() != 0)) return false;
  // A LoadWeights whose weights were sent ahead has begun although it still waits.
  const auto was_sent = [](const Decoded& d) {
    return d.kind == tcu::InstructionKind::load_weights && d.is_sent;
  };
  return links_.weight_loads == nullptr || queue_.empty() ||
         !(was_sent(queue_.front()) || was_sent(queue_.newest()));
}

void Decoder::drop_head() {
  queue_.commit_entered(false, true);
  fresh_legs_ |= leg_dataflow | local_legs;
  turned_ = true;
}

bool Decoder::head_move_has_begun() const {
  return (fork_.done() & leg_host) != 0 && (fork_.done() & (leg_dram0 | leg_dram1)) != 0;
}

void Decoder::item_registers(Registers& r, AccumulatorItem& item) {
  r(item.form);
  if (r.loads()) item = shapes_->forms[item.form];
  address_registers(r, item.control, accumulator_mask_);
}

void Decoder::shape_register(Registers& r, Decoded& d) {
  std::uint32_t shape = d.shape;
  r(shape);
  if (r.loads()) d = shapes_->shapes[shape].item;
}

void Decoder::item_registers(Registers& r, Decoded& d) {
  shape_register(r, d);
  if ((d.legs & leg_accumulator) != 0) {
    address_registers(r, d.accumulator.control, accumulator_mask_);
  }
  if (links_.weight_loads != nullptr) number_registers(r, d);
}

void Decoder::number_registers(Registers& r, Decoded& d) const {
  if (d.kind != tcu::InstructionKind::load_weights) {
    links_.weight_loads->number(r, d.array.loads);
    return;
  }
  links_.weight_loads->number(r, d.weights.number);
  r(d.weights.after_product);
  r(d.is_sent);
}

/// Saves or loads the queue for transfers.
void Decoder::transfer_registers(Registers& r) {
  Transfers& queue = *transfers_;
  r(queue.count);
  if (r.loads()) queue.first = 0;
  for (std::size_t i = 0; i < queue.count; ++i) {
    Decoded& d = queue.at(i);
    r(d.shape);
    if (!r.loads()) continue;
    d = shapes_->shapes[d.shape].item;
    d.legs = d.moves;
  }
  oldest_ = &queue.at(0);
  transfer_fork_.registers(r);
  queue.account.registers(r);
}

/// Items with a stride have one vector per burst. `offset` leads from the item's first vector to
/// its next one.
void Decoder::item_registers(Registers& r, DramItem& item, std::uint64_t offset) {
  r(item.request.write);
  r(item.request.size);
  PlaceInPage place = place_in_page(item.request.address + offset, item.step, item.request.size,
                                    architecture_.vector_bytes());
  r(place.address);
  r(place.step);
  if (!r.loads()) return;
  item.request.address = place.address;
  item.step = place.step;
}

void Decoder::leg_registers(Registers& r, unsigned& legs, unsigned of) {
  unsigned part = legs & of;
  r(part);
  if (r.loads()) legs = (legs & ~of) | part;
}

void Decoder::fork_registers(Registers& r, unsigned of) {
  unsigned done = fork_.done();
  leg_registers(r, done, of);
  if (r.loads()) fork_.move(done);
  leg_registers(r, queued_legs_, of);
  leg_registers(r, full_legs_, of);
  // The legs at their last output follow from the items that the coming cycle shows.
}

void Decoder::stream_registers(Registers& r, unsigned of) {
  for_each(of, [&](std::size_t i) {
    Stream& stream = streams_[i];
    stream.expander.registers(r, stream.size, 1U << i == leg_accumulator ? 1 : 0);
  });
}

/// Lets the wires follow from the loaded registers.
void Decoder::forget_wires() {
  turned_ = true;
  fresh_legs_ = all_legs;
  shown_legs_ = moving_ = resumed_legs_ = 0;
  for (const Stream& stream : streams_) {
    if (stream.expander.count() != 0) resumed_legs_ |= 1U << stream.index;
  }
}

void Decoder::registers_of_moves(Registers& r, bool alone) {
  if (transfers_) transfer_registers(r);
  fork_registers(r, transfer_legs);
  r.items(host_queue_, [&](HostDataflow& item) {
    r(item.dram);
    r(item.to_dram);
    r(item.size);
  });
  for (const unsigned port : {0U, 1U}) {
    std::uint64_t offset = stream(dram_leg(port)).expander.offset();
    r.items(dram_queue_[port],
            [&](DramItem& item) { item_registers(r, item, std::exchange(offset, 0)); });
  }
  stream_registers(r, alone ? transfer_legs & ~leg_local_b : transfer_legs);
  if (alone) {
    // Only the instruction tells where its vectors end. Without it the registers must hold this.
    Stream& local = stream(leg_local_b);
    bool begun = local.expander.count() != 0 || head_move_has_begun();
    r(begun);
    std::uint64_t end = begun ? local.size : 0;
    if (!local.expander.registers_up_to(r, end)) r(end);
  }
  if (r.loads()) forget_wires();
}

void Decoder::registers_of_instructions(Registers& r) {
  r.items(
      queue_, [&](Decoded& d) { item_registers(r, d); }, [&](Decoded& d) { shape_register(r, d); });
  if (r.loads()) forget_wires();
}

void Decoder::registers_but_moves(Registers& r, bool alone) {
  constexpr unsigned legs = all_legs & ~transfer_legs;
  registers_of_instructions(r);
  fork_registers(r, legs);
  r.items(dataflow_queue_, [&](Dataflow& flow) {
    r(flow.kind);
    r(flow.size);
  });
  r.items(accumulator_queue_, [&](AccumulatorItem& item) { item_registers(r, item); });
  r.items(array_queue_, [&](ArrayControl& item) { item_of_array(r, item, links_.weight_loads); });
  stream_registers(r, legs);
  r.count_of_burst(timer_, registers_.timeout);
  if (!alone) account_.registers(r);  // otherwise the account depends on the transfers
  if (links_.weight_loads != nullptr) {
    links_.weight_loads->number(r, loads_);
    r(product_follows_);
  }
  if (r.loads()) forget_wires();
}

}  // namespace tactus
