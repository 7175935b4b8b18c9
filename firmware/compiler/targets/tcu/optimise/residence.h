// Contents of local memory while the jobs run: a cache of chunks in front of DRAM0, for which all
// future uses are known.
//
// A chunk that does not fit displaces the chunks whose next use is furthest away; these are written
// to DRAM0 unless they are there already. A chunk leaves local memory after its last use.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/memory/free_runs.h"
#include "firmware/compiler/targets/tcu/optimise/code.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"

namespace tactus::compiler::optimise {

class Residence {
 public:
  /// Chunks use local vectors [first, end); displaced ones go to DRAM0 from `spill` on.
  Residence(Schedule& schedule, std::uint64_t first, std::uint64_t end, std::uint64_t spill,
            std::uint64_t dram0_depth);

  /// Brings all chunks that the job reads into local memory. Returns false if they do not fit.
  [[nodiscard]] bool enter(std::uint32_t job, Codes& codes);
  /// Reads chunks that a later job needs from DRAM0 ahead of time, as long as `reserved` vectors
  /// stay free.
  void fetch_early(std::uint32_t job, std::uint64_t reserved, Codes& codes);
  /// Call when the job has read its chunks: frees those that no later job reads.
  void leave(std::uint32_t job);
  /// Allocates local vectors for a chunk. Returns false if it does not fit. Chunks placed for the
  /// current job stay until settle().
  [[nodiscard]] bool place(std::uint32_t chunk, Codes& codes);
  /// Call when the job has ended.
  void settle(std::uint32_t job);

  [[nodiscard]] std::uint32_t local(Vector vector) const {
    return local_[schedule_.chunk(vector)] + schedule_.place(vector);
  }
  [[nodiscard]] std::uint64_t highest() const { return space_.highest(); }
  [[nodiscard]] std::uint64_t highest_dram0() const { return dram0_.highest(); }
  /// Vectors written to and read from DRAM0 by displacement.
  [[nodiscard]] std::uint64_t spilled() const { return spilled_; }

 private:
  [[nodiscard]] bool make_room(Codes& codes);
  [[nodiscard]] std::vector<std::uint32_t> missing(std::uint32_t job) const;
  void read(std::uint32_t chunk, bool early, Codes& codes);
  void displace(std::uint32_t chunk, Codes& codes);
  void drop(std::uint32_t chunk);

  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  Schedule& schedule_;
  FreeRuns space_, dram0_;
  std::vector<std::uint32_t> local_;     ///< first local vector of each chunk
  std::vector<std::uint32_t> used_;      ///< number of past uses of each chunk
  std::vector<std::uint32_t> next_use_;  ///< job of each chunk's next use, or nowhere
  std::vector<bool> pinned_, own_dram_;
  std::vector<std::uint32_t> resident_, placed_;
  std::uint64_t spilled_ = 0;
};

}  // namespace tactus::compiler::optimise
