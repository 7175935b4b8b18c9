#include "firmware/gemm/tcu/runner.h"

#include <algorithm>
#include <chrono>

#include "firmware/energy/tcu.h"
#include "firmware/gemm/tcu/schedule.h"
#include "firmware/report/tcu/run_figures.h"
#include "firmware/selftest/tcu/products.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

using selftest::Lanes;

/// Random operands as mantissas, tile by tile as in DRAM, and their product, row by row.
class Product {
 public:
  Product(const TcuSimulationConfig& config, const Problem& problem, const TcuSchedule& schedule,
          std::uint64_t seed)
      : schedule_(schedule),
        n_(config.architecture.array_size),
        product_{config.architecture.data_type, config.rounding, n_} {
    // With |values| <= 1 most sums stay within the data type and most products are inexact.
    selftest::Random random(seed);
    const std::int64_t one = std::int64_t{1} << info(product_.type).binary_point;
    const auto tile = [this](std::uint64_t i) { return i / n_; };
    a_.resize(schedule.k_tiles * schedule.rows * n_);
    for (std::uint64_t i = 0; i < problem.m; ++i) {
      for (std::uint64_t k = 0; k < problem.k; ++k) {
        a_[(tile(k) * schedule.rows + i) * n_ + k % n_] = random.between(-one, one);
      }
    }
    b_.resize(schedule.k_tiles * schedule.n_tiles * (n_ + 1) * n_);
    for (std::uint64_t k = 0; k < problem.k; ++k) {
      for (std::uint64_t j = 0; j < problem.n; ++j) {
        const std::uint64_t block = tile(j) * schedule.k_tiles + tile(k);
        b_[(block * (n_ + 1) + 1 + k % n_) * n_ + j % n_] = random.between(-one, one);
      }
    }
  }

  [[nodiscard]] std::vector<std::uint8_t> a() const {
    return selftest::to_bytes(product_.type, a_);
  }
  [[nodiscard]] std::vector<std::uint8_t> b() const {
    return selftest::to_bytes(product_.type, b_);
  }

  /// Bytes of row `row` of tile column `tile` of C.
  [[nodiscard]] std::vector<std::uint8_t> c(std::uint64_t tile, std::uint64_t row) const {
    Lanes sum;
    Lanes part(n_);
    for (std::uint64_t k = 0; k < schedule_.k_tiles; ++k) {
      product_.row(b_.data() + (tile * schedule_.k_tiles + k) * (n_ + 1) * n_,
                   a_.data() + (k * schedule_.rows + row) * n_, part.data());
      if (k == 0) {
        sum = part;
      } else {
        product_.accumulate(sum, part);
      }
    }
    return selftest::to_bytes(product_.type, sum);
  }

 private:
  const TcuSchedule& schedule_;
  std::uint64_t n_;
  selftest::Product product_;
  Lanes a_, b_;
};

class TcuRunner final : public Runner {
 public:
  TcuRunner(std::string name, TcuSimulationConfig config)
      : name_(std::move(name)), config_(std::move(config)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string description() const override { return machine_line(config_); }
  [[nodiscard]] std::string memory_description() const override {
    return fmt::format("AXI {} bits, two ports, {}", config_.axi_data_bits, memory_text(config_));
  }
  [[nodiscard]] std::string arithmetic_note() const override {
    return fmt::format("{} computes in its own fixed point, {}, whatever precision is asked for",
                       name_, tcu::info(config_.architecture.data_type).name);
  }
  [[nodiscard]] std::vector<OnChipMemory> on_chip() const override {
    const tcu::Architecture& a = config_.architecture;
    const std::uint64_t vector = std::uint64_t{a.array_size} * tcu::info(a.data_type).width_bits;
    return {{"local memory", a.local_depth * vector},
            {"accumulators", a.accumulator_depth * vector},
            {"weights", (std::uint64_t{a.array_size} + 1) * vector}};
  }
  [[nodiscard]] const MachineInfo& info() const override { return tcu_machine_info(); }
  [[nodiscard]] energy::Machine parts() const override {
    return energy::machine_of(config_.architecture);
  }

  [[nodiscard]] Measurement run(const Problem& problem, const ProductRequest& request) override;

 private:
  void add_traffic(Measurement& result) const;
  void check(const Product& product, const TcuSchedule& schedule, TcuSimulation& simulation,
             Measurement& result) const;

  std::string name_;
  TcuSimulationConfig config_;
};

Measurement TcuRunner::run(const Problem& problem, const ProductRequest& request) {
  const tcu::Architecture& architecture = config_.architecture;
  const TcuMemory memory{config_.axi_data_bits, config_.read_latency, config_.write_latency};
  const TcuSchedule schedule = choose_schedule(problem, architecture, memory);
  TcuSimulation simulation(config_);
  const Product product(config_, problem, schedule, request.seed);
  simulation.write_dram(0, 0, product.a());
  simulation.write_dram(1, 0, product.b());
  const std::vector<tcu::Instruction> program = make_program(schedule, architecture);
  const std::vector<std::uint8_t> bytes =
      encode_program(tcu::InstructionLayout(architecture), program);

  TcuRunOptions options;
  apply(request, options);
  const auto begin = std::chrono::steady_clock::now();
  Measurement result(simulation.run(bytes, options));
  result.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.problem = problem;
  result.arithmetic = tcu::info(architecture.data_type).name;
  result.schedule = schedule.text();
  result.clock_mhz = config_.clock_mhz;
  result.rates = simulation.machine().rates();
  result.peak_macs = result.rates.peak_macs;
  result.bound = {weight_stationary_bound(problem, architecture.array_size),
                  "ceil(N/S) * ceil(K/S) blocks of S x S weights: S cycles to load, M to pass, no "
                  "memory time"};
  result.estimated_cycles = schedule.cycles;
  result.array_instructions = schedule.chunks * schedule.k_tiles * schedule.n_tiles;
  add_traffic(result);
  if (request.energies) {
    result.energy = energy::energy_of(energy::Meter(*request.energies, parts()), result.run,
                                      architecture, config_);
  }
  if (result.run.end != RunEnd::finished) {
    result.wrong = fmt::format("the program did not finish within {} cycles", result.run.cycles);
  } else {
    check(product, schedule, simulation, result);
  }
  return result;
}

void TcuRunner::add_traffic(Measurement& result) const {
  const Counters& counters = result.run.accounting.totals;
  const auto both = [&](const char* name) { return counters.of(name, 0) + counters.of(name, 1); };
  const std::uint64_t beat = config_.axi_data_bits / 8;
  const std::uint64_t vector = config_.architecture.vector_bytes();
  result.levels = {{"memory", both("read_beats") * beat, both("write_beats") * beat},
                   {"local memory", both("local_reads") * vector, both("local_writes") * vector},
                   {"accumulators", counters.of("accumulator_reads") * vector,
                    counters.of("accumulator_writes") * vector}};
}

/// Compares all rows of C, or every step-th if all would take longer than the simulation.
void TcuRunner::check(const Product& product, const TcuSchedule& schedule,
                      TcuSimulation& simulation, Measurement& result) const {
  constexpr std::uint64_t affordable = 60'000'000;  // multiply-accumulates
  const Problem& p = result.problem;
  const std::uint64_t n = config_.architecture.array_size;
  const std::uint64_t vector = config_.architecture.vector_bytes();
  const std::uint64_t macs = schedule.rows * schedule.n_tiles * schedule.k_tiles * n * n;
  // `at` goes through the rows of all tiles, so the compared rows may differ from tile to tile.
  const std::uint64_t step = std::max<std::uint64_t>(macs / affordable, 1);
  const std::vector<std::uint8_t> c = simulation.read_dram(
      0, schedule.k_tiles * schedule.rows * vector, schedule.n_tiles * schedule.rows * vector);
  for (std::uint64_t at = 0; at < schedule.n_tiles * schedule.rows; at += step) {
    const std::uint64_t tile = at / schedule.rows;
    const std::uint64_t row = at % schedule.rows;
    if (row >= p.m) continue;
    const std::vector<std::uint8_t> expected = product.c(tile, row);
    const std::uint64_t columns = std::min(n, p.n - tile * n);
    result.checked += columns;
    if (std::equal(expected.begin(), expected.end(),
                   c.begin() + static_cast<std::ptrdiff_t>(at * vector))) {
      continue;
    }
    result.wrong = fmt::format("row {}, columns {} to {} of C differ from the plain loop", row,
                               tile * n, tile * n + columns - 1);
    return;
  }
}

}  // namespace

std::unique_ptr<Runner> make_tcu_runner(const std::string& name,
                                        const TcuSimulationConfig& config) {
  return std::make_unique<TcuRunner>(name, config);
}

}  // namespace tactus::gemm
