// Cycles of the machine compared with closed forms: latencies, issue intervals, dependences,
// macros.
//
// P = 8 / Dp passes, L(RC) is the latency, Bload the number of registers of src1. Published are the
// latencies in timing.tsv of kind formula or table, and the 8 cycles to the first read. The closed
// forms are Tactus's own.
#include <map>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/dpas/golden.h"
#include "tests/dpas/machine_rig.h"

namespace tactus::dpas {
namespace {

/// Runs D = null + A x B once.
Ran one_dpas(const DpasSimulationConfig& config, unsigned rc) {
  KernelBuilder k(config.machine.profile);
  k.dpas(rc, 16, 0, 8);
  k.ret();
  return run(config, k);
}

// ---- one instruction ----------------------------------------------------------------------------

TEST(DpasMachineTiming, LatenciesOfTheGoldenTable) {
  const std::map<std::string, std::string> names{
      {"XeHP_SDV", "xehp_sdv"}, {"DG2", "dg2"}, {"ARL_4deep", "arl_4deep"},
      {"ARL_default", "arl"},   {"PVC", "pvc"}, {"PVCXT", "pvcxt"},
      {"Xe2", "xe2"},           {"Xe3", "xe3"}};
  unsigned rows = 0;
  for (const std::vector<std::string>& row : golden_table("timing.tsv")) {
    if (row.front() == "platform") continue;
    ASSERT_EQ(row.size(), 8U);
    const auto number = [&](std::size_t column) { return std::stoul(row[column]); };
    const std::string line = row[0] + " RC " + row[2];
    DpasSimulationConfig config = config_of(names.at(row[0]));
    ASSERT_EQ(config.machine.profile.execution_size, number(1)) << line;
    const auto rc = static_cast<unsigned>(number(2));
    EXPECT_EQ(one_dpas(config, rc).result.cycles, number(5)) << line;
    config.machine.latency = LatencyModel::igc;
    EXPECT_EQ(one_dpas(config, rc).result.cycles, number(3)) << line;
    if (row[4] != "catchall") {
      EXPECT_EQ(number(3), number(5)) << line;
    }
    ++rows;
  }
  EXPECT_GE(rows, 64U);
}

class EveryProfile : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] DpasSimulationConfig config() const { return config_of(GetParam()); }
  [[nodiscard]] Profile machine() const { return config().machine.profile; }
  [[nodiscard]] unsigned passes() const { return machine().passes(); }
  [[nodiscard]] unsigned latency_of(unsigned rc) const {
    return latency(machine(), rc, LatencyModel::model);
  }
};

TEST_P(EveryProfile, IssueIntervalIs8PWithSharedB) {
  // B is in r0..7, A in r8; there are six accumulators.
  KernelBuilder k(machine());
  constexpr unsigned count = 6;
  for (unsigned i = 0; i < count; ++i) k.dpas(8, 16 + 8 * i, 0, 8);
  k.ret();
  const Ran ran = run(config(), k);
  for (unsigned i = 0; i < count; ++i) EXPECT_EQ(ran.issues[i], i * 8 * passes()) << i;
  // The last interval is part of the last latency.
  EXPECT_EQ(ran.result.cycles, (count - 1) * 8 * passes() + latency_of(8));
  EXPECT_EQ(ran.result.rows, count * 8 * passes());
}

TEST_P(EveryProfile, SmallRepeatCountsAreBoundByLoadingB) {
  for (unsigned rc = 1; rc <= 8; ++rc) {
    // Either three B are used in turn, so none stays in the operand buffer, or one B, which stays
    // there from the second DPAS on.
    for (const bool shared : {false, true}) {
      KernelBuilder k(machine());
      constexpr unsigned count = 4;
      for (unsigned i = 0; i < count; ++i) k.dpas(rc, 32 + 8 * i, shared ? 0 : i % 3 * 8, 24);
      k.ret();
      const Ran ran = run(config(), k);
      const unsigned first = std::max(passes() * rc, 8U);
      const unsigned later = shared ? passes() * rc : first;
      EXPECT_EQ(ran.issues[1], first) << "RC " << rc << " shared " << shared;
      EXPECT_EQ(ran.issues[2], first + later) << "RC " << rc << " shared " << shared;
      EXPECT_EQ(ran.issues[3], first + 2 * later) << "RC " << rc << " shared " << shared;
    }
  }
}

TEST_P(EveryProfile, NarrowBLoadsFewerRegisters) {
  // B has u4 or u2 elements and A u8: src1 has 4 or 2 registers, which no buffer keeps.
  for (const auto& [precision, registers] :
       {std::pair{Precision::u4, 4U}, std::pair{Precision::u2, 2U}}) {
    if (machine().equal_int_widths) continue;
    KernelBuilder k(machine());
    KernelBuilder::DpasOperands operands;
    operands.w = precision;
    operands.a = Precision::u8;
    for (unsigned i = 0; i < 3; ++i) k.dpas(1, 16 + i, 0, 8, operands);
    k.ret();
    const Ran ran = run(config(), k);
    const unsigned interval = std::max(passes(), registers);
    EXPECT_EQ(ran.issues[1], interval);
    EXPECT_EQ(ran.issues[2], 2 * interval);
  }
}

// ---- dependences --------------------------------------------------------------------------------

TEST_P(EveryProfile, InstructionsOfAChainTakeTheirLatencyEach) {
  for (unsigned rc = 1; rc <= 8; ++rc) {
    KernelBuilder k(machine());
    constexpr unsigned count = 5;
    for (unsigned i = 0; i < count; ++i) k.accumulate(rc, 16, 0, 8);
    k.ret();
    const Ran ran = run(config(), k);
    EXPECT_EQ(ran.result.cycles, count * latency_of(rc)) << "RC " << rc;
    EXPECT_EQ(ran.result.accounting.totals.of("macros"), 0U) << "a chain forms no macro";
  }
}

TEST_P(EveryProfile, InterleavedAccumulatorsHideTheLatency) {
  const unsigned interval = 8 * passes();
  for (unsigned accumulators = 1; accumulators <= 6; ++accumulators) {
    KernelBuilder k(machine());
    constexpr unsigned rounds = 5;
    for (unsigned i = 0; i < rounds * accumulators; ++i) {
      k.accumulate(8, 16 + 8 * (i % accumulators), 0, 8);
    }
    k.ret();
    const unsigned round = std::max(accumulators * interval, latency_of(8));
    EXPECT_EQ(run(config(), k).result.cycles,
              (rounds - 1) * round + (accumulators - 1) * interval + latency_of(8))
        << accumulators;
  }
}

TEST_P(EveryProfile, ASourceMayBeOverwrittenOnceItsLastRowIsRead) {
  // A mov that overwrites src0, src1 or src2 waits until the last row of the last pass has read
  // them. A mov that overwrites the result waits until the result is written.
  const Profile p = machine();
  for (const unsigned rc : {1U, 3U, 8U}) {
    const unsigned released = 8 + (passes() - 1) * std::max(rc, p.array_depth) + rc;
    for (const unsigned overwritten : {0U, 8U, 24U}) {
      KernelBuilder k(p);
      KernelBuilder::DpasOperands operands;
      operands.src0 = 24;
      k.dpas(rc, 16, 0, 8, operands);
      k.mov(k.result(overwritten, 8), KernelBuilder::immediate(1), 8);
      k.ret();
      EXPECT_EQ(run(config(), k).issues[1], released) << "RC " << rc << " r" << overwritten;
    }
    KernelBuilder k(p);
    k.dpas(rc, 16, 0, 8);
    k.mov(k.result(16, 8), KernelBuilder::immediate(1), 8);
    k.ret();
    EXPECT_EQ(run(config(), k).issues[1], latency_of(rc)) << "RC " << rc;
  }
}

TEST_P(EveryProfile, ADpasMayOverwriteWhatOneBeforeItReads) {
  KernelBuilder k(machine());
  k.dpas(8, 32, 0, 8);
  k.dpas(8, 0, 16, 8);  // overwrites B of the first one
  k.ret();
  EXPECT_EQ(run(config(), k).issues[1], 8 * passes());
}

TEST_P(EveryProfile, ALaterReaderWaitsForTheWholeResult) {
  KernelBuilder k(machine());
  k.dpas(8, 16, 0, 8);
  // reads the first row, which is written 7 cycles before the last
  k.mov(k.result(40, 8), k.vector(16, 8), 8);
  k.ret();
  EXPECT_EQ(run(config(), k).issues[1], latency_of(8));
}

INSTANTIATE_TEST_SUITE_P(Profiles, EveryProfile,
                         testing::Values("xehp_sdv", "dg2", "arl", "arl_4deep", "pvc", "pvcxt",
                                         "xe2", "xe3"));

// ---- the ALU and the issue stage ----------------------------------------------------------------

TEST(DpasMachineTiming, AluLatenciesBySize) {
  const DpasSimulationConfig config = config_of("pvc");
  for (const auto& [channels, cycles] : {std::pair{1U, 10U}, {8U, 10U}, {16U, 11U}, {32U, 13U}}) {
    KernelBuilder k(config.machine.profile);
    k.mov(k.result(1, channels), KernelBuilder::immediate(7), channels);
    k.two(Opcode::add, k.result(4, channels), k.vector(1, channels), KernelBuilder::immediate(1),
          channels);
    k.ret();
    const Ran ran = run(config, k);
    EXPECT_EQ(ran.issues[1], cycles) << channels;
    EXPECT_EQ(ran.result.cycles, 2 * cycles) << channels;
  }
}

TEST(DpasMachineTiming, AnAluInstructionTakesACycleARegister) {
  const DpasSimulationConfig config = config_of("dg2");  // registers of 8 dwords
  KernelBuilder k(config.machine.profile);
  for (unsigned i = 0; i < 3; ++i) {
    k.mov(k.result(4 * i, 16), KernelBuilder::immediate(7), 16);
  }
  k.ret();
  const Ran ran = run(config, k);
  EXPECT_EQ(ran.issues[1], 2U);
  EXPECT_EQ(ran.issues[2], 4U);
}

TEST(DpasMachineTiming, BranchesFlagsAndFences) {
  const DpasSimulationConfig config = config_of("pvc");
  const Profile& p = config.machine.profile;
  KernelBuilder k(p);
  k.less(1, KernelBuilder::immediate(1), KernelBuilder::immediate(2));  // false
  k.jump(3, 1);                                                         // waits 16 for the flag
  k.mov(k.result(1, 1), KernelBuilder::immediate(7), 1);                // skipped
  k.plain(Opcode::lsc_fence);                                           // + 23 for the branch
  k.mov(k.result(2, 1), KernelBuilder::immediate(7), 1);                // + 35 for the fence
  k.ret();                                                              // + 10 for the mov
  const Ran ran = run(config, k);
  EXPECT_EQ(ran.issues,
            (std::vector<std::uint32_t>{0, 16, 16 + 23, 16 + 23 + 35, 16 + 23 + 35 + 10}));
}

TEST(DpasMachineTiming, ThreadsTakeTurnsAndMeetAtABarrier) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.threads = 4;
  KernelBuilder k(config.machine.profile);
  k.mov(k.result(1, 1), KernelBuilder::immediate(7), 1);
  k.plain(Opcode::barrier);
  k.mov(k.result(2, 1), KernelBuilder::immediate(7), 1);
  k.ret();
  const Ran ran = run(config, k, 4);
  // One instruction is issued per cycle. The last thread reaches the barrier in cycle 7, and all
  // threads continue 30 cycles later.
  EXPECT_EQ(ran.issues,
            (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 37, 38, 39, 40, 47, 48, 49, 50}));
}

TEST(DpasMachineTiming, ThreadsHideTheLatencyOfChains) {
  // Each thread has one accumulator: ceil(28 / 8) = 4 threads keep the array busy.
  for (unsigned threads = 1; threads <= 5; ++threads) {
    DpasSimulationConfig config = config_of("pvc");
    config.machine.threads = threads;
    KernelBuilder k(config.machine.profile);
    constexpr unsigned rounds = 10;
    for (unsigned i = 0; i < rounds; ++i) k.accumulate(8, 16, 0, 8);
    k.ret();
    const unsigned round = std::max(threads * 8, 28U);
    EXPECT_EQ(run(config, k, threads).result.cycles, (rounds - 1) * round + (threads - 1) * 8 + 28)
        << threads;
  }
}

// ---- macros -------------------------------------------------------------------------------------

/// Returns the number of macros that the machine forms of four DPAS with two B in turn.
std::uint64_t alternating_macros(const char* name, unsigned rc) {
  const DpasSimulationConfig config = config_of(name);
  KernelBuilder k(config.machine.profile);
  for (unsigned i = 0; i < 4; ++i) k.dpas(rc, 32 + 8 * i, i % 2 * 8, 16);
  k.ret();
  return run(config, k).result.accounting.totals.of("macros");
}

TEST(DpasMachineMacros, InstructionsWithAlternatingBAreJoinedAsByTheFinalizer) {
  // The values were checked with Intel's finalizer: spec section 8.3.
  EXPECT_EQ(alternating_macros("dg2", 8), 1U);
  EXPECT_EQ(alternating_macros("pvcxt", 8), 1U);
  EXPECT_EQ(alternating_macros("pvc", 8), 0U);
  EXPECT_EQ(alternating_macros("dg2", 4), 1U);
  EXPECT_EQ(alternating_macros("pvcxt", 4), 0U);
  EXPECT_EQ(alternating_macros("pvc", 4), 0U);
}

TEST(DpasMachineMacros, AMacroIsNotInterruptedByAnotherThread) {
  for (const Macros macros : {Macros::as_written, Macros::off}) {
    DpasSimulationConfig config = config_of("pvc");
    config.machine.threads = 2;
    config.machine.macros = macros;
    KernelBuilder k(config.machine.profile);
    for (unsigned i = 0; i < 3; ++i) k.dpas(8, 16 + 8 * i, 0, 8);
    k.ret();
    DpasSimulation simulation(config);
    std::vector<unsigned> order;
    struct Sink final : EventSink {
      explicit Sink(std::vector<unsigned>& list) : order(list) {}
      void event(const Event& event) override {
        if (event.kind == 0 && event.b == 0) order.push_back(event.port);
      }
      void end_of_cycle(Cycle) override {}
      std::vector<unsigned>& order;
    } sink(order);
    simulation.observe(&sink);
    (void)run(simulation, k, 2);
    const std::vector<unsigned> expected = macros == Macros::off
                                               ? std::vector<unsigned>{0, 1, 0, 1, 0, 1}
                                               : std::vector<unsigned>{0, 0, 0, 1, 1, 1};
    EXPECT_EQ(order, expected);
  }
}

TEST(DpasMachineMacros, AnnotationsReplaceDetectedMacros) {
  const DpasSimulationConfig config = config_of("pvc");
  KernelBuilder k(config.machine.profile);
  for (unsigned i = 0; i < 4; ++i) {
    k.dpas(8, 16 + 8 * i, 0, 8).annotations.atomic = i == 0;
  }
  k.ret();
  const DpasRunResult result = run(config, k).result;
  EXPECT_EQ(result.accounting.totals.of("macros"), 1U);
  EXPECT_EQ(result.grf_reads_saved, 8U);  // the second DPAS does not read B
  EXPECT_EQ(result.grf_reads, 3 * 8U + 4 * 4U);
}

TEST(DpasMachineMacros, OperandBuffersSaveReads) {
  // Four DPAS with the same B read it once. From PVCXT on, they also read the same A once.
  for (const auto& [name, saved] : {std::pair{"pvc", 3 * 8U}, std::pair{"pvcxt", 3 * (8U + 4U)}}) {
    const DpasSimulationConfig config = config_of(name);
    KernelBuilder k(config.machine.profile);
    for (unsigned i = 0; i < 4; ++i) k.dpas(8, 16 + 8 * i, 0, 8);
    k.ret();
    const DpasRunResult result = run(config, k).result;
    EXPECT_EQ(result.grf_reads_saved, saved) << name;
    EXPECT_EQ(result.grf_reads + result.grf_reads_saved, 4 * (8U + 4U)) << name;
    EXPECT_EQ(result.grf_writes, 4 * 8U) << name;
  }
}

// ---- bank conflicts -----------------------------------------------------------------------------

TEST(DpasMachineTiming, BankConflictsCostWhatTheProfileSays) {
  // PVC: bank (r % 4) / 2, bundle (r % 32) / 2. src0 starts at r32, src2 at r64. Row 0 reads r32
  // and r64, both in bank 0 and bundle 0. A register of src2 has two rows, so rows 0 and 1 read
  // r64.
  DpasSimulationConfig config = config_of("pvc");
  const auto cycles = [&](std::uint32_t cost) {
    config.machine.profile.bank_conflict_cycles = cost;
    KernelBuilder k(config.machine.profile);
    KernelBuilder::DpasOperands operands;
    operands.src0 = 32;
    k.dpas(8, 16, 8, 64, operands);
    k.ret();
    return run(config, k).result;
  };
  const DpasRunResult off = cycles(0), on = cycles(1), dear = cycles(3);
  EXPECT_EQ(off.cycles, 28U);
  // Row r reads src0 r32+r, src1 r8+r and src2 r64+r/2. r32 and r33 have the same bank and bundle
  // (0) as r64 and r65, so rows 0 and 1 (r64) conflict. Rows 2 and 3 read r34/r65 and r35/r65,
  // which are in different bundles.
  EXPECT_EQ(on.accounting.totals.of("conflict_cycles"), 2U);
  EXPECT_EQ(on.cycles, 30U);
  EXPECT_EQ(dear.cycles, 28U + 6);
}

// ---- tokens -------------------------------------------------------------------------------------

TEST(DpasMachineTokens, InstructionsWaitForAFreeToken) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.sync = Sync::tokens;
  config.machine.profile.tokens = 2;
  KernelBuilder k(config.machine.profile);
  for (unsigned i = 0; i < 4; ++i) k.dpas(8, 16 + 8 * i, 0, 8);
  k.ret();
  // The third DPAS waits for the first one's token, i.e. its result, and the fourth for the
  // second's.
  EXPECT_EQ(run(config, k).issues, (std::vector<std::uint32_t>{0, 8, 28, 36, 64}));
}

TEST(DpasMachineTokens, AnnotationsGuardRegisters) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.sync = Sync::tokens;
  const auto kernel = [&](std::uint32_t written, std::uint32_t read) {
    KernelBuilder k(config.machine.profile);
    k.dpas(8, 16, 0, 8).annotations.sets = 3;
    Instruction& mov =
        k.mov(k.result(read != 0 ? 8 : 40, 8), k.vector(written != 0 ? 16 : 50, 8), 8);
    mov.annotations.waits_written = written;
    mov.annotations.waits_read = read;
    k.ret();
    return run(config, k);
  };
  EXPECT_EQ(kernel(1U << 3, 0).issues[1], 28U);
  EXPECT_EQ(kernel(0, 1U << 3).issues[1], 16U);
}

TEST(DpasMachineTokens, AnUnguardedRegisterIsAnError) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.sync = Sync::tokens;
  KernelBuilder k(config.machine.profile);
  k.dpas(8, 16, 0, 8).annotations.sets = 3;
  k.mov(k.result(40, 8), k.vector(17, 8), 8);
  k.ret();
  try {
    (void)run(config, k);
    FAIL() << "nothing waits for the result";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "test:2: register 17 is not guarded: the result of a DPAS is not written yet; "
                 "allowed: a token that is awaited, such as {$1.dst} or {$1.src}");
  }
}

TEST(DpasMachineTokens, AWaitForATokenThatNobodySetsIsAnError) {
  const DpasSimulationConfig config = config_of("pvc");
  KernelBuilder k(config.machine.profile);
  k.dpas(8, 16, 0, 8).annotations.waits_written = 1U << 5;
  k.ret();
  try {
    (void)run(config, k);
    FAIL() << "a deadlock";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "test:1: deadlock: waits for token $5.dst, which no instruction before it sets");
  }
}

}  // namespace
}  // namespace tactus::dpas
