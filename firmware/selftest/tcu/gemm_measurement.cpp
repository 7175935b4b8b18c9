#include "firmware/selftest/tcu/gemm_measurement.h"

#include <algorithm>
#include <chrono>

#include "firmware/selftest/tcu/products.h"
#include "isa/support/error.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using selftest::Lanes;
using selftest::Product;

/// Two accumulations to one vector must not follow each other directly, so a tile has 2 rows.
constexpr std::uint64_t least_rows = 2;

/// Random inputs A and B as mantissas, and their product.
class Gemm {
 public:
  Gemm(const TcuSimulationConfig& config, const GemmShape& shape, std::uint64_t seed)
      : shape_(shape),
        n_(config.architecture.array_size),
        product_{config.architecture.data_type, config.rounding, n_},
        random_(seed) {
    // With |values| <= 1 most sums stay within the data type and most products are inexact.
    const std::int64_t one = std::int64_t{1} << info(product_.type).binary_point;
    a_.resize(shape.inner * shape.rows * n_);
    for (std::int64_t& lane : a_) lane = random_.between(-one, one);
    b_.resize(shape.outer * shape.inner * block_lanes());
    for (std::int64_t& lane : b_) lane = random_.between(-one, one);
    for (std::uint64_t block = 0; block < shape.outer * shape.inner; ++block) {
      const bool biased = block % shape.inner == 0;
      if (!biased)
        std::fill_n(b_.begin() + static_cast<std::ptrdiff_t>(block * block_lanes()), n_, 0);
    }
  }

  [[nodiscard]] const Lanes& a() const { return a_; }
  [[nodiscard]] const Lanes& b() const { return b_; }

  /// Computes one row of a tile of C.
  [[nodiscard]] Lanes c(std::uint64_t tile, std::uint64_t row) const {
    Lanes sum;
    Lanes part(n_);
    for (std::uint64_t k = 0; k < shape_.inner; ++k) {
      product_.row(b_.data() + (tile * shape_.inner + k) * block_lanes(),
                   a_.data() + (k * shape_.rows + row) * n_, part.data());
      if (k == 0) {
        sum = part;
      } else {
        product_.accumulate(sum, part);
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] std::uint64_t block_lanes() const { return (n_ + 1) * n_; }

  GemmShape shape_;
  std::uint64_t n_;
  Product product_;
  selftest::Random random_;
  Lanes a_, b_;
};

/// Compares all rows of C, or every step-th if all would take longer than the simulation.
void check(const Gemm& gemm, const tcu::Architecture& architecture,
           const std::vector<std::uint8_t>& c, GemmResult& result) {
  constexpr std::uint64_t affordable = 60'000'000;  // multiply-accumulates
  const std::uint64_t step = std::max<std::uint64_t>(result.multiply_accumulates / affordable, 1);
  const std::uint64_t bytes = architecture.vector_bytes();
  for (std::uint64_t row = 0; row < result.rows; row += step) {
    const std::vector<std::uint8_t> expected = selftest::to_bytes(
        architecture.data_type, gemm.c(row / result.shape.rows, row % result.shape.rows));
    ++result.checked;
    if (std::equal(expected.begin(), expected.end(),
                   c.begin() + static_cast<std::ptrdiff_t>(row * bytes))) {
      continue;
    }
    result.wrong = fmt::format("row {} of tile {} of the result is wrong", row % result.shape.rows,
                               row / result.shape.rows);
    return;
  }
}

std::uint64_t reachable(std::uint64_t depth, const tcu::Architecture& architecture) {
  return std::min(depth, (std::uint64_t{1} << 32) / architecture.vector_bytes());
}

}  // namespace

GemmShape gemm_shape(const tcu::Architecture& architecture) {
  // Upper limit on the multiply-accumulates, which matters for large arrays.
  constexpr std::uint64_t work = std::uint64_t{1} << 30;
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t block = n + 1;
  const std::uint64_t dram0 = reachable(architecture.dram0_depth, architecture);
  const std::uint64_t dram1 = reachable(architecture.dram1_depth, architecture);
  GemmShape shape;
  if (architecture.local_depth > block + 2 * least_rows) {
    const std::uint64_t local = architecture.local_depth - block;
    // A quarter of local memory leaves room for three tiles of A and one finished tile of C.
    shape.rows = std::min(
        {32 * n, architecture.accumulator_depth, std::max(local / 4, least_rows), dram0 / 4});
  }
  if (shape.rows >= least_rows) {
    const std::uint64_t local = architecture.local_depth - block;
    shape.inner = std::min(
        {local / shape.rows - 1, dram0 / shape.rows / 2, dram1 / block, std::uint64_t{30}});
  }
  if (shape.inner > 0) {
    const std::uint64_t column = shape.rows * shape.inner * n * n;
    shape.outer = std::min({dram0 / shape.rows - shape.inner, dram1 / (shape.inner * block),
                            std::max<std::uint64_t>(work / column, 1), std::uint64_t{16}});
  }
  const std::string obstacle = gemm_obstacle(architecture, shape);
  if (!obstacle.empty()) user_error("no matrix multiply fits this architecture: {}", obstacle);
  return shape;
}

std::string gemm_obstacle(const tcu::Architecture& architecture, const GemmShape& shape) {
  const std::uint64_t block = std::uint64_t{architecture.array_size} + 1;
  if (shape.rows < least_rows || shape.inner == 0 || shape.outer == 0) {
    return fmt::format("{} rows, {} inner and {} outer tiles; at least {}, 1 and 1 are needed",
                       shape.rows, shape.inner, shape.outer, least_rows);
  }
  struct Need {
    std::string_view memory;
    std::uint64_t depth, vectors;
  };
  const Need needs[] = {
      {"local memory", architecture.local_depth, (shape.inner + 1) * shape.rows + block},
      {"the accumulators", architecture.accumulator_depth, shape.rows},
      {"DRAM0", reachable(architecture.dram0_depth, architecture),
       (shape.inner + shape.outer) * shape.rows},
      {"DRAM1", reachable(architecture.dram1_depth, architecture),
       shape.inner * shape.outer * block}};
  for (const Need& need : needs) {
    if (need.vectors <= need.depth) continue;
    return fmt::format("{} holds {} vectors; {} are needed", need.memory, need.depth, need.vectors);
  }
  return {};
}

GemmResult run_gemm(TcuSimulation& simulation, const GemmShape& shape, std::uint64_t seed,
                    const TcuRunOptions& options) {
  const tcu::Architecture& architecture = simulation.config().architecture;
  const std::string obstacle = gemm_obstacle(architecture, shape);
  if (!obstacle.empty()) user_error("the matrix multiply does not fit: {}", obstacle);
  const Gemm gemm(simulation.config(), shape, seed);
  simulation.write_dram(0, 0, selftest::to_bytes(architecture.data_type, gemm.a()));
  simulation.write_dram(1, 0, selftest::to_bytes(architecture.data_type, gemm.b()));

  GemmResult result;
  result.shape = shape;
  result.rows = shape.rows * shape.outer;
  result.multiply_accumulates =
      result.rows * shape.inner * architecture.array_size * architecture.array_size;
  const std::vector<std::uint8_t> program =
      assemble_program(architecture, "bench_gemm",
                       {{"ROWS", shape.rows}, {"INNER", shape.inner}, {"OUTER", shape.outer}});
  const auto begin = std::chrono::steady_clock::now();
  result.run = simulation.run(program, options);
  result.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.array_busy = array_figures::busy(result.run.array_runs, result.run.cycles).value_or(0);
  if (result.run.end != RunEnd::finished) {
    result.wrong = fmt::format("the program did not finish within {} cycles", result.run.cycles);
    return result;
  }
  const std::uint64_t bytes = architecture.vector_bytes();
  check(gemm, architecture,
        simulation.read_dram(0, shape.inner * shape.rows * bytes, result.rows * bytes), result);
  return result;
}

GemmResult run_gemm(TcuSimulation& simulation) {
  return run_gemm(simulation, gemm_shape(simulation.config().architecture));
}

namespace selftest {
namespace {

/// A shape of up to 3 x 2 tiles with a few rows; it is smaller if memories are small.
GemmShape small_shape(const Target& target) {
  const std::uint64_t n = target.lanes();
  const std::uint64_t blocks = target.dram_depth(1) / (n + 1);
  const std::uint64_t local = target.architecture().local_depth;
  GemmShape shape;
  shape.outer = blocks < 4 ? 1 : 2;
  shape.inner = std::clamp<std::uint64_t>(blocks / shape.outer, 1, 3);
  const std::uint64_t room = local > n + 1 ? (local - n - 1) / (shape.inner + 1) : 0;
  shape.rows = std::clamp<std::uint64_t>(
      std::min({room, target.dram_depth(0) / (shape.inner + shape.outer),
                target.architecture().accumulator_depth, std::uint64_t{64}}),
      least_rows, 2 * n);
  return shape;
}

}  // namespace

std::string gemm(Target& target) {
  const tcu::Architecture& a = target.architecture();
  const GemmShape shape = small_shape(target);
  const std::string obstacle = gemm_obstacle(a, shape);
  if (!obstacle.empty()) skip("{}", obstacle);
  // Expected results use the configured rounding; the test array_rounding finds a machine that
  // rounds in another way.
  TcuRunOptions options;
  options.max_cycles = target.options().max_cycles;
  const GemmResult result = run_gemm(target.simulation(), shape, target.options().seed, options);
  target.count(result.run);
  if (!result.wrong.empty()) fail("{}", result.wrong);
  return fmt::format("{} rows, {} x {} tiles, {} of {} results compared", shape.rows, shape.inner,
                     shape.outer, result.checked, result.rows);
}

}  // namespace selftest
}  // namespace tactus
