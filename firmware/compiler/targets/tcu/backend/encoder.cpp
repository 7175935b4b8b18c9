#include "firmware/compiler/targets/tcu/backend/encoder.h"

#include <utility>

#include "isa/support/error.h"

namespace tactus::compiler {
namespace {

tcu::Operand operand(const lir::Place& place) {
  return place.address.is(Tag::zeroes) ? tcu::Operand{0, 0}
                                       : tcu::Operand{place.address.raw(), place.stride};
}

tcu::DataMoveKind kind_of(const lir::DataMove& o) {
  using Kind = tcu::DataMoveKind;
  switch (o.other.address.tag()) {
    case Tag::dram0:
      return o.to_local ? Kind::dram0_to_local : Kind::local_to_dram0;
    case Tag::dram1:
      return o.to_local ? Kind::dram1_to_local : Kind::local_to_dram1;
    case Tag::accumulators:
      if (o.to_local) return Kind::accumulator_to_local;
      return o.accumulate ? Kind::local_to_accumulator_accumulate : Kind::local_to_accumulator;
    default:
      internal_error("data_move with {}", to_string(o.other.address));
  }
}

}  // namespace

Encoder::Encoder(const tcu::Architecture& architecture)
    : architecture_(architecture), layout_(architecture) {}

void Encoder::append(const lir::Segment& segment) {
  for (const lir::Operation& operation : segment.operations) {
    const auto* wait = std::get_if<lir::Wait>(&operation);
    const std::uint64_t count = wait == nullptr ? 1 : wait->count;
    const tcu::Instruction instruction =
        std::visit([&](const auto& o) { return encode(o); }, operation);
    if (const std::string wrong = tcu::check(architecture_, layout_, instruction); !wrong.empty()) {
      internal_error("instruction {}: {}", instructions_, wrong);
    }
    for (std::uint64_t i = 0; i < count; ++i) append(instruction);
    if (const auto* m = std::get_if<lir::MatMul>(&operation)) {
      counts_.mat_mul_vectors += m->count;
      if (m->local.address.is(Tag::zeroes)) counts_.zeroes_vectors += m->count;
    }
  }
}

void Encoder::append(const tcu::Instruction& instruction) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + layout_.instruction_bytes());
  tcu::encode(layout_, instruction, bytes_.data() + at);
  ++instructions_;
  ++counts_.by_opcode[instruction.opcode];
}

Encoder::Counts Encoder::take_counts() { return std::exchange(counts_, {}); }

tcu::Instruction Encoder::encode(const lir::MatMul& o) const {
  return tcu::make_mat_mul(layout_, operand(o.local), operand(o.accumulators), o.count,
                           o.accumulate, o.local.address.is(Tag::zeroes));
}

tcu::Instruction Encoder::encode(const lir::DataMove& o) const {
  return tcu::make_data_move(layout_, kind_of(o), operand(o.local), operand(o.other), o.count);
}

tcu::Instruction Encoder::encode(const lir::LoadWeights& o) const {
  return tcu::make_load_weights(layout_, operand(o.local), o.count,
                                o.local.address.is(Tag::zeroes));
}

tcu::Instruction Encoder::encode(const lir::LoadLut& o) const {
  return tcu::make_load_lut(layout_, operand(o.local), o.table);
}

tcu::Instruction Encoder::encode(const lir::Wait&) const { return {}; }

tcu::Instruction Encoder::encode(const lir::Simd& o) const {
  const bool reads = !o.read.is(Tag::invalid), writes = !o.write.is(Tag::invalid);
  return tcu::make_simd(layout_, {o.op, o.left, o.right, o.dest}, writes ? o.write.raw() : 0,
                        reads ? o.read.raw() : 0, reads, writes, o.accumulate);
}

}  // namespace tactus::compiler
