#include "tests/dpas/interpreter.h"

#include <cstring>
#include <stdexcept>

namespace tactus::dpas {
namespace {

class Interpreter {
 public:
  Interpreter(const Profile& profile, const Kernel& kernel, const Numerics& numerics,
              std::vector<std::uint8_t>& registers, InterpretedMemory& memory)
      : profile_(profile),
        kernel_(kernel),
        numerics_(numerics),
        registers_(registers),
        memory_(memory),
        predicates_(kernel.predicates.size() + 1) {}

  void run() {
    for (std::size_t next = 0; next < kernel_.instructions.size();) {
      const Instruction& i = kernel_.instructions[next++];
      switch (i.opcode) {
        case Opcode::dpas:
          dpas(i);
          break;
        case Opcode::mov:
        case Opcode::add:
          arithmetic(i);
          break;
        case Opcode::cmp:
          predicates_[i.dst.variable] = dword(i.source[0], 0) < dword(i.source[1], 0) ? 1 : 0;
          break;
        case Opcode::jmp:
          if (i.predicate.variable == 0 || predicates_[i.predicate.variable] != 0) next = i.target;
          break;
        case Opcode::lsc_untyped:
          i.lsc.is_block2d() ? block(i) : elements(i);
          break;
        case Opcode::ret:
          return;
        default:
          break;
      }
    }
  }

 private:
  [[nodiscard]] std::int32_t dword(const Operand& operand, unsigned channel) const {
    if (operand.kind == Operand::Kind::immediate) {
      return static_cast<std::int32_t>(operand.immediate);
    }
    std::int32_t value = 0;
    const unsigned step = operand.region.width > 1 || operand.region.vertical > 0 ? 4 : 0;
    std::memcpy(&value, &registers_.at(operand.address + std::size_t{channel} * step), 4);
    return value;
  }

  void arithmetic(const Instruction& i) {
    std::vector<std::int32_t> results;
    for (unsigned c = 0; c < i.execution_size; ++c) {
      std::uint32_t value = static_cast<std::uint32_t>(dword(i.source[0], c));
      if (i.opcode == Opcode::add) value += static_cast<std::uint32_t>(dword(i.source[1], c));
      results.push_back(static_cast<std::int32_t>(value));
    }
    std::memcpy(&registers_.at(i.dst.address), results.data(), results.size() * 4);
  }

  /// Returns element `index` of the packed elements at a byte address of the register file,
  /// sign-extended.
  [[nodiscard]] std::int64_t element(std::uint32_t address, Precision precision,
                                     unsigned index) const {
    const unsigned bits = info(precision).bits;
    const unsigned at = index * bits;
    const unsigned value = registers_.at(address + at / 8) >> at % 8 & ((1U << bits) - 1);
    const bool negative = info(precision).is_signed && (value >> (bits - 1)) != 0;
    return static_cast<std::int64_t>(value) - (negative ? std::int64_t{1} << bits : 0);
  }

  void dpas(const Instruction& i) {
    if (!is_integer(i.w)) {
      const DpasConfig config = config_of(i, numerics_);
      dpas_reference(config, &registers_.at(i.dst.address), &registers_.at(i.source[0].address),
                     &registers_.at(i.source[1].address), &registers_.at(i.source[2].address));
      return;
    }
    const unsigned n = i.execution_size, ops = ops_per_channel(i.w, i.a);
    const unsigned in_dword = 32 / info(i.w).bits;
    std::vector<std::uint32_t> d;
    for (unsigned row = 0; row < i.repeat_count; ++row) {
      for (unsigned c = 0; c < n; ++c) {
        std::uint32_t sum = 0;
        if (i.source[0].in_registers()) {
          std::memcpy(&sum, &registers_.at(i.source[0].address + (row * n + c) * 4), 4);
        }
        for (unsigned k = 0; k < 8 * ops; ++k) {
          // Element k of B's column c is in dword k / in_dword of channel c.
          const std::uint32_t dword_at = i.source[1].address + (k / in_dword * n + c) * 4;
          const std::int64_t b = element(dword_at, i.w, k % in_dword);
          const std::int64_t a = element(i.source[2].address, i.a, row * 8 * ops + k);
          sum += static_cast<std::uint32_t>(a * b);
        }
        d.push_back(sum);
      }
    }
    std::memcpy(&registers_.at(i.dst.address), d.data(), d.size() * 4);
  }

  [[nodiscard]] std::uint8_t& byte(std::uint64_t address) {
    return memory_.bytes.at(address - memory_.base);
  }

  void block(const Instruction& i) {
    const Block2d& b = i.lsc.block;
    const std::uint64_t base = i.source[0].immediate;
    const std::int64_t width = static_cast<std::int64_t>(i.source[1].immediate) + 1;
    const std::int64_t height = static_cast<std::int64_t>(i.source[2].immediate) + 1;
    const std::uint64_t pitch = i.source[3].immediate + 1;
    const auto x = static_cast<std::int32_t>(i.source[4].immediate);
    const auto y = static_cast<std::int32_t>(i.source[5].immediate);
    const std::uint32_t grf = profile_.grf_bytes;
    const unsigned size = b.element_bytes, rows_in_dword = 4 / size;
    unsigned row_pitch = 1;
    while (row_pitch < b.width) row_pitch *= 2;
    const unsigned rows = b.transform ? (b.height + rows_in_dword - 1) / rows_in_dword : b.height;
    const unsigned row_size = row_pitch * (b.transform ? 4 : size);
    const unsigned one = (rows * row_size + grf - 1) / grf * grf;
    const bool load = i.lsc.is_load();
    const std::uint32_t in_registers = (load ? i.dst : i.source[6]).address;
    if (load) std::memset(&registers_.at(in_registers), 0, std::size_t{one} * b.blocks);
    for (unsigned which = 0; which < b.blocks; ++which) {
      for (unsigned r = 0; r < b.height; ++r) {
        for (unsigned c = 0; c < b.width; ++c) {
          const std::size_t at =
              which * one +
              (b.transform ? ((r / rows_in_dword) * row_pitch + c) * 4 + r % rows_in_dword * size
                           : (r * row_pitch + c) * size);
          for (unsigned part = 0; part < size; ++part) {
            const std::int64_t column =
                (std::int64_t{x} + std::int64_t{which} * b.width + c) * size + part;
            const std::int64_t line = std::int64_t{y} + r;
            if (column < 0 || column >= width || line < 0 || line >= height) continue;
            std::uint8_t& in_memory = byte(base + static_cast<std::uint64_t>(line) * pitch +
                                           static_cast<std::uint64_t>(column));
            std::uint8_t& in_register = registers_.at(in_registers + at + part);
            (load ? in_register : in_memory) = load ? in_memory : in_register;
          }
        }
      }
    }
  }

  /// Executes a load or store of dwords with 32-bit addresses.
  void elements(const Instruction& i) {
    const bool load = i.lsc.is_load();
    const unsigned channels = i.lsc.transposed ? 1 : i.execution_size;
    const std::uint32_t grf = profile_.grf_bytes;
    const std::uint32_t span = (channels * 4 + grf - 1) / grf * grf;
    const std::uint32_t in_registers = (load ? i.dst : i.source[1]).address;
    for (unsigned c = 0; c < channels; ++c) {
      std::uint32_t address = static_cast<std::uint32_t>(i.source[0].immediate);
      if (i.source[0].in_registers()) {
        std::memcpy(&address, &registers_.at(i.source[0].address + std::size_t{c} * 4), 4);
      }
      address += static_cast<std::uint32_t>(i.lsc.address_offset);
      for (unsigned j = 0; j < i.lsc.vector_size; ++j) {
        const std::uint32_t at = in_registers + (i.lsc.transposed ? j * 4 : j * span + c * 4);
        for (unsigned part = 0; part < 4; ++part) {
          std::uint8_t& in_memory = byte(address + j * 4 + part);
          std::uint8_t& in_register = registers_.at(at + part);
          (load ? in_register : in_memory) = load ? in_memory : in_register;
        }
      }
    }
  }

  const Profile& profile_;
  const Kernel& kernel_;
  const Numerics& numerics_;
  std::vector<std::uint8_t>& registers_;
  InterpretedMemory& memory_;
  std::vector<std::uint32_t> predicates_;
};

}  // namespace

void interpret(const Profile& profile, const Kernel& kernel, const Numerics& numerics,
               std::vector<std::uint8_t>& registers, InterpretedMemory& memory) {
  Interpreter(profile, kernel, numerics, registers, memory).run();
}

}  // namespace tactus::dpas
