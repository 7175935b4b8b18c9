#include "firmware/driver/common/accounting.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "isa/support/error.h"

namespace tactus {
namespace {

constexpr std::uint64_t no_border = ~std::uint64_t{0};

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

void expect(std::string_view unit, std::string_view what, std::uint64_t found,
            std::uint64_t expected) {
  if (found == expected) return;
  internal_error("accounting of {}: {} is {} instead of {}", unit, what, found, expected);
}

std::size_t state_of(const UnitCycles& unit, std::string_view name) {
  for (std::size_t s = 0; s < unit.states.count; ++s) {
    if (unit.states[s].name == name) return s;
  }
  internal_error("unit {} has no state {}", unit.unit, name);
}

}  // namespace

std::uint64_t UnitCycles::of(StateKind kind) const {
  std::uint64_t total = 0;
  for (std::size_t s = 0; s < cycles.size(); ++s) {
    if (states[s].kind == kind) total += cycles[s];
  }
  return total;
}

std::uint64_t KindFigures::head_cycles() const { return sum(head); }

Counters::Counters(const MachineInfo& machine)
    : info(&machine), time(machine.time.states.count), values(machine.counter_values()) {}

Counters& Counters::operator+=(const Counters& o) {
  for (std::size_t i = 0; i < time.size(); ++i) time[i] += o.time[i];
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += o.values[i];
  return *this;
}
Counters& Counters::operator-=(const Counters& o) {
  for (std::size_t i = 0; i < time.size(); ++i) time[i] -= o.time[i];
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= o.values[i];
  return *this;
}
std::uint64_t Counters::cycles() const { return sum(time); }

const UnitCycles& Accounting::unit(std::string_view name) const {
  for (const UnitCycles& unit : units) {
    if (unit.unit == name) return unit;
  }
  internal_error("there is no unit {}", name);
}

bool Accounting::has(std::string_view name) const {
  return name.empty() || std::any_of(units.begin(), units.end(),
                                     [&](const UnitCycles& unit) { return unit.unit == name; });
}

Accountant::Accountant(Machine& machine, const Clock& clock)
    : machine_(machine),
      info_(machine.info()),
      clock_(clock),
      start_(info_),
      accounting_(info_),
      segment_start_(info_) {}

Counters Accountant::counters() const {
  Counters c(info_);
  Account& time = *machine_.accounts().back();
  time.settle();
  c.time = time.cycles();
  c.values = machine_.counters();
  return c;
}

void Accountant::begin(std::uint64_t instructions, const std::vector<Region>& regions) {
  accounting_ = Accounting(info_);
  first_ = clock_.now;
  units_at_start_.clear();
  for (Account* account : machine_.accounts()) {
    account->settle();
    units_at_start_.push_back(account->cycles());
  }
  kinds_at_start_ = machine_.kind_counts();
  start_ = counters();

  segments_.clear();
  segment_ = 0;
  next_border_ = no_border;
  if (regions.empty()) return;
  std::uint64_t end = 0;
  const std::size_t other = regions.size();
  for (const Region& region : regions) {
    if (region.first > end) segments_.push_back({region.first, other});
    segments_.push_back({end = region.first + region.count, accounting_.regions.size()});
    accounting_.regions.push_back({region.name, 0, Counters(info_)});
  }
  accounting_.regions.push_back({"(other)", 0, Counters(info_)});
  accounting_.regions.push_back({"(end)", 0, Counters(info_)});
  if (end < instructions) segments_.push_back({instructions, other});
  segments_.push_back({no_border, other + 1});
  next_border_ = segments_.front().end;
  segment_from_ = first_;
  segment_retired_ = 0;
  segment_start_ = start_;
}

void Accountant::close_segment(std::uint64_t retired) {
  const std::size_t index = segments_[segment_].region;
  RegionFigures& region = accounting_.regions[index];
  Counters now = counters();
  region.counters += now;
  region.counters -= segment_start_;
  region.instructions += retired - segment_retired_;
  if (clock_.now > segment_from_) {
    accounting_.spans.push_back({index, segment_from_ - first_, clock_.now - first_});
  }
  segment_from_ = clock_.now;
  segment_retired_ = retired;
  segment_start_ = std::move(now);
}

void Accountant::border(std::uint64_t retired) {
  close_segment(retired);
  next_border_ = segments_[++segment_].end;
}

/// Adds the cycles in which a unit had an instruction at its head, to the instruction's kind.
void Accountant::add_kinds(const UnitInfo& unit, const Account& account,
                           const std::vector<std::uint64_t>& before) {
  const std::size_t states = unit.states.count;
  for (std::size_t k = 0; k < accounting_.kinds.size(); ++k) {
    KindFigures& kind = accounting_.kinds[k];
    kind.head.resize(states);
    for (std::size_t s = 0; s < states; ++s) {
      const std::size_t code = (k + 1) * states + s;
      const std::uint64_t cycles = account.cycles()[code] - before[code];
      kind.head[s] += cycles;
      if (unit.states[s].kind == StateKind::busy) kind.busy += cycles;
    }
  }
}

Accounting Accountant::end(std::uint64_t retired) {
  Accounting& result = accounting_;
  result.cycles = clock_.now - first_;
  result.totals = counters();
  result.totals -= start_;
  if (!segments_.empty()) {
    close_segment(retired);
  }
  const std::vector<KindCounts> kinds = machine_.kind_counts();
  result.kinds.resize(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    result.kinds[k].count = kinds[k].count - kinds_at_start_[k].count;
    result.kinds[k].vectors = kinds[k].vectors - kinds_at_start_[k].vectors;
  }
  const std::vector<Account*> accounts = machine_.accounts();
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    Account& account = *accounts[i];
    account.settle();
    UnitCycles unit{std::string(account.unit()), account.states(), {}};
    unit.cycles.resize(account.states().count);
    for (std::size_t code = 0; code < account.cycles().size(); ++code) {
      unit.cycles[code % account.states().count] +=
          account.cycles()[code] - units_at_start_[i][code];
    }
    result.units.push_back(std::move(unit));
    const UnitInfo* info = info_.unit(account.unit());
    if (info != nullptr && info->heads) add_kinds(*info, account, units_at_start_[i]);
  }
  check(result);
  return std::exchange(accounting_, Accounting(info_));
}

void Accountant::check(const Accounting& a) const {
  for (const UnitCycles& unit : a.units) {
    expect(unit.unit, "the sum of all states", sum(unit.cycles), a.cycles);
  }
  for (const Identity& identity : info_.identities) {
    if (!a.has(identity.unit)) continue;
    const UnitCycles& unit = a.unit(identity.unit);
    std::uint64_t events = 0;
    for (const CounterRef& ref : identity.counters) events += a.totals.values[info_.counter(ref)];
    expect(unit.unit, identity.state, unit.cycles[state_of(unit, identity.state)], events);
  }
  if (a.regions.empty()) return;
  Counters regions(info_);
  for (const RegionFigures& region : a.regions) regions += region.counters;
  for (std::size_t i = 0; i < regions.time.size(); ++i) {
    expect("regions", "a sum", regions.time[i], a.totals.time[i]);
  }
  for (std::size_t i = 0; i < regions.values.size(); ++i) {
    expect("regions", "a sum", regions.values[i], a.totals.values[i]);
  }
}

}  // namespace tactus
