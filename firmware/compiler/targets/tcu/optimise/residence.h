// What lies in local memory while the jobs run: a cache of chunks in front of DRAM0 whose future is
// known.
//
// A chunk that does not fit displaces those that are needed last; they go to DRAM0 if they have no
// place there yet. A chunk leaves behind its last use.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/code.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"

namespace tactus::compiler::optimise {

/// Free places of a memory, in vectors: first fit among free runs; freed runs join their
/// neighbours.
class Intervals {
 public:
  Intervals(std::uint64_t first, std::uint64_t end) {
    if (first < end) free_[first] = end;
    room_ = first < end ? end - first : 0;
  }

  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t count) {
    for (auto run = free_.begin(); run != free_.end(); ++run) {
      if (run->second - run->first < count) continue;
      const std::uint64_t at = run->first, end = run->second;
      free_.erase(run);
      if (at + count < end) free_[at + count] = end;
      if (at + count > highest_) highest_ = at + count;
      room_ -= count;
      return at;
    }
    return std::nullopt;
  }

  void free(std::uint64_t at, std::uint64_t count) {
    room_ += count;
    std::uint64_t end = at + count;
    auto next = free_.lower_bound(at);
    if (next != free_.end() && next->first == end) {
      end = next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->second == at) {
        before->second = end;
        return;
      }
    }
    free_[at] = end;
  }

  /// Vectors that are free, wherever they lie.
  [[nodiscard]] std::uint64_t room() const { return room_; }
  /// One past the highest vector that was ever taken.
  [[nodiscard]] std::uint64_t highest() const { return highest_; }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  ///< first -> end
  std::uint64_t highest_ = 0, room_ = 0;
};

class Residence {
 public:
  /// Chunks live in local vectors [first, end); what is displaced goes to DRAM0 from `spill` on.
  Residence(Schedule& schedule, std::uint64_t first, std::uint64_t end, std::uint64_t spill,
            std::uint64_t dram0_depth);

  /// Makes what the job reads resident. False: it does not fit.
  [[nodiscard]] bool enter(std::uint32_t job, Codes& codes);
  /// Reads what the job will need and DRAM0 has, early, as far as there is room for it beside
  /// `reserved` more vectors.
  void fetch_early(std::uint32_t job, std::uint64_t reserved, Codes& codes);
  /// All that the job reads was read: what is not read again leaves.
  void leave(std::uint32_t job);
  /// Gives the chunk a place. False: it does not fit. Chunks that were placed by the running job
  /// stay until settle().
  [[nodiscard]] bool place(std::uint32_t chunk, Codes& codes);
  /// The job is over.
  void settle(std::uint32_t job);

  [[nodiscard]] std::uint32_t local(Vector vector) const {
    return local_[schedule_.chunk(vector)] + schedule_.place(vector);
  }
  [[nodiscard]] std::uint64_t highest() const { return space_.highest(); }
  [[nodiscard]] std::uint64_t highest_dram0() const { return dram0_.highest(); }
  [[nodiscard]] std::uint64_t spilled() const { return spilled_; }  ///< vectors, written and read

 private:
  [[nodiscard]] bool make_room(Codes& codes);
  [[nodiscard]] std::vector<std::uint32_t> missing(std::uint32_t job) const;
  void read(std::uint32_t chunk, bool early, Codes& codes);
  void displace(std::uint32_t chunk, Codes& codes);
  void drop(std::uint32_t chunk);
  [[nodiscard]] std::uint32_t next_use(std::uint32_t chunk) const;

  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  Schedule& schedule_;
  Intervals space_, dram0_;
  std::vector<std::uint32_t> local_;  ///< by chunk
  std::vector<std::uint32_t> used_;   ///< by chunk: uses that are over
  std::vector<bool> pinned_, own_dram_;
  std::vector<std::uint32_t> resident_, placed_;
  std::uint64_t spilled_ = 0;
};

}  // namespace tactus::compiler::optimise
