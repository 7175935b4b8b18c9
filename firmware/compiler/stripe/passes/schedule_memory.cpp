#include "firmware/compiler/stripe/passes/schedule_memory.h"

#include <algorithm>
#include <set>

#include "firmware/compiler/stripe/passes/schedule_units.h"
#include "firmware/compiler/stripe/passes/support.h"

namespace tactus::stripe {

ScheduleMemory::ScheduleMemory(const Block& block, const ScheduleOptions& options)
    : block_(block),
      options_(options),
      alignment_(options.alignment != 0 ? options.alignment : default_alignment),
      size_(options.allow_overflow ? std::uint64_t{1} << 62 : options.mem_KiB * 1024) {
  if (chooses_unit(options.mem_loc)) units_ = choose_units(block, options.units);
}

std::int64_t ScheduleMemory::unit_of(const std::string& buffer) const {
  const auto found = units_.find(buffer);
  return found != units_.end() ? found->second : 0;
}

Location ScheduleMemory::place_of_copy(const std::string& buffer) const {
  Location own = with_unit(options_.mem_loc, unit_of(buffer));
  if (!options_.append_devs) return own;
  Location all = block_.ref_at(buffer).location;
  all.devices.insert(all.devices.end(), own.devices.begin(), own.devices.end());
  return all;
}

std::optional<std::int64_t> ScheduleMemory::unit_at(const Location& location) const {
  if (location == options_.mem_loc) return 0;
  std::set<std::int64_t> candidates{0};
  for (const auto& [buffer, unit] : units_) candidates.insert(unit);
  for (const std::int64_t unit : candidates) {
    const Location own = with_unit(options_.mem_loc, unit);
    if (location == own) return unit;
    const std::size_t count = location.devices.size(), tail = own.devices.size();
    if (options_.append_devs && count > tail &&
        std::equal(own.devices.begin(), own.devices.end(),
                   location.devices.end() - static_cast<std::ptrdiff_t>(tail))) {
      return unit;
    }
  }
  return std::nullopt;
}

void ScheduleMemory::reserve() {
  for (const auto& [into, ref] : block_.refs) {
    const auto unit = unit_at(ref.location);
    if (unit) reserved_.push_back({ref.offset, bytes_of(ref), *unit});
  }
}

std::uint64_t ScheduleMemory::bytes_of(const Refinement& ref) const {
  std::uint64_t bytes = ref.shape.bytes();
  if (ref.bank_dim && options_.num_banks > 1) {
    const std::uint64_t size = ref.shape.dims.at(*ref.bank_dim).size;
    if (size != 0) bytes = bytes / size * divide_up(size, options_.num_banks);
  }
  return divide_up(bytes, alignment_) * alignment_;
}

bool ScheduleMemory::place(const Block& owner, std::vector<std::string> refs,
                           std::vector<MemoryRange> taken,
                           std::map<std::string, MemoryRange>& places) const {
  places.clear();
  taken.insert(taken.end(), reserved_.begin(), reserved_.end());
  const auto bytes = [&](const std::string& name) { return bytes_of(owner.ref_at(name)); };
  std::sort(refs.begin(), refs.end(), [&](const std::string& a, const std::string& b) {
    const std::uint64_t size_a = bytes(a);
    const std::uint64_t size_b = bytes(b);
    return size_a != size_b ? size_a > size_b : a > b;
  });
  for (const std::string& name : refs) {
    const std::uint64_t size = bytes(name);
    const std::int64_t unit = unit_of(&owner == &block_ ? name : owner.ref_at(name).from);
    std::sort(taken.begin(), taken.end(),
              [](const MemoryRange& a, const MemoryRange& b) { return a.offset < b.offset; });
    std::optional<MemoryRange> best;
    std::uint64_t end = 0;
    const auto offer = [&](std::uint64_t begin, std::uint64_t limit) {
      if (limit < begin || limit - begin < size) return;
      if (!best || limit - begin < best->size) best = MemoryRange{begin, limit - begin, unit};
    };
    for (const MemoryRange& range : taken) {
      if (range.unit != unit) continue;
      offer(end, range.offset);
      end = std::max(end, range.end());
    }
    offer(end, size_);
    if (!best) return false;
    best->size = size;
    places[name] = *best;
    taken.push_back(*best);
  }
  return true;
}

}  // namespace tactus::stripe
