#include "models/tcu/decoder/decoder.h"

#include <fmt/format.h>

#include "isa/tcu/disassembler.h"
#include "models/tcu/decoder/transfers.h"
#include "models/tcu/events.h"

namespace tactus {

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
      local_mask_(mask_of(layout_.local_address)),
      accumulator_mask_(mask_of(layout_.accumulator_address)),
      dram_mask_{mask_of(layout_.dram0_address), mask_of(layout_.dram1_address)},
      links_(links),
      decoding_(architecture, links.weight_loads != nullptr),
      shapes_(decoding_, accumulator_mask_),
      streams_(make_streams(architecture, links)),
      dataflow_queue_(2 * architecture.array_size),
      accumulator_queue_(2 * architecture.array_size),
      array_queue_(2 * architecture.array_size),
      dais_queue_(2 * architecture.array_size),
      account_("decoder", clock, state_table, ended, contexts) {
  registers_.timeout = reset_timeout;
  BesideHead(*this).make_queue();
}

/// Makes the streams of all legs. A dataflow item is one output.
std::array<Decoder::Stream, Decoder::leg_count> Decoder::make_streams(
    const tcu::Architecture& architecture, const DecoderLinks& links) {
  const auto stream = [](unsigned index, auto& link, std::uint64_t depth) {
    return Stream{index, &link.valid, &link.ready, Expander{depth}};
  };
  const std::uint64_t local = architecture.local_depth;
  return {stream(0, links.dataflow, 1),
          stream(1, links.local_a.request, local),
          stream(2, links.local_b.request, local),
          stream(3, links.accumulator, architecture.accumulator_depth),
          stream(4, links.array, local),
          stream(5, *links.dram[0], architecture.dram0_depth),
          stream(6, *links.dram[1], architecture.dram1_depth),
          stream(7, links.host, local),
          stream(8, links.dais, local)};
}

// ---- drive: valids, and items where they are others than before --------------------------------

void Decoder::drive() {
  links_.instruction.ready = queue_.can_enqueue();
  show();
  for (unsigned i = 0; i < leg_count; ++i) *streams_[i].valid = (shown_legs_ >> i & 1) != 0;
}

/// Shows addresses and items at the outputs.
void Decoder::show() {
  if (moving_ != 0) show_addresses(moving_);
  if (links_.weight_loads != nullptr) {
    // The array moves the weight loads on, so the head may continue although the decoder has not
    // changed.
    turned_ |= loads_were_queued_;
    loads_were_queued_ = !links_.weight_loads->empty();
  }
  if (!std::exchange(turned_, false)) return;
  if (has_blocks() || holds_moves_) {
    BesideHead(*this).offer_head();
  } else {
    fork_.offer(!queue_.empty(), queue_.front().legs);
  }
  const unsigned active = fork_.pending() | transfer_fork_.pending() | queued_legs_;
  fresh_legs_ |= active & ~shown_legs_;
  shown_legs_ = active;
  show_items(fresh_legs_);
  fresh_legs_ = 0;
  // Streams that were loaded in the middle of an item are shown as if they had moved before.
  if (resumed_legs_ != 0) show_addresses(std::exchange(resumed_legs_, 0) & active);
}

/// Shows the items at the outputs: those of the queue or, if it is empty, that of the head. Items
/// for the local router and local memory are on their wires whether or not they are valid.
void Decoder::show_items(unsigned legs) {
  const Decoded& head = queue_.front();
  if ((legs & leg_dataflow) != 0) {
    links_.dataflow.bits = dataflow_queue_.output(head.dataflow);
    links_.dataflow.valid.wake();
  }
  if ((legs & leg_local_a) != 0) show_local(links_.local_a, leg_local_a);
  if ((legs & leg_local_b) != 0) show_local(links_.local_b, leg_local_b);
  legs &= shown_legs_;
  if ((legs & leg_array) != 0) {
    links_.array.bits = array_queue_.output(head.array);
    begin(leg_array, links_.array.bits.size);
  }
  if ((legs & leg_accumulator) != 0) {
    const AccumulatorItem& item = accumulator_queue_.output(head.accumulator);
    links_.accumulator.bits = item.control;
    begin(leg_accumulator, item.size, item.step);
  }
  if ((legs & (leg_dais | leg_host | leg_dram0 | leg_dram1)) == 0) return;
  if ((legs & leg_dais) != 0) {
    links_.dais.bits = dais_queue_.output(head.dais);
    begin(leg_dais, links_.dais.bits.size);
  }
  if ((legs & leg_host) != 0) {
    links_.host.bits = host_queue_.output(mover().host);
    begin(leg_host, links_.host.bits.size);
  }
  if ((legs & leg_dram0) != 0) show_dram(0);
  if ((legs & leg_dram1) != 0) show_dram(1);
}

/// Notes the size and stride of the item that a stream works on.
void Decoder::begin(Leg leg, std::uint64_t size, std::uint64_t step) {
  Stream& s = stream(leg);
  s.size = size;
  s.step = step;
  note_count(s);
}

/// Shows the head's request at a port. A port that the head does not use shows zeroes, which means
/// a read.
void Decoder::show_local(MemoryPort& port, Leg leg) {
  port.request.valid.wake();
  const Decoded& item = leg == leg_local_b ? mover() : queue_.front();
  if ((item.legs & leg) == 0) {
    port.request.bits = {};
    return;
  }
  begin(leg, item.local_size, item.local_step);
  port.request.bits = {item.local_write, local_address(item, stream(leg).expander)};
}

void Decoder::show_dram(unsigned port) {
  const DramItem& item = dram_queue_[port].output(mover().dram);
  Link<DramRequest>& link = *links_.dram[port];
  link.bits = item.request;
  begin(dram_leg(port), item.step == 0 ? 0 : item.request.size, item.step);
  if (item.step != 0) link.bits.size = 0;
}

std::uint64_t Decoder::local_address(const Decoded& item, const Expander& expander) const {
  return (item.local_reverse ? item.local_base - expander.offset()
                             : item.local_base + expander.offset()) &
         local_mask_;
}

/// Shows the addresses of streams in the middle of an item.
void Decoder::show_addresses(unsigned legs) {
  if ((legs & leg_local_a) != 0) {
    links_.local_a.request.bits.address =
        local_address(queue_.front(), stream(leg_local_a).expander);
  }
  if ((legs & leg_local_b) != 0) {
    links_.local_b.request.bits.address = local_address(mover(), stream(leg_local_b).expander);
  }
  if ((legs & leg_accumulator) != 0) {
    // An item of several vectors reads or writes; the other address stays 0.
    const AccumulatorControl& base = accumulator_queue_.output(queue_.front().accumulator).control;
    const auto address =
        base.write ? &AccumulatorControl::write_address : &AccumulatorControl::read_address;
    const std::uint64_t offset = stream(leg_accumulator).expander.offset();
    links_.accumulator.bits.*address = (base.*address + offset) & accumulator_mask_;
  }
  if ((legs & (leg_dram0 | leg_dram1)) == 0) return;
  for (unsigned port = 0; port < 2; ++port) {
    if ((legs & dram_leg(port)) == 0) continue;
    const DramItem& item = dram_queue_[port].output(mover().dram);
    const std::uint64_t offset = stream(dram_leg(port)).expander.offset();
    links_.dram[port]->bits.address = (item.request.address + offset) & dram_mask_[port];
  }
}

// ---- commit ------------------------------------------------------------------------------------

unsigned Decoder::taken(unsigned legs) const {
  unsigned taken = 0;
  for_each(legs, [&](std::size_t i) { taken |= *streams_[i].ready ? 1U << i : 0U; });
  return taken;
}

/// Returns the head's `legs` that are taken in this cycle, by a queue or at the end of their
/// stream, whether or not they are valid: the forks' `all`, and with it the timeout, also depends
/// on the stale head of an empty queue. A full queue takes the head's item in the cycle in which an
/// item leaves it, with the expander's last output.
unsigned Decoder::ready_legs(unsigned legs, unsigned taken) const {
  return legs & ((taken & last_legs_) | ~full_legs_);
}

void Decoder::decide() {
  const unsigned open = fork_.open();
  const unsigned moves = transfer_fork_.open();  // disjoint from those of the head
  const unsigned taken = this->taken(open | moves | shown_legs_);
  const unsigned ready = ready_legs(open | moves, taken);
  const unsigned firing = taken & shown_legs_;
  const unsigned entering = fork_.fires(ready) | transfer_fork_.fires(ready);
  edge_.head_ready = fork_.all(ready) && blocked_ == Block::none;
  // A cycle has one state: progress at the head, or else the first of the head's legs, in the order
  // of the enumeration, that is not taken. Local memory comes last because its requests wait for
  // the data of other legs.
  const bool progresses = edge_.head_ready || (firing & head_local_legs_) != 0;
  edge_.waits = progresses ? busy : static_cast<State>(wait_states[open & ~ready]);
  if (blocked_ != Block::none) {
    edge_.waits = blocked_ == Block::transfer     ? wait_transfer
                  : blocked_ == Block::queue_full ? wait_transfer_queue
                                                  : wait_array;
  }
  edge_.entering = entering;
  edge_.firing = firing;
  edge_.ending = firing & last_legs_;
  edge_.accepts = links_.instruction.fires();
}

unsigned Decoder::state_code() const {
  if (queue_.empty()) return clock_.input_ended ? ended : starved;
  return queue_.front().context + edge_.waits;
}

void Decoder::move() {
  const bool retires = edge_.head_ready && !queue_.empty();
  if (((edge_.entering | edge_.ending) != 0) || retires || edge_.accepts) turned_ = true;
  account_.enter(state_code());
  move_streams();
  fork_.move(fork_.after(edge_.head_ready, edge_.entering & head_legs_));
  if (transfers_) BesideHead(*this).move_transfers();
  pass_time(1);
  if (retires) retire();
  if (sends_ahead_) BesideHead(*this).send_weights(queue_.newest());
  if (edge_.accepts) take_instruction();
  if (queue_.commit_entered(edge_.accepts, edge_.head_ready))
    fresh_legs_ |= leg_dataflow | local_legs;
  if (clock_.events != nullptr) tell_levels();
}

void Decoder::tell_timeout() { clock_.events->event({TcuEvent::timeout}); }

void Decoder::tell_levels() {
  const Levels present = levels();
  for (unsigned queue = 0; queue < level_count; ++queue) {
    if (present[queue] != told_levels_[queue]) clock_.events->level(queue, present[queue]);
  }
  told_levels_ = present;
}

void Decoder::move_streams() {
  const unsigned ending = edge_.ending;
  moving_ = edge_.firing & ~ending;
  if (edge_.firing != 0) ++clock_.progress;
  for_each(moving_, [this](std::size_t i) {
    Stream& s = streams_[i];
    if (s.before_last > 1) {
      --s.before_last;
      s.expander.advance_by(1, s.step);
    } else {
      s.expander.advance_within(s.step);
      note_count(s);
    }
  });
  if ((edge_.entering | ending) == 0) return;
  for_each(ending, [this](std::size_t i) {
    streams_[i].expander.start_over();
    note_count(streams_[i]);
  });
  fresh_legs_ |= ending;
  move_queues(edge_.entering, ending);
}

void Decoder::take_instruction() {
  ++clock_.progress;
  if (clock_.events != nullptr) {
    Event event{TcuEvent::instruction_accepted};
    event.data = links_.instruction.bits;
    clock_.events->event(event);
  }
  ++accepted_;
  if (clock_.timing_only) {
    shapes_.enter(queue_.entering());
  } else {
    decoding_.decode(tcu::decode(layout_, links_.instruction.bits), queue_.entering());
  }
  if (links_.weight_loads != nullptr) BesideHead(*this).number_loads(queue_.entering());
}

void Decoder::move_queues(unsigned entering, unsigned ending) {
  const Decoded& head = queue_.front();
  const auto commit = [&](auto& queue, unsigned leg, const auto& item) {
    if (((entering | ending) & leg) == 0) return;
    queue.commit((entering & leg) != 0, item, (ending & leg) != 0);
    queued_legs_ = queue.empty() ? queued_legs_ & ~leg : queued_legs_ | leg;
    full_legs_ = queue.full() ? full_legs_ | leg : full_legs_ & ~leg;
  };
  commit(dataflow_queue_, leg_dataflow, head.dataflow);
  commit(accumulator_queue_, leg_accumulator, head.accumulator);
  commit(array_queue_, leg_array, head.array);
  if (((entering | ending) & (leg_dais | leg_host | leg_dram0 | leg_dram1)) == 0) return;
  commit(dais_queue_, leg_dais, head.dais);
  const Decoded& move = mover();
  commit(host_queue_, leg_host, move.host);
  for (unsigned port = 0; port < 2; ++port) commit(dram_queue_[port], dram_leg(port), move.dram);
}

void Decoder::commit_outside() {
  if (!is_outside_ || !outside_.valid || !outside_.ready) return;
  ++clock_.progress;
  ++stats_.retired;
  stats_.last_retire = clock_.now;
  tell_retire(clock_.now, registers_.program_counter);
}

void Decoder::retire() {
  const tcu::Instruction& raw = queue_.front().raw;
  const std::uint32_t counter = registers_.program_counter;
  ++clock_.progress;
  ++stats_.retired;
  ++stats_.retired_by_opcode[raw.opcode];
  const auto kind = static_cast<std::size_t>(queue_.front().kind);
  if (queue_.front().kind == tcu::InstructionKind::dais) {
    ++stats_.retired_by_dais_block[tcu::dais_fields(raw).block];
  }
  ++stats_.retired_by_kind[kind];
  stats_.vectors_by_kind[kind] += queue_.front().vectors;
  stats_.last_retire = clock_.now;
  if (!clock_.timing_only) tell_retire(clock_.now, counter);
  if (clock_.events != nullptr) {
    clock_.events->event({TcuEvent::retired, 0, raw.opcode, raw.flags, counter, nullptr});
  }
  registers_.program_counter = counter + 1;
  if (links_.weight_loads != nullptr && queue_.front().kind == tcu::InstructionKind::load_weights &&
      !queue_.front().is_sent) {
    BesideHead(*this).send_weights(queue_.oldest());
  }
  if (static_cast<tcu::Opcode>(raw.opcode) == tcu::Opcode::configure) {
    configure(configure_fields(layout_, raw));
  }
}

void Decoder::reset(std::uint16_t timeout) {
  registers_ = {};
  registers_.timeout = timeout;
  timer_ = 0;
  shapes_.reset();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) queue_.entry(i).shape = 0;
  loads_ = 0;
  product_follows_ = false;
}

void Decoder::configure(const tcu::ConfigureFields& fields) {
  clock_.activity.wake(UnitActivity::all);  // no wire shows a change of a register
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

// ---- what it is in the middle of ----------------------------------------------------------------

bool Decoder::idle() const {
  return queue_.empty() && dataflow_queue_.empty() && accumulator_queue_.empty() &&
         array_queue_.empty() && dais_queue_.empty() && host_queue_.empty() &&
         dram_queue_[0].empty() && dram_queue_[1].empty() && queued_transfers() == 0;
}

std::string Decoder::head_text() const {
  if (is_outside_ || queue_.empty()) {
    return fmt::format("none at the decoder's head; {} retired", registers_.program_counter);
  }
  return fmt::format("{}: {}", registers_.program_counter,
                     tcu::disassemble(layout_, queue_.front().raw));
}

std::string Decoder::waits_for() const {
  if (queue_.empty()) return "queued requests to be taken by their units";
  if (blocked_ != Block::none) {
    return fmt::format("instruction {} (opcode 0x{:x}, flags 0x{:x}) waits for {}",
                       registers_.program_counter, queue_.front().raw.opcode,
                       queue_.front().raw.flags,
                       blocked_ == Block::transfer     ? "a queued transfer"
                       : blocked_ == Block::queue_full ? "room in the queue for transfers"
                                                       : "queued weights to enter the array");
  }
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
  const unsigned open = fork_.open();
  const unsigned ready = ready_legs(open, taken(open | shown_legs_));
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
