#include "isa/tcu/accesses.h"

#include <fmt/format.h>

#include "isa/tcu/activation.h"
#include "isa/tcu/lookup.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

using Memory = VectorMemory;

VectorWalk walk(const InstructionLayout& layout, const Instruction& i, Memory memory,
                std::uint64_t size) {
  switch (memory) {
    case Memory::local:
      return {memory, operand0_fields(layout, i), size};
    case Memory::accumulators:
    case Memory::dram0:
    case Memory::dram1:
      return {memory, operand1_fields(layout, i), size};
    case Memory::lookup_tables:
      return {memory, {lookup_table_of(i), 0}, 0};
    case Memory::weights:
    case Memory::registers:
    case Memory::activation:
    case Memory::none:
      break;
  }
  return {memory, {0, 0}, 0};
}

/// Sets the accesses of a SIMD instruction: one vector each, at addresses without a stride.
void set_simd(VectorFlow& flow, const InstructionLayout& layout, const Instruction& i) {
  const bool reads = (i.flags & simd_read) != 0;
  const Operand address0{operand0_fields(layout, i).address, 0};
  const Operand address1{operand1_fields(layout, i).address, 0};
  if (reads) flow.from = {Memory::accumulators, address1, 0};
  if ((i.flags & simd_write) == 0) return;
  // Without an operation an instruction that only writes has its address in operand 1.
  const bool moved = !reads && simd_fields(layout, i).op == SimdOp::no_op;
  flow.to = {Memory::accumulators, moved ? address1 : address0, 0};
}

/// Finds the accesses of one instruction. Sizes are truncated to the address width of the memory.
class Reader {
 public:
  Reader(const Architecture& architecture, const InstructionLayout& layout, Accesses& result)
      : architecture_(architecture), layout_(layout), result_(result) {}

  void read(const VectorFlow& flow) {
    Access from = access(flow.from);
    if (flow.kind == InstructionKind::load_weights) {  // the last vector enters first
      from.base += flow.from.size << from.stride;
      from.reverse = true;
    }
    if (is_written(from.memory)) result_.reads.add(from);
    if (flow.kind == InstructionKind::mat_mul) result_.reads.add(one(Memory::weights, 0));
    write(flow);
  }

  void simd(const VectorFlow& flow, const SimdFields& fields) {
    const bool looks_up = fields.op == SimdOp::lookup;
    const std::uint64_t tables = architecture_.lookup_tables.count;
    // Results that no registers take end the run with an error.
    if (looks_up && (fields.dest == 0 || fields.dest + tables > architecture_.simd_registers_depth))
      return;
    if (is_written(flow.from.memory)) result_.reads.add(access(flow.from));
    const unsigned sources = source_count(fields.op);
    if (sources > 0) read_register(fields.left);
    if (sources > 1 && fields.right != fields.left) read_register(fields.right);
    if (looks_up) result_.reads.add(one(Memory::lookup_tables, 0, tables));
    if (fields.dest != 0 && fields.op != SimdOp::no_op) {
      result_.writes.add(
          one(Memory::registers, register_of(fields.dest), looks_up ? 1 + tables : 1));
    }
    write(flow);
  }

 private:
  [[nodiscard]] static bool is_written(Memory memory) {
    return static_cast<std::size_t>(memory) < written_memories;
  }
  [[nodiscard]] static Access one(Memory memory, std::uint64_t base, std::uint64_t count = 1) {
    return {memory, false, 0, base, count};
  }
  [[nodiscard]] Access access(const VectorWalk& walk) const {
    return {walk.memory, false, walk.first.stride, walk.first.address,
            (walk.size & low_bits(address_width(layout_, walk.memory))) + 1};
  }
  void write(const VectorFlow& flow) {
    const Access to = access(flow.to);
    if (!is_written(to.memory)) return;
    if (flow.accumulate) result_.reads.add(to);
    result_.writes.add(to);
  }

  /// Returns the register of a selector. Selectors of registers that do not exist are truncated to
  /// the address bits of the registers; beyond these the first register is read, and nothing is
  /// written.
  [[nodiscard]] std::uint64_t register_of(unsigned selector) const {
    return (selector - 1) & low_bits(address_bits(architecture_.simd_registers_depth));
  }
  void read_register(unsigned selector) {
    if (selector == 0) return;
    const std::uint64_t index = register_of(selector);
    result_.reads.add(
        one(Memory::registers, index < architecture_.simd_registers_depth ? index : 0));
  }

  const Architecture& architecture_;
  const InstructionLayout& layout_;
  Accesses& result_;
};

}  // namespace

VectorFlow flow_of(const Architecture& architecture, const InstructionLayout& layout,
                   const Instruction& i) {
  VectorFlow flow;
  flow.kind = kind_of(layout, i);
  const InstructionKindInfo& row = info(flow.kind);
  flow.zeroes = (i.flags & row.zeroes) != 0;
  flow.accumulate = (i.flags & row.accumulate) != 0;
  std::uint64_t results = 0;
  switch (row.count) {
    case CountField::none:
      if (row.action == Action::simd) set_simd(flow, layout, i);
      return flow;
    case CountField::operand1:
      flow.size = results = i.operand1;
      break;
    case CountField::operand2:
      flow.size = results = i.operand2;
      break;
    case CountField::samples: {
      const DaisBlockEntry& block = architecture.dais_blocks[dais_fields(i).block];
      flow.size = (i.operand2 + 1) * block.input_vectors(architecture.array_size) - 1;
      results = (i.operand2 + 1) * block.output_vectors(architecture.array_size) - 1;
      break;
    }
    case CountField::table:
      flow.size = lookup_vectors(architecture) - 1;
      break;
    case CountField::parameters:
      flow.size = activation_parameters - 1;
      break;
  }
  if (!flow.zeroes) flow.from = walk(layout, i, row.from, flow.size);
  flow.to = walk(layout, i, row.to, results);
  return flow;
}

std::uint64_t vector_count(const Architecture& architecture, const InstructionLayout& layout,
                           const Instruction& i) {
  const VectorFlow flow = flow_of(architecture, layout, i);
  switch (info(flow.kind).count) {
    case CountField::none:
      return info(flow.kind).action == Action::simd ? 1 : 0;
    case CountField::operand1:
    case CountField::operand2:
    case CountField::samples:
      return (flow.size & low_bits(layout.local_address)) + 1;
    case CountField::table:
    case CountField::parameters:
      break;
  }
  return flow.size + 1;
}

std::string place_text(VectorMemory memory, std::uint64_t address) {
  switch (memory) {
    case VectorMemory::local:
      return fmt::format("local {}", address);
    case VectorMemory::accumulators:
      return fmt::format("accumulator {}", address);
    case VectorMemory::weights:
      return "the array's weights";
    case VectorMemory::registers:
      return fmt::format("R{}", address + 1);
    case VectorMemory::lookup_tables:
      return fmt::format("lookup table {}", address);
    default:
      return {};
  }
}

std::uint64_t depth(const Architecture& architecture, VectorMemory memory) {
  switch (memory) {
    case VectorMemory::local:
      return architecture.local_depth;
    case VectorMemory::accumulators:
      return architecture.accumulator_depth;
    case VectorMemory::weights:
      return 1;
    case VectorMemory::registers:
      return architecture.simd_registers_depth;
    case VectorMemory::lookup_tables:
      return architecture.lookup_tables.count;
    case VectorMemory::activation:
      return activation_parameters;
    case VectorMemory::dram0:
      return architecture.dram0_depth;
    case VectorMemory::dram1:
      return architecture.dram1_depth;
    case VectorMemory::none:
      break;
  }
  return 0;
}

unsigned address_width(const InstructionLayout& layout, VectorMemory memory) {
  switch (memory) {
    case VectorMemory::local:
      return layout.local_address;
    case VectorMemory::accumulators:
      return layout.accumulator_address;
    case VectorMemory::dram0:
      return layout.dram0_address;
    case VectorMemory::dram1:
      return layout.dram1_address;
    default:
      return 0;
  }
}

Accesses accesses(const Architecture& architecture, const InstructionLayout& layout,
                  const Instruction& instruction) {
  Accesses result;
  Reader reader(architecture, layout, result);
  const VectorFlow flow = flow_of(architecture, layout, instruction);
  if (flow.kind == InstructionKind::simd) {
    reader.simd(flow, simd_fields(layout, instruction));
  } else {
    reader.read(flow);
  }
  return result;
}

}  // namespace tactus::tcu
