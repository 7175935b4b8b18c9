#include "interpreter.h"

#include <cstring>
#include <stdexcept>

#include "isa/dpas/alu.h"
#include "isa/dpas/block2d.h"
#include "isa/dpas/semantics.h"

namespace tactus::gemm {
namespace {

using dpas::Instruction;
using dpas::Opcode;

class Thread {
 public:
  Thread(const dpas::Kernel& kernel, const dpas::Profile& profile, unsigned number,
         const std::vector<std::uint64_t>& inputs, std::vector<std::uint8_t>& memory,
         Interpreted& counts)
      : kernel_(kernel),
        grf_bytes_(profile.grf_bytes),
        registers_(profile.register_file_bytes()),
        predicates_(kernel.predicates.size()),
        memory_(memory),
        counts_(counts) {
    for (const auto& variable : dpas::predefined_variables) {
      if (variable.name != "%thread_x" && variable.name != "%hw_id") continue;
      std::memcpy(registers_.data() + variable.address, &number, info(variable.type).bytes);
    }
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
      std::memcpy(registers_.data() + kernel.inputs[i].offset, &inputs.at(i),
                  kernel.inputs[i].size);
    }
  }

  void run() {
    for (std::size_t at = 0; at < kernel_.instructions.size();) {
      const Instruction& i = kernel_.instructions[at++];
      ++counts_.instructions;
      switch (i.opcode) {
        case Opcode::dpas:
          multiply(i);
          break;
        case Opcode::mov:
        case Opcode::add:
        case Opcode::cmp:
          execute_alu(i, registers_.data(), predicates_.data());
          break;
        case Opcode::lsc_untyped:
          message(i);
          break;
        case Opcode::jmp:
          if (jump_taken(i, predicates_.data())) at = i.target;
          break;
        case Opcode::label:
          break;
        case Opcode::ret:
          return;
        default:
          throw std::runtime_error("an instruction that gemm kernels do not have");
      }
    }
  }

 private:
  void multiply(const Instruction& i) {
    ++counts_.dpas;
    const dpas::DpasConfig config = config_of(i);
    dpas_reference(config, registers_.data() + i.dst.address,
                   registers_.data() + i.source[0].address, registers_.data() + i.source[1].address,
                   registers_.data() + i.source[2].address);
  }

  void message(const Instruction& i) {
    const dpas::Block2d& block = i.lsc.block;
    const auto value = [&](unsigned n) { return scalar_value(i.source[n], registers_.data()); };
    const std::int64_t base = value(0);
    const std::int64_t width = value(1) + 1;
    const std::int64_t height = value(2) + 1;
    const std::int64_t pitch = value(3) + 1;
    const bool load = i.lsc.is_load();
    std::uint8_t* const data = registers_.data() + (load ? i.dst : i.source[6]).address;
    if (load) std::memset(data, 0, register_bytes(block, grf_bytes_));
    std::vector<std::uint8_t> row(row_bytes(block));
    for (unsigned b = 0; b < block.blocks; ++b) {
      for (unsigned r = 0; r < block.height; ++r) {
        const std::int64_t x = (value(4) + std::int64_t{b} * block.width) * block.element_bytes;
        const std::int64_t y = value(5) + r;
        if (!load) take_row(block, grf_bytes_, b, r, data, row.data());
        if (load) std::fill(row.begin(), row.end(), 0);
        for (std::size_t k = 0; k < row.size(); ++k) {
          const std::int64_t at = x + static_cast<std::int64_t>(k);
          if (at < 0 || at >= width || y < 0 || y >= height) continue;
          std::uint8_t& byte = memory_.at(static_cast<std::size_t>(base + y * pitch + at));
          if (load) {
            row[k] = byte;
            ++counts_.bytes_loaded;
          } else {
            byte = row[k];
            ++counts_.bytes_stored;
          }
        }
        if (load) place_row(block, grf_bytes_, b, r, row.data(), data);
      }
    }
  }

  const dpas::Kernel& kernel_;
  unsigned grf_bytes_;
  std::vector<std::uint8_t> registers_;
  std::vector<std::uint32_t> predicates_;
  std::vector<std::uint8_t>& memory_;
  Interpreted& counts_;
};

}  // namespace

Interpreted interpret(const dpas::Program& program, const dpas::Profile& profile, unsigned threads,
                      const std::vector<std::uint64_t>& inputs, std::vector<std::uint8_t>& memory) {
  Interpreted counts;
  for (unsigned t = 0; t < threads; ++t) {
    Thread(program.kernels.front(), profile, t, inputs, memory, counts).run();
  }
  return counts;
}

}  // namespace tactus::gemm
