#include "firmware/compiler/targets/tcu/memory/space.h"

#include <algorithm>

#include "isa/support/error.h"

namespace tactus::compiler {

std::optional<Addresses> ArenaSpace::allocate(std::uint32_t ref, std::uint64_t count) {
  if (count > depth_ - next_) return std::nullopt;
  Addresses out;
  out.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) out.emplace_back(tag_, ref, next_ + i);
  next_ += count;
  return out;
}

std::optional<Addresses> HeapSpace::allocate(std::uint32_t ref, std::uint64_t count) {
  if (count > free_.room()) return std::nullopt;
  Addresses out;
  out.reserve(count);
  while (out.size() < count) {
    const auto [first, taken] = free_.take_lowest(count - out.size());
    for (std::uint64_t i = 0; i < taken; ++i) out.emplace_back(tag_, ref, first + i);
  }
  use_.maximum = std::max(use_.maximum, used());
  use_.aggregate += count;
  return out;
}

void HeapSpace::free(const Addresses& addresses) {
  for (const Address address : addresses) {
    if (!address.is(tag_)) internal_error("{} is of another memory", to_string(address));
    free_.free(address.raw(), 1);
  }
}

void HeapSpace::clear() {
  free_ = FreeRuns(0, depth_);
  use_ = {};
}

}  // namespace tactus::compiler
