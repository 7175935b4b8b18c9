#include "firmware/compiler/targets/tcu/optimise/residence.h"

#include <algorithm>
#include <tuple>

#include "isa/support/error.h"

namespace tactus::compiler::optimise {

Residence::Residence(Schedule& schedule, std::uint64_t first, std::uint64_t end,
                     std::uint64_t spill, std::uint64_t dram0_depth)
    : schedule_(schedule),
      space_(first, end),
      dram0_(spill, dram0_depth),
      local_(schedule.chunks.size(), nowhere),
      used_(schedule.chunks.size(), 0),
      next_use_(schedule.chunks.size(), nowhere),
      pinned_(schedule.chunks.size(), false),
      own_dram_(schedule.chunks.size(), false) {
  for (std::size_t chunk = 0; chunk < next_use_.size(); ++chunk) {
    const std::vector<std::uint32_t>& uses = schedule.chunks[chunk].uses;
    if (!uses.empty()) next_use_[chunk] = uses.front();
  }
}

void Residence::drop(std::uint32_t chunk) {
  space_.free(local_[chunk], schedule_.chunks[chunk].vectors.size());
  local_[chunk] = nowhere;
  resident_.erase(std::find(resident_.begin(), resident_.end(), chunk));
}

void Residence::displace(std::uint32_t number, Codes& codes) {
  Chunk& chunk = schedule_.chunks[number];
  if (chunk.dram < 0) {
    const auto at = dram0_.take(chunk.vectors.size());
    if (!at) user_error("out of DRAM0 for {} vectors between layers", chunk.vectors.size());
    chunk.dram = static_cast<std::int64_t>(*at);
    own_dram_[number] = true;
    Code code;
    code.kind = CodeKind::dram_write;
    code.local = local_[number];
    code.other = static_cast<std::uint32_t>(*at);
    code.count = static_cast<std::uint32_t>(chunk.vectors.size());
    codes.push_back(code);
    spilled_ += code.count;
  }
  drop(number);
}

bool Residence::make_room(Codes& codes) {
  std::uint32_t victim = nowhere;
  for (const std::uint32_t chunk : resident_) {
    if (pinned_[chunk]) continue;
    if (victim == nowhere || next_use_[chunk] > next_use_[victim]) victim = chunk;
  }
  if (victim == nowhere) return false;
  displace(victim, codes);
  return true;
}

bool Residence::place(std::uint32_t chunk, Codes& codes) {
  const std::uint64_t count = schedule_.chunks[chunk].vectors.size();
  auto at = space_.take(count);
  while (!at) {
    if (!make_room(codes)) return false;
    at = space_.take(count);
  }
  local_[chunk] = static_cast<std::uint32_t>(*at);
  resident_.push_back(chunk);
  pinned_[chunk] = true;
  placed_.push_back(chunk);
  return true;
}

/// In the order in which they lie, so that neighbours are read together.
std::vector<std::uint32_t> Residence::missing(std::uint32_t number) const {
  std::vector<std::uint32_t> chunks;
  for (const std::uint32_t chunk : schedule_.jobs[number].reads) {
    if (local_[chunk] == nowhere) chunks.push_back(chunk);
  }
  std::sort(chunks.begin(), chunks.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Chunk& x = schedule_.chunks[a];
    const Chunk& y = schedule_.chunks[b];
    return std::tie(x.port, x.dram, a) < std::tie(y.port, y.dram, b);
  });
  return chunks;
}

void Residence::read(std::uint32_t number, bool early, Codes& codes) {
  const Chunk& chunk = schedule_.chunks[number];
  Code code;
  code.kind = CodeKind::dram_read;
  code.early = early;
  code.port = chunk.port;
  code.local = local_[number];
  code.other = static_cast<std::uint32_t>(chunk.dram);
  code.count = static_cast<std::uint32_t>(chunk.vectors.size());
  Code* last = codes.empty() ? nullptr : &codes.back();
  const bool joins = last != nullptr && last->kind == CodeKind::dram_read &&
                     last->port == code.port && last->early == early &&
                     last->local + last->count == code.local &&
                     last->other + last->count == code.other;
  if (joins) {
    last->count += code.count;
  } else {
    codes.push_back(code);
  }
  spilled_ += code.count;
}

bool Residence::enter(std::uint32_t number, Codes& codes) {
  const Job& job = schedule_.jobs[number];
  for (const std::uint32_t chunk : job.reads) pinned_[chunk] = local_[chunk] != nowhere;
  for (const std::uint32_t chunk : missing(number)) {
    if (!place(chunk, codes)) return false;
    if (schedule_.chunks[chunk].dram < 0) internal_error("a chunk is read before it is made");
    read(chunk, false, codes);
  }
  return true;
}

void Residence::fetch_early(std::uint32_t number, std::uint64_t reserved, Codes& codes) {
  for (const std::uint32_t chunk : missing(number)) {
    const std::uint64_t count = schedule_.chunks[chunk].vectors.size();
    // What the running job makes has no place yet.
    if (schedule_.chunks[chunk].dram < 0 || schedule_.chunks[chunk].port != 0) continue;
    if (space_.room() < reserved + count) return;
    const auto at = space_.take(count);
    if (!at) return;
    local_[chunk] = static_cast<std::uint32_t>(*at);
    resident_.push_back(chunk);
    read(chunk, true, codes);
  }
}

void Residence::leave(std::uint32_t number) {
  for (const std::uint32_t chunk : schedule_.jobs[number].reads) {
    const std::vector<std::uint32_t>& uses = schedule_.chunks[chunk].uses;
    const std::uint32_t used = ++used_[chunk];
    next_use_[chunk] = used < uses.size() ? uses[used] : nowhere;
    pinned_[chunk] = false;
    if (next_use_[chunk] != nowhere) continue;
    drop(chunk);
    if (own_dram_[chunk]) {
      dram0_.free(static_cast<std::uint64_t>(schedule_.chunks[chunk].dram),
                  schedule_.chunks[chunk].vectors.size());
    }
  }
}

void Residence::settle(std::uint32_t number) {
  for (const std::uint32_t chunk : placed_) pinned_[chunk] = false;
  placed_.clear();
  for (const std::uint32_t chunk : schedule_.jobs[number].writes) {
    if (schedule_.chunks[chunk].uses.empty()) drop(chunk);
  }
}

}  // namespace tactus::compiler::optimise
