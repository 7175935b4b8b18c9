// AXI4 channels of one DRAM port. Only what this design drives: bursts are INCR, whole words, one
// ID. Source: hardware spec section 10.4.
#pragma once

#include <cstdint>
#include <cstring>

#include "models/sim/link.h"

namespace tactus {

/// Eight bytes, so that a copy is one word and not two that overlap.
struct AxiAddress {
  std::uint32_t address = 0;  ///< bytes
  std::uint16_t length = 0;   ///< AxLEN: beats minus one, 0..255
  std::uint16_t cache = 0;    ///< AxCACHE
  /// Of these fields, each cut to its width. They are put together in one register: what is stored
  /// in parts stalls the host where it is copied as a whole.
  [[nodiscard]] static AxiAddress of(std::uint64_t address, std::uint64_t length,
                                     std::uint64_t cache) {
    const std::uint64_t word = (address & 0xFFFFFFFF) | (length & 0xFFFF) << 32 | cache << 48;
    AxiAddress result;
    static_assert(sizeof result == sizeof word);
    std::memcpy(&result, &word, sizeof word);
    return result;
  }
  friend bool alike(const AxiAddress& a, const AxiAddress& b) { return a.length == b.length; }
};

struct AxiBeat {
  const std::uint8_t* data = nullptr;  ///< data width / 8 bytes, unchanged until the cycle's end
  bool last = false;
};

struct AxiResponse {
  friend bool alike(const AxiResponse&, const AxiResponse&) { return true; }
};

/// Master drives ar, aw, w and takes r, b.
struct AxiLinks {
  Link<AxiAddress> ar, aw;
  Link<AxiBeat> w, r;
  Link<AxiResponse> b;
};

/// Whether what passed in the last cycle is what passes in every cycle of DramPort::run().
[[nodiscard]] inline bool is_run(const AxiLinks& axi, bool bursts) {
  return axi.r.fires() && axi.r.bits.last == bursts && axi.ar.fires() == bursts &&
         !axi.aw.fires() && !axi.w.fires() && !axi.b.fires();
}

}  // namespace tactus
