#include "firmware/driver/common/accounting.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "isa/support/error.h"

namespace tactus {
namespace {

constexpr std::uint64_t never = ~std::uint64_t{0};

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

/// Applies `f` to every counter of two sets.
template <typename F>
void each(Counters& a, const Counters& b, F&& f) {
  for (std::size_t i = 0; i < a.array_time.size(); ++i) f(a.array_time[i], b.array_time[i]);
  for (std::size_t p = 0; p < 2; ++p) {
    f(a.read_beats[p], b.read_beats[p]);
    f(a.write_beats[p], b.write_beats[p]);
    f(a.read_bursts[p], b.read_bursts[p]);
    f(a.write_bursts[p], b.write_bursts[p]);
  }
  f(a.array_runs, b.array_runs);
  f(a.array_loads, b.array_loads);
  f(a.alu_operations, b.alu_operations);
}

void expect(std::string_view unit, std::string_view what, std::uint64_t found,
            std::uint64_t expected) {
  if (found == expected) return;
  internal_error("accounting of {}: {} is {} instead of {}", unit, what, found, expected);
}

}  // namespace

std::uint64_t UnitCycles::of(StateKind kind) const {
  std::uint64_t total = 0;
  for (std::size_t s = 0; s < cycles.size(); ++s) {
    if (states[s].kind == kind) total += cycles[s];
  }
  return total;
}

std::uint64_t KindFigures::head_cycles() const {
  return std::accumulate(head.begin(), head.end(), std::uint64_t{0});
}

Counters& Counters::operator+=(const Counters& o) {
  each(*this, o, [](std::uint64_t& a, std::uint64_t b) { a += b; });
  return *this;
}
Counters& Counters::operator-=(const Counters& o) {
  each(*this, o, [](std::uint64_t& a, std::uint64_t b) { a -= b; });
  return *this;
}
std::uint64_t Counters::cycles() const {
  return std::accumulate(array_time.begin(), array_time.end(), std::uint64_t{0});
}

const UnitCycles& Accounting::unit(std::string_view name) const {
  for (const UnitCycles& unit : units) {
    if (unit.unit == name) return unit;
  }
  internal_error("there is no unit {}", name);
}

Counters Accountant::counters() const {
  Counters c;
  Account& time = *system_.accounts().back();
  time.settle();
  std::copy(time.cycles().begin(), time.cycles().end(), c.array_time.begin());
  for (unsigned p = 0; p < 2; ++p) {
    const BoundarySplitter::Stats& s = std::as_const(system_).port(p).splitter().stats();
    c.read_beats[p] = s.read_beats;
    c.write_beats[p] = s.write_beats;
    c.read_bursts[p] = s.read_bursts;
    c.write_bursts[p] = s.write_bursts;
  }
  const Tcu& tcu = std::as_const(system_).tcu();
  c.array_runs = tcu.array().stats().multiplications;
  c.array_loads = tcu.array().stats().loads;
  for (const std::uint64_t issued : tcu.accumulators().alu().stats().issued) {
    c.alu_operations += issued;
  }
  return c;
}

/// Reads and writes of local ports A and B, accesses of accumulator port A, and vectors that DAIS
/// blocks took.
std::array<std::uint64_t, 6> Accountant::accesses() const {
  const Tcu& tcu = std::as_const(system_).tcu();
  const DualPortMemory::Stats& local = tcu.local().stats();
  const DualPortMemory::Stats& accumulators = tcu.accumulators().accumulator().memory().stats();
  return {local.reads[0],
          local.writes[0],
          local.reads[1],
          local.writes[1],
          accumulators.reads[0] + accumulators.writes[0],
          tcu.dais() == nullptr ? 0 : tcu.dais()->stats().vectors};
}

void Accountant::begin(std::uint64_t instructions, const std::vector<tcu::LayerEntry>& regions) {
  accounting_ = Accounting{};
  first_ = clock_.now;
  units_at_start_.clear();
  for (Account* account : system_.accounts()) {
    account->settle();
    units_at_start_.push_back(account->cycles());
  }
  decoder_at_start_ = system_.tcu().decoder().stats();
  accesses_at_start_ = accesses();
  start_ = counters();

  segments_.clear();
  segment_ = 0;
  next_border_ = never;
  if (regions.empty()) return;
  std::uint64_t end = 0;
  const std::size_t other = regions.size();
  for (const tcu::LayerEntry& region : regions) {
    if (region.first > end) segments_.push_back({region.first, other});
    segments_.push_back({end = region.first + region.count, accounting_.regions.size()});
    accounting_.regions.push_back({region.name, 0, {}});
  }
  accounting_.regions.push_back({"(other)", 0, {}});
  accounting_.regions.push_back({"(end)", 0, {}});
  if (end < instructions) segments_.push_back({instructions, other});
  segments_.push_back({never, other + 1});
  next_border_ = segments_.front().end;
  segment_from_ = first_;
  segment_retired_ = 0;
  segment_start_ = start_;
}

void Accountant::close_segment(std::uint64_t retired) {
  const std::size_t index = segments_[segment_].region;
  RegionFigures& region = accounting_.regions[index];
  const Counters now = counters();
  region.counters += now;
  region.counters -= segment_start_;
  region.instructions += retired - segment_retired_;
  if (clock_.now > segment_from_) {
    accounting_.spans.push_back({index, segment_from_ - first_, clock_.now - first_});
  }
  segment_from_ = clock_.now;
  segment_retired_ = retired;
  segment_start_ = now;
}

void Accountant::border(std::uint64_t retired) {
  close_segment(retired);
  next_border_ = segments_[++segment_].end;
}

Accounting Accountant::end(std::uint64_t retired) {
  Accounting& result = accounting_;
  result.cycles = clock_.now - first_;
  result.totals = counters();
  result.totals -= start_;
  if (!segments_.empty()) {
    close_segment(retired);
  }
  const std::vector<Account*> accounts = system_.accounts();
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    Account& account = *accounts[i];
    account.settle();
    UnitCycles unit{std::string(account.unit()), account.states(), {}};
    unit.cycles.resize(account.states().count);
    for (std::size_t code = 0; code < account.cycles().size(); ++code) {
      const std::uint64_t cycles = account.cycles()[code] - units_at_start_[i][code];
      unit.cycles[code % account.states().count] += cycles;
      const std::size_t context = code / account.states().count;
      if (&account == &system_.tcu().decoder().account() && context > 0) {
        result.kinds[context - 1].head[code % account.states().count] += cycles;
      }
    }
    result.units.push_back(std::move(unit));
  }
  const Decoder::Stats& decoder = std::as_const(system_).tcu().decoder().stats();
  for (std::size_t k = 0; k < tcu::instruction_kinds; ++k) {
    result.kinds[k].count = decoder.retired_by_kind[k] - decoder_at_start_.retired_by_kind[k];
    result.kinds[k].vectors = decoder.vectors_by_kind[k] - decoder_at_start_.vectors_by_kind[k];
  }
  check(result);
  return std::move(accounting_);
}

void Accountant::check(const Accounting& a) const {
  for (const UnitCycles& unit : a.units) {
    expect(unit.unit, "the sum of all states", sum(unit.cycles), a.cycles);
  }
  const auto state = [&](std::string_view unit, unsigned code, std::uint64_t events) {
    const UnitCycles& u = a.unit(unit);
    expect(unit, u.states[code].name, u.cycles[code], events);
  };
  const std::array<std::uint64_t, 6> now = accesses();
  const auto accessed = [&](std::size_t i) { return now[i] - accesses_at_start_[i]; };
  state("array", SystolicArray::compute, a.totals.array_runs);
  state("array", SystolicArray::load_weights, a.totals.array_loads);
  state("array_time", ArrayTime::compute, a.totals.array_runs);
  state("alus", AluArray::issue, a.totals.alu_operations);
  state("local_a", DualPortMemory::reads, accessed(0));
  state("local_a", DualPortMemory::writes, accessed(1));
  state("local_b", DualPortMemory::reads, accessed(2));
  state("local_b", DualPortMemory::writes, accessed(3));
  state("accumulators", AccumulatorWithAlu::access, accessed(4));
  if (std::as_const(system_).tcu().dais() != nullptr) state("dais", DaisUnit::take, accessed(5));
  for (const unsigned p : {0U, 1U}) {
    state(p == 0 ? "dram0" : "dram1", DramPort::read, a.totals.read_beats[p]);
    state(p == 0 ? "dram0" : "dram1", DramPort::write, a.totals.write_beats[p]);
  }
  if (a.regions.empty()) return;
  Counters regions;
  for (const RegionFigures& region : a.regions) regions += region.counters;
  each(regions, a.totals,
       [](std::uint64_t found, std::uint64_t total) { expect("regions", "a sum", found, total); });
}

}  // namespace tactus
