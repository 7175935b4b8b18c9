#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "isa/support/error.h"
#include "isa/tcu/accesses.h"
#include "isa/tcu/instruction_set.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

/// size + 1 without overflow: a size field may hold 2^64 - 1.
std::string count_text(std::uint64_t size) {
  return size == ~std::uint64_t{0} ? "18446744073709551616" : std::to_string(size + 1);
}

/// Flags that have a meaning, by opcode: NoOp and Configure ignore theirs, DataMove and Dais use
/// all.
std::array<unsigned, 16> allowed_flags() {
  std::array<unsigned, 16> allowed{};
  for (const InstructionInfo& each : instruction_set()) {
    unsigned& flags = allowed[static_cast<std::size_t>(each.opcode)];
    for (const ModifierInfo& modifier : each.modifiers) flags |= modifier.flags;
    const Action action = info(each.kind()).action;
    const bool ignores = action == Action::none || action == Action::configure;
    if (ignores || action == Action::dais || each.opcode == Opcode::data_move) flags = 0xF;
  }
  return allowed;
}

class Checker {
 public:
  Checker(const Architecture& architecture, const InstructionLayout& layout)
      : architecture_(architecture), layout_(layout), operations_(simd_ops_of(layout)) {}

  /// Problem of the last instruction that right() rejected.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  /// Checks an instruction. Rules return whether they hold and make a message only if not: programs
  /// have millions of instructions, and correct ones should not cost strings.
  bool right(const Instruction& instruction) {
    i_ = instruction;
    const InstructionKind named = kind_by_code(i_);
    if (named == InstructionKind::undefined || !has(layout_, info(named).needs)) return undefined();
    static const std::array<unsigned, 16> allowed = allowed_flags();
    if (!flags(allowed[i_.opcode])) return false;
    const VectorFlow flow = flow_of(architecture_, layout_, i_);
    if (flow.kind == InstructionKind::undefined) return missing(named);
    switch (info(flow.kind).action) {
      case Action::none:
      case Action::configure:
      case Action::undefined:
        return true;
      case Action::simd:
        return simd(flow);
      case Action::dais:
        return dais(flow);
      default:
        return local_end(flow) && other_end(flow.from) && other_end(flow.to);
    }
  }

 private:
  template <typename Text>
  bool require(bool holds, Text&& text) {
    if (!holds) wrong_ = text();
    return holds;
  }

  /// ", 0x5" for each opcode, or kind of DataMove, that an extension of the machine brings.
  [[nodiscard]] std::string of_extensions(bool moves) const {
    std::string text;
    for (std::size_t code = 0; code < 16; ++code) {
      const InstructionKind kind = kinds_by_code[moves ? 0x20 + code : code * 16];
      const Extension needs = info(kind).needs;
      if (needs != Extension::none && has(layout_, needs)) text += fmt::format(", {:#x}", code);
    }
    return text;
  }

  bool undefined() {
    return require(false, [&] {
      if (i_.opcode == static_cast<unsigned>(Opcode::data_move)) {
        return fmt::format("DataMove kind {:#x} is undefined; allowed 0x0..0x3, 0xc, 0xd{} and 0xf",
                           i_.flags, of_extensions(true));
      }
      return fmt::format("opcode {:#x} is undefined; allowed 0x0..0x4{} and 0xf", i_.opcode,
                         of_extensions(false));
    });
  }

  /// The machine has no block or table of that number.
  bool missing(InstructionKind named) {
    return require(false, [&] {
      if (named == InstructionKind::dais) {
        return fmt::format("there is no DAIS block {}; allowed 0..{}", dais_fields(i_).block,
                           layout_.dais_block_count - 1);
      }
      return fmt::format("there is no lookup table {}; allowed 0..{}", lookup_table_of(i_),
                         layout_.lookup_table_count - 1);
    });
  }

  bool dais(VectorFlow flow) {
    const DaisBlockEntry& block = architecture_.dais_blocks[dais_fields(i_).block];
    flow.from.size = size_of_samples(block.input_vectors(architecture_.array_size));
    flow.to.size = size_of_samples(block.output_vectors(architecture_.array_size));
    if (local_end(flow) && other_end(flow.to) && counted("results", "router", flow.to.size))
      return true;
    wrong_ = fmt::format("{} samples of block {}: {}", count_text(i_.operand2), block.name, wrong_);
    return false;
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

  bool simd(const VectorFlow& flow) {
    const bool reads = flow.from.memory != VectorMemory::none;
    const bool writes = flow.to.memory != VectorMemory::none;
    const SimdFields fields = simd_fields(layout_, i_);
    return selector("left source", "input", fields.left) &&
           selector("right source", "input", fields.right) &&
           selector("destination", "output", fields.dest) &&
           require(static_cast<std::size_t>(fields.op) < operations_ &&
                       has(layout_, info(fields.op).needs),
                   [&] {
                     return fmt::format("SIMD operation {:#x} is undefined; allowed 0x0..{:#x}",
                                        static_cast<unsigned>(fields.op), operations_ - 1);
                   }) &&
           (fields.op != SimdOp::lookup || lookup(fields)) && simd_ends(fields, reads, writes) &&
           (!writes || address(flow.to, "accumulator write")) &&
           (!reads || address(flow.from, "accumulator read"));
  }

  // ---- parts of instructions ----

  bool flags(unsigned used) {
    return require((i_.flags & ~used) == 0, [&] {
      return fmt::format("{} flags {:#x} set bits without meaning; allowed 0x0..{:#x}",
                         info(static_cast<Opcode>(i_.opcode)).mnemonic, i_.flags, used);
    });
  }

  /// `name` as before "address".
  bool address(const VectorWalk& walk, std::string_view name) {
    const std::uint64_t vectors = depth(architecture_, walk.memory);
    return require(walk.first.address < vectors, [&] {
      return fmt::format("{} address {} is outside {}; allowed 0..{}", name, walk.first.address,
                         info(walk.memory).place, vectors - 1);
    });
  }

  /// Checks that the stride exists and the vectors address + k * 2^stride for all k = 0..size.
  bool walk(const VectorWalk& walk, unsigned operand, std::uint32_t strides) {
    const auto& [memory, first, size] = walk;
    const std::string_view name = info(memory).name;
    const bool has_stride = require(first.stride < strides, [&] {
      return fmt::format("stride code {} of operand {} is undefined; allowed 0..{}",
                         walk.first.stride, operand, strides - 1);
    });
    if (!has_stride || !address(walk, name)) return false;
    // Compares numbers of steps instead of computing the last address, which could overflow.
    const std::uint64_t vectors = depth(architecture_, memory);
    const std::uint64_t steps = (vectors - 1 - first.address) >> first.stride;
    return require(size <= steps, [&] {
      return fmt::format(
          "{} vectors from {} address {} in steps of {} run past the end of {} (depth {}); allowed "
          "1..{} vectors",
          count_text(walk.size), name, walk.first.address, std::uint64_t{1} << walk.first.stride,
          info(walk.memory).place, vectors, count_text(steps));
    });
  }

  /// Checks the addresses in local memory, or the number of zeroes that take their place.
  bool local_end(const VectorFlow& flow) {
    if (flow.zeroes) return counted("zeroes", "array", flow.size);
    return walk(flow.to.memory == VectorMemory::local ? flow.to : flow.from, 0,
                architecture_.stride0_depth);
  }

  bool other_end(const VectorWalk& end) {
    if (end.memory == VectorMemory::local || info(end.memory).name.empty()) return true;
    return walk(end, 1, architecture_.stride1_depth);
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
    const std::string_view name = info(fields.op).name;
    if (info(fields.op).sources == 0) {
      return require(!reads, [&] {
        return fmt::format(
            "SIMD {} takes no input, so the vector read blocks the accumulators; allowed without "
            "read",
            name);
      });
    }
    const bool takes_input = fields.left == 0 || fields.right == 0;
    return require(takes_input == reads, [&] {
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
  const std::size_t operations_;  ///< one more than the last SIMD operation
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
