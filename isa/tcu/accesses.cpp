#include "isa/tcu/accesses.h"

#include <fmt/format.h>

#include "isa/tcu/activation.h"
#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/lookup.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

using Memory = VectorMemory;

/// One instruction; its size fields are cut to the address width of the memory that counts.
class Reader {
 public:
  Reader(const Architecture& architecture, const InstructionLayout& layout,
         const Instruction& instruction, Accesses& result)
      : architecture_(architecture), layout_(layout), i_(instruction), result_(result) {}

  void read() {
    switch (kind_of(layout_, i_)) {
      case InstructionKind::mat_mul:
        mat_mul();
        break;
      case InstructionKind::load_weights:
        load_weights();
        break;
      case InstructionKind::simd:
        simd();
        break;
      case InstructionKind::dram0_to_local:
      case InstructionKind::dram1_to_local:
        result_.writes.add(local(i_.operand2));
        break;
      case InstructionKind::local_to_dram0:
      case InstructionKind::local_to_dram1:
        result_.reads.add(local(i_.operand2));
        break;
      case InstructionKind::accumulator_to_local:
      case InstructionKind::accumulator_to_local_activated:
        result_.reads.add(accumulators(i_.operand2));
        result_.writes.add(local(i_.operand2));
        break;
      case InstructionKind::local_to_accumulator:
      case InstructionKind::local_to_accumulator_accumulate:
        result_.reads.add(local(i_.operand2));
        write_accumulators(
            i_.operand2,
            i_.flags == static_cast<unsigned>(DataMoveKind::local_to_accumulator_accumulate));
        break;
      case InstructionKind::dais:
        dais();
        break;
      case InstructionKind::load_lut:
        result_.reads.add(local(lookup_vectors(architecture_) - 1));
        result_.writes.add(from(Memory::lookup_tables, lookup_table_of(i_), 1));
        break;
      case InstructionKind::load_activation:
        result_.reads.add(local(activation_parameters - 1));
        break;
      case InstructionKind::no_op:
      case InstructionKind::configure:
      case InstructionKind::undefined:
        break;
    }
  }

 private:
  /// The vectors of operand 0 or 1. `size` is one less than their number.
  [[nodiscard]] static Access run_of(Memory memory, Operand operand, std::uint64_t size,
                                     unsigned address_bits) {
    return {memory, false, operand.stride, operand.address, (size & low_bits(address_bits)) + 1};
  }
  [[nodiscard]] static Access from(Memory memory, std::uint64_t base, std::uint64_t count) {
    return {memory, false, 0, base, count};
  }
  [[nodiscard]] Access local(std::uint64_t size) const {
    return run_of(Memory::local, operand0_fields(layout_, i_), size, layout_.local_address);
  }
  [[nodiscard]] Access accumulators(std::uint64_t size) const {
    return run_of(Memory::accumulators, operand1_fields(layout_, i_), size,
                  layout_.accumulator_address);
  }

  void write_accumulators(std::uint64_t size, bool accumulate) {
    const Access access = accumulators(size);
    if (accumulate) result_.reads.add(access);
    result_.writes.add(access);
  }

  void mat_mul() {
    if ((i_.flags & mat_mul_zeroes) == 0) result_.reads.add(local(i_.operand2));
    result_.reads.add(from(Memory::weights, 0, 1));
    write_accumulators(i_.operand2, (i_.flags & mat_mul_accumulate) != 0);
  }

  /// The last vector enters first.
  void load_weights() {
    Access access = local(i_.operand1);
    if ((i_.flags & load_weights_zeroes) == 0) {
      access.base += i_.operand1 << access.stride;
      access.reverse = true;
      result_.reads.add(access);
    }
    result_.writes.add(from(Memory::weights, 0, 1));
  }

  void dais() {
    const DaisFields fields = dais_fields(i_);
    const DaisBlockEntry& block = architecture_.dais_blocks[fields.block];
    const std::uint64_t samples = i_.operand2 + 1;
    const std::uint64_t n = architecture_.array_size;
    result_.reads.add(local(samples * block.input_vectors(n) - 1));
    write_accumulators(samples * block.output_vectors(n) - 1, fields.accumulate);
  }

  /// Selectors of registers that do not exist are cut to the address bits of the registers; beyond
  /// them the first one is read, and nothing is written.
  [[nodiscard]] std::uint64_t register_of(unsigned selector) const {
    return (selector - 1) & low_bits(address_bits(architecture_.simd_registers_depth));
  }
  void read_register(unsigned selector) {
    if (selector == 0) return;
    const std::uint64_t index = register_of(selector);
    const bool exists = index < architecture_.simd_registers_depth;
    result_.reads.add(from(Memory::registers, exists ? index : 0, 1));
  }

  void simd() {
    const SimdFields fields = simd_fields(layout_, i_);
    const bool looks_up = fields.op == SimdOp::lookup;
    const std::uint64_t tables = architecture_.lookup_tables.count;
    // Results that no registers take end the run with an error.
    if (looks_up && (fields.dest == 0 || fields.dest + tables > architecture_.simd_registers_depth))
      return;
    const bool reads = (i_.flags & simd_read) != 0;
    const std::uint64_t address0 = operand0_fields(layout_, i_).address;
    const std::uint64_t address1 = operand1_fields(layout_, i_).address;
    if (reads) result_.reads.add(from(Memory::accumulators, address1, 1));
    const unsigned sources = source_count(fields.op);
    if (sources > 0) read_register(fields.left);
    if (sources > 1 && fields.right != fields.left) read_register(fields.right);
    if (looks_up) {
      result_.reads.add(from(Memory::lookup_tables, 0, tables));
    }
    if (fields.dest != 0 && fields.op != SimdOp::no_op) {
      result_.writes.add(
          from(Memory::registers, register_of(fields.dest), looks_up ? 1 + tables : 1));
    }
    if ((i_.flags & simd_write) == 0) return;
    // A write without a read or an operation has its address in operand 1.
    const bool moved = fields.op == SimdOp::no_op && !reads;
    const Access written = from(Memory::accumulators, moved ? address1 : address0, 1);
    if ((i_.flags & simd_accumulate) != 0) result_.reads.add(written);
    result_.writes.add(written);
  }

  const Architecture& architecture_;
  const InstructionLayout& layout_;
  const Instruction& i_;
  Accesses& result_;
};

}  // namespace

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
  }
  return {};
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
  }
  return 0;
}

Accesses accesses(const Architecture& architecture, const InstructionLayout& layout,
                  const Instruction& instruction) {
  Accesses result;
  Reader(architecture, layout, instruction, result).read();
  return result;
}

}  // namespace tactus::tcu
