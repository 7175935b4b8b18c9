// The bursts at the pins of the DRAM ports, as they follow from a program.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "models/axi/axi.h"
#include "models/tcu/fast/program_items.h"

namespace tactus {

struct ConfigRegisters;

class ProgramBursts {
 public:
  /// `instruction`: one of the program, by its number.
  ProgramBursts(unsigned beat_bytes, unsigned vector_bytes, const ConfigRegisters& registers,
                std::function<const ProgramItem&(std::uint64_t)> instruction);
  /// No burst of instruction `next`, or of one behind it, has passed.
  void begin(std::uint64_t next) { ports_ = {Place{next, 0}, Place{next, 0}}; }
  /// The burst of this length (AxLEN) whose address passes the pins of a port next: bursts come in
  /// program order, and each transfer's one behind the other.
  [[nodiscard]] AxiAddress next(unsigned port, std::uint16_t length);

 private:
  struct Place {
    std::uint64_t instruction = 0;
    std::uint64_t bytes = 0;  ///< of its transfer, up to here
  };
  unsigned beat_bytes_, vector_bytes_;
  const ConfigRegisters& registers_;
  std::function<const ProgramItem&(std::uint64_t)> instruction_;
  std::array<Place, 2> ports_;
};

}  // namespace tactus
