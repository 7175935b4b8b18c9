#include "models/top/tcu/decoder/decoder.h"

#include <fmt/format.h>

#include "models/sim/events.h"

namespace tactus {
namespace {

constexpr std::uint64_t mask(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

constexpr std::uint64_t step_of(unsigned stride) {
  return stride >= 64 ? 0 : std::uint64_t{1} << stride;
}

}  // namespace

constexpr std::array<std::uint8_t, 512> Decoder::make_wait_states() {
  constexpr std::array<unsigned, 9> legs{leg_dram0,    leg_dram1,   leg_host,
                                         leg_array,    leg_dais,    leg_accumulator,
                                         leg_dataflow, leg_local_a, leg_local_b};
  std::array<std::uint8_t, 512> table{};
  for (unsigned missing = 1; missing < table.size(); ++missing) {
    unsigned first = 0;
    while ((missing & legs[first]) == 0) ++first;
    table[missing] = static_cast<std::uint8_t>(wait_dram0 + first);
  }
  return table;
}
const std::array<std::uint8_t, 512> Decoder::wait_states = make_wait_states();

Decoder::Decoder(const sc_core::sc_module_name& name, Clock& clock,
                 const tcu::Architecture& architecture, std::uint16_t reset_timeout,
                 const DecoderLinks& links)
    : sc_module(name),
      clock_(clock),
      architecture_(architecture),
      layout_(architecture),
      local_mask_(mask(layout_.local_address)),
      accumulator_mask_(mask(layout_.accumulator_address)),
      links_(links),
      local_a_expander_(architecture.local_depth),
      local_b_expander_(architecture.local_depth),
      dataflow_queue_(2 * architecture.array_size),
      accumulator_queue_(2 * architecture.array_size),
      accumulator_expander_(architecture.accumulator_depth),
      array_queue_(2 * architecture.array_size),
      array_expander_(architecture.local_depth),
      dais_queue_(2 * architecture.array_size),
      dais_expander_(architecture.local_depth),
      host_expander_(architecture.local_depth),
      dram_expander_{Expander{architecture.dram0_depth}, Expander{architecture.dram1_depth}},
      account_("decoder", clock, state_table, ended, contexts) {
  registers_.timeout = reset_timeout;
}

// ---- decode: once per instruction, when it enters the queue ------------------------------------

Decoder::Decoded Decoder::decode(const std::uint8_t* bytes) const {
  Decoded d;
  d.raw = tcu::decode(layout_, bytes);
  d.kind = tcu::kind_of(layout_, d.raw);
  d.context = (static_cast<unsigned>(d.kind) + 1) * static_cast<unsigned>(state_table.size());
  d.vectors = tcu::vector_count(architecture_, layout_, d.raw);
  switch (static_cast<tcu::Opcode>(d.raw.opcode)) {
    case tcu::Opcode::mat_mul:
      decode_mat_mul(d);
      break;
    case tcu::Opcode::data_move:
      decode_data_move(d);
      break;
    case tcu::Opcode::load_weights:
      decode_load_weights(d);
      break;
    case tcu::Opcode::simd:
      decode_simd(d);
      break;
    case tcu::Opcode::dais:
      if (d.kind == tcu::InstructionKind::dais) decode_dais(d);
      break;
    default:  // NoOp, Configure and undefined opcodes have no legs
      break;
  }
  return d;
}

void Decoder::set_local(Decoded& d, unsigned leg, bool write, std::uint64_t size) const {
  const tcu::Operand local = operand0_fields(layout_, d.raw);
  d.legs |= leg;
  d.local_write = write;
  d.local_base = local.address & mask(layout_.local_address);
  d.local_size = size & mask(layout_.local_address);
  d.local_step = step_of(local.stride);
}

void Decoder::set_accumulator(Decoded& d, bool read, bool accumulate) const {
  const tcu::Operand operand = operand1_fields(layout_, d.raw);
  const std::uint64_t address = operand.address & mask(layout_.accumulator_address);
  d.legs |= leg_accumulator;
  AccumulatorControl& c = d.accumulator.control;
  c.read = read;
  c.write = !read;
  c.accumulate = accumulate;
  c.read_address = c.write_address = address;
  d.accumulator.size = d.raw.operand2 & mask(layout_.accumulator_address);
  d.accumulator.step = step_of(operand.stride);
}

void Decoder::decode_mat_mul(Decoded& d) const {
  const bool zeroes = (d.raw.flags & tcu::mat_mul_zeroes) != 0;
  const std::uint64_t size = d.raw.operand2 & mask(layout_.local_address);
  d.dataflow = {
      zeroes ? DataflowKind::array_to_accumulator : DataflowKind::local_to_array_to_accumulator,
      size};
  d.array = {false, zeroes, size};
  d.legs = leg_dataflow | leg_array;
  set_accumulator(d, false, (d.raw.flags & tcu::mat_mul_accumulate) != 0);
  if (!zeroes) set_local(d, leg_local_a, false, size);
}

void Decoder::decode_load_weights(Decoded& d) const {
  const bool zeroes = (d.raw.flags & tcu::load_weights_zeroes) != 0;
  const std::uint64_t size = d.raw.operand1 & mask(layout_.local_address);
  d.array = {true, zeroes, size};
  d.legs = leg_array;
  if (zeroes) return;
  d.legs |= leg_dataflow;
  d.dataflow = {DataflowKind::local_to_array_weights, size};
  set_local(d, leg_local_a, false, size);
  d.local_reverse = true;
  d.local_base = (d.local_base + size * d.local_step) & mask(layout_.local_address);
}

void Decoder::decode_data_move(Decoded& d) const {
  const std::uint64_t size = d.raw.operand2 & mask(layout_.local_address);
  switch (static_cast<tcu::DataMoveKind>(d.raw.flags)) {
    case tcu::DataMoveKind::dram0_to_local:
    case tcu::DataMoveKind::local_to_dram0:
    case tcu::DataMoveKind::dram1_to_local:
    case tcu::DataMoveKind::local_to_dram1: {
      const bool to_dram = (d.raw.flags & 1) != 0;
      const unsigned port = d.raw.flags >> 1;
      const tcu::Operand operand = operand1_fields(layout_, d.raw);
      set_local(d, leg_local_b, !to_dram, size);
      d.host = {port, to_dram, size};
      d.dram = {{to_dram, operand.address & dram_mask(port), d.raw.operand2 & dram_mask(port)},
                operand.stride == 0 ? 0 : step_of(operand.stride)};
      d.legs |= leg_host | (dram_leg(port));
      break;
    }
    case tcu::DataMoveKind::accumulator_to_local:
      set_local(d, leg_local_a, true, size);
      set_accumulator(d, true, false);
      d.dataflow = {DataflowKind::accumulator_to_local, size};
      d.legs |= leg_dataflow;
      break;
    case tcu::DataMoveKind::local_to_accumulator:
    case tcu::DataMoveKind::local_to_accumulator_accumulate:
      set_local(d, leg_local_a, false, size);
      set_accumulator(d, false, (d.raw.flags & 2) != 0);
      d.dataflow = {DataflowKind::local_to_accumulator, size};
      d.legs |= leg_dataflow;
      break;
  }
}

void Decoder::decode_simd(Decoded& d) const {
  const tcu::SimdFields fields = simd_fields(layout_, d.raw);
  const std::uint64_t address_mask = mask(layout_.accumulator_address);
  const std::uint64_t address0 = operand0_fields(layout_, d.raw).address & address_mask;
  const std::uint64_t address1 = operand1_fields(layout_, d.raw).address & address_mask;
  AccumulatorControl& c = d.accumulator.control;
  c.alu = {fields.op, fields.left, fields.right, fields.dest};
  c.read = (d.raw.flags & tcu::simd_read) != 0;
  c.write = (d.raw.flags & tcu::simd_write) != 0;
  c.accumulate = (d.raw.flags & tcu::simd_accumulate) != 0;
  c.read_address = address1;
  // A write-only item without an operation goes through the path of plain moves, whose single
  // address is operand1 (hardware spec section 4.3).
  c.write_address = fields.op == tcu::SimdOp::no_op && !c.read && c.write ? address1 : address0;
  d.legs = leg_accumulator;
}

/// The instruction counts samples, the streams count vectors.
void Decoder::decode_dais(Decoded& d) const {
  const tcu::DaisFields fields = tcu::dais_fields(d.raw);
  const tcu::DaisBlockEntry& block = architecture_.dais_blocks[fields.block];
  const std::uint64_t samples = d.raw.operand2 + 1;
  const std::uint64_t local_mask = mask(layout_.local_address);
  const std::uint64_t inputs = samples * block.input_vectors(architecture_.array_size) - 1;
  const std::uint64_t results = samples * block.output_vectors(architecture_.array_size) - 1;
  d.dataflow = {DataflowKind::local_to_dais_to_accumulator, inputs & local_mask,
                results & local_mask};
  d.dais = {fields.block, inputs & local_mask};
  d.legs = leg_dataflow | leg_dais;
  set_accumulator(d, false, fields.accumulate);
  d.accumulator.size = results & mask(layout_.accumulator_address);
  set_local(d, leg_local_a, false, inputs);
}

// ---- drive: valids of all streams
// ----------------------------------------------------------------

void Decoder::drive() {
  const Decoded& head = queue_.front();
  links_.instruction.ready = queue_.can_enqueue();
  pending_legs_ = queue_.empty() ? 0 : head.legs & ~done_legs_;

  drive_local(links_.local_a, local_a_expander_, leg_local_a);
  drive_local(links_.local_b, local_b_expander_, leg_local_b);

  const unsigned active = pending_legs_ | queued_legs_;
  links_.dataflow.valid = (active & leg_dataflow) != 0;
  links_.dataflow.offer(dataflow_queue_.output(head.dataflow));
  links_.array.valid = (active & leg_array) != 0;
  if (links_.array.valid) links_.array.bits = array_queue_.output(head.array);
  links_.dais.valid = (active & leg_dais) != 0;
  if (links_.dais.valid) links_.dais.bits = dais_queue_.output(head.dais);
  links_.accumulator.valid = (active & leg_accumulator) != 0;
  if (links_.accumulator.valid) {
    links_.accumulator.bits = accumulator_item().control;
    show_accumulator_addresses();
  }
  links_.host.valid = (active & leg_host) != 0;
  if (links_.host.valid) links_.host.offer(host_queue_.output(head.host));
  for (unsigned port = 0; port < 2; ++port) {
    links_.dram[port]->valid = (active & dram_leg(port)) != 0;
    if (links_.dram[port]->valid) drive_dram(port);
  }
}

MemoryRequest Decoder::local_request(const Expander& expander) const {
  const Decoded& head = queue_.front();
  const std::uint64_t address = head.local_reverse ? head.local_base - expander.offset()
                                                   : head.local_base + expander.offset();
  return {head.local_write, address & local_mask_};
}

void Decoder::drive_local(MemoryPort& port, const Expander& expander, unsigned leg) {
  const Decoded& head = queue_.front();
  if ((head.legs & leg) == 0) {  // a port the head does not use shows zeroes, which is a read
    port.request.valid = false;
    port.request.offer({});
    return;
  }
  port.request.valid = leg_valid(leg);
  port.request.offer(local_request(expander));
}

void Decoder::show_accumulator_addresses() {
  const AccumulatorControl& control = accumulator_item().control;
  const std::uint64_t offset = accumulator_expander_.offset();
  links_.accumulator.bits.read_address = (control.read_address + offset) & accumulator_mask_;
  links_.accumulator.bits.write_address = (control.write_address + offset) & accumulator_mask_;
}

void Decoder::drive_dram(unsigned port) {
  Link<DramRequest>& link = *links_.dram[port];
  const DramItem& item = dram_item(port);
  link.bits = item.request;
  if (item.step == 0) return;
  link.bits.address = (link.bits.address + dram_expander_[port].offset()) & dram_mask(port);
  link.bits.size = 0;
}

/// The timer counts in any case.
bool Decoder::moves() {
  const auto bit = [](const auto& link, unsigned leg) { return link.fires() ? leg : 0U; };
  moving_ = bit(links_.local_a.request, leg_local_a) | bit(links_.local_b.request, leg_local_b) |
            bit(links_.array, leg_array) | bit(links_.dais, leg_dais) |
            bit(links_.accumulator, leg_accumulator) | bit(links_.host, leg_host) |
            bit(*links_.dram[0], leg_dram0) | bit(*links_.dram[1], leg_dram1);
  return true;
}

/// The streams that move show their next address. The last output of an item is a decision.
bool Decoder::redrive() {
  if (moving_ == 0) return true;
  const auto moves = [this](unsigned leg) { return (moving_ & leg) != 0; };
  const Decoded& head = queue_.front();
  if (moves(leg_local_a)) {
    if (local_a_expander_.last(head.local_size)) return false;
    links_.local_a.request.bits = local_request(local_a_expander_);
  }
  if (moves(leg_local_b)) {
    if (local_b_expander_.last(head.local_size)) return false;
    links_.local_b.request.bits = local_request(local_b_expander_);
  }
  if (moves(leg_array) && array_expander_.last(links_.array.bits.size)) return false;
  if (moves(leg_dais) && dais_expander_.last(links_.dais.bits.size)) return false;
  if (moves(leg_accumulator)) {
    if (accumulator_expander_.last(accumulator_item().size)) return false;
    show_accumulator_addresses();
  }
  if (!moves(leg_host | leg_dram0 | leg_dram1)) return true;
  if (moves(leg_host) && host_expander_.last(links_.host.bits.size)) return false;
  for (unsigned port = 0; port < 2; ++port) {
    if (!moves(dram_leg(port))) continue;
    if (dram_expander_[port].last(dram_item(port).request.size)) return false;
    drive_dram(port);
  }
  return true;
}

// ---- commit ------------------------------------------------------------------------------------

/// Those of `legs`, legs of the head, that their consumers would take in this cycle, whether or not
/// they are valid: the forks' `all`, and with it the timeout, looks at the stale head of an empty
/// queue too.
unsigned Decoder::ready_legs(unsigned legs) const {
  const Decoded& head = queue_.front();
  unsigned ready = 0;
  const auto add = [&](unsigned leg, auto&& takes) {
    if ((legs & leg) != 0 && takes()) ready |= leg;
  };
  // A queue whose expander is in the middle of an item gives nothing away.
  const auto expanded = [](const auto& queue, const Expander& expander, bool output_ready,
                           std::uint64_t size) {
    return queue.can_enqueue(output_ready && expander.last(size));
  };
  add(leg_dataflow, [&] { return dataflow_queue_.can_enqueue(links_.dataflow.ready); });
  add(leg_local_a,
      [&] { return links_.local_a.request.ready && local_a_expander_.last(head.local_size); });
  add(leg_local_b,
      [&] { return links_.local_b.request.ready && local_b_expander_.last(head.local_size); });
  add(leg_accumulator, [&] {
    return expanded(accumulator_queue_, accumulator_expander_, links_.accumulator.ready,
                    accumulator_queue_.front().size);
  });
  add(leg_array, [&] {
    return expanded(array_queue_, array_expander_, links_.array.ready, array_queue_.front().size);
  });
  add(leg_host, [&] {
    return expanded(host_queue_, host_expander_, links_.host.ready, host_queue_.front().size);
  });
  add(leg_dais, [&] {
    return expanded(dais_queue_, dais_expander_, links_.dais.ready, dais_queue_.front().size);
  });
  for (unsigned port = 0; port < 2; ++port) {
    add(dram_leg(port), [&] {
      const DramItem& item = dram_queue_[port].front();
      return expanded(dram_queue_[port], dram_expander_[port], links_.dram[port]->ready,
                      item.step == 0 ? 0 : item.request.size);
    });
  }
  return ready;
}

/// One cycle has one state: progress at the head, or else the first of its legs, in the order of
/// the enumeration, that nobody takes. Local memory comes last because its requests wait for the
/// other legs' data.
unsigned Decoder::state_code(unsigned ready, bool head_ready) const {
  if (queue_.empty()) return clock_.stream_ended ? ended : starved;
  const Decoded& head = queue_.front();
  const unsigned missing = head.legs & ~(ready | done_legs_);
  const bool moves = head_ready || links_.local_a.request.fires() || links_.local_b.request.fires();
  return head.context + (moves ? unsigned{busy} : wait_states[missing]);
}

void Decoder::commit() {
  if (timeout() && clock_.events != nullptr) clock_.events->event({EventKind::timeout});

  const Decoded& head = queue_.front();
  const unsigned open = head.legs & ~done_legs_;
  const unsigned ready = ready_legs(open);
  const bool head_ready = open == ready;
  account_.enter(state_code(ready, head_ready));
  if ((pending_legs_ | queued_legs_) != 0) commit_streams(ready);
  const unsigned done = head_ready ? 0 : done_legs_ | (pending_legs_ & ready);
  if (done != done_legs_) ++clock_.turns;
  done_legs_ = done;
  count_time(head_ready);
  if (head_ready && !queue_.empty()) retire();

  const bool accept = links_.instruction.fires();
  if (accept) {
    ++clock_.progress;
    if (clock_.events != nullptr) {
      Event event{EventKind::instruction_accepted};
      event.data = links_.instruction.bits;
      clock_.events->event(event);
    }
    queue_.commit(true, decode(links_.instruction.bits), head_ready);
    ++clock_.turns;
  } else if (head_ready) {
    clock_.turns += queue_.commit(false, head, true) ? 1 : 0;
  }
}

/// The timer counts cycles without progress at the head and stops at the timeout.
void Decoder::count_time(bool head_ready) {
  head_ready_ = head_ready;
  if (head_ready) {
    timer_ = 0;
  } else if (timer_ < registers_.timeout) {
    ++timer_;
  }
}

/// No item ends and none begins: expanders and the timer count.
void Decoder::repeat() {
  if (timeout() && clock_.events != nullptr) clock_.events->event({EventKind::timeout});
  count_time(head_ready_);
  const auto moves = [this](unsigned leg) { return (moving_ & leg) != 0; };
  if (moving_ == 0) return;
  ++clock_.progress;
  const Decoded& head = queue_.front();
  if (moves(leg_local_a)) local_a_expander_.advance_within(head.local_step);
  if (moves(leg_local_b)) local_b_expander_.advance_within(head.local_step);
  if (moves(leg_array)) array_expander_.advance_within();
  if (moves(leg_dais)) dais_expander_.advance_within();
  if (moves(leg_accumulator)) accumulator_expander_.advance_within(accumulator_item().step);
  if (!moves(leg_host | leg_dram0 | leg_dram1)) return;
  if (moves(leg_host)) host_expander_.advance_within();
  for (unsigned port = 0; port < 2; ++port) {
    if (moves(dram_leg(port))) dram_expander_[port].advance_within(dram_item(port).step);
  }
}

Cycle Decoder::steady(Cycle most) const {
  const auto limit = [&](unsigned leg, const Expander& expander, std::uint64_t size,
                         std::uint64_t step) {
    if ((moving_ & leg) != 0) most = std::min(most, expander.before_last(size, step));
  };
  const Decoded& head = queue_.front();
  limit(leg_local_a, local_a_expander_, head.local_size, head.local_step);
  limit(leg_local_b, local_b_expander_, head.local_size, head.local_step);
  limit(leg_array, array_expander_, links_.array.bits.size, 0);
  limit(leg_dais, dais_expander_, links_.dais.bits.size, 0);
  limit(leg_host, host_expander_, links_.host.bits.size, 0);
  limit(leg_accumulator, accumulator_expander_, accumulator_item().size, accumulator_item().step);
  for (unsigned port = 0; port < 2; ++port) {
    const DramItem& item = dram_item(port);
    limit(dram_leg(port), dram_expander_[port], item.request.size, item.step);
  }
  return most;
}

std::uint64_t Decoder::dram_mask(unsigned port) const {
  return mask(port == 0 ? layout_.dram0_address : layout_.dram1_address);
}

/// The wires still show the items of the cycle before.
bool Decoder::offer_run(Cycle cycles) {
  if (!redrive()) return false;
  const auto fill = [cycles](auto& run, auto& link, auto&& step) {
    run.resize(cycles);
    auto item = link.bits;
    for (Cycle i = 0; i < cycles; ++i) {
      run[i] = item;
      step(item);
    }
    link.run = run.data();
  };
  const auto moves = [this](unsigned leg) { return (moving_ & leg) != 0; };
  const Decoded& head = queue_.front();
  const std::uint64_t local_step = head.local_reverse ? ~head.local_step + 1 : head.local_step;
  const auto next_local = [&](MemoryRequest& r) {
    r.address = (r.address + local_step) & local_mask_;
  };
  // The head uses one of the two.
  if (moves(leg_local_a)) fill(local_run_, links_.local_a.request, next_local);
  if (moves(leg_local_b)) fill(local_run_, links_.local_b.request, next_local);
  if (moves(leg_accumulator)) {
    const std::uint64_t step = accumulator_item().step;
    fill(accumulator_run_, links_.accumulator, [&](AccumulatorControl& c) {
      c.read_address = (c.read_address + step) & accumulator_mask_;
      c.write_address = (c.write_address + step) & accumulator_mask_;
    });
  }
  for (unsigned port = 0; port < 2; ++port) {
    if (!moves(dram_leg(port))) continue;
    const std::uint64_t step = dram_item(port).step;
    const std::uint64_t address_mask = dram_mask(port);
    fill(dram_run_, *links_.dram[port],
         [&](DramRequest& r) { r.address = (r.address + step) & address_mask; });
  }
  return true;
}

void Decoder::run(Cycle cycles) {
  if (head_ready_) {
    timer_ = 0;
  } else if (timer_ < registers_.timeout) {
    const Cycle left = registers_.timeout - timer_;
    timer_ = static_cast<std::uint16_t>(timer_ + std::min(cycles, left));
  }
  if (moving_ == 0) return;
  ++clock_.progress;
  const auto advance = [&](unsigned leg, Expander& expander, std::uint64_t step = 0) {
    if ((moving_ & leg) != 0) expander.advance_by(cycles, step);
  };
  const Decoded& head = queue_.front();
  advance(leg_local_a, local_a_expander_, head.local_step);
  advance(leg_local_b, local_b_expander_, head.local_step);
  advance(leg_array, array_expander_);
  advance(leg_dais, dais_expander_);
  advance(leg_host, host_expander_);
  advance(leg_accumulator, accumulator_expander_, accumulator_item().step);
  for (unsigned port = 0; port < 2; ++port) {
    advance(dram_leg(port), dram_expander_[port], dram_item(port).step);
  }
}

void Decoder::commit_streams(unsigned ready) {
  const Decoded& head = queue_.front();
  const auto leg_fires = [&](unsigned leg) { return (pending_legs_ & ready & leg) != 0; };
  const auto commit_local = [&](const MemoryPort& port, Expander& expander) {
    if (!port.request.fires()) return;
    ++clock_.progress;
    if (expander.last(head.local_size)) ++clock_.turns;
    expander.advance(head.local_size, head.local_step);
  };
  commit_local(links_.local_a, local_a_expander_);
  commit_local(links_.local_b, local_b_expander_);
  const auto note = [this](const auto& queue, unsigned leg) {
    queued_legs_ = queue.empty() ? queued_legs_ & ~leg : queued_legs_ | leg;
  };

  if (links_.dataflow.valid) {
    clock_.turns +=
        dataflow_queue_.commit(leg_fires(leg_dataflow), head.dataflow, links_.dataflow.ready) ? 1
                                                                                              : 0;
    clock_.progress += links_.dataflow.ready ? 1 : 0;
    note(dataflow_queue_, leg_dataflow);
  }
  // Streams behind an expander: the queue gives its entry away with the expander's last output.
  const auto commit_expanded = [&](auto& link, auto& queue, Expander& expander, unsigned leg,
                                   const auto& item, std::uint64_t step) {
    if (!link.valid) return;
    const std::uint64_t size = queue.output(item).size;
    const bool taken = link.ready && expander.last(size);
    if (link.ready) {
      ++clock_.progress;
      expander.advance(size, step);
    }
    const bool turn = queue.commit(leg_fires(leg), item, taken);
    if (turn || taken) ++clock_.turns;
    note(queue, leg);
  };
  commit_expanded(links_.accumulator, accumulator_queue_, accumulator_expander_, leg_accumulator,
                  head.accumulator, accumulator_item().step);
  commit_expanded(links_.array, array_queue_, array_expander_, leg_array, head.array, 0);
  commit_expanded(links_.dais, dais_queue_, dais_expander_, leg_dais, head.dais, 0);
  commit_expanded(links_.host, host_queue_, host_expander_, leg_host, head.host, 0);
  for (unsigned port = 0; port < 2; ++port) {
    if (!links_.dram[port]->valid) continue;
    commit_dram(port, ready);
    note(dram_queue_[port], dram_leg(port));
  }
}

void Decoder::commit_dram(unsigned port, unsigned ready) {
  const Link<DramRequest>& link = *links_.dram[port];
  const DramItem& out = dram_item(port);
  const std::uint64_t size = out.step == 0 ? 0 : out.request.size;
  const bool taken = link.ready && dram_expander_[port].last(size);
  if (link.ready) {
    ++clock_.progress;
    dram_expander_[port].advance(size, out.step);
  }
  const unsigned leg = dram_leg(port);
  const bool fires = (pending_legs_ & ready & leg) != 0;
  const bool turn = dram_queue_[port].commit(fires, queue_.front().dram, taken);
  if (turn || taken) ++clock_.turns;
}

void Decoder::retire() {
  const tcu::Instruction& raw = queue_.front().raw;
  const std::uint32_t counter = registers_.program_counter;
  ++clock_.progress;
  ++clock_.turns;
  ++stats_.retired;
  ++stats_.retired_by_opcode[raw.opcode];
  const auto kind = static_cast<std::size_t>(queue_.front().kind);
  if (queue_.front().kind == tcu::InstructionKind::dais) {
    ++stats_.retired_by_dais_block[tcu::dais_fields(raw).block];
  }
  ++stats_.retired_by_kind[kind];
  stats_.vectors_by_kind[kind] += queue_.front().vectors;
  stats_.last_retire = clock_.now;
  if (on_retire) on_retire(clock_.now, counter);
  if (clock_.events != nullptr) {
    clock_.events->event({EventKind::retired, 0, raw.opcode, raw.flags, counter, nullptr});
  }
  registers_.program_counter = counter + 1;
  if (static_cast<tcu::Opcode>(raw.opcode) == tcu::Opcode::configure) {
    configure(configure_fields(layout_, raw));
  }
}

void Decoder::configure(const tcu::ConfigureFields& fields) {
  switch (static_cast<tcu::ConfigRegister>(fields.register_number)) {
    case tcu::ConfigRegister::dram0_offset:
    case tcu::ConfigRegister::dram1_offset:
      registers_.dram_offset[fields.register_number >> 2] = fields.value << 16;
      break;
    case tcu::ConfigRegister::dram0_cache:
    case tcu::ConfigRegister::dram1_cache:
      registers_.dram_cache[fields.register_number >> 2] = fields.value & 0xF;
      break;
    case tcu::ConfigRegister::timeout:
      registers_.timeout = static_cast<std::uint16_t>(fields.value);
      break;
    case tcu::ConfigRegister::tracepoint:
      registers_.tracepoint = fields.value;
      break;
    case tcu::ConfigRegister::program_counter:
      registers_.program_counter = fields.value;
      break;
    case tcu::ConfigRegister::sample_interval:
      registers_.sample_interval = static_cast<std::uint16_t>(fields.value);
      break;
  }
}

bool Decoder::idle() const {
  return queue_.empty() && dataflow_queue_.empty() && accumulator_queue_.empty() &&
         array_queue_.empty() && dais_queue_.empty() && host_queue_.empty() &&
         dram_queue_[0].empty() && dram_queue_[1].empty();
}

std::string Decoder::waits_for() const {
  if (queue_.empty()) return "queued requests to be taken by their units";
  static constexpr std::array<const char*, 9> names{"local router",
                                                    "local memory port A",
                                                    "local memory port B",
                                                    "accumulator stream",
                                                    "array stream",
                                                    "DRAM0",
                                                    "DRAM1",
                                                    "host router",
                                                    "DAIS stream"};
  const Decoded& head = queue_.front();
  const unsigned open = head.legs & ~done_legs_;
  const unsigned ready = ready_legs(open);
  std::string text = fmt::format("instruction {} (opcode 0x{:x}, flags 0x{:x}) waits for",
                                 registers_.program_counter, head.raw.opcode, head.raw.flags);
  const char* separator = " ";
  for (unsigned i = 0; i < names.size(); ++i) {
    if ((open & ~ready & (1U << i)) == 0) continue;
    text += separator;
    text += names[i];
    separator = ", ";
  }
  return text;
}

}  // namespace tactus
