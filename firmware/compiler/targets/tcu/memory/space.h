// Vector allocators of one memory, with high-water and aggregate figures.
//
// Source: toolchain spec section 3.5.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "firmware/compiler/targets/tcu/memory/address.h"

namespace tactus::compiler {

/// In vectors.
struct SpaceUse {
  std::uint64_t maximum = 0;    ///< most vectors in use at one time
  std::uint64_t aggregate = 0;  ///< sum of all allocations
};

/// Bump pointer that never frees. A copy is a fork: it starts where the original stands.
class ArenaSpace {
 public:
  ArenaSpace(Tag tag, std::uint64_t depth) : tag_(tag), depth_(depth) {}

  /// Nothing if fewer than `count` vectors are left.
  [[nodiscard]] std::optional<Addresses> allocate(std::uint32_t ref, std::uint64_t count);
  [[nodiscard]] std::uint64_t used() const { return next_; }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  void clear() { next_ = 0; }

 private:
  Tag tag_;
  std::uint64_t depth_;
  std::uint64_t next_ = 0;
};

/// Takes the lowest free vectors, which may not be neighbours; freed ones are taken again.
class HeapSpace {
 public:
  HeapSpace(Tag tag, std::uint64_t depth);

  /// Nothing if fewer than `count` vectors are free.
  [[nodiscard]] std::optional<Addresses> allocate(std::uint32_t ref, std::uint64_t count);
  /// All must have come from allocate.
  void free(const Addresses& addresses);
  /// Forgets everything, figures included.
  void clear();

  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  [[nodiscard]] const SpaceUse& use() const { return use_; }

 private:
  Tag tag_;
  std::uint64_t depth_;
  std::map<std::uint64_t, std::uint64_t> free_;  ///< free runs: first vector -> end
  std::uint64_t used_ = 0;
  SpaceUse use_;
};

}  // namespace tactus::compiler
