// Cycles of loads and stores, GEMM tiles bound by latency, bandwidth or compute, and closed forms
// of whole products. The memory side is a model of Tactus; only the 8 cycles to read a message's
// sources and the 45 cycles of an L1 hit are published.
#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/port_memory.h"
#include "isa/support/error.h"
#include "tests/dpas/machine_rig.h"

namespace tactus::dpas {
namespace {

constexpr unsigned send = 8;  ///< cycles that a message needs to read its sources

Block2d block_of(unsigned element_bytes, unsigned width, unsigned height, bool transform = false) {
  Block2d block;
  block.element_bytes = static_cast<std::uint8_t>(element_bytes);
  block.width = static_cast<std::uint16_t>(width);
  block.height = static_cast<std::uint16_t>(height);
  block.transform = transform;
  return block;
}

/// A surface whose rows follow each other without a gap.
KernelBuilder::Surface dense(std::uint64_t base, unsigned width, unsigned height) {
  return {base, width, height, width, 0, 0};
}

DpasSimulationConfig axi_config(std::uint64_t read_latency, unsigned bits,
                                std::uint64_t write_latency = 1) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.memory = MemoryKind::axi;
  config.read_latency = read_latency;
  config.write_latency = write_latency;
  config.axi_data_bits = bits;
  return config;
}

/// A machine with two buffers of one page each, and the kernel under construction.
struct Rig {
  explicit Rig(const DpasSimulationConfig& config)
      : simulation(config),
        a(simulation.allocate("A", 4096)),
        b(simulation.allocate("B", 4096)),
        k(simulation.config().machine.profile) {}
  [[nodiscard]] Ran run() { return dpas::run(simulation, k); }

  DpasSimulation simulation;
  std::uint64_t a, b;
  KernelBuilder k;
};

// ---- one message --------------------------------------------------------------------------------

TEST(DpasMachineMemory, AnIdealLoadTakesItsLatencyAndItsWidth) {
  for (const unsigned registers : {1U, 4U, 8U}) {
    for (const unsigned latency : {9U, 45U, 200U}) {
      DpasSimulationConfig config = config_of("pvc");
      config.machine.ideal_latency = latency;
      Rig rig(config);
      rig.k.load_block(8, block_of(4, 16, registers), dense(rig.a, 64, registers));
      rig.k.mov(rig.k.result(30, 16), rig.k.vector(8, 16), 16);
      rig.k.ret();
      // 64 bytes per cycle, i.e. one register per cycle.
      EXPECT_EQ(rig.run().issues[1], latency + registers - 1) << latency;
    }
  }
}

TEST(DpasMachineMemory, AnAxiLoadTakesTheMemorysLatencyAndItsBeats) {
  for (const std::uint64_t latency : {1U, 20U, 200U}) {
    for (const unsigned bits : {64U, 512U}) {
      for (const unsigned registers : {1U, 8U}) {
        const DpasSimulationConfig config = axi_config(latency, bits);
        Rig rig(config);
        rig.k.load_block(8, block_of(4, 16, registers), dense(rig.a, 64, registers));
        rig.k.mov(rig.k.result(30, 16), rig.k.vector(8, 16), 16);
        rig.k.ret();
        // The address is sent in cycle `send`, the first beat comes `latency` later, then one beat
        // per cycle. The data may be used one cycle later.
        const unsigned beats = registers * 64 / (bits / 8);
        EXPECT_EQ(rig.run().issues[1], send + latency + beats - 1 + 1);
      }
    }
  }
}

TEST(DpasMachineMemory, AStoreTakesItsRegistersItsBeatsAndTheResponse) {
  for (const unsigned registers : {1U, 8U}) {
    const DpasSimulationConfig config = axi_config(1, 512, 30);
    Rig rig(config);
    rig.k.store_block(8, block_of(4, 16, registers), dense(rig.a, 64, registers));
    rig.k.mov(rig.k.result(8, 16), KernelBuilder::immediate(1), 16);  // overwrites the stored data
    rig.k.ret();
    const Ran ran = rig.run();
    EXPECT_EQ(ran.issues[1], send + registers);
    // The beats begin in cycle send + registers; the response comes `write_latency` after the last
    // beat.
    EXPECT_EQ(ran.result.cycles, send + registers + (registers - 1) + 30 + 1);
  }
}

TEST(DpasMachineMemory, AStoreOfPartsOfBeatsKeepsTheRest) {
  const DpasSimulationConfig config = axi_config(5, 512, 5);
  Rig rig(config);
  rig.simulation.write(rig.a, std::vector<std::uint8_t>(4096, 0xEE));
  rig.k.mov(rig.k.result(8, 16), KernelBuilder::immediate(0x01010101), 16);
  KernelBuilder::Surface surface = dense(rig.a + 12, 100, 2);
  surface.x = 3;
  rig.k.store_block(8, block_of(4, 8, 1), surface);  // 32 bytes at byte 24
  rig.k.ret();
  const Ran ran = rig.run();
  const std::vector<std::uint8_t> bytes = rig.simulation.read(rig.a, 128);
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(bytes[i], i >= 24 && i < 56 ? 1 : 0xEE) << i;
  EXPECT_EQ(ran.result.accounting.totals.of("read_beats"), 1U);
  EXPECT_EQ(ran.result.accounting.totals.of("write_beats"), 1U);
}

TEST(DpasMachineMemory, LoadsSeeStoresBeforeThem) {
  const DpasSimulationConfig config = axi_config(3, 128, 90);
  Rig rig(config);
  rig.k.mov(rig.k.result(8, 16), KernelBuilder::immediate(0x12345678), 16);
  rig.k.store_block(8, block_of(4, 16, 1), dense(rig.a, 64, 1));
  rig.k.load_block(9, block_of(4, 16, 1), dense(rig.a, 64, 1));
  rig.k.ret();
  const Ran ran = rig.run();
  const auto registers = rig.simulation.read_memory(1, 9 * 64, 64);
  EXPECT_EQ(registers, rig.simulation.read(rig.a, 64));
  EXPECT_EQ(registers[0], 0x78);
  EXPECT_GT(ran.result.accounting.unit("lsu").cycles[MemoryPort::wait_order], 80U);
}

// ---- tiles bound by latency, bandwidth or compute -----------------------------------------------

/// D (8x16) += A (8x32) x B (32x16) of int8 for `rounds` steps along K. The loads of a step are
/// issued `ahead` steps before its DPAS, into one of `sets` sets of registers.
void tile(KernelBuilder& k, std::uint64_t a, std::uint64_t b, unsigned rounds, unsigned sets,
          unsigned ahead, unsigned accumulators) {
  const auto first = [&](unsigned step) { return 1 + 12 * (step % sets); };
  const auto load = [&](unsigned step) {
    k.load_block(first(step), block_of(1, 32, 8), dense(a, 32, 8));              // 4 registers
    k.load_block(first(step) + 4, block_of(1, 16, 32, true), dense(b, 16, 32));  // 8 registers
  };
  for (unsigned i = 0; i < ahead; ++i) load(i);
  for (unsigned i = 0; i < rounds; ++i) {
    if (i + ahead < rounds) load(i + ahead);
    k.accumulate(8, 96 + 8 * (i % accumulators), first(i) + 4, first(i));
  }
  k.ret();
}

TEST(DpasMachineGemm, BoundByLatency) {
  // There is one set of registers: the loads of a step wait until the previous step has read its
  // operands. A's 256 bytes take 4 cycles at the port, B's 512 bytes 8, so B may be used latency +
  // 4 + 7 cycles after the issue of A; the DPAS releases its sources 16 cycles later.
  for (const unsigned latency : {45U, 200U, 1000U}) {
    DpasSimulationConfig config = config_of("pvc");
    config.machine.ideal_latency = latency;
    Rig rig(config);
    constexpr unsigned rounds = 20;
    tile(rig.k, rig.a, rig.b, rounds, 1, 0, 1);
    const Ran ran = rig.run();
    const unsigned step = latency + 4 + 7 + 16;
    EXPECT_EQ(ran.result.cycles, (rounds - 1) * step + (latency + 11) + 28) << latency;
  }
}

TEST(DpasMachineGemm, BoundByBandwidth) {
  // Loads are issued four steps ahead and the memory is narrow, so the port is always busy. A step
  // needs 768 bytes.
  for (const unsigned width : {4U, 16U, 32U}) {
    DpasSimulationConfig config = config_of("pvc");
    config.machine.ideal_bytes = width;
    Rig rig(config);
    constexpr unsigned rounds = 50;
    tile(rig.k, rig.a, rig.b, rounds, 7, 4, 4);
    const Ran ran = rig.run();
    const unsigned beats = rounds * 768 / width;
    // The first message reaches the port after 8 cycles; the last beat's data may be used 37 cycles
    // later.
    EXPECT_EQ(ran.result.cycles, send + beats - 1 + (45 - send) + 28) << width;
    EXPECT_EQ(ran.result.accounting.totals.of("read_beats"), beats);
  }
}

TEST(DpasMachineGemm, BoundByBandwidthOnAxi) {
  const DpasSimulationConfig config = axi_config(60, 64);
  Rig rig(config);
  constexpr unsigned rounds = 50;
  tile(rig.k, rig.a, rig.b, rounds, 7, 4, 4);
  const Ran ran = rig.run();
  constexpr unsigned beats = rounds * 768 / 8;
  EXPECT_EQ(ran.result.cycles, send + 60 + beats - 1 + 1 + 28);
}

TEST(DpasMachineGemm, BoundByABoardsPath) {
  // The port transfers a beat of 128 or of 64 bits in every cycle. The rest is the first access's
  // latency and refreshes.
  for (const unsigned bits : {128U, 64U}) {
    DpasSimulationConfig config = axi_config(1, 128);
    static_cast<BoardValues&>(config) = read_board("zcu104");
    config.port_data_bits = bits;
    config.resolved_ddr = resolve_port_memory(config);
    Rig rig(config);
    constexpr unsigned rounds = 400;
    tile(rig.k, rig.a, rig.b, rounds, 7, 4, 4);
    const Ran ran = rig.run();
    const unsigned beats = rounds * 768 / (bits / 8);
    EXPECT_GT(ran.result.cycles, send + beats + 28);
    EXPECT_LT(ran.result.cycles, send + beats * 1.03 + 60) << bits;
    ASSERT_TRUE(ran.result.ddr);
    EXPECT_EQ(ran.result.ddr->bytes, rounds * 768U);
  }
}

TEST(DpasMachineGemm, BoundByCompute) {
  // Loads of 96 bytes per cycle are enough for a DPAS every 8 cycles; four accumulators hide the
  // latency of 28.
  DpasSimulationConfig config = config_of("pvc");
  config.machine.ideal_bytes = 512;
  config.machine.ideal_latency = 9;
  Rig rig(config);
  constexpr unsigned rounds = 60;
  tile(rig.k, rig.a, rig.b, rounds, 4, 1, 4);
  const Ran ran = rig.run();
  // A's load is issued in cycle 0 and B's in cycle 1; B may be used in cycle 1 + 9.
  EXPECT_EQ(ran.result.cycles, 10 + (rounds - 1) * 8 + 28);
}

// ---- whole products bound by compute ------------------------------------------------------------

struct Product {
  const char* profile;
  Precision precision;
  unsigned m, n, k;
  std::uint64_t cycles;  ///< from the table of spec section 10, without L(8)
};

class Products : public testing::TestWithParam<Product> {};

TEST_P(Products, CountAndCycles) {
  // Issues all DPAS of a product, with enough accumulators used in turn and operands in registers.
  // The closed form n * 8P + L(8) counts one interval too many, since the last interval is part of
  // the last latency.
  const Product& product = GetParam();
  const DpasSimulationConfig config = config_of(product.profile);
  const Profile& p = config.machine.profile;
  const unsigned ops = ops_per_channel(product.precision, product.precision);
  const auto ceil = [](unsigned a, unsigned b) { return (a + b - 1) / b; };
  const std::uint64_t count = std::uint64_t{ceil(product.m, 8)} *
                              ceil(product.n, p.execution_size) * ceil(product.k, 8 * ops);
  const unsigned interval = 8 * p.passes(), l8 = latency(p, 8, LatencyModel::model);
  EXPECT_EQ(count * interval, product.cycles);
  const unsigned accumulators = ceil(l8, interval);
  KernelBuilder k(p);
  for (std::uint64_t i = 0; i < count; ++i) {
    KernelBuilder::DpasOperands operands;
    operands.w = operands.a = product.precision;
    if (!is_integer(product.precision)) operands.dst_type = operands.src0_type = Type::f;
    const unsigned dst = 32 + 8 * static_cast<unsigned>(i % accumulators);
    operands.src0 = static_cast<int>(dst);
    k.dpas(8, dst, 0, 8, operands);
  }
  k.ret();
  const Ran ran = run(config, k);
  EXPECT_EQ(ran.result.dpas, count);
  EXPECT_EQ(ran.result.cycles, (count - 1) * interval + l8);
  EXPECT_EQ(ran.result.cycles, product.cycles + l8 - interval);
}

constexpr auto s8 = Precision::s8;
constexpr auto bf = Precision::bf;
INSTANTIATE_TEST_SUITE_P(
    Table, Products,
    testing::Values(
        Product{"dg2", s8, 8, 16, 64, 64}, Product{"pvc", s8, 8, 16, 64, 16},
        Product{"pvc", bf, 8, 16, 64, 32}, Product{"xe2", s8, 8, 16, 64, 32},
        Product{"dg2", s8, 64, 64, 64, 2048}, Product{"pvc", s8, 64, 64, 64, 512},
        Product{"pvc", bf, 64, 64, 64, 1024}, Product{"xe2", s8, 64, 64, 64, 1024},
        Product{"dg2", s8, 128, 128, 128, 16384}, Product{"pvc", s8, 128, 128, 128, 4096},
        Product{"pvc", bf, 128, 128, 128, 8192}, Product{"xe2", s8, 128, 128, 128, 8192},
        Product{"dg2", s8, 1, 256, 256, 4096}, Product{"pvc", s8, 1, 256, 256, 1024},
        Product{"pvc", bf, 1, 256, 256, 2048}, Product{"xe2", s8, 1, 256, 256, 2048},
        Product{"dg2", s8, 197, 768, 768, 921600}, Product{"pvc", s8, 197, 768, 768, 230400},
        Product{"pvc", bf, 197, 768, 768, 460800}, Product{"xe2", s8, 197, 768, 768, 460800}));

// ---- errors and hangs ---------------------------------------------------------------------------

std::string error_of(const DpasSimulationConfig& config, KernelBuilder& k, bool bound) {
  DpasSimulation simulation(config);
  if (bound) (void)simulation.allocate("A", 4096);
  try {
    (void)run(simulation, k);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DpasMachineErrors, WhatLiesOutsideOfBuffersIsAnError) {
  const DpasSimulationConfig config = config_of("pvc");
  KernelBuilder k(config.machine.profile);
  k.load_block(8, block_of(4, 16, 2), dense(0x10FC0, 64, 2));
  k.ret();
  EXPECT_EQ(error_of(config, k, true),
            "test:1: a load of bytes 0x11000..0x1103f, outside of what is bound: A "
            "0x10000..0x10fff");
  EXPECT_EQ(error_of(config, k, false),
            "test:1: a load of bytes 0x10fc0..0x10fff, outside of what is bound: no buffer is "
            "bound");
  KernelBuilder store(config.machine.profile);
  store.store_block(8, block_of(4, 16, 1), dense(0xFFFFFFFF0, 64, 1));
  store.ret();
  EXPECT_EQ(error_of(config, store, true),
            "test:1: a store of bytes 0xffffffff0..0x100000002f, outside of what is bound: A "
            "0x10000..0x10fff");
}

TEST(DpasMachineErrors, ABarrierThatAThreadNeverReachesHangs) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.threads = 2;
  KernelBuilder k(config.machine.profile);
  k.plain(Opcode::barrier);
  k.ret();
  k.program().kernels.emplace_back();
  KernelBuilder other(config.machine.profile);
  other.ret();
  k.program().kernels.back() = other.kernel();
  for (const Engine engine : {Engine::fast, Engine::step}) {
    config.machine.engine = engine;
    DpasSimulation simulation(config);
    std::vector<DpasThread> threads(2);
    threads[0].kernel = &k.program().kernels[0];
    threads[1].kernel = &k.program().kernels[1];
    const DpasRunResult result = simulation.run(k.program(), threads);
    EXPECT_EQ(result.end, RunEnd::hang);
    ASSERT_EQ(result.waits_for.size(), 1U);
    EXPECT_EQ(
        result.waits_for[0],
        "thread 0, barrier at test:1: 1 threads to come to the barrier; 1 of them have ended");
  }
}

TEST(DpasMachineErrors, ARunThatWasCutOffIsTheLast) {
  DpasSimulation simulation(config_of("pvc"));
  const std::uint64_t a = simulation.allocate("A", 4096);
  KernelBuilder k(simulation.config().machine.profile);
  k.load_block(8, block_of(4, 16, 1), dense(a, 64, 1));
  k.ret();
  DpasThread thread;
  thread.kernel = &k.kernel();
  RunOptions options;
  options.max_cycles = 20;
  EXPECT_EQ(simulation.run(k.program(), {thread}, options).end, RunEnd::cycle_limit);
  EXPECT_THROW((void)simulation.run(k.program(), {thread}), UserError);
}

TEST(DpasMachineErrors, InputsHaveToBeThere) {
  const DpasSimulationConfig config = config_of("pvc");
  KernelBuilder k(config.machine.profile);
  k.ret();
  Variable variable;
  variable.name = "PA";
  variable.type = Type::uq;
  k.kernel().variables.push_back(variable);
  k.kernel().inputs.push_back({first_user_variable, 64, 8});
  EXPECT_EQ(error_of(config, k, true),
            "test: input \"PA\" of kernel \"k\" has no value in thread 0; it has 8 bytes");
}

}  // namespace
}  // namespace tactus::dpas
