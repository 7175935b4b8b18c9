#include <string_view>

#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

/// What messages need to know about a memory.
struct Memory {
  std::string_view name;   ///< before "address"
  std::string_view place;  ///< after "outside"
  std::uint64_t depth;
};

/// size + 1 without overflow: a size field may hold 2^64 - 1.
std::string count_text(std::uint64_t size) {
  return size == ~std::uint64_t{0} ? "18446744073709551616" : std::to_string(size + 1);
}

std::string check_address(const Memory& memory, std::uint64_t address) {
  if (address < memory.depth) return {};
  return fmt::format("{} address {} is outside {}; allowed 0..{}", memory.name, address,
                     memory.place, memory.depth - 1);
}

/// The vectors address + k * 2^stride for k = 0..size must all exist.
std::string check_run(const Memory& memory, Operand start, std::uint64_t size) {
  if (std::string wrong = check_address(memory, start.address); !wrong.empty()) return wrong;
  // Counting the steps that remain, rather than computing the last address, cannot overflow.
  const std::uint64_t steps = (memory.depth - 1 - start.address) >> start.stride;
  if (size <= steps) return {};
  return fmt::format(
      "{} vectors from {} address {} in steps of {} run past the end of {} (depth {}); allowed "
      "1..{} vectors",
      count_text(size), memory.name, start.address, std::uint64_t{1} << start.stride, memory.place,
      memory.depth, count_text(steps));
}

std::string check_stride(unsigned operand, unsigned code, std::uint32_t depth) {
  if (code < depth) return {};
  return fmt::format("stride code {} of operand {} is undefined; allowed 0..{}", code, operand,
                     depth - 1);
}

std::string check_flags(std::string_view mnemonic, std::uint8_t flags, unsigned used) {
  if ((flags & ~used) == 0) return {};
  return fmt::format("{} flags {:#x} set bits without meaning; allowed 0x0..{:#x}", mnemonic, flags,
                     used);
}

template <typename... Checks>
std::string first_of(std::string first, Checks... later) {
  ((first.empty() ? void(first = later()) : void()), ...);
  return first;
}

class Checker {
 public:
  Checker(const Architecture& architecture, const InstructionLayout& layout,
          const Instruction& instruction)
      : architecture_(architecture),
        layout_(layout),
        i_(instruction),
        local_{"local", "the local memory", architecture.local_depth},
        accumulators_{"accumulator", "the accumulators", architecture.accumulator_depth} {}

  [[nodiscard]] std::string mat_mul() const {
    const bool zeroes = (i_.flags & mat_mul_zeroes) != 0;
    return first_of(
        check_flags("MatMul", i_.flags, mat_mul_accumulate | mat_mul_zeroes),
        [&] { return zeroes ? zeroes_size(i_.operand2) : local_run(i_.operand2); },
        [&] { return other_run(accumulators_, i_.operand2); });
  }

  [[nodiscard]] std::string data_move() const {
    switch (static_cast<DataMoveKind>(i_.flags)) {
      case DataMoveKind::dram0_to_local:
      case DataMoveKind::local_to_dram0:
        return move({"DRAM0", "DRAM0", architecture_.dram0_depth});
      case DataMoveKind::dram1_to_local:
      case DataMoveKind::local_to_dram1:
        return move({"DRAM1", "DRAM1", architecture_.dram1_depth});
      case DataMoveKind::accumulator_to_local:
      case DataMoveKind::local_to_accumulator:
      case DataMoveKind::local_to_accumulator_accumulate:
        return move(accumulators_);
    }
    return fmt::format("DataMove kind {:#x} is undefined; allowed 0x0..0x3, 0xc, 0xd and 0xf",
                       i_.flags);
  }

  [[nodiscard]] std::string load_weights() const {
    const bool zeroes = (i_.flags & load_weights_zeroes) != 0;
    return first_of(check_flags("LoadWeights", i_.flags, load_weights_zeroes),
                    [&] { return zeroes ? zeroes_size(i_.operand1) : local_run(i_.operand1); });
  }

  [[nodiscard]] std::string undefined() const {
    return fmt::format("opcode {:#x} is undefined; allowed 0x0..0x4{}", i_.opcode,
                       architecture_.dais_blocks.empty() ? " and 0xf" : ", 0x6 and 0xf");
  }

  [[nodiscard]] std::string dais() const {
    const std::vector<DaisBlockEntry>& blocks = architecture_.dais_blocks;
    const unsigned number = dais_fields(i_).block;
    if (number >= blocks.size()) {
      return fmt::format("there is no DAIS block {}; allowed 0..{}", number, blocks.size() - 1);
    }
    const DaisBlockEntry& block = blocks[number];
    const std::uint64_t in = size_of_samples(block.input_vectors(architecture_.array_size));
    const std::uint64_t out = size_of_samples(block.output_vectors(architecture_.array_size));
    const std::string wrong = first_of(
        local_run(in), [&] { return other_run(accumulators_, out); },
        [&] { return results_size(out); });
    if (wrong.empty()) return {};
    return fmt::format("{} samples of block {}: {}", count_text(i_.operand2), block.name, wrong);
  }

  [[nodiscard]] std::string simd() const {
    const bool reads = (i_.flags & simd_read) != 0;
    const bool writes = (i_.flags & simd_write) != 0;
    const SimdFields fields = simd_fields(layout_, i_);
    return first_of(
        check_flags("SIMD", i_.flags, simd_read | simd_write | simd_accumulate),
        [&] { return selector("left source", "input", fields.left); },
        [&] { return selector("right source", "input", fields.right); },
        [&] { return selector("destination", "output", fields.dest); },
        [&] { return simd_hang(fields, reads, writes); },
        [&] {
          return simd_address("accumulator write", writes, operand0_fields(layout_, i_).address);
        },
        [&] {
          return simd_address("accumulator read", reads, operand1_fields(layout_, i_).address);
        });
  }

 private:
  [[nodiscard]] std::string move(const Memory& other) const {
    return first_of(local_run(i_.operand2), [&] { return other_run(other, i_.operand2); });
  }

  [[nodiscard]] std::string local_run(std::uint64_t size) const {
    const Operand local = operand0_fields(layout_, i_);
    return first_of(check_stride(0, local.stride, architecture_.stride0_depth),
                    [&] { return check_run(local_, local, size); });
  }

  [[nodiscard]] std::string other_run(const Memory& memory, std::uint64_t size) const {
    const Operand other = operand1_fields(layout_, i_);
    return first_of(check_stride(1, other.stride, architecture_.stride1_depth),
                    [&] { return check_run(memory, other, size); });
  }

  /// Zeroes need no local address, but the array's counter is as wide as one.
  [[nodiscard]] std::string zeroes_size(std::uint64_t size) const {
    if (size < local_.depth) return {};
    return fmt::format(
        "{} vectors of zeroes exceed the array's counter, which is as deep as the local memory; "
        "allowed 1..{} vectors",
        count_text(size), local_.depth);
  }

  /// Size field for operand2's samples of so many vectors each; what no memory holds becomes the
  /// largest size.
  [[nodiscard]] std::uint64_t size_of_samples(std::uint64_t vectors) const {
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(i_.operand2, vectors, &size) ||
        __builtin_add_overflow(size, vectors - 1, &size)) {
      return ~std::uint64_t{0};
    }
    return size;
  }

  [[nodiscard]] std::string results_size(std::uint64_t size) const {
    if (size < local_.depth) return {};
    return fmt::format(
        "{} vectors of results exceed the router's counter, which is as deep as the local memory; "
        "allowed 1..{} vectors",
        count_text(size), local_.depth);
  }

  [[nodiscard]] std::string selector(std::string_view what, std::string_view zero,
                                     unsigned value) const {
    if (value <= architecture_.simd_registers_depth) return {};
    return fmt::format("SIMD {} {} names no register; allowed 0 ({}) and 1..{} (registers)", what,
                       value, zero, architecture_.simd_registers_depth);
  }

  [[nodiscard]] std::string simd_address(std::string_view name, bool used,
                                         std::uint64_t address) const {
    return used ? check_address({name, accumulators_.place, accumulators_.depth}, address)
                : std::string{};
  }

  /// Combinations where a vector is read that nobody takes, or one is awaited that nobody sends.
  [[nodiscard]] static std::string simd_hang(const SimdFields& fields, bool reads, bool writes) {
    if (fields.op == SimdOp::no_op) {
      if (!reads && !writes) return {};
      return "SIMD NoOp bypasses the ALU, so its read or write waits for other instructions; "
             "allowed without read and write (Move copies)";
    }
    if (fields.op == SimdOp::zero) {
      return reads
                 ? "SIMD Zero takes no input, so the vector read blocks the accumulators; allowed "
                   "without read"
                 : "";
    }
    const bool takes_input = fields.left == 0 || fields.right == 0;
    if (takes_input && !reads) {
      return fmt::format(
          "SIMD {} waits for an input vector that is not read (a source is 0); allowed with read, "
          "or with registers as both sources",
          simd_op_names[static_cast<std::size_t>(fields.op)]);
    }
    if (!takes_input && reads) {
      return fmt::format(
          "SIMD {} reads a vector that no source takes; allowed without read, or with 0 (input) as "
          "a source",
          simd_op_names[static_cast<std::size_t>(fields.op)]);
    }
    return {};
  }

  const Architecture& architecture_;
  const InstructionLayout& layout_;
  const Instruction& i_;
  Memory local_;
  Memory accumulators_;
};

}  // namespace

std::string check(const Architecture& architecture, const InstructionLayout& layout,
                  const Instruction& instruction) {
  const Checker checker(architecture, layout, instruction);
  switch (static_cast<Opcode>(instruction.opcode)) {
    case Opcode::no_op:
    case Opcode::configure:
      return {};
    case Opcode::mat_mul:
      return checker.mat_mul();
    case Opcode::data_move:
      return checker.data_move();
    case Opcode::load_weights:
      return checker.load_weights();
    case Opcode::simd:
      return checker.simd();
    case Opcode::dais:
      return architecture.dais_blocks.empty() ? checker.undefined() : checker.dais();
  }
  return checker.undefined();
}

}  // namespace tactus::tcu
