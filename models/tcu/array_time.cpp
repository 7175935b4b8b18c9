#include "models/tcu/array_time.h"

#include <optional>

#include "models/tcu/decoder/decoder.h"
#include "models/tcu/dram_port/dram_port.h"
#include "models/tcu/systolic_array/systolic_array.h"

namespace tactus {
namespace {

constexpr unsigned decoder_states = Decoder::state_table.size();
constexpr unsigned decoder_codes = decoder_states * Decoder::contexts;

struct Reasons {
  ArrayTime::State waiting, moving;
  std::uint8_t port = 0;
};

/// Rules 2 and 3: the array has no instruction.
Reasons reasons_of_head(unsigned code) {
  const unsigned context = code / decoder_states;
  const unsigned state = code % decoder_states;
  const auto always = [](ArrayTime::State reason) { return Reasons{reason, reason}; };
  if (context == 0) {
    return always(state == Decoder::ended ? ArrayTime::ended : ArrayTime::instruction_stream);
  }
  if (state == Decoder::wait_transfer || state == Decoder::wait_transfer_queue) {
    return always(ArrayTime::queued_transfers);
  }
  const tcu::InstructionKindInfo& row = info(static_cast<tcu::InstructionKind>(context - 1));
  switch (row.action) {
    case tcu::Action::multiply:
    case tcu::Action::load_weights:
      return always(ArrayTime::operands);
    case tcu::Action::simd:
    case tcu::Action::load_table:  // a lookup table prepares SIMD instructions
      return always(ArrayTime::simd);
    case tcu::Action::dais:
      return always(ArrayTime::dais);
    case tcu::Action::load_activation:
      return always(ArrayTime::accumulator_moves);
    case tcu::Action::accumulator_to_local:
    case tcu::Action::local_to_accumulator:
      return always(state == Decoder::busy ? ArrayTime::accumulator_moves
                                           : ArrayTime::accumulator_results);
    case tcu::Action::from_dram:
      if (row.from == tcu::VectorMemory::dram1)
        return {ArrayTime::dram1_read_wait, ArrayTime::dram1_read_data, 1};
      return {ArrayTime::dram0_read_wait, ArrayTime::dram0_read_data, 0};
    case tcu::Action::to_dram:
      if (row.to == tcu::VectorMemory::dram1)
        return {ArrayTime::dram1_write_wait, ArrayTime::dram1_write_data, 1};
      return {ArrayTime::dram0_write_wait, ArrayTime::dram0_write_data, 0};
    case tcu::Action::none:
    case tcu::Action::configure:
    case tcu::Action::undefined:
      break;
  }
  return always(ArrayTime::other_instructions);
}

/// Rule 1. Empty: the array has no instruction.
std::optional<ArrayTime::State> reason_of_array(unsigned array_state) {
  switch (array_state) {
    case SystolicArray::compute:
      return ArrayTime::compute;
    case SystolicArray::load_weights:
      return ArrayTime::load_weights;
    case SystolicArray::wait_input:
    case SystolicArray::wait_weights:
      return ArrayTime::operands;
    case SystolicArray::wait_drain:
      return ArrayTime::drain;
    case SystolicArray::wait_output:
      return ArrayTime::accumulators;
    case SystolicArray::wait_dais:
      return ArrayTime::dais;
    default:
      return {};
  }
}

Reasons reasons(unsigned array_state, unsigned decoder_code) {
  if (const auto reason = reason_of_array(array_state)) return {*reason, *reason};
  return reasons_of_head(decoder_code);
}

}  // namespace

const std::array<UnitState, ArrayTime::states> ArrayTime::state_table{{
    {"compute", StateKind::busy, "a vector enters the array and is multiplied"},
    {"load_weights", StateKind::stall, "a weight vector enters the array"},
    {"drain", StateKind::stall,
     "new weights wait until the array has drained, 2N-1 cycles after its last input"},
    {"operands", StateKind::stall,
     "a MatMul or LoadWeights has begun and its next vector is on its way from local memory"},
    {"accumulators", StateKind::stall,
     "a MatMul is held because the accumulators are not ready for its result: SIMD instructions or "
     "DataMoves before it use them, or an old value is being read"},
    {"simd", StateKind::stall,
     "the array has no work and SIMD instructions pass the decoder or wait for the accumulators"},
    {"dais", StateKind::stall,
     "the array has no work and Dais instructions pass the decoder or wait for their blocks, or a "
     "MatMul is held because results of Dais instructions before it come first",
     "dais"},
    {"accumulator_moves", StateKind::stall,
     "the array has no work while a DataMove copies vectors between accumulators and local memory"},
    {"accumulator_results", StateKind::stall,
     "the array has no work and a DataMove waits for the accumulators, which finish the MatMul, "
     "SIMD and Dais instructions before it"},
    {"dram0_read_data", StateKind::stall,
     "the array has no work while data is read from DRAM0: bandwidth"},
    {"dram0_read_wait", StateKind::stall,
     "the array has no work and a read from DRAM0 is under way, but no data comes: latency"},
    {"dram0_write_data", StateKind::stall,
     "the array has no work while data is written to DRAM0: bandwidth"},
    {"dram0_write_wait", StateKind::stall,
     "the array has no work and a write to DRAM0 is at the head, but no data passes"},
    {"dram1_read_data", StateKind::stall,
     "the array has no work while data is read from DRAM1: bandwidth"},
    {"dram1_read_wait", StateKind::stall,
     "the array has no work and a read from DRAM1 is under way, but no data comes: latency"},
    {"dram1_write_data", StateKind::stall,
     "the array has no work while data is written to DRAM1: bandwidth"},
    {"dram1_write_wait", StateKind::stall,
     "the array has no work and a write to DRAM1 is at the head, but no data passes"},
    {"queued_transfers", StateKind::stall,
     "the array has no work and the decoder's head waits for queued transfers: for vectors that "
     "they use, or for room in their queue",
     "transfers"},
    {"other_instructions", StateKind::stall,
     "the array has no work while NoOp, Configure or undefined instructions pass the decoder"},
    {"instruction_stream", StateKind::stall,
     "the array has no work because the next instruction has not arrived"},
    {"ended", StateKind::idle,
     "the instruction stream has ended; last results and writes may still be under way"},
}};

TimeInfo ArrayTime::info() {
  enum Group : unsigned { computes, weights, results, dram_data, dram_wait, other };
  TimeInfo info{"array", "array_time", state_table, {}, {}, "no vector multiplied", {}};
  info.reasons = {
      {"computing", computes},
      {"weights entering the array", weights},
      {"array draining before new weights", weights},
      {"operands from local memory", weights},
      {"accumulators not ready for results", results},
      {"SIMD instructions", results},
      {"Dais instructions", results},
      {"DataMoves of accumulators", results},
      {"DataMoves waiting for accumulators", results},
      {"DRAM0 read, data arriving", dram_data},
      {"DRAM0 read, waiting for data", dram_wait},
      {"DRAM0 write, data leaving", dram_data},
      {"DRAM0 write, waiting", dram_wait},
      {"DRAM1 read, data arriving", dram_data},
      {"DRAM1 read, waiting for data", dram_wait},
      {"DRAM1 write, data leaving", dram_data},
      {"DRAM1 write, waiting", dram_wait},
      {"queued transfers", dram_wait},
      {"NoOp, Configure, undefined", other},
      {"instruction stream late", other},
      {"after the last instruction", other},
  };
  info.groups = {
      {"array computes", 0},
      {"weights: entering, draining, operands", 1},
      {"accumulators, SIMD, DAIS blocks", 2},
      {"DRAM, data on its way", 3},
      {"DRAM, waiting", 4},
      {"other instructions, stream, end", 5},
  };
  info.introduction =
      "In each cycle the array multiplies a vector, or the cycle is lost and counted under one "
      "reason. If the array has no instruction, the reason is what the instruction at the "
      "decoder's head does or waits for.";
  return info;
}

ArrayTime::ArrayTime(const Clock& clock, Account& array, Account& decoder,
                     const std::array<Account*, 2>& ports)
    : array_(array),
      decoder_(decoder),
      ports_{ports[0], ports[1]},
      account_("array_time", clock, state_table, ended) {
  states_.reserve(SystolicArray::state_table.size() * decoder_codes);
  for (unsigned a = 0; a < SystolicArray::state_table.size(); ++a) {
    for (unsigned d = 0; d < decoder_codes; ++d) {
      const Reasons r = reasons(a, d);
      auto& by_port = states_.emplace_back();
      for (unsigned moving = 0; moving < 4; ++moving) {
        const bool port_moves = (moving >> r.port & 1) != 0;
        by_port[moving & 1][moving >> 1] = port_moves ? r.moving : r.waiting;
      }
    }
  }
  array.set_follower(this);
  decoder.set_follower(this);
  for (Account* port : ports) port->set_follower(this);
}

ArrayTime::State ArrayTime::state(unsigned array_state, unsigned decoder_code,
                                  const std::array<bool, 2>& moves) const {
  const auto& by_port = states_[array_state * decoder_codes + decoder_code];
  return by_port[moves[0] ? 1 : 0][moves[1] ? 1 : 0];
}

bool ArrayTime::port_moves(unsigned port_state) { return port_state <= DramPort::write; }

bool ArrayTime::of_array(unsigned array_state) { return reason_of_array(array_state).has_value(); }

ArrayTime::State ArrayTime::of_head() const { return state(SystolicArray::rest); }

ArrayTime::State ArrayTime::state(unsigned array_state) const {
  return state(array_state, decoder_.code(),
               {port_moves(ports_[0]->code()), port_moves(ports_[1]->code())});
}

void ArrayTime::follow() { account_.enter(state(array_.code())); }

}  // namespace tactus
