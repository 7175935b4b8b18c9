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

HeapSpace::HeapSpace(Tag tag, std::uint64_t depth) : tag_(tag), depth_(depth) { clear(); }

std::optional<Addresses> HeapSpace::allocate(std::uint32_t ref, std::uint64_t count) {
  if (count > depth_ - used_) return std::nullopt;
  Addresses out;
  out.reserve(count);
  while (out.size() < count) {
    const auto run = free_.begin();
    const std::uint64_t first = run->first, end = run->second;
    const std::uint64_t take = std::min<std::uint64_t>(end - first, count - out.size());
    for (std::uint64_t i = 0; i < take; ++i) out.emplace_back(tag_, ref, first + i);
    free_.erase(run);
    if (first + take < end) free_.emplace(first + take, end);
  }
  used_ += count;
  use_.maximum = std::max(use_.maximum, used_);
  use_.aggregate += count;
  return out;
}

void HeapSpace::free(const Addresses& addresses) {
  for (const Address address : addresses) {
    std::uint64_t first = address.raw(), end = first + 1;
    const auto after = free_.lower_bound(first);
    auto before = after;
    const bool has_before = after != free_.begin() && (--before)->second >= first;
    if (!address.is(tag_) || (after != free_.end() && after->first == first) ||
        (has_before && before->second > first)) {
      internal_error("{} is given back but was not taken", to_string(address));
    }
    if (after != free_.end() && after->first == end) {
      end = after->second;
      free_.erase(after);
    }
    if (has_before) {
      before->second = end;
    } else {
      free_.emplace(first, end);
    }
  }
  used_ -= addresses.size();
}

void HeapSpace::clear() {
  free_.clear();
  if (depth_ > 0) free_.emplace(0, depth_);
  used_ = 0;
  use_ = {};
}

}  // namespace tactus::compiler
