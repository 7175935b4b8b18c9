// The memory that `schedule` copies buffers to: units, sizes and places of copies, and the order of
// statements that it demands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/stripe/passes/options.h"

namespace tactus::stripe {

struct ScheduleOptions {
  Tags reqs, swap_in_tags, swap_out_tags;
  Location mem_loc, xfer_loc;
  std::uint64_t mem_KiB = 0, alignment = 0, num_banks = 0;
  std::uint64_t parallelism_window = 0;
  bool allow_overflow = false, add_constraints = true, append_devs = false;
  UnitAssignment units;
};

/// Bytes [offset, end()) of a unit.
struct MemoryRange {
  std::uint64_t offset = 0, size = 0;
  std::int64_t unit = 0;  ///< unit of the memory
  [[nodiscard]] std::uint64_t end() const { return offset + size; }
  [[nodiscard]] bool overlaps(const MemoryRange& other) const {
    return unit == other.unit && offset < other.end() && other.offset < end();
  }
};

class ScheduleMemory {
 public:
  ScheduleMemory(const Block& block, const ScheduleOptions& options);

  /// Reserves the addresses of buffers that are in the memory already.
  void reserve();
  /// Location of the copy of a block's buffer.
  [[nodiscard]] Location place_of_copy(const std::string& buffer) const;
  /// The unit, if the location is in the memory.
  [[nodiscard]] std::optional<std::int64_t> unit_at(const Location& location) const;
  /// Finds places for refinements of `owner`, for all or for none: smallest leftover first, then
  /// the lowest offset.
  bool place(const Block& owner, std::vector<std::string> refs, std::vector<MemoryRange> taken,
             std::map<std::string, MemoryRange>& places) const;

 private:
  [[nodiscard]] std::int64_t unit_of(const std::string& buffer) const;
  [[nodiscard]] std::uint64_t bytes_of(const Refinement& ref) const;

  const Block& block_;
  const ScheduleOptions& options_;
  std::uint64_t alignment_, size_;
  std::map<std::string, std::int64_t> units_;  ///< units of copies, by buffer
  std::vector<MemoryRange> reserved_;
};

/// What a schedule's copies, by name, and the slices of its blocks occupy.
struct MemoryUse {
  std::map<std::string, MemoryRange> copies;
  std::map<const Block*, std::vector<MemoryRange>> slices;
};

/// Sets the dependencies of the block's statements, by data and by copies that use the same memory.
void set_schedule_deps(Block& block, const MemoryUse& use);

}  // namespace tactus::stripe
