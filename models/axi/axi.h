// AXI4 channels of one DRAM port. Only what this design drives: bursts are INCR, whole words, one
// ID. Source: hardware spec section 10.4.
#pragma once

#include <cstdint>

#include "models/sim/link.h"

namespace tactus {

/// Eight bytes, so that a copy is one word and not two that overlap.
struct AxiAddress {
  std::uint32_t address = 0;  ///< bytes
  std::uint16_t length = 0;   ///< AxLEN: beats minus one, 0..255
  std::uint16_t cache = 0;    ///< AxCACHE
};

struct AxiBeat {
  const std::uint8_t* data = nullptr;  ///< data width / 8 bytes, unchanged until the cycle's end
  bool last = false;
};

struct AxiResponse {};

/// Master drives ar, aw, w and takes r, b.
struct AxiLinks {
  Link<AxiAddress> ar, aw;
  Link<AxiBeat> w, r;
  Link<AxiResponse> b;
};

}  // namespace tactus
