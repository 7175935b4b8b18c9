// The links of the DPAS machine: from the issue stage to its units.
#pragma once

#include "models/dpas/operation.h"
#include "models/sim/link.h"

namespace tactus::dpas {

/// An instruction on its way to a unit.
struct Issued {
  const Operation* operation = nullptr;
  const DecodedKernel* kernel = nullptr;
  std::uint8_t thread = 0;
  std::uint8_t token = 0xFF;            ///< that it holds; 0xFF: none
  std::uint32_t channels = 0xFFFFFFFF;  ///< that its predicate lets through, 0 the first
};

/// `ready` depends on registers of the unit only, so the issue stage may look at it when it
/// chooses.
struct IssueLinks {
  Link<Issued> array, alu, memory;
};

}  // namespace tactus::dpas
