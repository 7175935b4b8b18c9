// AXI4 channels of one DRAM port. They have only the signals that this design drives: bursts are
// INCR, of whole words, with one ID. Source: hardware spec section 10.4.
#pragma once

#include <cstdint>

#include "models/sim/link.h"

namespace tactus {

/// The struct has eight bytes, so that the host copies it as one word.
struct AxiAddress {
  std::uint32_t address = 0;  ///< bytes
  std::uint16_t length = 0;   ///< AxLEN: beats minus one, 0..255
  std::uint16_t cache = 0;    ///< AxCACHE
};

struct AxiBeat {
  const std::uint8_t* data = nullptr;  ///< one beat of bytes, unchanged until the end of the cycle
  bool last = false;
};

struct AxiResponse {};

/// The five channels. The master drives ar, aw and w and takes r and b.
struct AxiLinks {
  Link<AxiAddress> ar, aw;
  Link<AxiBeat> w, r;
  Link<AxiResponse> b;
};

}  // namespace tactus
