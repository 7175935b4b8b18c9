// Vector allocators of one memory, with high-water and aggregate figures.
//
// Source: toolchain spec section 3.5.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/compiler/targets/tcu/memory/address.h"
#include "firmware/compiler/targets/tcu/memory/free_runs.h"

namespace tactus::compiler {

/// Figures of a memory, in vectors.
struct SpaceUse {
  std::uint64_t maximum = 0;    ///< most vectors in use at one time
  std::uint64_t aggregate = 0;  ///< sum of all allocations
};

/// Allocates vectors one behind the other and never frees any. A copy continues where the original
/// is.
class ArenaSpace {
 public:
  ArenaSpace(Tag tag, std::uint64_t depth) : tag_(tag), depth_(depth) {}

  /// Returns nothing if fewer than `count` vectors are left.
  [[nodiscard]] std::optional<Addresses> allocate(std::uint32_t ref, std::uint64_t count);
  [[nodiscard]] std::uint64_t used() const { return next_; }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  void clear() { next_ = 0; }

 private:
  Tag tag_;
  std::uint64_t depth_;
  std::uint64_t next_ = 0;
};

/// Allocates the lowest free vectors, which need not be adjacent; freed vectors are reused.
class HeapSpace {
 public:
  HeapSpace(Tag tag, std::uint64_t depth) : tag_(tag), depth_(depth), free_(0, depth) {}

  /// Returns nothing if fewer than `count` vectors are free.
  [[nodiscard]] std::optional<Addresses> allocate(std::uint32_t ref, std::uint64_t count);
  /// Frees vectors, all of which must come from allocate().
  void free(const Addresses& addresses);
  /// Frees all vectors and resets the figures.
  void clear();

  [[nodiscard]] std::uint64_t used() const { return depth_ - free_.room(); }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  [[nodiscard]] const SpaceUse& use() const { return use_; }

 private:
  Tag tag_;
  std::uint64_t depth_;
  FreeRuns free_;
  SpaceUse use_;
};

}  // namespace tactus::compiler
