#include "models/tcu/fast/program_bursts.h"

#include <utility>

#include "models/tcu/decoder/decoder.h"

namespace tactus {

ProgramBursts::ProgramBursts(unsigned beat_bytes, unsigned vector_bytes,
                             const ConfigRegisters& registers,
                             std::function<const ProgramItem&(std::uint64_t)> instruction)
    : beat_bytes_(beat_bytes),
      vector_bytes_(vector_bytes),
      registers_(registers),
      instruction_(std::move(instruction)) {}

AxiAddress ProgramBursts::next(unsigned port, std::uint16_t length) {
  Place& at = ports_[port];
  const ProgramItem* move = &instruction_(at.instruction);
  while (!move->moves_dram() || move->port != port ||
         at.bytes == (move->size + 1) * vector_bytes_) {
    move = &instruction_(++at.instruction);
    at.bytes = 0;
  }
  const std::uint64_t vector = move->dram.address + at.bytes / vector_bytes_ * move->dram.step;
  const std::uint64_t address = vector * vector_bytes_ + at.bytes % vector_bytes_;
  at.bytes += (length + std::uint64_t{1}) * beat_bytes_;
  return {static_cast<std::uint32_t>(address + registers_.dram_offset[port]), length,
          registers_.dram_cache[port]};
}

}  // namespace tactus
