#include "firmware/compiler/targets/tcu/optimise/weight_stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/compiler/targets/tcu/memory/memory_manager.h"
#include "isa/support/error.h"

namespace tactus::compiler::optimise {
namespace {

constexpr std::uint32_t absent = 0xFFFFFFFF;

}  // namespace

WeightStream::WeightStream(const Blocks& blocks, const Codes& codes, const Ring& ring,
                           bool read_late, std::uint64_t first_constant)
    : blocks_(blocks),
      ring_(ring),
      read_late_(read_late),
      next_constant_(first_constant),
      dram_(blocks.size(), 0),
      place_(blocks.size(), absent),
      last_use_(blocks.size(), 0) {
  std::uint32_t loaded = absent;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Code& code = codes[i];
    if ((code.kind == CodeKind::load_block && code.block != loaded) ||
        code.kind == CodeKind::load_unit) {
      uses_.push_back(code.block);
      use_codes_.push_back(i);
    }
    if (code.kind == CodeKind::load_block) loaded = code.block;
    if (loads_other_weights(code)) loaded = absent;
  }
}

void WeightStream::check_room(std::uint64_t dram1_depth) const {
  std::uint64_t vectors = next_constant_;
  std::vector<bool> counted(blocks_.size(), false);
  for (const std::uint32_t block : uses_) {
    if (!counted[block]) vectors += blocks_[block].vectors();
    counted[block] = true;
  }
  if (vectors <= dram1_depth) return;
  throw OutOfConstants(fmt::format("out of DRAM1 for constants: {} vectors needed, there are {}",
                                   vectors, dram1_depth));
}

Resident WeightStream::keep_resident() {
  Resident resident{ring_.first + ring_.size, 0};
  if (ring_.resident == 0) return resident;
  std::uint64_t all = 0;
  std::vector<bool> seen(blocks_.size(), false);
  std::vector<std::uint32_t> order;
  for (const std::uint32_t block : uses_) {
    if (seen[block]) continue;
    seen[block] = true;
    order.push_back(block);
    all += blocks_[block].vectors();
  }
  const std::uint64_t room = std::min<std::uint64_t>(ring_.resident, all);
  std::uint64_t passed = 0;
  for (const std::uint32_t block : order) {
    const std::uint32_t size = blocks_[block].vectors();
    passed += size;
    std::uint32_t& kept = resident.size;
    const bool due = std::uint64_t{kept} * all < passed * room;
    if (size == 0 || !due || kept + size > room) continue;
    place_[block] = resident.first + kept - ring_.first;
    dram_[block] = next_constant_ + 1;
    next_constant_ += size;
    block_order_.push_back(block);
    kept += size;
  }
  return resident;
}

/// Allocates space behind the newest block. Frees the oldest blocks that no emitted use will read.
bool WeightStream::allocate(std::uint32_t block) {
  const std::uint32_t size = blocks_[block].vectors();
  if (size > ring_.size) internal_error("a block of weights is larger than its memory");
  // Weights with reads of their own are read some time after their LoadWeights; a fetch into their
  // place would wait for that.
  const std::size_t kept = read_late_ && ahead_ > used_ ? 4 : 0;
  const bool wraps = write_ + size > ring_.size;
  const std::uint32_t at = wraps ? 0 : write_;
  while (!in_ring_.empty()) {
    const std::uint32_t oldest = in_ring_.front();
    const std::uint32_t first = place_[oldest], end = first + blocks_[oldest].vectors();
    const bool in_tail = wraps && first >= write_;
    const bool overlaps = first < at + size && end > at;
    if (!in_tail && !overlaps) break;
    if (last_use_[oldest] + kept > used_) return false;
    place_[oldest] = absent;
    in_ring_.pop_front();
  }
  place_[block] = at;
  in_ring_.push_back(block);
  write_ = at + size;
  return true;
}

/// Makes room for the next block that is not in local memory. Returns false if there is no such
/// block, or no room.
bool WeightStream::stage_next() {
  while (ahead_ < uses_.size() && place_[uses_[ahead_]] != absent) {
    last_use_[uses_[ahead_]] = ahead_ + 1;
    ++ahead_;
  }
  if (ahead_ == uses_.size()) return false;
  const std::uint32_t block = uses_[ahead_];
  if (!allocate(block)) return false;
  if (dram_[block] == 0) {
    dram_[block] = next_constant_ + 1;
    next_constant_ += blocks_[block].vectors();
    block_order_.push_back(block);
  }
  pending_.push_back({block, 0, ahead_});
  last_use_[block] = ++ahead_;
  pending_size_ += blocks_[block].vectors();
  return true;
}

bool WeightStream::stage_chunk() {
  const std::uint64_t chunk = std::min<std::uint64_t>(bulk_read, ring_.size / 4);
  while (pending_size_ < chunk && stage_next()) {
  }
  if (pending_.empty()) return false;
  constexpr std::size_t soon = 4;  // uses
  return pending_size_ >= chunk || ahead_ == uses_.size() || pending_.front().use <= used_ + soon;
}

std::uint64_t WeightStream::missing(std::uint32_t block) {
  while (pending_.empty() && ahead_ <= used_) {
    if (!stage_next() && ahead_ <= used_) internal_error("no room for weights");
  }
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].block != block) continue;
    for (std::size_t k = 0; k <= i; ++k) {
      missing += blocks_[pending_[k].block].vectors() - pending_[k].fetched;
    }
  }
  return missing;
}

std::optional<WeightStream::Fetch> WeightStream::take(std::uint64_t most) {
  if (pending_.empty() && !stage_next()) return std::nullopt;
  Fetch taken{local(pending_.front().block) + std::uint64_t{pending_.front().fetched},
              dram_[pending_.front().block] - 1 + std::uint64_t{pending_.front().fetched}, 0};
  while (taken.count < most && (!pending_.empty() || stage_next())) {
    auto& [block, fetched, use] = pending_.front();
    if (local(block) + fetched != taken.local + taken.count ||
        dram_[block] - 1 + fetched != taken.dram + taken.count) {
      break;
    }
    const std::uint64_t left = blocks_[block].vectors() - fetched;
    const std::uint64_t part = std::min(left, most - taken.count);
    taken.count += part;
    fetched += static_cast<std::uint32_t>(part);
    pending_size_ -= part;
    if (part == left) pending_.pop_front();
  }
  return taken;
}

}  // namespace tactus::compiler::optimise
