// A board's memory that is marked and rewound continues as if nothing had happened in between.
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/driver/common/memory_system.h"
#include "isa/support/error.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "tests/memory/random_memory.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

constexpr unsigned regions = 4;
constexpr std::uint32_t region_bytes = 1U << 14;

/// Address of the i-th region of bytes that are read and written; the regions are in a few rows and
/// banks.
std::uint32_t region(unsigned i) { return i * 0x00212000; }

/// Events at the pins of a port with their cycles, as numbers.
using PinLog = std::vector<std::uint64_t>;

/// Sends random bursts to a slave's pins. A write's data may come before its address.
class Master {
 public:
  Master(AxiLinks& pins, unsigned beat_bytes, std::uint64_t seed)
      : pins_(pins), beat_bytes_(beat_bytes), random_(seed), data_(beat_bytes) {
    busy_ = random_.pick({5U, 30U, 90U});
    writes_ = random_.pick({0U, 50U, 50U, 100U});
    longest_ = random_.pick({1U, 4U, 16U, 256U});
  }

  void drive(bool begins) {
    if (begins && random_.chance(busy_)) begin();
    pins_.ar.valid = !reads_.empty() && (pins_.ar.valid || random_.chance(80));
    if (pins_.ar.valid) pins_.ar.bits = reads_.front();
    pins_.aw.valid = !writes_waiting_.empty() && (pins_.aw.valid || random_.chance(80));
    if (pins_.aw.valid) pins_.aw.bits = writes_waiting_.front();
    pins_.w.valid = !beats_.empty() && (pins_.w.valid || random_.chance(80));
    if (pins_.w.valid) pins_.w.bits = {data_.data(), beats_.front() == 1};
    pins_.r.ready = random_.chance(90);
    pins_.b.ready = random_.chance(90);
  }

  void commit(Cycle now, PinLog& log) {
    if (pins_.ar.fires()) reads_.pop_front();
    if (pins_.aw.fires()) writes_waiting_.pop_front();
    if (pins_.w.fires()) {
      if (--beats_.front() == 0) beats_.pop_front();
      const std::uint64_t start = random_.below(1U << 16);
      for (unsigned i = 0; i < beat_bytes_; ++i)
        data_[i] = static_cast<std::uint8_t>(start >> i % 9);
      log.insert(log.end(), {1, now});
    }
    if (pins_.r.fires()) {
      std::uint64_t sum = pins_.r.bits.last ? 1 : 0;
      for (unsigned i = 0; i < beat_bytes_; ++i) sum = sum * 131 + pins_.r.bits.data[i];
      log.insert(log.end(), {2, now, sum});
    }
    if (pins_.b.fires()) log.insert(log.end(), {3, now});
  }

  /// True if all requests and data have been accepted.
  [[nodiscard]] bool idle() const {
    return reads_.empty() && writes_waiting_.empty() && beats_.empty();
  }

 private:
  void begin() {
    if (reads_.size() + writes_waiting_.size() > 8) return;
    const auto length = static_cast<unsigned>(random_.range(1, longest_));
    const std::uint64_t room = region_bytes / beat_bytes_ - length;
    AxiAddress address;
    address.address = region(static_cast<unsigned>(random_.below(regions))) +
                      static_cast<std::uint32_t>(random_.below(room + 1) * beat_bytes_);
    address.length = static_cast<std::uint16_t>(length - 1);
    if (random_.chance(writes_)) {
      writes_waiting_.push_back(address);
      beats_.push_back(length);
    } else {
      reads_.push_back(address);
    }
  }

  AxiLinks& pins_;
  unsigned beat_bytes_;
  Random random_;
  unsigned busy_, writes_, longest_;
  std::deque<AxiAddress> reads_, writes_waiting_;
  std::deque<unsigned> beats_;  ///< remaining beats of each write
  std::vector<std::uint8_t> data_;
};

/// Two slaves connected to a board's memory.
class Machine {
 public:
  explicit Machine(const TcuSimulationConfig& config)
      : beat_bytes_(config.axi_data_bits / 8),
        driver_("driver", clock_, clock_period(config.clock_mhz), [](Cycle) { return false; }),
        memory_(config, *config.resolved_ddr, {0, 1}, clock_) {
    for (unsigned p = 0; p < 2; ++p) {
      slaves_[p] = std::make_unique<AxiSlave>(p == 0 ? "slave0" : "slave1", clock_, beat_bytes_,
                                              AxiSlave::Transport::non_blocking, pins_[p]);
      memory_.attach(p, *slaves_[p], p == 0 ? "memory0" : "memory1");
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaborates the design
  }

  /// Starts random bursts for `cycles` cycles. If `ends`, waits for all bursts to end.
  void traffic(std::uint64_t seed, Cycle cycles, bool ends) {
    std::array<Master, 2> masters{Master(pins_[0], beat_bytes_, 2 * seed),
                                  Master(pins_[1], beat_bytes_, 2 * seed + 1)};
    const auto busy = [&](unsigned p) { return !masters[p].idle() || !slaves_[p]->idle(); };
    for (Cycle i = 0; i < cycles || (ends && (busy(0) || busy(1))); ++i) {
      for (unsigned p = 0; p < 2; ++p) {
        slaves_[p]->drive();
        masters[p].drive(i < cycles);
      }
      for (unsigned p = 0; p < 2; ++p) {
        slaves_[p]->commit();
        masters[p].commit(clock_.now, log);
      }
      ++clock_.now;
    }
    // The pins are idle after the masters are destroyed.
    for (AxiLinks& pins : pins_) pins.ar.valid = pins.aw.valid = pins.w.valid = false;
  }

  /// Advances by cycles without a burst.
  void pause(Cycle cycles) {
    for (; cycles > 0; --cycles, ++clock_.now) {
      for (const auto& slave : slaves_) slave->drive();
      for (const auto& slave : slaves_) slave->commit();
    }
  }

  [[nodiscard]] bool rewinds() const {
    return slaves_[0]->rewinds() && slaves_[1]->rewinds() && memory_.controller().rewinds();
  }
  void mark() {
    for (const auto& slave : slaves_) slave->mark();
    memory_.controller().mark();
    marked_cycle_ = clock_.now;
  }
  void rewind() {
    const Cycle reached = clock_.now;
    clock_.now = marked_cycle_;
    for (const auto& slave : slaves_) slave->rewind(reached);
    memory_.controller().rewind();
  }

  /// Tells observers what the slaves hold back.
  void tell() {
    for (const auto& slave : slaves_) slave->held()->tell(clock_.now);
  }
  void observe(AccountObserver& observer) {
    for (const auto& slave : slaves_) {
      slave->account()->observe(&observer);
      slave->memory_account()->observe(&observer);
    }
  }

  [[nodiscard]] bool idle() const { return slaves_[0]->idle() && slaves_[1]->idle(); }
  [[nodiscard]] DdrController& controller() { return memory_.controller(); }
  [[nodiscard]] AxiSlave& slave(unsigned p) { return *slaves_[p]; }

  /// Returns the bytes of both banks.
  [[nodiscard]] std::vector<std::uint8_t> contents() {
    std::vector<std::uint8_t> bytes(std::size_t{2} * regions * region_bytes);
    std::uint8_t* to = bytes.data();
    for (unsigned p = 0; p < 2; ++p) {
      for (unsigned i = 0; i < regions; ++i, to += region_bytes) {
        const std::uint64_t base = memory_.path(p).config().base;
        controller().memory().read(static_cast<std::uint32_t>(base + region(i)), to, region_bytes);
      }
    }
    return bytes;
  }

  /// Returns the counts of the accounts and of the controller.
  [[nodiscard]] PinLog counts() {
    PinLog all;
    for (const auto& slave : slaves_) {
      for (Account* account : {slave->account(), slave->memory_account()}) {
        account->settle();
        all.insert(all.end(), account->cycles().begin(), account->cycles().end());
      }
    }
    const std::vector<std::uint64_t> statistics = memory_statistics(memory_);
    all.insert(all.end(), statistics.begin(), statistics.end());
    return all;
  }

  PinLog log;

 private:
  unsigned beat_bytes_;
  Clock clock_;
  ClockDriver driver_;
  std::array<AxiLinks, 2> pins_;
  MemorySystem memory_;
  std::array<std::unique_ptr<AxiSlave>, 2> slaves_;
  Cycle marked_cycle_ = 0;
};

TcuSimulationConfig random_config(Random& random) {
  TcuSimulationConfig config;
  if (random.chance(50)) {
    config = read_board(random.pick({std::string("arty_a7_35"), std::string("pynq_z1"),
                                     std::string("ultra96_v2"), std::string("zcu104"),
                                     std::string("zcu104_dual")}))
                 .simulation_config();
  } else {
    config.axi_data_bits = random.pick({32U, 64U, 128U, 512U});
    config.clock_mhz = random.pick({100.0, 333.0, 25.0});
    random_memory(random, config);
    config.board_memory->stream.reset();
  }
  config.stream_model = StreamModel::ideal;
  config.resolved_ddr->read_priority = random.chance(70);
  return config;
}

/// What the observer of an account is told, as numbers.
struct Told final : AccountObserver {
  std::map<const Account*, PinLog> logs;
  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override {
    PinLog& log = logs[&account];
    log.insert(log.end(), {code, from, to});
  }
};

enum class Between { nothing, marks, detours };

struct Outcome {
  PinLog log, counts;
  std::vector<PinLog> told;  ///< of each account
  std::vector<std::uint8_t> contents;
  unsigned written_behind = 0;  ///< marks while the controller's buffer had writes
  unsigned cut_short = 0;       ///< detours that ended while bursts were pending
};

/// Makes random bursts and rewinds the machine to the mark, once or twice.
void detour(Machine& machine, Random& random, Outcome& outcome) {
  const std::vector<std::uint8_t> contents = machine.contents();
  machine.controller().set_timing_only(true);
  for (std::uint64_t i = random.range(1, 2); i > 0; --i) {
    const Cycle cycles = random.range(1, random.pick({20U, 300U, 2'000U}));
    machine.traffic(random.below(1U << 30), cycles, random.chance(20));
    if (!machine.idle()) ++outcome.cut_short;
    machine.rewind();
    machine.mark();
  }
  machine.controller().set_timing_only(false);
  EXPECT_TRUE(machine.contents() == contents) << "data has moved";
}

/// Runs random bursts several times; `between` says what happens in between.
Outcome run(const TcuSimulationConfig& config, std::uint64_t seed, Between between) {
  KernelScope kernel;
  Machine machine(config);
  EXPECT_TRUE(machine.rewinds());
  Told told;
  machine.observe(told);
  Random random(seed), own(seed ^ 0xDE70);
  Outcome outcome;
  for (unsigned round = 0; round < 6; ++round) {
    machine.traffic(seed * 8 + round, random.range(1, random.pick({30U, 600U})), true);
    // The pause may contain a refresh.
    const Cycle rest = random.pick({0U, 0U, 7U, 3'000U});
    for (const Cycle part : {rest / 2, rest - rest / 2}) {
      if (between != Between::nothing) machine.mark();
      if (machine.controller().core().buffered(true) != 0) ++outcome.written_behind;
      const std::size_t logged = machine.log.size();
      if (between == Between::detours) detour(machine, own, outcome);
      machine.log.resize(logged);
      machine.pause(part);
      machine.tell();
    }
    if (between != Between::detours) continue;
    machine.mark();  // the next bursts are told without tell()
    machine.rewind();
  }
  machine.traffic(seed * 8 + 7, 500, true);
  outcome.log = machine.log;
  outcome.counts = machine.counts();
  machine.tell();
  for (unsigned p = 0; p < 2; ++p) {
    outcome.told.push_back(told.logs[machine.slave(p).account()]);
    outcome.told.push_back(told.logs[machine.slave(p).memory_account()]);
  }
  outcome.contents = machine.contents();
  return outcome;
}

TEST(Rewind, ContinuesAsIfTheDetourHadNotHappened) {
  unsigned written_behind = 0, cut_short = 0;
  for (const std::uint64_t seed : test_seeds(39'000'000, 40)) {
    Random random(seed ^ 0x3E1);
    const TcuSimulationConfig config = random_config(random);
    const Outcome expected = run(config, seed, Between::nothing);
    for (const Between between : {Between::marks, Between::detours}) {
      const Outcome outcome = run(config, seed, between);
      ASSERT_TRUE(outcome.log == expected.log) << "beats and responses, seed " << seed;
      ASSERT_EQ(outcome.counts, expected.counts) << "seed " << seed;
      ASSERT_TRUE(outcome.told == expected.told) << "intervals of accounts, seed " << seed;
      ASSERT_TRUE(outcome.contents == expected.contents) << "seed " << seed;
      written_behind += outcome.written_behind;
      cut_short += outcome.cut_short;
    }
  }
  EXPECT_GT(written_behind, 0U);
  EXPECT_GT(cut_short, 0U);
}

TEST(Rewind, IsPossibleWithoutObserversOfCommandsAndTransfersInFlightOnly) {
  struct Observer final : DdrObserver {
    void command(const DdrCommand&) override {}
  } observer;
  KernelScope kernel;
  Machine machine(read_board("zcu104").simulation_config());
  EXPECT_TRUE(machine.rewinds());
  machine.controller().observe(&observer);
  EXPECT_FALSE(machine.rewinds());
  machine.controller().observe(nullptr);
  EXPECT_TRUE(machine.rewinds());
  machine.mark();
  machine.traffic(1, 400, false);
  ASSERT_FALSE(machine.idle());
  EXPECT_THROW(machine.mark(), InternalError);
  EXPECT_THROW(machine.controller().mark(), InternalError);
  machine.rewind();
  EXPECT_TRUE(machine.idle());
  EXPECT_NO_THROW(machine.mark());
}

}  // namespace
}  // namespace tactus
