#include "models/tcu/fast/program_items.h"

#include "isa/tcu/names.h"
#include "models/tcu/accumulators/alu_array.h"
#include "models/tcu/fast/item_registers.h"

namespace tactus {
namespace {

using Kind = ProgramItem::Kind;
using Memory = tcu::VectorMemory;

}  // namespace

ProgramItems::ProgramItems(const tcu::Architecture& architecture)
    : architecture_(architecture),
      layout_(architecture),
      has_order_(LocalOrder::decides(architecture)) {}

/// True if all addresses of a walk are below the memory's depth and within its address width.
bool ProgramItems::fits(const Walk& walk, std::uint64_t size, Memory memory) const {
  const std::uint64_t depth = tcu::depth(architecture_, memory);
  std::uint64_t span = 0;
  if (size >= depth || __builtin_mul_overflow(size, walk.step, &span)) return false;
  // If accesses to local memory may be late, the decoder takes a walk that leaves the memory for an
  // access to all of it (Decoder::set_local_range()).
  if (memory == Memory::local && has_order_ && walk.address + span >= depth) return false;
  return span < depth && walk.address + span <= tcu::low_bits(address_width(layout_, memory));
}

/// Reads one end of a move. Returns false if it cannot be taken in a sequence.
bool ProgramItems::can_take(ProgramItem& item, const tcu::VectorWalk& end) const {
  if (end.first.stride >= 32) return false;
  const Walk walk{end.first.address, std::uint64_t{1} << end.first.stride};
  switch (end.memory) {
    case Memory::local:
      item.local = walk;
      return fits(walk, end.size, end.memory);
    case Memory::accumulators:
      item.accumulator = walk;
      item.accesses = true;
      item.first = walk.address;
      item.last = walk.address + end.size * walk.step;
      return fits(walk, end.size, end.memory);
    case Memory::dram0:
    case Memory::dram1:
      item.dram = walk;
      item.port = end.memory == Memory::dram0 ? 0 : 1;
      item.strided = end.first.stride != 0;
      return fits(walk, end.size, end.memory);
    case Memory::lookup_tables:
      item.table = static_cast<std::uint8_t>(walk.address);
      return item.size < architecture_.accumulator_depth;  // the decoder counts the table's vectors
                                                           // with the accumulators' counter
    case Memory::weights:
    case Memory::registers:
    case Memory::activation:
    case Memory::none:
      break;
  }
  return item.size < architecture_.local_depth;
}

bool ProgramItems::can_take(ProgramItem& item, const tcu::VectorFlow& flow) const {
  const Memory from = flow.from.memory, to = flow.to.memory;
  item.size = flow.size;
  item.zeroes = flow.zeroes;
  item.accumulate = flow.accumulate;
  item.read = from == Memory::accumulators;
  item.write = to == Memory::accumulators;
  item.activated = flow.kind == tcu::InstructionKind::accumulator_to_local_activated;
  item.local_use = from == Memory::local ? ProgramItem::LocalUse::reads
                   : to == Memory::local ? ProgramItem::LocalUse::writes
                                         : ProgramItem::LocalUse::none;
  return can_take(item, flow.from) && can_take(item, flow.to);
}

/// Accepts only instructions that read a vector if and only if their operation takes one.
bool ProgramItems::can_take_simd(ProgramItem& item, const tcu::Instruction& raw,
                                 const tcu::VectorFlow& flow) const {
  const tcu::SimdFields fields = simd_fields(layout_, raw);
  if (fields.op == tcu::SimdOp::no_op || static_cast<std::size_t>(fields.op) >= tcu::simd_ops)
    return false;
  if (fields.op == tcu::SimdOp::lookup && !can_look_up(fields)) return false;
  item.alu = {fields.op, fields.left, fields.right, fields.dest};
  item.read = flow.from.memory != Memory::none;
  item.write = flow.to.memory != Memory::none;
  item.accumulate = flow.accumulate;
  if (item.read != AluArray::needs_input(item.alu)) return false;
  item.accumulator.address = flow.to.first.address;
  item.read_address = flow.from.first.address;
  const std::uint64_t most = tcu::low_bits(layout_.accumulator_address);
  if (item.accumulator.address > most || item.read_address > most) return false;
  item.accesses = item.read || item.write;
  item.first = item.read ? item.read_address : item.accumulator.address;
  item.last = item.write ? item.accumulator.address : item.read_address;
  return true;
}

/// True if there are registers for all results of a Lookup.
bool ProgramItems::can_look_up(const tcu::SimdFields& fields) const {
  const std::uint32_t tables = architecture_.lookup_tables.count;
  return tables != 0 && fields.dest != 0 &&
         fields.dest + tables <= architecture_.simd_registers_depth;
}

void ProgramItems::read(const tcu::Instruction& raw, ProgramItem& item) const {
  item.opcode = raw.opcode;
  item.flags = raw.flags;
  const tcu::VectorFlow flow = flow_of(architecture_, layout_, raw);
  const Kind kind = info(flow.kind).action;
  switch (kind) {
    case Kind::none:
      break;
    case Kind::simd:
      if (!can_take_simd(item, raw, flow)) return;
      break;
    case Kind::configure:
    case Kind::dais:
    case Kind::undefined:
      return;
    default:
      if (!can_take(item, flow)) return;
  }
  item.kind = kind;
}

ProgramItems::Key ProgramItems::key(const ProgramItem& item, bool meets, const LocalOrder& order,
                                    std::uint64_t ending) const {
  Key key{item.opcode | std::uint64_t{item.flags} << 4 | (meets ? 1U : 0U) << 8 |
              (item.strided ? 1U : 0U) << 9 | item.size << 10,
          0};
  if (item.kind == Kind::simd) {
    // DecoderShapes::add() treats operations with the same key alike.
    key.where = (AluArray::needs_input(item.alu) ? 1U : 0U) |
                (item.alu.op == tcu::SimdOp::lookup ? 2U : 0U);
  } else if (item.moves_dram()) {
    const PlaceInPage place = place_in_page(item.dram.address, item.strided ? item.dram.step : 0,
                                            item.size, architecture_.vector_bytes());
    key.where = place.address | place.step << 16;
  }
  // Places in a page need few bits.
  key.where |= std::uint64_t{order.moves} << 32 | std::uint64_t{order.loads} << 40 |
               (order.overwritten ? std::uint64_t{1} << 48 : 0) | ending << 49;
  return key;
}

ShapeNumbers::Entry& ShapeNumbers::entry(std::vector<Entry>& table, const Key& key) {
  const std::size_t mask = table.size() - 1;
  std::size_t at = (key.what * 0x9E3779B97F4A7C15 ^ key.where * 0xD6E8FEB86659FD93) >> 20 & mask;
  while (table[at].shape != ~std::uint32_t{0} && !(table[at].key == key)) at = (at + 1) & mask;
  return table[at];
}

std::uint32_t* ShapeNumbers::place(const Key& key) {
  Entry* found = &entry(table_, key);
  if (found->shape != ~std::uint32_t{0}) return &found->shape;
  if (2 * ++taken_ > table_.size()) {
    std::vector<Entry> larger(2 * table_.size());
    for (const Entry& old : table_) {
      if (old.shape != ~std::uint32_t{0}) entry(larger, old.key) = old;
    }
    table_.swap(larger);
    found = &entry(table_, key);
  }
  found->key = key;
  return &found->shape;
}

}  // namespace tactus
