#include "models/tcu/fast/program_items.h"

#include "isa/tcu/activation.h"
#include "isa/tcu/lookup.h"
#include "models/tcu/accumulators/alu_array.h"
#include "models/tcu/fast/item_registers.h"

namespace tactus {
namespace {

using Kind = ProgramItem::Kind;

/// Whether a walk stays below both the depth and the end of the addresses.
bool fits(const Walk& walk, std::uint64_t size, std::uint64_t depth, unsigned address_bits) {
  std::uint64_t span = 0;
  if (size >= depth || __builtin_mul_overflow(size, walk.step, &span)) return false;
  return span < depth && walk.address + span <= tcu::low_bits(address_bits);
}

/// The step of a stride code; it is never 0.
bool set_step(Walk& walk, unsigned stride) {
  if (stride >= 32) return false;
  walk.step = std::uint64_t{1} << stride;
  return true;
}

}  // namespace

ProgramItems::ProgramItems(const tcu::Architecture& architecture)
    : architecture_(architecture),
      layout_(architecture),
      has_order_(LocalOrder::decides(architecture)),
      table_(1024) {}

ProgramItem::LocalUse ProgramItem::local_use() const {
  switch (kind) {
    case Kind::multiply:
    case Kind::load_weights:
      return zeroes ? LocalUse::none : LocalUse::reads;
    case Kind::local_to_accumulator:
    case Kind::to_dram:
    case Kind::load_table:
    case Kind::load_activation:
      return LocalUse::reads;
    case Kind::accumulator_to_local:
    case Kind::from_dram:
      return LocalUse::writes;
    case Kind::none:
    case Kind::simd:
    case Kind::other:
      break;
  }
  return LocalUse::none;
}

bool ProgramItems::set_local(ProgramItem& item, const tcu::Instruction& raw) const {
  const tcu::Operand operand = operand0_fields(layout_, raw);
  item.local.address = operand.address;
  if (!set_step(item.local, operand.stride) ||
      !fits(item.local, item.size, architecture_.local_depth, layout_.local_address)) {
    return false;
  }
  // The decoder takes a walk that leaves the memory for all of it (Decoder::set_local_range()).
  const std::uint64_t last = item.local.address + item.size * item.local.step;
  return !has_order_ || last < architecture_.local_depth;
}

bool ProgramItems::set_accumulator(ProgramItem& item, const tcu::Instruction& raw) const {
  const tcu::Operand operand = operand1_fields(layout_, raw);
  item.accumulator.address = operand.address;
  if (!set_step(item.accumulator, operand.stride) ||
      !fits(item.accumulator, item.size, architecture_.accumulator_depth,
            layout_.accumulator_address)) {
    return false;
  }
  item.accesses = true;
  item.first = operand.address;
  item.last = operand.address + item.size * item.accumulator.step;
  return true;
}

void ProgramItems::fill_data_move(ProgramItem& item, const tcu::Instruction& raw) const {
  item.size = raw.operand2;
  if (!set_local(item, raw)) return;
  switch (static_cast<tcu::DataMoveKind>(raw.flags)) {
    case tcu::DataMoveKind::accumulator_to_local_activated:
      if (!architecture_.activation_unit) return;
      item.activated = true;
      [[fallthrough]];
    case tcu::DataMoveKind::accumulator_to_local:
      item.read = true;
      if (set_accumulator(item, raw)) item.kind = Kind::accumulator_to_local;
      return;
    case tcu::DataMoveKind::local_to_accumulator:
    case tcu::DataMoveKind::local_to_accumulator_accumulate:
      item.write = true;
      item.accumulate = (raw.flags & 2) != 0;
      if (set_accumulator(item, raw)) item.kind = Kind::local_to_accumulator;
      return;
    case tcu::DataMoveKind::dram0_to_local:
    case tcu::DataMoveKind::local_to_dram0:
    case tcu::DataMoveKind::dram1_to_local:
    case tcu::DataMoveKind::local_to_dram1:
      break;
    default:
      return;
  }
  const tcu::Operand operand = operand1_fields(layout_, raw);
  item.port = raw.flags >> 1;
  item.dram.address = operand.address;
  item.strided = operand.stride != 0;
  if (!set_step(item.dram, operand.stride)) return;
  const std::uint64_t depth =
      item.port == 0 ? architecture_.dram0_depth : architecture_.dram1_depth;
  if (!fits(item.dram, item.size, depth,
            item.port == 0 ? layout_.dram0_address : layout_.dram1_address)) {
    return;
  }
  // Vectors of a size that divides a page cross none.
  if (item.strided && axi_page_bytes % architecture_.vector_bytes() != 0) return;
  item.kind = (raw.flags & 1) != 0 ? Kind::to_dram : Kind::from_dram;
}

/// Only those that take the vector that they read, and read the one that they take.
void ProgramItems::fill_simd(ProgramItem& item, const tcu::Instruction& raw) const {
  const tcu::SimdFields fields = simd_fields(layout_, raw);
  if (fields.op == tcu::SimdOp::no_op || fields.op > tcu::SimdOp::lookup) return;
  if (fields.op == tcu::SimdOp::lookup && !can_look_up(fields)) return;
  item.alu = {fields.op, fields.left, fields.right, fields.dest};
  item.read = (raw.flags & tcu::simd_read) != 0;
  item.write = (raw.flags & tcu::simd_write) != 0;
  item.accumulate = (raw.flags & tcu::simd_accumulate) != 0;
  if (item.read != AluArray::needs_input(item.alu)) return;
  item.accumulator.address = operand0_fields(layout_, raw).address;
  item.read_address = operand1_fields(layout_, raw).address;
  const std::uint64_t most = tcu::low_bits(layout_.accumulator_address);
  if ((item.write && item.accumulator.address > most) || (item.read && item.read_address > most)) {
    return;
  }
  item.accesses = item.read || item.write;
  item.first = item.read ? item.read_address : item.accumulator.address;
  item.last = item.write ? item.accumulator.address : item.read_address;
  item.kind = Kind::simd;
}

/// Whether there are registers for all that a Lookup gives.
bool ProgramItems::can_look_up(const tcu::SimdFields& fields) const {
  const std::uint32_t tables = architecture_.lookup_tables.count;
  return tables != 0 && fields.dest != 0 &&
         fields.dest + tables <= architecture_.simd_registers_depth;
}

void ProgramItems::fill_load_table(ProgramItem& item, const tcu::Instruction& raw) const {
  if (lookup_table_of(raw) >= architecture_.lookup_tables.count) return;
  item.table = static_cast<std::uint8_t>(lookup_table_of(raw));
  item.size = lookup_vectors(architecture_) - 1;
  if (item.size >= architecture_.accumulator_depth) return;  // the decoder counts them in its steps
  if (set_local(item, raw)) item.kind = Kind::load_table;
}

void ProgramItems::fill_load_activation(ProgramItem& item, const tcu::Instruction& raw) const {
  if (!architecture_.activation_unit) return;
  item.size = tcu::activation_parameters - 1;
  if (set_local(item, raw)) item.kind = Kind::load_activation;
}

void ProgramItems::read(const tcu::Instruction& raw, ProgramItem& item) const {
  item.opcode = raw.opcode;
  item.flags = raw.flags;
  switch (static_cast<tcu::Opcode>(raw.opcode)) {
    case tcu::Opcode::no_op:
      item.kind = Kind::none;
      break;
    case tcu::Opcode::mat_mul:
      item.size = raw.operand2;
      item.zeroes = (raw.flags & tcu::mat_mul_zeroes) != 0;
      item.write = true;
      item.accumulate = (raw.flags & tcu::mat_mul_accumulate) != 0;
      if (item.size >= architecture_.local_depth) break;
      if (!item.zeroes && !set_local(item, raw)) break;
      if (set_accumulator(item, raw)) item.kind = Kind::multiply;
      break;
    case tcu::Opcode::load_weights:
      item.size = raw.operand1;
      item.zeroes = (raw.flags & tcu::load_weights_zeroes) != 0;
      if (item.size >= architecture_.local_depth) break;
      if (item.zeroes || set_local(item, raw)) item.kind = Kind::load_weights;
      break;
    case tcu::Opcode::data_move:
      fill_data_move(item, raw);
      break;
    case tcu::Opcode::simd:
      fill_simd(item, raw);
      break;
    case tcu::Opcode::load_lut:
      fill_load_table(item, raw);
      break;
    case tcu::Opcode::load_activation:
      fill_load_activation(item, raw);
      break;
    default:
      break;
  }
}

ProgramItems::Key ProgramItems::key(const ProgramItem& item, bool meets, const LocalOrder& order,
                                    std::uint64_t ending) const {
  Key key{item.opcode | std::uint64_t{item.flags} << 4 | (meets ? 1U : 0U) << 8 |
              (item.strided ? 1U : 0U) << 9 | item.size << 10,
          0};
  if (item.kind == Kind::simd) {
    // Decoder::add_shape() makes the same of what is the same here.
    key.where = (AluArray::needs_input(item.alu) ? 1U : 0U) |
                (item.alu.op == tcu::SimdOp::lookup ? 2U : 0U);
  } else if (item.moves_dram() && !item.strided) {
    key.where = place_in_page(item.dram.address, item.size, architecture_.vector_bytes());
  }
  // Places in a page are small.
  key.where |= std::uint64_t{order.moves} << 32 | std::uint64_t{order.loads} << 40 |
               (order.overwritten ? std::uint64_t{1} << 48 : 0) | ending << 49;
  return key;
}

ProgramItems::Entry& ProgramItems::entry(std::vector<Entry>& table, const Key& key) {
  const std::size_t mask = table.size() - 1;
  std::size_t at = (key.what * 0x9E3779B97F4A7C15 ^ key.where * 0xD6E8FEB86659FD93) >> 20 & mask;
  while (table[at].shape != ~std::uint32_t{0} && !(table[at].key == key)) at = (at + 1) & mask;
  return table[at];
}

std::uint32_t* ProgramItems::place(const Key& key) {
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

void ProgramItems::clear() {
  table_.assign(1024, Entry{});
  taken_ = 0;
}

}  // namespace tactus
