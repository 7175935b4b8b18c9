// What engine verify keeps for the units around the TCU: instruction stream and DRAM ports.
#pragma once

#include <vector>

#include "models/sim/fast/gate_verifier.h"
#include "models/tcu/system.h"

namespace tactus {

struct TcuSystem::Verifier {
  GateVerifier stream;
  std::vector<GateVerifier> ports;
};

}  // namespace tactus
