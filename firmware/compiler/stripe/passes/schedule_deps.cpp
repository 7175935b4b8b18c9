// Dependencies of a scheduled block: by data, and by copies and slices that use the same memory.
#include <algorithm>
#include <cstddef>
#include <set>

#include "firmware/compiler/stripe/passes/deps.h"
#include "firmware/compiler/stripe/passes/schedule_memory.h"

namespace tactus::stripe {
namespace {

/// True if slices of one statement overlap in memory with copies or slices of the other.
bool slices_meet(const Block& block, const MemoryUse& use, std::size_t before, std::size_t after,
                 const std::vector<std::vector<const MemoryRange*>>& used) {
  const auto ranges = [&](std::size_t at) {
    std::vector<MemoryRange> result;
    const auto found = use.slices.find(block.statements[at].block());
    if (found != use.slices.end()) result = found->second;
    return result;
  };
  const std::vector<MemoryRange> a = ranges(before);
  const std::vector<MemoryRange> b = ranges(after);
  const auto meets = [](const std::vector<MemoryRange>& slices, const MemoryRange& range) {
    return std::any_of(slices.begin(), slices.end(),
                       [&range](const MemoryRange& slice) { return slice.overlaps(range); });
  };
  const auto entries_meet = [&meets](const std::vector<MemoryRange>& slices,
                                     const std::vector<const MemoryRange*>& entries) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const MemoryRange* entry) { return meets(slices, *entry); });
  };
  return entries_meet(a, used[after]) || entries_meet(b, used[before]) ||
         std::any_of(a.begin(), a.end(), [&](const MemoryRange& range) { return meets(b, range); });
}

bool displaces(const std::vector<const MemoryRange*>& before,
               const std::vector<const MemoryRange*>& after) {
  for (const MemoryRange* a : before) {
    for (const MemoryRange* b : after) {
      if (a != b && a->overlaps(*b)) return true;
    }
  }
  return false;
}

}  // namespace

void set_schedule_deps(Block& block, const MemoryUse& use) {
  const AliasMap outside;
  Block detached = block;
  for (auto& [into, ref] : detached.refs) {
    ref.direction = Direction::none;
    ref.from.clear();
  }
  compute_deps(detached, AliasMap(outside, detached));
  std::vector<std::set<std::size_t>> needed(block.statements.size());
  std::vector<std::set<std::size_t>> implied(block.statements.size());
  std::vector<std::vector<const MemoryRange*>> used(block.statements.size());
  for (std::size_t at = 0; at < block.statements.size(); ++at) {
    for (const std::string& name : buffers_of(block.statements[at])) {
      const auto it = use.copies.find(name);
      if (it != use.copies.end()) used[at].push_back(&it->second);
    }
    for (const StatementId dep : detached.statements[at].deps) {
      needed[at].insert(detached.position(dep));
    }
    for (std::size_t before = 0; before < at; ++before) {
      if (displaces(used[before], used[at]) || slices_meet(block, use, before, at, used)) {
        needed[at].insert(before);
      }
    }
    for (const std::size_t dep : needed[at]) {
      implied[at].insert(implied[dep].begin(), implied[dep].end());
    }
    block.statements[at].deps.clear();
    for (const std::size_t dep : needed[at]) {
      if (implied[at].count(dep) == 0) {
        block.statements[at].deps.push_back(block.statements[dep].id);
      }
    }
    implied[at].insert(needed[at].begin(), needed[at].end());
  }
}

}  // namespace tactus::stripe
