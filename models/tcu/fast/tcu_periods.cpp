#include "models/tcu/fast/tcu_periods.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tactus {
namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t{0};

/// Growth of a count, or of the distance that an address has come nearer to the origin.
std::uint64_t growth_of(const Registers::Count& from, const Registers::Count& to) {
  if (to.kind == Registers::Count::Kind::address) return (from.value - to.value) & to.left;
  return to.value - from.value;
}

}  // namespace

void TcuPeriods::begin(std::uint64_t origin) {
  origin_ = origin;
  steps_ = 0;
  search_ = first_search;
  kept_ = 0;
  wait(first_search);
}

/// Waits before the next search.
void TcuPeriods::wait(std::uint64_t steps) {
  search_ends_ = 0;
  next_look_ = steps_ + steps;
}

void TcuPeriods::save(State& state) const {
  state.now = design_.clock.now;
  state.counts.clear();
  Registers r(state.bytes, state.now, origin_);
  r.keep_counts(state.counts);
  design_.save(r);
}

/// Saves the counters up to the current cycle.
void TcuPeriods::count(State& state) const {
  for (Account* account : design_.accounts) account->count();
  design_.counters.read(state.counters);
}

/// Number of further periods that equal the one between that state and the current one.
std::uint64_t TcuPeriods::periods_after(const State& before) const {
  if (before.bytes != present_.bytes) return 0;
  const Cycle period = present_.now - before.now;
  std::uint64_t periods = unlimited;
  std::optional<std::uint64_t> moved;  // all addresses must move by the same distance
  for (std::size_t i = 0; i < present_.counts.size(); ++i) {
    const Registers::Count& from = before.counts[i];
    const Registers::Count& to = present_.counts[i];
    const std::uint64_t growth = growth_of(from, to);
    if (to.kind == Registers::Count::Kind::address) {
      if (moved.value_or(growth) != growth) return 0;
      moved = growth;
      continue;
    }
    if (growth == 0 && to.left == from.left) continue;
    if (to.value < from.value || from.left - to.left != growth) return 0;
    // A period may begin in a state in which a burst cannot end; a burst could then end, and
    // another begin, within the period.
    const std::uint64_t least = to.kind == Registers::Count::Kind::of_item ? 0 : period;
    if (from.left < least || to.left < least) return 0;
    periods = std::min(periods, (to.left - least) / growth);
  }
  return periods == unlimited ? 0 : periods;  // without counts the periods would never end
}

void TcuPeriods::skip(const State& before, std::uint64_t periods) {
  for (Account* account : design_.accounts) account->count();
  design_.counters.for_each_growth(before.counters, [&](std::size_t i, std::uint64_t growth) {
    design_.counters[i] += growth * periods;
  });
  for (std::size_t i = 0; i < present_.counts.size(); ++i) {
    Registers::Count& count = present_.counts[i];
    const std::uint64_t growth = growth_of(before.counts[i], count) * periods;
    if (count.kind == Registers::Count::Kind::address) {
      count.value = (count.value - growth) & count.left;
    } else {
      count.value += growth;
      count.left -= growth;
    }
  }
  const Cycle cycles = (present_.now - before.now) * periods;
  skipped_ += cycles;
  design_.skipped(before.now, cycles);
  design_.clock.now += cycles;
  present_.now = design_.clock.now;
  Registers r(present_.bytes.data(), present_.now, origin_);
  r.keep_counts(present_.counts);
  design_.load(r);
}

bool TcuPeriods::try_skip(const State& before) {
  const std::uint64_t periods = periods_after(before);
  if (periods != 0) skip(before, periods);
  return periods != 0;
}

void TcuPeriods::look() {
  if (search_ends_ == 0) {
    save(present_);
    count(present_);
    std::swap(reference_, present_);
    reference_phase_ = design_.phase();
    search_ends_ = steps_ + search_;
    return;
  }
  bool found = false;
  if (design_.phase() == reference_phase_) {
    save(present_);
    found = try_skip(reference_);
  }
  if (!found) {
    if (steps_ < search_ends_) return;
    wait(search_);
    search_ = std::min(longest_search, 2 * search_);
    return;
  }
  const std::size_t kept = std::min(kept_, most_kept);
  for (std::size_t i = 1; i <= kept; ++i) {
    if (try_skip(behind_[(kept_ - i) % most_kept])) break;
  }
  count(present_);
  std::swap(behind_[kept_++ % most_kept], present_);
  search_ = first_search;
  wait(first_search);
}

}  // namespace tactus
