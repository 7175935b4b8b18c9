// The instruction stream from the board's memory: words arrive as the path delivers them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/support/error.h"
#include "isa/tcu/vectors_file.h"
#include "models/axi/port_path.h"
#include "models/axi/stream_reader.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "models/tcu/stream_adapter/stream_adapter.h"
#include "tests/memory/constant_memory.h"
#include "tests/support/random_program.h"
#include "tests/support/shared.h"
#include "tests/support/test_scale.h"
#include "tests/unit/isa/test_files.h"

namespace tactus {
namespace {

/// A reader in front of a memory of constant latency. The test takes the words.
struct StreamRig {
  KernelScope kernel;
  Clock clock;
  ClockDriver driver;  // never runs; SystemC's elaboration needs a process
  ConstantMemory memory;
  PortPath path;
  StreamReader reader;

  StreamRig(std::uint64_t period_ps, const PathConfig& config, const StreamReader::Config& stream,
            std::uint64_t memory_ps = 0)
      : driver("driver", clock, sc_core::sc_time::from_value(period_ps),
               [](Cycle) { return false; }),
        memory("memory", memory_ps, 0),
        path("path", clock, sc_core::sc_time::from_value(period_ps), stream.word_bytes, config),
        reader("reader", clock, stream) {
    path.reads.bind(memory.socket);
    path.writes.bind(memory.socket);
    reader.socket.bind(path.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

PathConfig plain_path(unsigned data_bits) {
  PathConfig path;
  path.data_bits = data_bits;
  path.split_beats = 256;
  path.outstanding = 256;
  path.write_buffer_beats = 1;
  return path;
}

/// With a path as wide and as fast as the design and without latency, the stream equals the ideal
/// stream, which offers a word in every cycle from the first request on.
TEST(MemoryStream, ADegeneratePathIsTheIdealStreamInEveryCycle) {
  for (const std::uint64_t seed : test_seeds(35'000'000, 100)) {
    Random random(seed);
    const unsigned bits = random.pick({32U, 64U, 128U, 512U, 1024U});
    StreamRig rig(random.pick({10000U, 3003U, 142857U}), plain_path(bits),
                  {bits / 8, random.pick({128U, 256U, 4096U}), random.pick({1U, 2U, 5U})});
    rig.clock.now = random.below(1000);
    for (unsigned run = 0; run < 2; ++run) {
      const std::uint64_t words = 1 + random.below(2000);
      // percentage of cycles in which a word is taken
      const unsigned wanted = random.pick({100U, 50U});
      rig.reader.start(words * (bits / 8));
      for (std::uint64_t taken = 0; taken < words; ++rig.clock.now) {
        if (!random.chance(wanted)) continue;
        ASSERT_TRUE(rig.reader.available()) << "seed " << seed << " word " << taken;
        rig.reader.take();
        ++taken;
      }
      ASSERT_FALSE(rig.reader.waits_for_memory());
    }
  }
}

/// With one burst in flight, every burst adds its latency: cycles from the edge after the last word
/// was taken. With two bursts in flight only the first burst adds its latency.
TEST(MemoryStream, BurstsThatAreAloneCostTheirLatencyEach) {
  constexpr unsigned latency = 7;  // cycles
  constexpr std::uint64_t period = 10000;
  for (const unsigned bursts : {1U, 2U}) {
    StreamRig rig(period, plain_path(64), {8, 4096, bursts}, latency * period);
    constexpr std::uint64_t most_words = 256;  // per burst: the limit of AXI4
    constexpr std::uint64_t words = 4 * most_words;
    rig.reader.start(words * 8);
    std::uint64_t taken = 0;
    for (; taken < words; ++rig.clock.now) {
      if (!rig.reader.available()) continue;
      rig.reader.take();
      ++taken;
    }
    EXPECT_EQ(rig.clock.now, words + latency * (bursts == 1 ? 4 : 1)) << bursts;
  }
}

TcuSimulationConfig zcu104(StreamModel stream) {
  TcuSimulationConfig config = read_board("zcu104").simulation_config();
  config.stream_model = stream;
  return config;
}

struct Retired {
  std::vector<std::uint32_t> cycles;
  TcuRunResult result;
};

/// Runs NoOps in a stream of `words` words of 16 bytes; an instruction has 9 bytes.
Retired run_no_ops(const TcuSimulationConfig& config, std::uint64_t words) {
  TcuSimulation simulation(config);
  Retired retired;
  TcuRunOptions options;
  options.retire_log = &retired.cycles;
  const std::uint64_t bytes = words * simulation.word_bytes();
  EXPECT_EQ(bytes % simulation.instruction_bytes(), 0U);
  retired.result = simulation.run(std::vector<std::uint8_t>(bytes), options);
  EXPECT_EQ(retired.result.end, RunEnd::finished);
  return retired;
}

/// A path as fast as the design delays all instructions by the latency of the first word.
TEST(MemoryStream, AFastPathDelaysTheFirstWordOnly) {
  for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
    TcuSimulationConfig config = zcu104(StreamModel::ideal);
    config.engine = engine;
    const Retired ideal = run_no_ops(config, 4500);
    config.stream_model = StreamModel::board;
    const Retired board = run_no_ops(config, 4500);
    ASSERT_EQ(ideal.cycles.size(), board.cycles.size());
    // Closed form: half the crossing's 6 clocks, half of 90 ns, the DRAM's command clock, its
    // activation, 15 + 15 + 4 clocks of 0.952 ns, and the way back: 60 + 90 ns and slightly more
    // than 34 ns.
    const std::uint32_t delay = board.cycles[0] - ideal.cycles[0];
    EXPECT_GE(delay, 18U);
    EXPECT_LE(delay, 20U);
    for (std::size_t i = 0; i < board.cycles.size(); ++i) {
      ASSERT_EQ(board.cycles[i], ideal.cycles[i] + delay) << "instruction " << i;
    }
    ASSERT_TRUE(board.result.ddr);
    EXPECT_EQ(board.result.ddr->stream_bytes, 4500U * 16);
    EXPECT_EQ(board.result.ddr->bytes, 4500U * 16);
    const UnitCycles& memory = board.result.accounting.unit("stream_memory");
    EXPECT_EQ(memory.of(StateKind::stall), delay);
  }
}

/// A port with a half or a quarter of the design's width supplies a word every two or four cycles,
/// including refreshes, since enough bursts are in flight. An instruction enters the decoder with
/// its last byte, or one cycle after the previous instruction.
TEST(MemoryStream, ANarrowPathIsTheStreamsRate) {
  for (const unsigned bits : {32U, 64U}) {
    for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
      TcuSimulationConfig config = zcu104(StreamModel::board);
      config.port_data_bits = bits;
      config.engine = engine;
      constexpr std::uint64_t words = 4500;
      const Retired board = run_no_ops(config, words);
      const std::uint64_t cycles = 128 / bits;
      const std::uint64_t bytes = words * 16 / board.cycles.size();  // bytes per instruction
      const auto last_word = [&](std::uint64_t i) { return ((i + 1) * bytes - 1) / 16; };
      std::uint64_t expected = board.cycles[0];
      for (std::size_t i = 1; i < board.cycles.size(); ++i) {
        const std::uint64_t comes = board.cycles[0] + (last_word(i) - last_word(0)) * cycles;
        expected = std::max(expected + 1, comes);
        ASSERT_EQ(board.cycles[i], expected) << "instruction " << i << " of " << bytes << " bytes";
      }
      // In all other cycles the stream waits for words.
      const UnitCycles& stream = board.result.accounting.unit("stream");
      EXPECT_GE(stream.cycles[StreamAdapter::wait_words], words * cycles - board.cycles.size());
    }
  }
}

/// If a run is cut off before its first word, its bursts in flight do not disturb the next run.
TEST(MemoryStream, BurstsInFlightAtACycleLimitDoNotDisturbTheNextRun) {
  for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
    TcuSimulationConfig config = zcu104(StreamModel::board);
    config.engine = engine;
    TcuSimulation simulation(config);
    const std::vector<std::uint8_t> program(std::size_t{100} * 16 * 9);
    std::vector<Cycle> cycles;
    for (const Cycle most : {0U, 5U, 0U, 15U, 0U}) {
      TcuRunOptions options;
      options.max_cycles = most;
      const TcuRunResult result = simulation.run(program, options);
      EXPECT_EQ(result.end, most == 0 ? RunEnd::finished : RunEnd::cycle_limit);
      cycles.push_back(result.cycles);
    }
    // The two bursts of the cut-off run still pass the port, one beat per cycle.
    for (const std::size_t i : {2U, 4U}) {
      EXPECT_GT(cycles[i], cycles[0] + 480) << "run " << i;
      EXPECT_LE(cycles[i], cycles[0] + 512) << "run " << i;
    }
  }
}

TEST(MemoryStream, ALongLatencyIsNoHang) {
  for (const Engine engine : {Engine::step, Engine::fast}) {
    TcuSimulationConfig config = zcu104(StreamModel::board);
    config.engine = engine;
    config.interconnect_ns = 30000;  // 3000 cycles
    const Retired board = run_no_ops(config, 18);
    EXPECT_GE(board.cycles[0], 3000U);
    EXPECT_LE(board.cycles[0], 3040U);
  }
}

/// The decoder's queue hides the latency of all words but the first.
TEST(MemoryStream, ResNet20OnTheZcu104WaitsForItsFirstWordsOnly) {
  const std::string folder = "golden/tcu/programs/resnet20v2_zcu104/";
  TACTUS_NEEDS_SHARED(folder + "resnet20v2_cifar_onnx_zcu104.tmodel");
  const std::string path = shared_folder() + "/" + folder;
  const Model model =
      read_model(path + "resnet20v2_cifar_onnx_zcu104.tmodel", ProgramChecks::strict);
  std::vector<std::uint8_t> image = tcu::read_vectors(path + "inputs.csv", model.file.arch);
  image.resize(1024 * model.file.arch.vector_bytes());
  Cycle cycles[2];
  for (const StreamModel stream : {StreamModel::ideal, StreamModel::board}) {
    TcuSimulationConfig config = zcu104(stream);
    config.architecture = model.file.arch;
    TcuSimulation simulation(config);
    Host host(simulation, model, HostMode::plain);
    ASSERT_FALSE(host.prepare());
    const ImageResult result = host.run_image({{model.file.inputs.at(0).name, image}}, {});
    ASSERT_EQ(result.run.end, RunEnd::finished);
    cycles[stream == StreamModel::board ? 1 : 0] = result.run.cycles;
  }
  EXPECT_GT(cycles[1], cycles[0]);
  EXPECT_LE(cycles[1], cycles[0] + 40) << cycles[0] << " with the ideal stream";
}

TEST(MemoryStream, ImpossibleConfigurationsAreRefused) {
  TcuSimulationConfig config = zcu104(StreamModel::board);
  config.memory_model = MemoryModel::fixed;
  EXPECT_EQ(error_of([&] { resolve_memory(config, "b.json:"); }),
            "the instruction stream cannot come out of the memory of fixed latency; allowed: "
            "--stream ideal (stream_model), or the memory of a board that describes one");
  EXPECT_EQ(error_of([&] {
              TcuSimulation simulation(config);
            }).find("the instruction stream is to come out of the board's memory, and this"),
            0U);
  config = read_board("ultra96_v2").simulation_config();
  config.stream_model = StreamModel::board;
  EXPECT_EQ(error_of([&] { resolve_memory(config, "b.json:"); }),
            "b.json:/memory/stream: missing key; stream_model \"board\" (--stream board) needs it");
  // One page below dram0's bank there is room for 448 instructions, which are a whole number of
  // words.
  config = zcu104(StreamModel::board);
  config.board_memory->stream->base = config.board_memory->base[0] - 4096;
  resolve_memory(config, "b.json:");
  TcuSimulation simulation(config);
  const std::vector<std::uint8_t> fits(std::size_t{448} * 9), too_long(std::size_t{449} * 9);
  EXPECT_EQ(simulation.run(fits).end, RunEnd::finished);
  EXPECT_EQ(error_of([&] { (void)simulation.run(too_long); }),
            "/memory/stream/base of the board: the program takes bytes 0x3ffff000..0x4000004f of "
            "the DRAM; allowed up to 0x3fffffff");
  EXPECT_EQ(simulation.run(fits).end, RunEnd::finished);
}

}  // namespace
}  // namespace tactus
