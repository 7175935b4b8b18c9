// Tests of cycle budgets: small programs whose cycles hardware spec section 12 states.
#include <algorithm>
#include <array>

#include "firmware/selftest/tcu/target.h"

namespace tactus::selftest {
namespace {

/// Skips the test if stalls or gaps in the instruction stream delay the machine; the budgets assume
/// that there are none.
void require_steady(const Target& target) {
  const TcuSimulationConfig& config = target.simulation().config();
  StallGenerator stalls = config.stalls;
  bool stalled = false;
  for (unsigned i = 0; i < 1000; ++i) stalled = stalls.draw() || stalled;
  if (stalled) skip("the machine has random stalls, so its cycles are not fixed");
  if (config.feed_gap != 0) skip("the instruction stream has gaps of {} cycles", config.feed_gap);
}

/// Least cycles in which the stream delivers the instructions: one cycle for each instruction and
/// for each word, whichever are more.
std::uint64_t feed_cycles(const Target& target, std::uint64_t instructions) {
  const std::uint64_t bytes = instructions * target.simulation().instruction_bytes();
  const std::uint64_t word = target.simulation().word_bytes();
  return std::max(instructions, (bytes + word - 1) / word);
}

/// Cycles from the retirement of instruction `from` to that of instruction `to`.
Cycle between(const std::vector<std::uint32_t>& retired, std::size_t from, std::size_t to) {
  return retired.at(to) - retired.at(from);
}

void require_cycles(std::string_view what, Cycle measured, Cycle expected) {
  if (measured != expected) fail("{} took {} cycles; {} are specified", what, measured, expected);
}

/// Checks the cycles of `instructions` instructions. If the stream is slower than the budget, its
/// cycles are expected, and one more or less is allowed: instructions then arrive unevenly.
void require_rate(const Target& target, std::string_view what, Cycle measured, Cycle expected,
                  std::uint64_t instructions) {
  const Cycle fed = feed_cycles(target, instructions);
  if (fed <= expected) return require_cycles(what, measured, expected);
  if (measured + 1 < fed || measured > fed + 1) {
    fail("{} took {} cycles; the instruction stream takes {}", what, measured, fed);
  }
}

void require_depths(const Target& target, std::uint64_t local, std::uint64_t accumulator,
                    std::uint64_t dram0) {
  const tcu::Architecture& a = target.architecture();
  if (a.local_depth >= local && a.accumulator_depth >= accumulator &&
      target.dram_depth(0) >= dram0) {
    return;
  }
  skip("memories too small: local memory {} (needs {}), accumulators {} ({}), DRAM0 {} ({})",
       a.local_depth, local, a.accumulator_depth, accumulator, target.dram_depth(0), dram0);
}

}  // namespace

std::string timing_no_op(Target& target) {
  constexpr std::uint64_t count = 1000;
  require_steady(target);
  std::vector<std::uint32_t> retired;
  target.run("bench_noop", {{"NOOPS", count}}, &retired);
  const Cycle cycles = between(retired, 0, count - 1);
  require_rate(target, "999 NoOps after the first", cycles, count - 1, count - 1);
  return fmt::format("{} cycles for {} NoOps", cycles + 1, count);
}

/// Skips the test unless the memory has fixed latency, as the budgets assume.
void require_fixed_memory(const Target& target) {
  const TcuSimulationConfig& config = target.simulation().config();
  if (config.memory || config.memory_model == MemoryModel::board) {
    skip("the machine has a memory of its own timing");
  }
}

std::string timing_dram_read(Target& target) {
  constexpr std::uint64_t moves = 8;
  require_steady(target);
  require_fixed_memory(target);
  const TcuSimulationConfig& config = target.simulation().config();
  const std::uint64_t beats = target.beats_per_vector();
  // A transfer is one burst, so it stays within a page of 4096 bytes.
  const std::uint64_t size =
      std::min({std::uint64_t{32}, 4096 / target.architecture().vector_bytes(), 256 / beats,
                target.architecture().local_depth, target.dram_depth(0)});
  std::vector<std::uint32_t> retired;
  target.run("bench_dram_read", {{"MOVES", moves}, {"SIZE", size}}, &retired);
  const Cycle overhead = beats == 1 ? 4 : 5;
  const Cycle expected = overhead + config.read_latency + size * beats;
  for (std::size_t i = 1; i < moves; ++i) {
    require_cycles(fmt::format("a read of {} vectors of {} beats", size, beats),
                   between(retired, i - 1, i), expected);
  }
  return fmt::format("{} cycles for {} vectors of {} beats, memory latency {}", expected, size,
                     beats, config.read_latency);
}

std::string timing_mat_mul(Target& target) {
  constexpr std::uint64_t mat_muls = 10;
  constexpr std::uint64_t rows = 10;
  constexpr std::uint64_t store = 4;  // vectors; few enough for the queues on the way out
  constexpr Cycle budget = 110;
  require_steady(target);
  require_depths(target, rows, mat_muls * rows, store);
  std::vector<std::uint32_t> retired;
  target.run("bench_matmul", {{"MATMULS", mat_muls}, {"ROWS", rows}, {"STORE", store}}, &retired);
  // The log has only retirements. The first MatMul begins `rows` cycles before it retires.
  const Cycle cycles = rows + between(retired, 0, mat_muls);
  require_cycles("10 MatMuls of 10 vectors and a store", cycles, mat_muls * rows + store);
  if (cycles >= budget) fail("{} cycles; fewer than {} are allowed", cycles, budget);
  return fmt::format("{} cycles, budget {}", cycles, budget);
}

std::string timing_latency(Target& target) {
  constexpr std::uint64_t rows = 10;
  require_steady(target);
  require_depths(target, rows, rows, 0);
  std::vector<std::uint32_t> retired;
  target.run("bench_latency", {{"ROWS", rows}}, &retired);
  // The MatMul retires with its last input; its result is written 2N cycles later and read in the
  // cycle after that. The DataMove retires with its last write, one cycle after its last read.
  const Cycle cycles = between(retired, 0, 1);
  require_cycles("results of a MatMul to local memory", cycles, 2 * target.lanes() + rows + 1);
  return fmt::format("{} cycles from the last input to the last of {} results", cycles, rows);
}

std::string timing_weights(Target& target) {
  constexpr std::uint64_t loops = 6;
  constexpr std::uint64_t rows = 10;
  require_steady(target);
  const std::uint64_t n = target.lanes();
  require_depths(target, n + 1 + rows, rows, 0);
  const Cycle plain = rows + 3 * n;
  // The additional cycle is hidden if a block of weights has only 3 vectors.
  const Cycle accumulating = plain + (n > 2 ? 1 : 0);
  for (const bool is_plain : {true, false}) {
    std::vector<std::uint32_t> retired;
    target.run("bench_weights", {{"LOOPS", loops}, {"ROWS", rows}, {"PLAIN", is_plain ? 1 : 0}},
               &retired);
    for (std::size_t i = 2; i < loops; ++i) {
      require_cycles(is_plain ? "LoadWeights and MatMul" : "LoadWeights and MatMul.acc",
                     between(retired, 2 * i - 1, 2 * i + 1), is_plain ? plain : accumulating);
    }
  }
  return fmt::format("{} cycles for weights and {} vectors, accumulating {}", plain, rows,
                     accumulating);
}

std::string timing_simd(Target& target) {
  struct Kind {
    std::string_view count;      ///< name of the number of rounds in the program
    std::uint64_t instructions;  ///< instructions of one round
    Cycle cycles;                ///< cycles of two rounds
  };
  constexpr std::array<Kind, 5> kinds = {{{"READ_WRITE", 1, 8},
                                          {"READ_ONLY", 1, 4},
                                          {"WRITE_ONLY", 1, 3},
                                          {"NEITHER", 1, 3},
                                          {"READ_PAIRS", 2, 12}}};
  constexpr std::uint64_t window = 24;  // rounds that are measured
  require_steady(target);
  require_depths(target, 1, 3, 0);
  // Decoding runs ahead until 2N + 2 instructions wait. The last rounds are measured, after that.
  const std::uint64_t rounds = 16 * target.lanes() + 128;
  std::string detail;
  for (const Kind& kind : kinds) {
    ProgramValues values = {{"READ_WRITE", 0}};
    if (kind.count == values.front().first) values.clear();
    values.emplace_back(kind.count, rounds);
    std::vector<std::uint32_t> retired;
    target.run("bench_simd", values, &retired);
    const std::uint64_t instructions = window * kind.instructions;
    const Cycle cycles = between(retired, retired.size() - 1 - instructions, retired.size() - 1);
    require_rate(target, fmt::format("{} rounds of {}", window, kind.count), cycles,
                 kind.cycles * window / 2, instructions);
    detail += fmt::format("{}{} {:.2f}", detail.empty() ? "" : ", ", kind.count,
                          static_cast<double>(cycles) / window);
  }
  return "cycles a round: " + detail;
}

namespace {

/// Cycles from the first beat of a store to its last response. A port has at most three bursts in
/// flight: a fourth burst waits for the response to the first. Source: hardware spec section 10.3.
Cycle store_cycles(std::uint64_t beats, std::uint64_t beat_bytes, Cycle write_latency) {
  constexpr std::size_t in_flight = 3;
  const std::uint64_t longest = std::min<std::uint64_t>(256, 4096 / beat_bytes);
  std::array<Cycle, in_flight> answered{};
  Cycle end = 0;
  for (std::size_t burst = 0; beats > 0; ++burst) {
    const std::uint64_t length = std::min(beats, longest);
    end = std::max(end, answered[burst % in_flight]) + length;
    answered[burst % in_flight] = end + write_latency;
    beats -= length;
  }
  return end + write_latency;
}

}  // namespace

std::string timing_pipeline(Target& target) {
  constexpr std::uint64_t rows = 64;
  require_steady(target);
  require_fixed_memory(target);
  require_depths(target, rows, rows, rows);
  const TcuRunResult result = target.run("bench_pipeline", {{"ROWS", rows}});
  // The driver's padding may retire after the store's last response; it does not count.
  const Cycle cycles = std::max(result.last_retire, result.last_b[0].value_or(0));
  // Cycles until the stream's words complete the first instruction; 0 if a word is an instruction.
  const std::uint64_t instruction = target.simulation().instruction_bytes();
  const std::uint64_t word = target.simulation().word_bytes();
  const Cycle gathering = instruction == word ? 0 : (instruction + word - 1) / word;
  // The budget is the sum of: the MatMul and the latency of the array; SIMD instructions; the
  // DataMove from accumulators to local memory; the store, to its last response (the address of the
  // next burst precedes its data, so it adds nothing); the stages from the stream to the pins.
  const Cycle stations = 3 + gathering;
  const Cycle budget = rows + 2 * target.lanes() +
                       std::max<Cycle>(4 * rows, feed_cycles(target, rows)) + rows + 2 +
                       store_cycles(rows * target.beats_per_vector(), word,
                                    target.simulation().config().write_latency) +
                       stations;
  if (cycles > budget) fail("{} cycles; {} are allowed", cycles, budget);
  return fmt::format("{} cycles, budget {}", cycles, budget);
}

}  // namespace tactus::selftest
