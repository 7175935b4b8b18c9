// Properties of random memories, controllers and traffic: no rule is broken, no access is lost or
// out of order, nothing is faster than possible, and the results do not depend on when the core is
// advanced.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "models/dram/ddr_rules.h"
#include "tests/dram/core_run.h"
#include "tests/dram/rule_checker.h"

namespace tactus::dram {
namespace {

/// The random numbers of a case come from one seed, because shrinking thousands of numbers one by
/// one would take too long.
std::mt19937 numbers;

void start_case() {
  numbers.seed(*rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()).as("seed"));
}

unsigned from(unsigned low, unsigned high) {
  return std::uniform_int_distribution<unsigned>(low, high)(numbers);
}

template <typename T>
T one_of(std::initializer_list<T> values) {
  return values.begin()[from(0, static_cast<unsigned>(values.size()) - 1)];
}

DdrArbitration random_arbitration(unsigned ports) {
  DdrArbitration a;
  a.between = one_of({DdrArbitration::Between::turns, DdrArbitration::Between::ranks,
                      DdrArbitration::Between::shares});
  if (a.between == DdrArbitration::Between::turns) return a;
  a.groups = from(1, 3);
  for (unsigned p = 0; p < ports; ++p) a.group.push_back(from(0, a.groups - 1));
  for (unsigned g = 0; g < a.groups; ++g) a.shares.push_back(from(0, 5));
  a.window = one_of({1U, 30U, 4096U});
  return a;
}

/// Returns a random memory in which ddr_problems() finds nothing.
DdrConfig random_memory() {
  DdrConfig c;
  c.bus_bits = one_of({16U, 32U, 64U});
  c.burst_length = one_of({8U, 16U});
  c.bank_groups = one_of({1U, 1U, 2U, 4U});
  c.banks = one_of({2U, 4U, 8U});
  c.rows = 1024;
  c.columns = one_of({64U, 1024U});
  c.address_map = one_of({"row_bank_column", "bank_row_column", "row_column_bank"});
  c.bank_hash = one_of({false, true});
  c.cl = from(4, 20);
  c.cwl = from(4, c.cl);
  c.t_rcd = from(3, 20);
  c.t_rp = from(3, 20);
  c.t_ras = c.t_rcd + from(0, 25);
  c.t_rc = c.t_ras + c.t_rp + from(0, 4) - 1;
  const bool groups = c.bank_groups > 1;
  c.t_rrd_s = from(2, 8);
  c.t_rrd_l = c.t_rrd_s + (groups ? from(0, 4) : 0);
  c.t_faw = c.t_rrd_s + from(0, 40);
  c.t_ccd_s = c.burst_length / 2 + from(0, 2);
  c.t_ccd_l = c.t_ccd_s + (groups ? from(0, 4) : 0);
  c.t_wr = from(1, 20);
  c.t_rtp = from(1, 14);
  c.t_wtr_s = from(1, 8);
  c.t_wtr_l = c.t_wtr_s + (groups ? from(0, 8) : 0);
  c.t_turn = from(0, 4);
  c.t_rfc = from(10, 300);
  c.t_refi = c.t_rfc + from(200, 2000);
  return c;
}

DdrConfig random_config() {
  DdrConfig c = random_memory();
  c.refresh = one_of({DdrRefresh::all_bank, DdrRefresh::all_bank, DdrRefresh::none});
  c.scheduler = one_of({DdrScheduler::fifo, DdrScheduler::frfcfs, DdrScheduler::frfcfs});
  c.cap = one_of({0U, 1U, 4U, 16U});
  c.page_policy = one_of({DdrPagePolicy::open, DdrPagePolicy::closed, DdrPagePolicy::timeout});
  c.page_timeout.reset();
  if (c.page_policy == DdrPagePolicy::timeout) c.page_timeout = from(1, 200);
  c.buffer = one_of({1U, 2U, 8U, 32U});
  c.read_priority = one_of({false, true});
  c.write_buffer = from(2, 16);
  c.write_high_mark = from(1, c.write_buffer);
  c.write_low_mark = from(0, c.write_high_mark - 1);
  c.port_queue = from(1, 8);
  c.xpi_interval = from(1, 9);
  c.command_delay = from(1, 4);
  return c;
}

/// Returns random traffic to few rows and banks, so that accesses conflict, with some pauses.
std::vector<CoreAccess> random_traffic(const DdrConfig& config, unsigned ports) {
  const auto count = from(1, 150);
  const unsigned gap = one_of({0U, 2U, 20U, 200U});
  const unsigned blocks = one_of({4U, 64U, 4096U});
  const unsigned writes = one_of({0U, 30U, 100U});
  std::vector<CoreAccess> accesses;
  DdrClock now = from(0, 100);
  std::uint64_t block = 0;
  for (unsigned i = 0; i < count; ++i) {
    now += gap == 0 ? 0 : from(0, gap);
    if (from(0, 60) == 0) now += 3000;
    block = from(0, 2) == 0 ? from(0, blocks) * 37 : block + 1;
    accesses.push_back({now, block * config.burst_bytes() % config.bytes(), from(0, 99) < writes,
                        from(0, ports - 1)});
  }
  return accesses;
}

bool is_read_or_write(DdrCommandKind kind) {
  return kind == DdrCommandKind::rd || kind == DdrCommandKind::rda || kind == DdrCommandKind::wr ||
         kind == DdrCommandKind::wra;
}

void check_answers(const DdrConfig& c, const std::vector<CoreAccess>& accesses,
                   const CoreRun& run) {
  std::set<std::uint32_t> served;
  for (const DdrCommand& command : run.commands) {
    if (!is_read_or_write(command.kind)) continue;
    RC_ASSERT(served.insert(command.tag).second);
    const DdrDone& done = run.done[command.tag];
    RC_ASSERT(done.command == command.clock);
    const bool writes = command.kind == DdrCommandKind::wr || command.kind == DdrCommandKind::wra;
    RC_ASSERT(writes == accesses[command.tag].write);
  }
  RC_ASSERT(served.size() == accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const DdrDone& done = run.done[i];
    const unsigned latency = (accesses[i].write ? c.cwl : c.cl) + c.burst_length / 2;
    RC_ASSERT(done.admitted >= accesses[i].arrival);
    RC_ASSERT(done.data_end == done.command + latency);
    RC_ASSERT(done.data_end - done.arrived >= c.command_delay + latency);
    RC_ASSERT(done.queue + done.row + done.refresh + done.bus + done.rest ==
              done.data_end - done.arrived);
    RC_ASSERT((done.row_state == DdrRowState::hit) == (done.row == 0));
  }
  const DdrStatistics& s = run.statistics;
  RC_ASSERT(s.reads + s.writes == accesses.size());
  RC_ASSERT(s.hits + s.misses + s.conflicts == accesses.size());
  RC_ASSERT(s.bus_clocks <= s.clocks + c.cl + c.cwl + c.burst_length);
}

/// Checks the order within each bank. With fifo, accesses stay in order. With frfcfs, no access is
/// passed over too often, and none passes an older access to the same burst.
void check_order(const DdrConfig& c, const std::vector<CoreAccess>& accesses, const CoreRun& run) {
  std::map<unsigned, std::vector<std::uint32_t>> of_bank;
  for (const DdrCommand& command : run.commands) {
    if (is_read_or_write(command.kind)) of_bank[command.bank].push_back(command.tag);
  }
  for (const auto& [bank, order] : of_bank) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      unsigned passed = 0;
      for (std::size_t k = 0; k < i; ++k) {
        if (run.admitted[order[k]] < run.admitted[order[i]]) continue;
        ++passed;
        RC_ASSERT(accesses[order[k]].address != accesses[order[i]].address);
      }
      if (c.scheduler == DdrScheduler::fifo) RC_ASSERT(passed == 0U);
      if (c.cap != 0) RC_ASSERT(passed <= c.cap);
    }
  }
}

TEST(DdrProperties, NoRuleIsBroken) {
  EXPECT_TRUE(rc::check("independent checker", [] {
    start_case();
    const DdrConfig config = random_config();
    RC_ASSERT(ddr_problems(config).empty());
    const unsigned ports = from(1, 3);
    const std::vector<CoreAccess> accesses = random_traffic(config, ports);
    const CoreRun run = run_core(config, accesses, ports);
    const auto broken = broken_rules(config, run.commands, true);
    if (!broken.empty()) RC_FAIL(broken.front().what);
    check_answers(config, accesses, run);
    check_order(config, accesses, run);
  }));
}

/// With policy closed every access closes its row. With policy timeout a row is closed in the clock
/// of the timeout.
TEST(DdrProperties, PagePoliciesCloseRowsWhenTheyPromise) {
  EXPECT_TRUE(rc::check("page policies", [] {
    start_case();
    const DdrConfig config = random_config();
    const std::vector<CoreAccess> accesses = random_traffic(config, 1);
    const CoreRun run = run_core(config, accesses, 1);
    for (const DdrCommand& command : run.commands) {
      const bool own = command.kind == DdrCommandKind::rda || command.kind == DdrCommandKind::wra;
      const bool plain = command.kind == DdrCommandKind::rd || command.kind == DdrCommandKind::wr;
      if (config.page_policy == DdrPagePolicy::closed) {
        RC_ASSERT(!plain);
        // With closed pages, a row stays open only after an access that was interrupted for another
        // one.
        RC_ASSERT(command.kind != DdrCommandKind::pre || config.scheduler == DdrScheduler::frfcfs);
      } else {
        RC_ASSERT(!own);
      }
      if (config.page_policy != DdrPagePolicy::timeout && command.kind == DdrCommandKind::pre) {
        RC_ASSERT(command.tag != DdrCommand::nobody);
      }
    }
  }));
}

/// Submits accesses when they are due, and advances the core to random clocks or to the next event.
/// The commands are the same as with every clock.
TEST(DdrProperties, CommandsDoNotDependOnWhenTheCoreIsAdvanced) {
  EXPECT_TRUE(rc::check("laziness", [] {
    start_case();
    const DdrConfig config = random_config();
    const unsigned ports = from(1, 3);
    const std::vector<CoreAccess> accesses = random_traffic(config, ports);
    const DdrArbitration arbitration = random_arbitration(ports);
    const CoreRun reference = run_core(config, accesses, DdrRules(config), ports, 0, arbitration);
    const bool by_events = from(0, 1) == 1;
    CoreRun run;
    DdrCore core(config, ports, arbitration);
    core.observe(&run);
    std::size_t next = 0;
    DdrClock now = 0;
    std::size_t reads = 0;
    while (next < accesses.size() || !core.idle()) {
      const DdrClock arrival = next < accesses.size() ? accesses[next].arrival : never;
      DdrClock step = by_events ? core.next_event() : now + from(1, 300);
      // No initiator waits for the remaining writes, so any step is allowed.
      if (step == never && arrival == never) step = now + 1000;
      now = std::max(now, std::min(step, arrival));
      core.done.clear();
      core.admitted.clear();
      core.advance(now);
      if (by_events) {
        for (const DdrDone& done : core.done) RC_ASSERT(done.write || done.command == now);
        for (const DdrCore::Mark& mark : core.admitted) RC_ASSERT(mark.clock + 1 == now);
      }
      for (const DdrDone& done : core.done) reads += done.write ? 0 : 1;
      while (next < accesses.size() && accesses[next].arrival <= now) {
        const CoreAccess& a = accesses[next];
        (void)core.submit(a.port, std::max(a.arrival, now), a.address, a.write,
                          static_cast<std::uint32_t>(next));
        ++next;
      }
    }
    const std::size_t common = std::min(run.commands.size(), reference.commands.size());
    for (std::size_t i = 0; i < common; ++i) {
      RC_ASSERT(run.commands[i].clock == reference.commands[i].clock);
      RC_ASSERT(run.commands[i].kind == reference.commands[i].kind);
      RC_ASSERT(run.commands[i].tag == reference.commands[i].tag);
    }
    RC_ASSERT(run.commands.size() >= reference.commands.size());
  }));
}

/// Every row of the table holds commands back, and the checker knows why: without it some random
/// traffic breaks a rule. Those from REF are not tried: the core issues nothing before the refresh
/// ends, and none falls due before.
TEST(DdrProperties, EveryRowOfTheRulesIsNeeded) {
  constexpr unsigned most_seeds = 1000;
  for (std::size_t row = 0; row < DdrRules::count; ++row) {
    const DdrRule& rule = ddr_rules[row];
    if (rule.from == DdrEvent::ref) continue;
    bool broken = false;
    for (unsigned seed = 0; seed < most_seeds && !broken; ++seed) {
      numbers.seed(seed);
      const DdrConfig config = random_config();
      const unsigned ports = from(1, 3);
      DdrRules rules(config);
      rules.between(rule.from, rule.to, rule.scope) = 0;
      const CoreRun run = run_core(config, random_traffic(config, ports), rules, ports);
      broken = !broken_rules(config, run.commands, true).empty();
    }
    EXPECT_TRUE(broken) << "row " << row << " of the rules";
  }
}

/// Tests the checker: moving single commands to earlier clocks breaks each of the rules below.
TEST(RuleChecker, SeesACommandThatComesTooEarly) {
  DdrConfig config;
  config.t_faw = 40;
  std::vector<CoreAccess> accesses;
  for (unsigned i = 0; i < 12; ++i) {
    accesses.push_back({0, std::uint64_t{i % 6} * 8192 + i / 6 * 65536, i % 4 == 3, 0});
  }
  const CoreRun run = run_core(config, accesses);
  ASSERT_TRUE(broken_rules(config, run.commands, true).empty());
  std::set<std::string> seen;
  for (std::size_t i = 0; i < run.commands.size(); ++i) {
    for (DdrClock early = 1; early < 40 && early <= run.commands[i].clock; ++early) {
      std::vector<DdrCommand> log = run.commands;
      DdrCommand moved = log[i];
      moved.clock -= early;
      log.erase(log.begin() + static_cast<std::ptrdiff_t>(i));
      const auto at = std::lower_bound(log.begin(), log.end(), moved,
                                       [](auto& a, auto& b) { return a.clock < b.clock; });
      log.insert(at, moved);
      for (const Violation& v : broken_rules(config, log, true)) seen.insert(v.rule);
    }
  }
  for (const char* rule : {"one a clock", "state", "tRCD", "tRC", "tRAS", "tRP", "tRRD", "tFAW",
                           "tCCD", "RD to WR", "tWTR", "tRTP", "tWR", "bus"}) {
    EXPECT_EQ(seen.count(rule), 1U) << rule;
  }
}

}  // namespace
}  // namespace tactus::dram
