// Decoding of an instruction, which is done once, when it enters the decoder's queue.
#include <utility>

#include "isa/support/error.h"
#include "isa/tcu/accesses.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/lookup.h"
#include "isa/tcu/names.h"
#include "models/tcu/decoder/decoder.h"
#include "models/tcu/decoder/decoding.h"

namespace tactus {
namespace {

constexpr std::uint64_t step_of(unsigned stride) {
  return stride >= 64 ? 0 : std::uint64_t{1} << stride;
}

}  // namespace

Decoding::Decoding(const tcu::Architecture& architecture, bool sends_weights)
    : architecture_(architecture),
      layout_(architecture),
      sends_weights_(sends_weights),
      queues_transfers_(architecture.dma_queue != 0),
      local_mask_(mask_of(layout_.local_address)),
      accumulator_mask_(mask_of(layout_.accumulator_address)),
      dram_mask_{mask_of(layout_.dram0_address), mask_of(layout_.dram1_address)} {}

void Decoding::decode(const tcu::Instruction& raw, Decoded& d) const {
  d.raw = raw;
  d.kind = tcu::kind_of(layout_, d.raw);
  d.context =
      (static_cast<unsigned>(d.kind) + 1) * static_cast<unsigned>(Decoder::state_table.size());
  d.vectors = tcu::vector_count(architecture_, layout_, d.raw);
  d.legs = d.moves = 0;
  d.local_write = false;
  d.dataflow = {};  // it is shown whether or not it is valid
  switch (info(d.kind).action) {
    case tcu::Action::multiply:
      decode_mat_mul(d);
      break;
    case tcu::Action::load_weights:
      decode_load_weights(d);
      break;
    case tcu::Action::simd:
      decode_simd(d);
      break;
    case tcu::Action::from_dram:
    case tcu::Action::to_dram:
      decode_dram_move(d);
      break;
    case tcu::Action::accumulator_to_local:
    case tcu::Action::local_to_accumulator:
      decode_accumulator_move(d);
      break;
    case tcu::Action::dais:
      decode_dais(d);
      break;
    case tcu::Action::load_table:
      decode_load_lut(d);
      break;
    case tcu::Action::load_activation:
      decode_load_activation(d);
      break;
    case tcu::Action::none:
    case tcu::Action::configure:
      break;  // these have no legs
    case tcu::Action::undefined:
      require_table(d.raw);
      break;
  }
}

/// Throws UserError for a LoadLUT to a table that the machine does not have. All other undefined
/// instructions have no legs.
void Decoding::require_table(const tcu::Instruction& raw) const {
  const bool loads = static_cast<tcu::Opcode>(raw.opcode) == tcu::Opcode::load_lut;
  if (!loads || layout_.lookup_table_count == 0) return;
  user_error("LoadLUT to lookup table {}: there are {}, from 0 on", lookup_table_of(raw),
             layout_.lookup_table_count);
}

void Decoding::set_local(Decoded& d, unsigned leg, bool write, std::uint64_t size) const {
  const tcu::Operand local = operand0_fields(layout_, d.raw);
  d.legs |= leg;
  d.local_write = write;
  d.local_reverse = false;
  d.local_base = local.address & local_mask_;
  d.local_size = size & local_mask_;
  d.local_step = step_of(local.stride);
  if (queues_transfers_ || sends_weights_) set_local_range(d);
}

/// Sets the range of local addresses that the instruction may use.
void Decoding::set_local_range(Decoded& d) const {
  const std::uint64_t depth = architecture_.local_depth;
  d.local_low = 0;
  d.local_high = ~std::uint64_t{0};
  std::uint64_t span = 0;
  if (__builtin_mul_overflow(d.local_size, d.local_step, &span) || span >= depth) return;
  const std::uint64_t low = d.local_reverse ? d.local_base - span : d.local_base;
  if (d.local_reverse ? d.local_base < span : d.local_base + span >= depth) return;
  d.local_low = low;
  d.local_high = low + span;
}

void Decoding::set_accumulator(Decoded& d, bool read, bool accumulate) const {
  const tcu::Operand operand = operand1_fields(layout_, d.raw);
  const std::uint64_t address = operand.address & accumulator_mask_;
  d.legs |= leg_accumulator;
  d.accumulator.control = {{}, read, !read, accumulate, 0, read ? address : 0, read ? 0 : address};
  d.accumulator.size = d.raw.operand2 & accumulator_mask_;
  d.accumulator.step = step_of(operand.stride);
}

void Decoding::decode_mat_mul(Decoded& d) const {
  const bool zeroes = (d.raw.flags & tcu::mat_mul_zeroes) != 0;
  const std::uint64_t size = d.raw.operand2 & local_mask_;
  d.dataflow = {
      zeroes ? DataflowKind::array_to_accumulator : DataflowKind::local_to_array_to_accumulator,
      size};
  d.array = {false, zeroes, size};
  d.legs = leg_dataflow | leg_array;
  set_accumulator(d, false, (d.raw.flags & tcu::mat_mul_accumulate) != 0);
  if (!zeroes) set_local(d, leg_local_a, false, size);
}

void Decoding::decode_load_weights(Decoded& d) const {
  const bool zeroes = (d.raw.flags & tcu::load_weights_zeroes) != 0;
  const std::uint64_t size = d.raw.operand1 & local_mask_;
  if (sends_weights_) return decode_weight_load(d, size, zeroes);
  d.array = {true, zeroes, size};
  d.legs = leg_array;
  if (zeroes) return;
  d.legs |= leg_dataflow;
  d.dataflow = {DataflowKind::local_to_array_weights, size};
  set_local(d, leg_local_a, false, size);
  d.local_reverse = true;
  d.local_base = (d.local_base + size * d.local_step) & local_mask_;
  if (queues_transfers_) set_local_range(d);
}

/// Decodes a LoadWeights in a machine whose weights have reads of their own: it uses no stream of
/// the decoder.
void Decoding::decode_weight_load(Decoded& d, std::uint64_t size, bool zeroes) const {
  d.weights = {};
  d.is_sent = false;
  d.weights.zeroes = zeroes;
  d.weights.count = size + 1;
  d.weights.mask = local_mask_;
  if (zeroes) return;
  set_local(d, 0, false, size);
  d.local_reverse = true;
  d.weights.step = d.local_step;
  d.weights.base = d.local_base = (d.local_base + size * d.local_step) & local_mask_;
  set_local_range(d);
  d.weights.low = d.local_low;
  d.weights.high = d.local_high;
}

void Decoding::decode_dram_move(Decoded& d) const {
  const std::uint64_t size = d.raw.operand2 & local_mask_;
  const bool to_dram = (d.raw.flags & 1) != 0;
  const unsigned port = d.raw.flags >> 1;
  const tcu::Operand operand = operand1_fields(layout_, d.raw);
  set_local(d, leg_local_b, !to_dram, size);
  d.host = {port, to_dram, size};
  d.dram = {{to_dram, operand.address & dram_mask_[port], d.raw.operand2 & dram_mask_[port]},
            operand.stride == 0 ? 0 : step_of(operand.stride)};
  d.legs |= leg_host | (dram_leg(port));
  if (queues_transfers_) std::swap(d.legs, d.moves);  // a move has its legs in the queue
}

void Decoding::decode_accumulator_move(Decoded& d) const {
  const std::uint64_t size = d.raw.operand2 & local_mask_;
  const bool to_local = info(d.kind).action == tcu::Action::accumulator_to_local;
  const bool activated = d.kind == tcu::InstructionKind::accumulator_to_local_activated;
  set_local(d, leg_local_a, to_local, size);
  set_accumulator(d, to_local, !to_local && (d.raw.flags & 2) != 0);
  d.dataflow = {activated  ? DataflowKind::accumulator_to_activation_to_local
                : to_local ? DataflowKind::accumulator_to_local
                           : DataflowKind::local_to_accumulator,
                size};
  d.legs |= leg_dataflow;
}

void Decoding::decode_simd(Decoded& d) const {
  const tcu::SimdFields fields = simd_fields(layout_, d.raw);
  const std::uint64_t address0 = operand0_fields(layout_, d.raw).address & accumulator_mask_;
  const std::uint64_t address1 = operand1_fields(layout_, d.raw).address & accumulator_mask_;
  if (static_cast<std::size_t>(fields.op) >= tcu::simd_ops) {
    user_error("SIMD operation {:#x} is undefined; allowed 0x0..{:#x}",
               static_cast<unsigned>(fields.op), tcu::simd_ops - 1);
  }
  AccumulatorControl& c = d.accumulator.control;
  c.table = 0;
  c.alu = {fields.op, fields.left, fields.right, fields.dest};
  c.read = (d.raw.flags & tcu::simd_read) != 0;
  c.write = (d.raw.flags & tcu::simd_write) != 0;
  c.accumulate = (d.raw.flags & tcu::simd_accumulate) != 0;
  c.read_address = address1;
  c.write_address = address0;
  // A write-only item without an operation uses the path of plain DataMoves, whose only address is
  // operand1 (hardware spec section 4.3).
  if (fields.op == tcu::SimdOp::no_op && !c.read && c.write) {
    std::swap(c.read_address, c.write_address);
  }
  d.accumulator.size = d.accumulator.step = 0;
  d.legs = leg_accumulator;
}

void Decoding::decode_load_activation(Decoded& d) const {
  const std::uint64_t size = (tcu::activation_parameters - 1) & local_mask_;
  d.dataflow = {DataflowKind::local_to_activation, size};
  d.legs = leg_dataflow;
  set_local(d, leg_local_a, false, size);
}

/// The entries pass the same way as a move to the accumulators, and end before them.
void Decoding::decode_load_lut(Decoded& d) const {
  const std::uint64_t size = lookup_vectors(architecture_) - 1;
  d.dataflow = {DataflowKind::local_to_accumulator, size & local_mask_};
  d.legs = leg_dataflow | leg_accumulator;
  d.accumulator = {};
  d.accumulator.control.table = static_cast<std::uint8_t>(lookup_table_of(d.raw) + 1);
  d.accumulator.size = size & accumulator_mask_;
  d.accumulator.step = 1;
  set_local(d, leg_local_a, false, size);
}

/// The instruction counts samples, the streams count vectors.
void Decoding::decode_dais(Decoded& d) const {
  const tcu::DaisFields fields = tcu::dais_fields(d.raw);
  const tcu::DaisBlockEntry& block = architecture_.dais_blocks[fields.block];
  const std::uint64_t samples = d.raw.operand2 + 1;
  const std::uint64_t inputs = samples * block.input_vectors(architecture_.array_size) - 1;
  const std::uint64_t results = samples * block.output_vectors(architecture_.array_size) - 1;
  d.dataflow = {DataflowKind::local_to_dais_to_accumulator, inputs & local_mask_,
                results & local_mask_};
  d.dais = {fields.block, inputs & local_mask_};
  d.legs = leg_dataflow | leg_dais;
  set_accumulator(d, false, fields.accumulate);
  d.accumulator.size = results & accumulator_mask_;
  set_local(d, leg_local_a, false, inputs);
}

}  // namespace tactus
