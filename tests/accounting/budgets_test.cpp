// Closed forms for the state of every unit in every cycle of small programs. They are sums of the
// timing formulas of hardware spec section 12.
#include <gtest/gtest.h>

#include "firmware/driver/tcu/simulation.h"
#include "models/axi/axi_slave.h"
#include "models/sim/kernel_scope.h"
#include "tests/support/dais_blocks.h"
#include "tests/support/program.h"
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

/// The stream and the instructions have equal widths, so the first instruction is at the decoder's
/// head in cycle 1; in cycle 0 the decoder has no instruction. A run ends with one cycle in which
/// no unit does anything.
constexpr Cycle first_head = 1;
constexpr Cycle end_cycle = 1;

Accounting account(const Program& program, Latencies latencies = {},
                   const std::vector<Region>& regions = {}) {
  TcuSimulationConfig config;
  config.architecture = program.architecture();
  config.read_latency = latencies.read;
  config.write_latency = latencies.write;
  TcuSimulation simulation(config);
  TcuRunOptions options;
  options.regions = regions;
  TcuRunResult result = simulation.run(program.bytes(), options);
  EXPECT_EQ(result.end, RunEnd::finished);
  return std::move(result.accounting);
}

std::uint64_t cycles(const Accounting& a, std::string_view unit, unsigned state) {
  return a.unit(unit).cycles[state];
}

class Budget : public testing::TestWithParam<unsigned> {
 protected:
  const std::uint64_t n_array = GetParam();
  [[nodiscard]] static Program program() { return Program(timing_architecture(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Arrays, Budget, testing::Values(4, 8, 16));

TEST_P(Budget, OneMatMul) {
  for (const std::uint64_t n : vector_counts(GetParam())) {
    SCOPED_TRACE(n);
    const Accounting a = account(program().mat_mul(n));
    // The instruction is at the head for n cycles. The path through the array has 2N cycles, so the
    // last write is 2N + n - 1 cycles after the head's first cycle.
    const Cycle total = first_head + 2 * n_array + n + end_cycle;
    EXPECT_EQ(a.cycles, total);
    EXPECT_EQ(cycles(a, "decoder", Decoder::starved), first_head);
    EXPECT_EQ(cycles(a, "decoder", Decoder::busy), n);
    EXPECT_EQ(cycles(a, "decoder", Decoder::ended), total - first_head - n);
    EXPECT_EQ(cycles(a, "array", SystolicArray::compute), n);
    EXPECT_EQ(cycles(a, "array", SystolicArray::rest), total - n);
    EXPECT_EQ(cycles(a, "local_a", DualPortMemory::reads), n);
    EXPECT_EQ(cycles(a, "local_a", DualPortMemory::rest), total - n);
    // The accumulators wait for the first write from the cycle after the head's first cycle to the
    // first result.
    EXPECT_EQ(cycles(a, "accumulators", AccumulatorWithAlu::wait_input), 2 * n_array - 1);
    EXPECT_EQ(cycles(a, "accumulators", AccumulatorWithAlu::access), n);
    EXPECT_EQ(cycles(a, "local_b", DualPortMemory::rest), total);
    EXPECT_EQ(cycles(a, "dram0", DramPort::rest), total);
    EXPECT_EQ(a.totals.time[ArrayTime::compute], n);
    EXPECT_EQ(a.totals.time[ArrayTime::instruction_stream], first_head);
    EXPECT_EQ(a.totals.time[ArrayTime::operands], 1U);  // the head's first cycle
    EXPECT_EQ(a.totals.time[ArrayTime::ended], total - n - first_head - 1);
  }
}

TEST_P(Budget, WeightsAndProductsInALoop) {
  constexpr std::uint64_t rounds = 6;
  const std::uint64_t n = 3 * n_array;
  Program p = program();
  for (std::uint64_t i = 0; i < rounds; ++i) p.load_weights(n_array + 1).mat_mul(n);
  const Accounting a = account(p);
  // Each period of n + 3N cycles has n runs, N+1 loads and 2N-1 cycles of draining.
  EXPECT_EQ(cycles(a, "array", SystolicArray::compute), rounds * n);
  EXPECT_EQ(cycles(a, "array", SystolicArray::load_weights), rounds * (n_array + 1));
  EXPECT_EQ(cycles(a, "array", SystolicArray::wait_drain), (rounds - 1) * (2 * n_array - 1));
  EXPECT_EQ(cycles(a, "array", SystolicArray::wait_input), 0U);
  EXPECT_EQ(a.totals.time[ArrayTime::drain], (rounds - 1) * (2 * n_array - 1));
  EXPECT_EQ(a.totals.time[ArrayTime::load_weights], rounds * (n_array + 1));
  using tcu::InstructionKind;
  const auto kind = [&](InstructionKind k) { return a.kinds[static_cast<std::size_t>(k)]; };
  EXPECT_EQ(kind(InstructionKind::mat_mul).count, rounds);
  EXPECT_EQ(kind(InstructionKind::mat_mul).vectors, rounds * n);
  EXPECT_EQ(kind(InstructionKind::load_weights).vectors, rounds * (n_array + 1));
  EXPECT_EQ(kind(InstructionKind::mat_mul).head[Decoder::busy], rounds * n);
}

TEST_P(Budget, AMatMulWaitsForTheAccumulators) {
  constexpr std::uint64_t simds = 5, n = 7;
  Program p = program();
  for (std::uint64_t i = 0; i < simds; ++i) p.simd_read_write();
  const Accounting a = account(p.mat_mul(n));
  EXPECT_EQ(cycles(a, "alus", AluArray::issue), simds);
  EXPECT_EQ(cycles(a, "accumulators", AccumulatorWithAlu::access), 2 * simds + n);
  // A SIMD instruction takes four cycles. The k-th (from 0) is decoded at h + k, reads at h + 4k +
  // 1 and writes at h + 4k + 4. The MatMul's control is at the array one cycle after its head, at h
  // + simds + 1. The array's first run is one cycle after the last SIMD write.
  const Cycle control = first_head + simds + 1;
  const Cycle first_run = first_head + 4 * (simds - 1) + 4 + 1;
  EXPECT_EQ(cycles(a, "array", SystolicArray::wait_output), first_run - control);
  EXPECT_EQ(a.totals.time[ArrayTime::accumulators], first_run - control);
  EXPECT_EQ(a.totals.time[ArrayTime::simd], simds);
}

TEST_P(Budget, NoOps) {
  const Accounting a = account(program().no_op(50));
  EXPECT_EQ(a.cycles, first_head + 50 + end_cycle);
  EXPECT_EQ(cycles(a, "decoder", Decoder::busy), 50U);
  EXPECT_EQ(cycles(a, "stream", StreamAdapter::pass), 50U);
  EXPECT_EQ(a.totals.time[ArrayTime::other_instructions], 50U);
  EXPECT_EQ(a.totals.time[ArrayTime::instruction_stream], first_head);
  EXPECT_EQ(a.totals.time[ArrayTime::ended], end_cycle);
}

// ---- DAIS blocks --------------------------------------------------------------------------------

/// Returns an empty program for a machine with one block: k_in and k_out vectors per sample, and a
/// latency.
Program with_block(unsigned n_array, std::size_t k_in, std::size_t k_out, std::size_t latency) {
  tcu::Architecture architecture = timing_architecture(n_array);
  architecture.dais_blocks = {relay_block("block", k_in * n_array, k_out * n_array, latency)};
  return Program(architecture);
}

const KindFigures& kind(const Accounting& a, tcu::InstructionKind k) {
  return a.kinds[static_cast<std::size_t>(k)];
}

TEST_P(Budget, OneDais) {
  for (const std::size_t latency : {1U, 2U, 5U}) {
    for (const std::uint64_t n : vector_counts(GetParam())) {
      SCOPED_TRACE(testing::Message() << n << " samples, latency " << latency);
      const Accounting a = account(with_block(GetParam(), 1, 1, latency).dais(n));
      // The total is that of a MatMul with `latency` instead of 2N - 1.
      const Cycle total = first_head + latency + 1 + n + end_cycle;
      EXPECT_EQ(a.cycles, total);
      EXPECT_EQ(cycles(a, "decoder", Decoder::busy), n);
      EXPECT_EQ(cycles(a, "dais", DaisUnit::take), n);
      // The last min(n, latency) results leave while no sample enters. With few samples (n <
      // latency) the unit first waits for the results.
      EXPECT_EQ(cycles(a, "dais", DaisUnit::give), std::min<Cycle>(n, latency));
      EXPECT_EQ(cycles(a, "dais", DaisUnit::pass), latency > n ? latency - n : 0);
      EXPECT_EQ(cycles(a, "dais", DaisUnit::rest), first_head + 1 + end_cycle);
      EXPECT_EQ(kind(a, tcu::InstructionKind::dais).count, 1U);
      EXPECT_EQ(kind(a, tcu::InstructionKind::dais).vectors, n);
      EXPECT_EQ(kind(a, tcu::InstructionKind::dais).head_cycles(), n);
      EXPECT_EQ(a.totals.time[ArrayTime::dais], n);
      EXPECT_EQ(a.totals.time[ArrayTime::instruction_stream], first_head);
      EXPECT_EQ(a.totals.time[ArrayTime::ended], total - n - first_head);
    }
  }
}

TEST_P(Budget, WideSamplesAreCountedInVectors) {
  constexpr std::uint64_t n = 6, k_in = 3;
  const Accounting in = account(with_block(GetParam(), k_in, 1, 1).dais(n));
  EXPECT_EQ(cycles(in, "dais", DaisUnit::take), n * k_in);
  EXPECT_EQ(cycles(in, "dais", DaisUnit::give), 1U);  // the others leave while vectors enter
  EXPECT_EQ(kind(in, tcu::InstructionKind::dais).vectors, n * k_in);
  EXPECT_EQ(kind(in, tcu::InstructionKind::dais).head[Decoder::busy], n * k_in);
  // The results limit the rate: one vector per cycle. The block of one rank takes a sample when the
  // last vector of the previous one leaves.
  const std::uint64_t k_out = 4;
  const Accounting out = account(with_block(GetParam(), 1, k_out, 1).dais(n));
  EXPECT_EQ(cycles(out, "dais", DaisUnit::take), n);
  EXPECT_EQ(cycles(out, "dais", DaisUnit::give), n * k_out - (n - 1));
}

/// The array waits from the cycle in which its control arrives until the block's results have
/// passed.
TEST_P(Budget, AMatMulWaitsForADaisResult) {
  constexpr std::uint64_t latency = 12, n = 3;
  const Accounting a = account(with_block(GetParam(), 1, 1, latency).dais(1).mat_mul(n));
  // The heads are in cycles h and h + 1. The result is written in h + 1 + latency; the first run is
  // one cycle later.
  const Cycle control = first_head + 2, first_run = first_head + latency + 2;
  EXPECT_EQ(cycles(a, "array", SystolicArray::wait_dais), first_run - control);
  EXPECT_EQ(cycles(a, "array", SystolicArray::wait_output), 0U);
  EXPECT_EQ(a.totals.time[ArrayTime::accumulators], 0U);
  EXPECT_EQ(a.totals.time[ArrayTime::dais], 1 + first_run - control);
}

/// No whole program fills this queue, since local memory stalls the decoder's head first. The test
/// therefore runs the decoder alone, with blocks that accept nothing and everything else ready.
TEST(DaisBudget, TheDecoderWaitsForTheBlocksQueue) {
  const Program p = with_block(2, 1, 1, 1).dais(1);
  const std::vector<std::uint8_t> bytes = p.bytes();
  const KernelScope kernel;
  Clock clock;
  Link<const std::uint8_t*> instruction;
  MemoryPort a, b;
  Link<Dataflow> dataflow;
  Link<HostDataflow> host;
  Link<ArrayControl> array;
  Link<AccumulatorControl> accumulator;
  Link<DaisControl> dais;
  std::array<Link<DramRequest>, 2> dram;
  Decoder decoder(
      "decoder", clock, p.architecture(), 100,
      {instruction, a, b, dataflow, host, array, accumulator, dais, {&dram[0], &dram[1]}});
  for (; clock.now < 20; ++clock.now) {
    instruction.valid = true;
    instruction.bits = bytes.data();
    decoder.drive();
    a.request.ready = dataflow.ready = accumulator.ready = true;
    decoder.commit();
  }
  // The first instruction is at the head in cycle 1. The queue has room for 2N = 4 of them.
  EXPECT_EQ(decoder.stats().retired, 4U);
  decoder.account().settle();
  const unsigned context = static_cast<unsigned>(tcu::InstructionKind::dais) + 1;
  const std::size_t first = context * Decoder::state_table.size();
  // the fifth reads local memory and then waits
  EXPECT_EQ(decoder.account().cycles()[first + Decoder::busy], 5U);
  EXPECT_EQ(decoder.account().cycles()[first + Decoder::wait_dais], 14U);
}

/// Opcode 6 is a Dais instruction only if the architecture has a block of that number.
TEST(DaisBudget, OpcodeSixWithoutABlockIsUndefined) {
  for (const bool with : {false, true}) {
    tcu::Architecture architecture = timing_architecture(8);
    if (with) architecture.dais_blocks = {relay_block("block", 8, 8)};
    Program p(architecture);
    p.dais(3, 0).dais(3, 1);
    const Accounting a = account(p);
    EXPECT_EQ(kind(a, tcu::InstructionKind::dais).count, with ? 1U : 0U);
    EXPECT_EQ(kind(a, tcu::InstructionKind::dais).vectors, with ? 3U : 0U);
    EXPECT_EQ(kind(a, tcu::InstructionKind::undefined).count, with ? 1U : 2U);
    EXPECT_EQ(kind(a, tcu::InstructionKind::undefined).vectors, 0U);
    const auto is_dais = [](const UnitCycles& unit) { return unit.unit == "dais"; };
    EXPECT_EQ(std::count_if(a.units.begin(), a.units.end(), is_dais), with ? 1 : 0);
  }
}

/// N = 8 and 64 data bits: a vector has two beats.
TEST(DramBudget, Read) {
  constexpr std::uint64_t m = 2, latency = 10, n = 9;
  const Accounting a = account(Program(timing_architecture(8)).read_dram(0, n), {latency, 1});
  const Cycle occupancy = 5 + latency + n * m;
  EXPECT_EQ(a.cycles, first_head + occupancy + end_cycle);
  EXPECT_EQ(cycles(a, "decoder", Decoder::busy), n);
  EXPECT_EQ(cycles(a, "decoder", Decoder::wait_local_b), occupancy - n);
  EXPECT_EQ(cycles(a, "local_b", DualPortMemory::writes), n);
  EXPECT_EQ(cycles(a, "local_b", DualPortMemory::wait_data), occupancy - n);
  EXPECT_EQ(cycles(a, "host_router", HostRouter::pass), n);
  EXPECT_EQ(cycles(a, "host_router", HostRouter::wait_dram0), occupancy - n);
  EXPECT_EQ(cycles(a, "dram0", DramPort::read), n * m);
  EXPECT_EQ(cycles(a, "dram0", DramPort::address), 1U);
  EXPECT_EQ(cycles(a, "slave0", AxiSlave::read), n * m);
  // The first beat is taken `latency` cycles after the address.
  EXPECT_EQ(cycles(a, "slave0", AxiSlave::handshake), 1U);
  EXPECT_EQ(cycles(a, "slave0", AxiSlave::read_latency), latency - 1);
  EXPECT_EQ(a.totals.time[ArrayTime::dram0_read_data], n * m);
  EXPECT_EQ(a.totals.time[ArrayTime::dram0_read_wait], occupancy - n * m);
  EXPECT_EQ(cycles(a, "dram1", DramPort::rest), a.cycles);
}

TEST(DramBudget, Write) {
  // n is so small that local memory delivers one vector per cycle.
  constexpr std::uint64_t m = 2, latency = 6, n = 5;
  const Accounting a = account(Program(timing_architecture(8)).write_dram(1, n), {1, latency});
  // AW is at h+2, W at h+4 .. h+3+n*m, B L_b cycles later.
  EXPECT_EQ(a.cycles, first_head + 4 + n * m - 1 + latency + 1 + 2 + end_cycle);
  EXPECT_EQ(cycles(a, "decoder", Decoder::busy), n);
  EXPECT_EQ(cycles(a, "dram1", DramPort::write), n * m);
  EXPECT_EQ(cycles(a, "dram1", DramPort::address), 1U);
  EXPECT_EQ(cycles(a, "slave1", AxiSlave::write), n * m);
  EXPECT_EQ(cycles(a, "slave1", AxiSlave::handshake), 2U);  // AW and B
  EXPECT_EQ(cycles(a, "slave1", AxiSlave::wait_data), 1U);  // h+3
  EXPECT_EQ(cycles(a, "slave1", AxiSlave::write_latency), latency - 1);
}

/// A region begins in the cycle after the retire of the instruction before it, and ends with its
/// own last retire.
TEST(Regions, FollowTheRetires) {
  Program p(timing_architecture(8));
  p.no_op(3).mat_mul(10).no_op(2).mat_mul(4).no_op(1);
  const Accounting a = account(p, {}, {{"a", 1, 2}, {"b", 4, 2}});
  ASSERT_EQ(a.regions.size(), 4U);
  const auto find = [&](std::string_view name) {
    for (const RegionFigures& region : a.regions) {
      if (region.name == name) return region;
    }
    ADD_FAILURE() << name;
    return RegionFigures{"", 0, Counters(tcu_machine_info())};
  };
  EXPECT_EQ(find("a").counters.cycles(), 2U);
  EXPECT_EQ(find("a").instructions, 2U);
  EXPECT_EQ(find("b").counters.cycles(), 2U);  // NoOps 4 and 5
  // "(other)" has NoOp 0 with the cycle before it, both MatMuls (10 and 4 cycles) and the last
  // NoOp.
  EXPECT_EQ(find("(other)").counters.cycles(), 1U + 1 + 10 + 4 + 1);
  EXPECT_EQ(find("(other)").instructions, 4U);
  EXPECT_EQ(find("(end)").instructions, 0U);
  std::uint64_t sum = 0;
  for (const RegionFigures& region : a.regions) sum += region.counters.cycles();
  EXPECT_EQ(sum, a.cycles);
  Cycle at = 0;
  for (const RegionSpan& span : a.spans) {
    EXPECT_EQ(span.from, at);
    at = span.to;
  }
  EXPECT_EQ(at, a.cycles);
}

/// Each run of several on one machine has figures of its own.
TEST(Runs, AreAccountedOneByOne) {
  const Program p = Program(timing_architecture(8)).load_weights(9).mat_mul(20).read_dram(0, 4);
  TcuSimulationConfig config;
  config.architecture = p.architecture();
  TcuSimulation simulation(config);
  const Accounting first = simulation.run(p.bytes()).accounting;
  const Accounting second = simulation.run(p.bytes()).accounting;
  EXPECT_EQ(first.cycles, second.cycles);
  for (std::size_t u = 0; u < first.units.size(); ++u) {
    EXPECT_EQ(first.units[u].cycles, second.units[u].cycles) << first.units[u].unit;
  }
}

}  // namespace
}  // namespace tactus
