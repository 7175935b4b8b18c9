// The channels of the DPAS machine, from the issue stage to its units.
#pragma once

#include "models/dpas/operation.h"
#include "models/sim/link.h"

namespace tactus::dpas {

/// An instruction on its way to a unit.
struct Issued {
  const Operation* operation = nullptr;
  const DecodedKernel* kernel = nullptr;
  std::uint8_t thread = 0;
  std::uint8_t token = 0xFF;            ///< token that the instruction holds; 0xFF: none
  std::uint32_t channels = 0xFFFFFFFF;  ///< channels enabled by the predicate, channel 0 in bit 0
};

/// `ready` of a channel depends only on registers of the unit, so the issue stage may take these
/// into account when it chooses an instruction.
struct IssueLinks {
  Link<Issued> array, alu, memory;
};

}  // namespace tactus::dpas
