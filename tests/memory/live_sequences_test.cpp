// Sequences with live memories: instructions are skipped with remembered intervals of the design,
// while a board's memory receives addresses and beats at its pins. Transfers of any size and
// direction, alone and with other instructions, on random memories; both ports accessing the same
// bytes; runs that are cut off, divided into regions, or follow each other. Results equal those of
// the step engine.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/tcu/arithmetic.h"
#include "isa/tcu/assembler.h"
#include "tests/memory/random_memory.h"
#include "tests/support/differential.h"
#include "tests/support/repeated_program.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using tcu::DataMoveKind;
using tcu::Instruction;

/// Approximate number of beats in a program's transfers.
constexpr std::uint64_t beats_of_program = 5'000;
constexpr std::uint64_t offset_bytes = 65536;  ///< bytes per step of a DRAM offset

struct Options {
  bool transfers_only = false;  ///< no Configure and no hazards
  bool shared = false;          ///< both ports access the same bytes
  unsigned extensions = 0;
};

struct Case {
  RandomProgram program;
  TcuSimulationConfig config;
};

/// A kernel of random instructions, repeated at other addresses.
class Kernel {
 public:
  Kernel(Random& random, const Options& options) : random_(random), options_(options) {
    tcu::Architecture& a = program_.architecture;
    a.data_type = random.pick({tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                               tcu::DataType::fp16bp8, tcu::DataType::fp32bp16});
    a.array_size = random.pick({2U, 4U, 8U, 16U, 32U});
    a.local_depth = random.pick({512U, 1024U});
    a.accumulator_depth = random.pick({64U, 512U});
    a.dram0_depth = a.dram1_depth = 1024;
    a.simd_registers_depth = 2;
    add_random_extensions(random.below(1U << 30), a, options.extensions);
    program_.axi_data_bits = axi_width();
    layout_.emplace(a);
  }

  RandomProgram make() {
    add_windows();
    const std::uint64_t kinds = random_.range(1, options_.transfers_only ? 3 : 7);
    std::vector<Instruction> once;
    for (std::uint64_t i = 0; i < kinds; ++i) once.push_back(any());
    if (options_.transfers_only) once[0] = transfer();
    if (options_.shared && random_.chance(40)) add_pair(once);
    const std::uint64_t times = std::max<std::uint64_t>(
        4, std::min<std::uint64_t>(60, beats_of_program / std::max<std::uint64_t>(20, beats_)));
    near_ = options_.shared ? random_.pick({2U, 30U}) : random_.pick({0U, 8U, 300U});
    for (std::uint64_t i = 0; i < times; ++i) {
      for (const Instruction& instruction : once) add_moved(instruction);
      if (!options_.transfers_only && random_.chance(4)) add_legal(configure());
    }
    return program_;
  }

 private:
  /// Returns a width of 1 to 16 beats per vector.
  unsigned axi_width() {
    const auto bits = static_cast<unsigned>(program_.architecture.vector_bytes() * 8);
    const unsigned scalar = info(program_.architecture.data_type).storage_bytes * 8;
    std::vector<unsigned> widths;
    for (unsigned width = std::max(32U, scalar); width <= std::min(bits, 512U); width *= 2) {
      if (bits / width <= 16) widths.push_back(width);
    }
    if (widths.empty()) {  // a vector has less than 32 bits
      program_.architecture.array_size = 8;
      return 32;
    }
    return widths[random_.below(widths.size())];
  }

  void add_windows() {
    const tcu::Architecture& a = program_.architecture;
    for (unsigned port = 0; port < 2; ++port) {
      RandomProgram::Window window{
          port, 0, std::vector<std::uint8_t>(a.dram0_depth * a.vector_bytes() + offset_bytes)};
      for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random_.below(256));
      program_.windows.push_back(window);
    }
  }

  std::uint64_t size() { return random_.range(1, random_.pick({1U, 1U, 2U, 4U, 9U, 40U, 300U})); }
  tcu::Operand place(std::uint64_t depth, unsigned strides, std::uint64_t count) {
    unsigned stride = random_.chance(25) ? static_cast<unsigned>(random_.below(strides)) : 0;
    while (stride > 0 && ((count - 1) << stride) >= depth) --stride;
    const std::uint64_t starts = depth - ((count - 1) << stride);
    const std::uint64_t most = options_.shared ? std::min<std::uint64_t>(starts, 40) : starts;
    return {random_.below(random_.chance(50) ? std::min<std::uint64_t>(most, 9) : most), stride};
  }
  tcu::Operand local(std::uint64_t count) {
    return place(program_.architecture.local_depth, program_.architecture.stride0_depth, count);
  }
  tcu::Operand accumulator(std::uint64_t count) {
    return place(program_.architecture.accumulator_depth, program_.architecture.stride1_depth,
                 count);
  }

  Instruction transfer() {
    const std::uint64_t count = size();
    beats_ += count * program_.architecture.vector_bytes() * 8 / program_.axi_data_bits;
    const auto kind = random_.pick({DataMoveKind::dram0_to_local, DataMoveKind::local_to_dram0,
                                    DataMoveKind::dram1_to_local, DataMoveKind::local_to_dram1});
    const tcu::Operand from = local(count);
    return make_data_move(
        *layout_, kind, from,
        place(program_.architecture.dram0_depth, program_.architecture.stride1_depth, count),
        count);
  }

  /// Adds two transfers to the same bytes, through different ports, of which at least one writes.
  void add_pair(std::vector<Instruction>& list) {
    const std::uint64_t count = random_.range(2, 40);
    beats_ += 2 * count * program_.architecture.vector_bytes() * 8 / program_.axi_data_bits;
    const auto [first, second] = random_.pick<std::pair<DataMoveKind, DataMoveKind>>(
        {{DataMoveKind::local_to_dram0, DataMoveKind::dram1_to_local},
         {DataMoveKind::local_to_dram1, DataMoveKind::dram0_to_local},
         {DataMoveKind::dram0_to_local, DataMoveKind::local_to_dram1},
         {DataMoveKind::local_to_dram0, DataMoveKind::local_to_dram1}});
    const tcu::Operand start{random_.below(9), random_.chance(70) ? 1U : 0U};
    list.push_back(make_data_move(*layout_, first, {random_.below(99), 0}, start, count));
    const std::uint64_t last = start.address + ((count - 1) << start.stride);
    const tcu::Operand end = random_.chance(50) ? start : tcu::Operand{last, 0};
    const std::uint64_t read = end.address == last ? random_.range(1, 3) : count;
    list.push_back(make_data_move(*layout_, second, {random_.range(99, 200), 0}, end, read));
  }

  Instruction any() {
    const std::uint64_t most = program_.architecture.accumulator_depth;
    const std::uint64_t count = std::min(size(), most);
    switch (random_.below(options_.transfers_only ? 8 : 12)) {
      case 5: {
        const tcu::Operand from = local(count);
        return make_mat_mul(*layout_, from, accumulator(count), count, random_.chance(50));
      }
      case 6: {
        const std::uint64_t weights = random_.range(1, program_.architecture.array_size + 1);
        return make_load_weights(*layout_, local(weights), weights);
      }
      case 7: {
        const tcu::Operand from = local(count);
        return make_data_move(*layout_, DataMoveKind::accumulator_to_local, from,
                              accumulator(count), count);
      }
      case 8: {
        const tcu::Operand from = local(count);
        return make_data_move(*layout_, DataMoveKind::local_to_accumulator_accumulate, from,
                              accumulator(count), count);
      }
      case 9:
        return make_simd(*layout_, {tcu::SimdOp::add, 0, 1, 0}, random_.below(9), random_.below(9),
                         true, true, random_.chance(60));
      case 10:
        return extension();
      case 11:
        return tcu::make_no_op();
      default:
        return transfer();
    }
  }

  Instruction extension() {
    const tcu::Architecture& a = program_.architecture;
    if (a.lookup_tables.count > 0 && random_.chance(50)) {
      return random_.chance(40) ? make_load_lut(*layout_, local(lookup_vectors(a)), 0)
                                : make_simd(*layout_, {tcu::SimdOp::lookup, 0, 1, 1}, 3,
                                            random_.below(9), true, false);
    }
    if (!a.activation_unit) return tcu::make_no_op();
    if (random_.chance(30)) return make_load_activation(*layout_, local(4));
    const std::uint64_t count = std::min(size(), a.accumulator_depth);
    const tcu::Operand to = local(count);
    return make_data_move(*layout_, DataMoveKind::accumulator_to_local_activated, to,
                          accumulator(count), count);
  }

  Instruction configure() {
    const auto reg =
        random_.pick({tcu::ConfigRegister::dram0_offset, tcu::ConfigRegister::dram1_offset,
                      tcu::ConfigRegister::timeout, tcu::ConfigRegister::program_counter});
    const bool timeout = reg == tcu::ConfigRegister::timeout;
    const auto value = timeout ? random_.pick({0U, 1U, 2U, 3U, 7U, 50U, 1000U})
                               : static_cast<unsigned>(random_.below(2));
    return make_configure(*layout_, reg, value);
  }

  void add_legal(const Instruction& instruction) {
    if (check(program_.architecture, *layout_, instruction).empty()) {
      program_.instructions.push_back(instruction);
    }
  }
  void add_moved(Instruction instruction) {
    const Instruction before = instruction;
    const auto opcode = static_cast<tcu::Opcode>(instruction.opcode);
    const bool two = opcode == tcu::Opcode::data_move || opcode == tcu::Opcode::mat_mul ||
                     opcode == tcu::Opcode::simd;
    if (opcode != tcu::Opcode::no_op) instruction.operand0 += random_.below(near_ + 1);
    if (two) instruction.operand1 += random_.below(near_ + 1);
    if (check(program_.architecture, *layout_, instruction).empty()) {
      program_.instructions.push_back(instruction);
    } else {
      add_legal(before);
    }
  }

  Random& random_;
  Options options_;
  RandomProgram program_;
  std::optional<tcu::InstructionLayout> layout_;
  std::uint64_t beats_ = 0;  ///< beats of the kernel's transfers
  std::uint64_t near_ = 0;   ///< maximum distance by which addresses change
};

void random_live_memory(Random& random, TcuSimulationConfig& config, bool shared) {
  config.clock_mhz = random.pick({100.0, 333.0, 25.0});
  random_memory(random, config);
  config.board_memory->stream.reset();
  config.stream_model = StreamModel::ideal;
  config.resolved_ddr->read_priority = random.chance(60);
  if (random.chance(50)) {
    config.resolved_ddr->buffer = 2;
    config.resolved_ddr->write_buffer = 4;
    config.resolved_ddr->write_high_mark = 3;
    config.resolved_ddr->write_low_mark = 1;
  }
  if (shared) config.board_memory->base = {0, random.pick({0U, 0U, 256U, 65536U})};
}

Case random_case(std::uint64_t seed, Options options) {
  Random random(seed ^ 0x11FE);
  Case found;
  found.program = Kernel(random, options).make();
  found.program.seed = seed;
  found.config = machine_config(found.program);
  random_live_memory(random, found.config, options.shared);
  return found;
}

std::vector<Region> random_regions(Random& random, std::uint64_t instructions) {
  std::vector<Region> regions;
  const std::uint64_t longest = random.pick({3U, 20U, 90U});
  for (std::uint64_t first = 0; first < instructions;) {
    const std::uint64_t count = std::min(instructions - first, random.range(1, longest));
    regions.push_back({"region", first, count});
    first += count;
  }
  return regions;
}

struct Taken {
  std::uint64_t in_sequences = 0, all = 0;
};

std::string compare(const std::vector<RunOrder>& runs, TcuSimulationConfig config, Taken& taken) {
  config.engine = Engine::step;
  const std::vector<RunRecord> step = record_runs(runs, config);
  config.engine = Engine::fast;
  const std::vector<RunRecord> fast = record_runs(runs, config);
  // If a memory's account is observed, the memory cannot be rewound, so there are no sequences.
  const bool takes = runs.back().accounts < Observed::everybody;
  if (takes) taken.in_sequences += fast.back().in_sequences;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (takes) taken.all += fast[i].result.retired;
    const std::string text = difference(step[i], fast[i]);
    if (!text.empty()) return fmt::format("run {}: {}", i, text);
    if (!step[i].error.empty()) break;  // after an error the machine's behaviour is undefined
  }
  return {};
}

std::string compare(const Case& c, Taken& taken, Cycle max_cycles = 0) {
  RunOrder order{&c.program, {}, false, observed_of(c.program)};
  order.options.max_cycles = max_cycles;
  return compare({order}, c.config, taken);
}

std::string shortest(const Case& c, Taken& taken) {
  return shortest_failure(c.program, [&](const RandomProgram& program) {
    return compare({program, c.config}, taken);
  });
}

TEST(LiveSequences, AgreeOnTransfers) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'000'000, 120)) {
    Options options;
    options.transfers_only = true;
    ASSERT_EQ(shortest(random_case(seed, options), taken), "");
  }
  EXPECT_GT(5 * taken.in_sequences, 4 * taken.all);
}

TEST(LiveSequences, AgreeOnProgramsWithOtherInstructions) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'100'300, 120)) {
    ASSERT_EQ(shortest(random_case(seed, {}), taken), "");
  }
  EXPECT_GT(2 * taken.in_sequences, taken.all);
}

TEST(LiveSequences, AgreeWithExtensions) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'200'000, 120)) {
    Options options;
    options.extensions = static_cast<unsigned>(seed % 32);
    ASSERT_EQ(shortest(random_case(seed, options), taken), "");
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Accesses of both ports to the same bytes take effect in the order of time.
TEST(LiveSequences, AgreeWhereBothPortsAccessTheSameBytes) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'300'000, 120)) {
    Options options;
    options.shared = true;
    options.transfers_only = seed % 2 == 0;
    options.extensions = seed % 3 == 0 ? unsigned{dma_queue} : 0U;
    ASSERT_EQ(shortest(random_case(seed, options), taken), "");
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

TEST(LiveSequences, AgreeOnAnyInstructions) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'400'200, 120)) {
    Random random(seed);
    RandomOptions options;
    options.hazards = seed % 3 == 0 ? Hazards::any : Hazards::none;
    options.instructions = static_cast<unsigned>(random.range(4, 14));
    Case c;
    c.program = random_program(seed, options);
    c.program.architecture.dais_blocks.clear();
    if (!fits(c.program)) continue;
    const tcu::InstructionLayout layout(c.program.architecture);
    std::vector<Instruction> legal;
    for (const Instruction& instruction : c.program.instructions) {
      if (check(c.program.architecture, layout, instruction).empty()) legal.push_back(instruction);
    }
    c.program.instructions = legal;
    c.program = repeated(random, c.program, 25);
    c.config = machine_config(c.program);
    random_live_memory(random, c.config, false);
    ASSERT_EQ(shortest(c, taken), "");
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Several programs and images, with regions; some are cut off in the middle. The last one is
/// observed in every event.
TEST(LiveSequences, AgreeWhereRunsFollowEachOther) {
  Taken taken;
  std::vector<std::uint64_t> seeds = test_seeds(42'500'000, 60);
  // Seeds of two special cases: a run ends after retires of the next instructions were announced
  // ahead, and an empty decoder keeps an older instruction.
  seeds.insert(seeds.end(), {42'500'191, 42'500'384});
  for (const std::uint64_t seed : seeds) {
    Random random(seed);
    Options options;
    options.transfers_only = random.chance(40);
    options.shared = random.chance(20);
    options.extensions = random.chance(30) ? static_cast<unsigned>(random.below(32)) : 0;
    const Case c = random_case(seed, options);
    RandomProgram other = c.program;
    other.instructions =
        c.program.prefix(random.range(1, c.program.instructions.size())).instructions;
    for (RandomProgram::Window& window : other.windows) {
      for (std::uint8_t& byte : window.bytes) byte ^= 0x5A;
    }
    std::vector<RunOrder> runs;
    for (unsigned i = 0; i < 5; ++i) {
      const RandomProgram& program = random.chance(50) ? other : c.program;
      RunOrder& order = runs.emplace_back(RunOrder{&program, {}, i == 4});
      order.accounts = random.pick({Observed::nobody, Observed::nobody, Observed::time});
      if (random.chance(60))
        order.options.regions = random_regions(random, program.instructions.size());
      if (random.chance(20)) order.options.max_cycles = random.range(1, random.pick({300U, 6000U}));
    }
    ASSERT_EQ(compare(runs, c.config, taken), "") << "seed " << seed;
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

TEST(LiveSequences, AgreeWhereARunIsCutOff) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'600'500, 150)) {
    Options options;
    options.transfers_only = seed % 2 == 0;
    const Case c = random_case(seed, options);
    Random random(seed);
    const Cycle limit = random.range(1, random.pick({500U, 5'000U, 20'000U}));
    ASSERT_EQ(compare(c, taken, limit), "") << seed << ", " << limit << " cycles";
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Limits include the cycles in which the design is idle.
TEST(LiveSequences, AgreeAtEveryLimit) {
  Taken taken;
  Options options;
  options.transfers_only = true;
  const Case c = random_case(42'600'584, options);
  for (Cycle limit = 1; limit <= 500; ++limit) {
    ASSERT_EQ(compare(c, taken, limit), "") << limit << " cycles";
  }
}

/// Repeated DataMoves and products are simulated a few times; then sequences are known.
TEST(LiveSequences, TakeNearlyAllOfAPlainProgram) {
  const std::vector<std::string> presets = config_names("dram");
  for (const std::string& preset : presets) {
    for (const unsigned bits : {32U, 64U, 128U}) {
      RandomProgram program;
      program.architecture.array_size = 8;
      program.axi_data_bits = bits;
      program.instructions = tcu::assemble(program.architecture, R"(
        .repeat 150 k
          DataMove DRAM0(40 * k) -> Local(0), 40
          DataMove DRAM1(9 * k) -> Local(100), 9
          LoadWeights Local(100), 9
          MatMul Local(0) -> Acc(0), 40
          DataMove Acc(0) -> Local(200), 40
          DataMove Local(200) -> DRAM0(7000 + 40 * k), 40
        .end
      )",
                                           "plain");
      for (unsigned port = 0; port < 2; ++port) {
        program.windows.push_back({port, 0, std::vector<std::uint8_t>(256 * 1024, 0x35)});
      }
      Case c{program, machine_config(program)};
      Random random(bits);
      random_live_memory(random, c.config, false);
      c.config.board_memory->preset = preset;
      c.config.resolved_ddr = read_ddr_preset(preset).config;
      c.config.resolved_ddr->address_map = "row_bank_column";
      c.config.resolved_ddr->rows = std::uint64_t{1} << 17;  // at least 2 GB
      Taken taken;
      ASSERT_EQ(compare(c, taken), "") << preset << ", " << bits << " bits";
      EXPECT_GT(10 * taken.in_sequences, 9 * taken.all) << preset << ", " << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace tactus
