// Expected cycles of DataMoves through a DRAM port, derived from the depths of the port's queues.
// Times count from h = 0, the instruction's first cycle at the decoder's head. Source: hardware
// spec sections 2.6, 10, 12.5.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/support/recorder.h"

namespace tactus {

/// Beats of each piece of a burst at the pins. A burst has several pieces only if it crosses pages.
using Pieces = std::vector<std::uint64_t>;

/// Timeline of reads in bursts of whole vectors of m beats, with read latency L.
struct ReadTimeline {
  Cycles addresses;     ///< cycles of AR handshakes at the pins
  Cycles beats;         ///< cycles of R handshakes at the pins
  Cycles local_writes;  ///< cycles of writes to local memory; the last retires the instruction

  ReadTimeline(const std::vector<Pieces>& bursts, std::uint64_t m, Cycle latency) {
    Cycles booked, last_beats;  // one entry for each burst
    Cycle address = 2;          // delay of the Converter's request queue and the AXI queue
    for (const Pieces& pieces : bursts) {
      Cycle beat = beats.empty() ? 0 : beats.back() + 1;
      for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        addresses.push_back(address);
        beat = std::max(beat, address + latency);
        for (std::uint64_t b = 0; b < pieces[piece]; ++b) add_beat(beat++, m);
        // A burst is booked in the cycle of its first piece's address. At most two bursts are
        // booked at a time: a third is booked in the cycle of the first one's last beat, although
        // its address may already be out.
        if (piece == 0) {
          const std::size_t i = booked.size();
          booked.push_back(i < 2 ? address : std::max(address, last_beats[i - 2]));
          address = booked.back();
        }
        ++address;
      }
      last_beats.push_back(beats.back());
    }
  }

 private:
  void add_beat(Cycle cycle, std::uint64_t m) {
    beats.push_back(cycle);
    // Delay: AXI queue, Converter's queue, and the deserializer's register unless m = 1.
    if (beats.size() % m == 0) local_writes.push_back(cycle + (m == 1 ? 2 : 3));
  }
};

/// Timeline of writes of n vectors of m beats. The pins never stall the data.
struct WriteTimeline {
  Cycles local_reads;  ///< cycles in which local memory is read
  Cycles handed_over;  ///< cycles in which the Converter takes a vector

  WriteTimeline(std::uint64_t n, std::uint64_t m) {
    const auto serialized = [m](std::uint64_t k) { return 2 + k * m; };
    for (std::uint64_t k = 0; k < n; ++k) {
      // A read is accepted while fewer than 2 vectors are stored. A vector is stored if it has
      // arrived in an earlier cycle and has not left before this one.
      Cycle read = k == 0 ? 0 : local_reads.back() + 1;
      const auto stored = [&](Cycle t) {
        unsigned count = 0;
        for (std::uint64_t j = 0; j < k; ++j) {
          if (local_reads[j] + 2 <= t && handed_over[j] >= t) ++count;
        }
        return count;
      };
      while (stored(read) >= 2) ++read;
      // Data follow one cycle later, in order. The Converter's plain queue holds 2 vectors and has
      // room again one cycle after a vector is loaded into the serializer.
      Cycle over = read + 1;
      if (k > 0) over = std::max(over, handed_over.back() + 1);
      if (k >= 2) over = std::max(over, serialized(k - 2) + 1);
      local_reads.push_back(read);
      handed_over.push_back(over);
    }
  }
};

/// Shifts the cycles of a timeline so that they count from cycle h.
[[nodiscard]] inline Cycles from(Cycle h, Cycles cycles) {
  for (Cycle& cycle : cycles) cycle += h;
  return cycles;
}

}  // namespace tactus
