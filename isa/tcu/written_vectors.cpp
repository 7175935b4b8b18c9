#include "isa/tcu/written_vectors.h"

#include <algorithm>

#include <fmt/format.h>

namespace tactus::tcu {

WrittenVectors::WrittenVectors(const Architecture& architecture)
    : architecture_(architecture), layout_(architecture) {
  for (std::size_t m = 0; m < written_memories; ++m) {
    const auto memory = static_cast<VectorMemory>(m);
    const std::uint64_t vectors = depth(architecture, memory);
    const std::uint64_t mask = vectors == 0 ? 0 : low_bits(address_bits(vectors));
    const bool addressed = memory == VectorMemory::local || memory == VectorMemory::accumulators;
    memories_.push_back({vectors, mask, addressed && mask != vectors - 1, SparseBits(vectors)});
  }
}

bool WrittenVectors::all_filled() const {
  return std::all_of(memories_.begin(), memories_.end(),
                     [](const Memory& memory) { return memory.filled(); });
}

/// Calls visitor(lowest address, stride, count) for the pieces of an access between two wraps.
template <typename Visitor>
void WrittenVectors::visit(const Memory& memory, const Access& access, const Visitor& visitor) {
  const unsigned stride = access.stride;
  const std::uint64_t base = access.base & memory.mask;
  // Once the offset has wrapped, the same addresses come again.
  std::uint64_t left = std::min(access.count, ((memory.depth - 1) >> stride) + 1);
  for (std::uint64_t done = 0; left > 0;) {
    const std::uint64_t offset = done << stride;
    const std::uint64_t at = (access.reverse ? base - offset : base + offset) & memory.mask;
    const std::uint64_t room = access.reverse ? at : memory.mask - at;
    const std::uint64_t count = std::min(left, (room >> stride) + 1);
    visitor(access.reverse ? at - ((count - 1) << stride) : at, stride, count);
    done += count;
    left -= count;
  }
}

SparseBits::Missing WrittenVectors::missing(const Access& access) {
  SparseBits::Missing all;
  Memory& memory = memories_[static_cast<std::size_t>(access.memory)];
  if (memory.filled() || is_one_written(memory, access)) return all;
  visit(memory, access, [&](std::uint64_t first, unsigned stride, std::uint64_t count) {
    const SparseBits::Missing some = memory.written.missing(first, stride, count);
    all.count += some.count;
    all.lowest = std::min(all.lowest, some.lowest);
  });
  return all;
}

void WrittenVectors::write(const Access& access) {
  Memory& memory = memories_[static_cast<std::size_t>(access.memory)];
  if (memory.filled() || is_one_written(memory, access)) return;
  visit(memory, access, [&](std::uint64_t first, unsigned stride, std::uint64_t count) {
    memory.written.insert(first, stride, count);
  });
}

UnwrittenReads WrittenVectors::run(const std::vector<std::uint8_t>& program) {
  UnwrittenReads found;
  found.place = "vector";
  const std::size_t bytes = layout_.instruction_bytes();
  for (std::size_t i = 0; i < program.size() / bytes; ++i) {
    const Accesses of = accesses(architecture_, layout_, decode(layout_, &program[i * bytes]));
    std::uint64_t count = 0;
    for (const Access& access : of.reads) {
      const SparseBits::Missing some = missing(access);
      if (some.count == 0) continue;
      if (found.first.empty()) {
        found.first = fmt::format("instruction {} reads {}, which nothing has written", i,
                                  place_text(access.memory, some.lowest));
      }
      count += some.count;
    }
    if (count > 0) ++found.instructions;
    found.count += count;
    for (const Access& access : of.writes) write(access);
    if (i % 64 == 63 && all_filled()) break;
  }
  return found;
}

}  // namespace tactus::tcu
