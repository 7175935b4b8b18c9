#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "isa/support/error.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/lookup.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

/// Description of a memory for messages.
struct MemoryExtent {
  std::string_view name;   ///< before "address"
  std::string_view place;  ///< after "outside"
  std::uint64_t depth;
};

/// size + 1 without overflow: a size field may hold 2^64 - 1.
std::string count_text(std::uint64_t size) {
  return size == ~std::uint64_t{0} ? "18446744073709551616" : std::to_string(size + 1);
}

class Checker {
 public:
  Checker(const Architecture& architecture, const InstructionLayout& layout)
      : architecture_(architecture),
        layout_(layout),
        operations_(rtl_simd_ops + (layout.lookup_table_count > 0 ? 1 : 0)),
        local_{"local", "the local memory", architecture.local_depth},
        accumulators_{"accumulator", "the accumulators", architecture.accumulator_depth},
        drams_{MemoryExtent{"DRAM0", "DRAM0", architecture.dram0_depth},
               MemoryExtent{"DRAM1", "DRAM1", architecture.dram1_depth}} {}

  /// Problem of the last instruction that right() rejected.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  /// Checks an instruction. Rules return whether they hold and make a message only if not: programs
  /// have millions of instructions, and correct ones should not cost strings.
  bool right(const Instruction& instruction) {
    i_ = instruction;
    switch (static_cast<Opcode>(i_.opcode)) {
      case Opcode::no_op:
      case Opcode::configure:
        return true;
      case Opcode::mat_mul:
        return mat_mul();
      case Opcode::data_move:
        return data_move();
      case Opcode::load_weights:
        return load_weights();
      case Opcode::simd:
        return simd();
      case Opcode::load_lut:
        return architecture_.lookup_tables.count == 0 ? undefined() : load_lut();
      case Opcode::load_activation:
        if (!architecture_.activation_unit) return undefined();
        return flags("LoadActivation", 0) && local_run(activation_parameters - 1);
      case Opcode::dais:
        return architecture_.dais_blocks.empty() ? undefined() : dais();
    }
    return undefined();
  }

 private:
  template <typename Text>
  bool require(bool holds, Text&& text) {
    if (!holds) wrong_ = text();
    return holds;
  }

  bool undefined() {
    return require(false, [&] {
      std::string extensions;
      if (architecture_.lookup_tables.count > 0) extensions += ", 0x5";
      if (!architecture_.dais_blocks.empty()) extensions += ", 0x6";
      if (architecture_.activation_unit) extensions += ", 0x7";
      return fmt::format("opcode {:#x} is undefined; allowed 0x0..0x4{} and 0xf", i_.opcode,
                         extensions);
    });
  }

  bool mat_mul() {
    const bool zeroes = (i_.flags & mat_mul_zeroes) != 0;
    return flags("MatMul", mat_mul_accumulate | mat_mul_zeroes) &&
           (zeroes ? counted("zeroes", "array", i_.operand2) : local_run(i_.operand2)) &&
           other_run(accumulators_, i_.operand2);
  }

  bool data_move() {
    switch (static_cast<DataMoveKind>(i_.flags)) {
      case DataMoveKind::dram0_to_local:
      case DataMoveKind::local_to_dram0:
        return move(drams_[0]);
      case DataMoveKind::dram1_to_local:
      case DataMoveKind::local_to_dram1:
        return move(drams_[1]);
      case DataMoveKind::accumulator_to_local:
      case DataMoveKind::local_to_accumulator:
      case DataMoveKind::local_to_accumulator_accumulate:
        return move(accumulators_);
      case DataMoveKind::accumulator_to_local_activated:
        if (architecture_.activation_unit) return move(accumulators_);
        break;
    }
    return require(false, [&] {
      return fmt::format("DataMove kind {:#x} is undefined; allowed 0x0..0x3, 0xc, 0xd{} and 0xf",
                         i_.flags, architecture_.activation_unit ? ", 0xe" : "");
    });
  }

  bool load_weights() {
    const bool zeroes = (i_.flags & load_weights_zeroes) != 0;
    return flags("LoadWeights", load_weights_zeroes) &&
           (zeroes ? counted("zeroes", "array", i_.operand1) : local_run(i_.operand1));
  }

  bool dais() {
    const std::vector<DaisBlockEntry>& blocks = architecture_.dais_blocks;
    const unsigned number = dais_fields(i_).block;
    if (number >= blocks.size()) {
      return require(false, [&] {
        return fmt::format("there is no DAIS block {}; allowed 0..{}", number, blocks.size() - 1);
      });
    }
    const DaisBlockEntry& block = blocks[number];
    const std::uint64_t in = size_of_samples(block.input_vectors(architecture_.array_size));
    const std::uint64_t out = size_of_samples(block.output_vectors(architecture_.array_size));
    if (local_run(in) && other_run(accumulators_, out) && counted("results", "router", out))
      return true;
    wrong_ = fmt::format("{} samples of block {}: {}", count_text(i_.operand2), block.name, wrong_);
    return false;
  }

  bool load_lut() {
    const std::uint64_t table = lookup_table_of(i_);
    const std::uint32_t count = architecture_.lookup_tables.count;
    return flags("LoadLUT", 0) &&
           require(table < count,
                   [&] {
                     return fmt::format("there is no lookup table {}; allowed 0..{}", table,
                                        count - 1);
                   }) &&
           local_run(lookup_vectors(architecture_) - 1);
  }

  /// The difference and the tables' values go to consecutive registers.
  bool lookup(const SimdFields& fields) {
    const std::uint32_t count = architecture_.lookup_tables.count;
    const std::uint32_t registers = architecture_.simd_registers_depth;
    return require(fields.dest >= 1 && fields.dest + count <= registers, [&] {
      return fmt::format(
          "SIMD Lookup gives the difference and {} table value{} to consecutive registers from {} "
          "on, and there are {} registers; allowed {}",
          count, count == 1 ? "" : "s", fields.dest == 0 ? "O" : fmt::format("R{}", fields.dest),
          registers,
          registers > count
              ? fmt::format("R1..R{} as destination", registers - count)
              : fmt::format("none: simd_registers_depth has to be {} or more", count + 1));
    });
  }

  bool simd() {
    const bool reads = (i_.flags & simd_read) != 0;
    const bool writes = (i_.flags & simd_write) != 0;
    const SimdFields fields = simd_fields(layout_, i_);
    return flags("SIMD", simd_read | simd_write | simd_accumulate) &&
           selector("left source", "input", fields.left) &&
           selector("right source", "input", fields.right) &&
           selector("destination", "output", fields.dest) &&
           require(static_cast<unsigned>(fields.op) < operations_,
                   [&] {
                     return fmt::format("SIMD operation {:#x} is undefined; allowed 0x0..{:#x}",
                                        static_cast<unsigned>(fields.op), operations_ - 1);
                   }) &&
           (fields.op != SimdOp::lookup || lookup(fields)) && simd_ends(fields, reads, writes) &&
           (!writes || address({"accumulator write", accumulators_.place, accumulators_.depth},
                               operand0_fields(layout_, i_).address)) &&
           (!reads || address({"accumulator read", accumulators_.place, accumulators_.depth},
                              operand1_fields(layout_, i_).address));
  }

  // ---- parts of instructions ----

  bool flags(std::string_view mnemonic, unsigned used) {
    return require((i_.flags & ~used) == 0, [&] {
      return fmt::format("{} flags {:#x} set bits without meaning; allowed 0x0..{:#x}", mnemonic,
                         i_.flags, used);
    });
  }

  bool address(const MemoryExtent& memory, std::uint64_t value) {
    return require(value < memory.depth, [&] {
      return fmt::format("{} address {} is outside {}; allowed 0..{}", memory.name, value,
                         memory.place, memory.depth - 1);
    });
  }

  bool stride(unsigned operand, unsigned code, std::uint32_t depth) {
    return require(code < depth, [&] {
      return fmt::format("stride code {} of operand {} is undefined; allowed 0..{}", code, operand,
                         depth - 1);
    });
  }

  /// Checks that the vectors address + k * 2^stride exist for all k = 0..size.
  bool run_of(const MemoryExtent& memory, Operand start, std::uint64_t size) {
    if (!address(memory, start.address)) return false;
    // Compares numbers of steps instead of computing the last address, which could overflow.
    const std::uint64_t steps = (memory.depth - 1 - start.address) >> start.stride;
    return require(size <= steps, [&] {
      return fmt::format(
          "{} vectors from {} address {} in steps of {} run past the end of {} (depth {}); allowed "
          "1..{} vectors",
          count_text(size), memory.name, start.address, std::uint64_t{1} << start.stride,
          memory.place, memory.depth, count_text(steps));
    });
  }

  bool move(const MemoryExtent& other) {
    return local_run(i_.operand2) && other_run(other, i_.operand2);
  }

  bool local_run(std::uint64_t size) {
    const Operand operand = operand0_fields(layout_, i_);
    return stride(0, operand.stride, architecture_.stride0_depth) && run_of(local_, operand, size);
  }

  bool other_run(const MemoryExtent& memory, std::uint64_t size) {
    const Operand operand = operand1_fields(layout_, i_);
    return stride(1, operand.stride, architecture_.stride1_depth) && run_of(memory, operand, size);
  }

  /// Checks that a counter holds the size. It is as wide as a local address, even if the vectors
  /// need no address.
  bool counted(std::string_view what, std::string_view counter, std::uint64_t size) {
    return require(size < architecture_.local_depth, [&] {
      return fmt::format(
          "{} vectors of {} exceed the {}'s counter, which is as deep as the local memory; allowed "
          "1..{} vectors",
          count_text(size), what, counter, architecture_.local_depth);
    });
  }

  /// Size field for operand2's samples of `vectors` vectors each; the largest size if no memory
  /// could hold them.
  [[nodiscard]] std::uint64_t size_of_samples(std::uint64_t vectors) const {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(i_.operand2, vectors, &size) ||
        __builtin_add_overflow(size, vectors - 1, &size)) {
      return ~std::uint64_t{0};
    }
    return size;
  }

  bool selector(std::string_view what, std::string_view zero, unsigned value) {
    return require(value <= architecture_.simd_registers_depth, [&] {
      return fmt::format("SIMD {} {} names no register; allowed 0 ({}) and 1..{} (registers)", what,
                         value, zero, architecture_.simd_registers_depth);
    });
  }

  /// Rejects combinations that never end: a vector is read but not taken, or is awaited but not
  /// sent.
  bool simd_ends(const SimdFields& fields, bool reads, bool writes) {
    if (fields.op == SimdOp::no_op) {
      return require(!reads && !writes, [] {
        return "SIMD NoOp bypasses the ALU, so its read or write waits for other instructions; "
               "allowed without read and write (Move copies)";
      });
    }
    if (fields.op == SimdOp::zero) {
      return require(!reads, [] {
        return "SIMD Zero takes no input, so the vector read blocks the accumulators; allowed "
               "without read";
      });
    }
    const bool takes_input = fields.left == 0 || fields.right == 0;
    return require(takes_input == reads, [&] {
      const std::string_view name = simd_op_names[static_cast<std::size_t>(fields.op)];
      return takes_input ? fmt::format(
                               "SIMD {} waits for an input vector that is not read (a source is "
                               "0); allowed with read, or with registers as both sources",
                               name)
                         : fmt::format(
                               "SIMD {} reads a vector that no source takes; allowed without read, "
                               "or with 0 (input) as a source",
                               name);
    });
  }

  const Architecture& architecture_;
  const InstructionLayout& layout_;
  const unsigned operations_;  ///< number of SIMD operations
  const MemoryExtent local_, accumulators_;
  const std::array<MemoryExtent, 2> drams_;
  Instruction i_;
  std::string wrong_;
};

}  // namespace

std::string check(const Architecture& architecture, const InstructionLayout& layout,
                  const Instruction& instruction) {
  Checker checker(architecture, layout);
  return checker.right(instruction) ? std::string{} : checker.wrong();
}

std::optional<ProgramProblem> check_program(const Architecture& architecture,
                                            const InstructionLayout& layout,
                                            const std::vector<std::uint8_t>& bytes) {
  const std::size_t step = layout.instruction_bytes();
  const std::size_t count = bytes.size() / step;
  Checker checker(architecture, layout);
  for (std::size_t i = 0; i < count; ++i) {
    if (!checker.right(decode(layout, &bytes[i * step]))) return ProgramProblem{i, checker.wrong()};
  }
  return std::nullopt;
}

}  // namespace tactus::tcu
