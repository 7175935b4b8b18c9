// Derives the bursts at the pins of the DRAM ports from a program.
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
  /// `instruction` returns an instruction of the program by its number.
  ProgramBursts(unsigned beat_bytes, unsigned vector_bytes, const ConfigRegisters& registers,
                std::function<const ProgramItem&(std::uint64_t)> instruction);
  /// Starts before the bursts of instruction `next`.
  void begin(std::uint64_t next) { ports_ = {Place{next, 0}, Place{next, 0}}; }
  /// Returns the next burst at the pins of a port, whose length (AxLEN) is given. Bursts come in
  /// program order, those of one transfer in succession.
  [[nodiscard]] AxiAddress next(unsigned port, std::uint16_t length);

 private:
  struct Place {
    std::uint64_t instruction = 0;
    std::uint64_t bytes = 0;  ///< bytes of the transfer so far
  };
  unsigned beat_bytes_, vector_bytes_;
  const ConfigRegisters& registers_;
  std::function<const ProgramItem&(std::uint64_t)> instruction_;
  std::array<Place, 2> ports_;
};

}  // namespace tactus
