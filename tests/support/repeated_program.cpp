#include "tests/support/repeated_program.h"

#include <vector>

namespace tactus {
namespace {

/// Returns the instruction with other addresses that are legal, or unchanged if none were found.
tcu::Instruction moved(Random& random, const tcu::Architecture& architecture,
                       const tcu::InstructionLayout& layout, const tcu::Instruction& instruction) {
  const auto opcode = static_cast<tcu::Opcode>(instruction.opcode);
  if (opcode == tcu::Opcode::configure) return instruction;
  const auto move = [&](std::uint64_t operand, unsigned bits) {
    const std::uint64_t address = operand & tcu::low_bits(bits);
    // The distance is small enough to stay within the compared windows of DRAM, and large enough to
    // cross page borders.
    const std::uint64_t other = random.chance(30) ? address : address + random.range(0, 300);
    return (operand ^ address) | (other & tcu::low_bits(bits));
  };
  for (unsigned attempt = 0; attempt < 4; ++attempt) {
    tcu::Instruction result = instruction;
    result.operand0 = move(instruction.operand0, layout.operand0_address);
    if (opcode != tcu::Opcode::load_weights && opcode != tcu::Opcode::load_lut) {
      result.operand1 = move(instruction.operand1, layout.operand1_address);
    }
    if (check(architecture, layout, result).empty()) return result;
  }
  return instruction;
}

}  // namespace

RandomProgram repeated(Random& random, RandomProgram program, unsigned times) {
  const tcu::InstructionLayout layout(program.architecture);
  const std::vector<tcu::Instruction> once = program.instructions;
  for (unsigned i = 1; i < times; ++i) {
    for (const tcu::Instruction& instruction : once) {
      program.instructions.push_back(moved(random, program.architecture, layout, instruction));
    }
  }
  for (RandomProgram::Window& window : program.windows) {
    window.bytes.resize(window.bytes.size() + 400 * program.architecture.vector_bytes());
  }
  return program;
}

}  // namespace tactus
