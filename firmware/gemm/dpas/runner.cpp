#include "firmware/gemm/dpas/runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "firmware/driver/common/memory_system.h"
#include "firmware/energy/dpas.h"
#include "firmware/gemm/dpas/kernel.h"
#include "firmware/gemm/dpas/tiles.h"
#include "isa/dpas/assembly.h"
#include "isa/dpas/timing.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

DpasTask task_of(const Problem& problem, const DpasRunnerConfig& config) {
  DpasTask task;
  task.problem = problem;
  task.w = config.precision.w;
  task.a = config.precision.a;
  task.b_layout = config.b_layout;
  return task;
}

std::string arithmetic_text(const DpasTask& task) {
  return fmt::format("{} x {}, sums in {}", dpas::info(task.a).name, dpas::info(task.w).name,
                     task.is_integer() ? "s32" : "f32");
}

class DpasRunner final : public Runner {
 public:
  DpasRunner(std::string name, DpasRunnerConfig config)
      : name_(std::move(name)), config_(std::move(config)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string description() const override {
    const dpas::Profile& p = profile();
    return fmt::format("{}: {} channels, {} stages, {} registers of {} bytes a thread", p.title,
                       p.execution_size, p.array_depth, p.grf_count, p.grf_bytes);
  }
  [[nodiscard]] std::string memory_description() const override {
    const dpas::MachineParameters& machine = config_.simulation.machine;
    if (machine.memory == dpas::MemoryKind::ideal) {
      return fmt::format("ideal, {} bytes a cycle, {} cycles from issue to use",
                         machine.ideal_bytes, machine.ideal_cycles());
    }
    return fmt::format("AXI {} bits, one port, {}", config_.simulation.axi_data_bits,
                       memory_text(config_.simulation));
  }
  [[nodiscard]] std::string arithmetic_note() const override { return {}; }
  [[nodiscard]] std::vector<OnChipMemory> on_chip() const override {
    const dpas::Profile& p = profile();
    const std::uint64_t threads = most_threads();
    return {{"register files", threads * p.register_file_bytes() * 8},
            {"operand buffers", (std::uint64_t{p.src1_buffer_bytes} + p.src2_buffer_bytes) * 8}};
  }
  [[nodiscard]] const MachineInfo& info() const override { return dpas_machine_info(); }
  [[nodiscard]] energy::Machine parts() const override {
    DpasSimulationConfig config = config_.simulation;
    config.machine.threads = most_threads();
    return energy::machine_of(config);
  }

  [[nodiscard]] Measurement run(const Problem& problem, const ProductRequest& request) override;

 private:
  [[nodiscard]] const dpas::Profile& profile() const { return config_.simulation.machine.profile; }
  [[nodiscard]] unsigned most_threads() const {
    if (config_.wishes.threads != 0) return config_.wishes.threads;
    return std::min<unsigned>(profile().threads, dpas::most_threads);
  }
  [[nodiscard]] Bound bound(const DpasTask& task) const;
  void add_traffic(const DpasRunResult& run, Measurement& result) const;
  /// Compares C with the expected product. `c` and `at` give its layout and address.
  void check(const DpasTask& task, const Surface& c, std::uint64_t at, std::uint64_t seed,
             DpasSimulation& simulation, Measurement& result) const;

  std::string name_;
  DpasRunnerConfig config_;
};

/// Lower bound on the cycles. For each tile column and step of K the rows of C enter the array, one
/// per cycle and pass, or the registers of B are loaded, one per cycle; the longer counts. The last
/// instruction adds its latency.
Bound DpasRunner::bound(const DpasTask& task) const {
  const dpas::Profile& p = profile();
  const auto last_rows = static_cast<unsigned>((task.problem.m - 1) % 8 + 1);
  const unsigned latency = dpas::latency(p, last_rows, config_.simulation.machine.latency);
  const std::uint64_t tiles = dpas_count(task, p, 8) / ((task.problem.m + 7) / 8);
  const std::uint64_t rows = p.passes() * task.problem.m;
  const unsigned loads = operand_shape(task, p).b_registers;
  const std::string size = fmt::format("ceil(N/{}) * ceil(K/{})", p.execution_size, task.k_step());
  const std::string what =
      rows >= loads
          ? fmt::format("M * {} rows of {} cycle{}", size, p.passes(), p.passes() == 1 ? "" : "s")
          : fmt::format("{} loads of B into the array, {} registers each", size, loads);
  return {tiles * std::max<std::uint64_t>(rows, loads) + latency,
          fmt::format("{}, and the latency {} of the last DPAS; no memory time", what, latency)};
}

Measurement DpasRunner::run(const Problem& problem, const ProductRequest& request) {
  const DpasTask task = task_of(problem, config_);
  const MemoryCost cost = memory_cost(config_.simulation);
  const Blocking blocking = choose_blocking(task, profile(), cost, config_.wishes);
  const DpasLayout layout = layout_of(task);
  const dpas::Program program = make_kernel(task, profile(), blocking);
  DpasSimulationConfig config = config_.simulation;
  config.machine.threads = blocking.threads;
  DpasSimulation simulation(config);
  // `tactus run` assigns the same addresses if buffers are bound in this order.
  const std::uint64_t a = simulation.allocate("A", layout.a.bytes());
  const std::uint64_t b = simulation.allocate("B", layout.b.bytes());
  const std::uint64_t c = simulation.allocate("C", layout.c.bytes());
  const DpasOperands operands = make_operands(task, layout, request.seed);
  simulation.write(a, operands.a);
  simulation.write(b, operands.b);
  std::vector<DpasThread> threads(blocking.threads);
  for (DpasThread& thread : threads) {
    thread.kernel = &program.kernels.front();
    thread.set("A", a, 8);
    thread.set("B", b, 8);
    thread.set("C", c, 8);
  }

  RunOptions options;
  apply(request, options);
  const auto begin = std::chrono::steady_clock::now();
  const DpasRunResult run = simulation.run(program, threads, options);
  Measurement result(run);
  result.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.problem = problem;
  result.arithmetic = arithmetic_text(task);
  result.schedule = blocking.text();
  result.clock_mhz = config.clock_mhz;
  result.rates = simulation.machine().rates();
  result.peak_macs = dpas::peak_macs(profile(), dpas::ops_per_channel(task.w, task.a));
  result.bound = bound(task);
  result.estimated_cycles = estimated_cycles(task, profile(), blocking, cost);
  result.array_instructions = run.dpas;
  result.registers = RegisterReads{run.grf_reads, run.grf_reads_saved};
  add_traffic(run, result);
  if (request.energies) {
    result.energy =
        energy::energy_of(energy::Meter(*request.energies, parts()), run, config, result.rates);
  }
  if (run.end != RunEnd::finished) {
    result.wrong = fmt::format("the program did not finish within {} cycles", run.cycles);
    for (const std::string& line : run.waits_for) result.wrong += "\n" + line;
  } else {
    check(task, layout.c, c, request.seed, simulation, result);
  }
  return result;
}

void DpasRunner::add_traffic(const DpasRunResult& run, Measurement& result) const {
  const std::uint64_t grf = profile().grf_bytes;
  const Counters& totals = run.accounting.totals;
  const std::uint64_t beat = result.rates.beat_bytes;
  result.levels = {{"memory", totals.of("read_beats") * beat, totals.of("write_beats") * beat},
                   {"loads and stores", run.bytes_loaded, run.bytes_stored},
                   {"register files", run.grf_reads * grf, run.grf_writes * grf}};
}

void DpasRunner::check(const DpasTask& task, const Surface& c, std::uint64_t at, std::uint64_t seed,
                       DpasSimulation& simulation, Measurement& result) const {
  const Problem& p = task.problem;
  const std::vector<std::uint32_t> expected = expected_product(task, seed);
  for (std::uint64_t i = 0; i < p.m; ++i) {
    const std::vector<std::uint8_t> row = simulation.read(at + i * c.pitch, p.n * 4);
    result.checked += p.n;
    if (std::memcmp(row.data(), expected.data() + i * p.n, row.size()) == 0) continue;
    std::uint64_t j = 0;
    while (std::memcmp(row.data() + 4 * j, expected.data() + i * p.n + j, 4) == 0) ++j;
    std::uint32_t bits = 0;
    std::memcpy(&bits, row.data() + 4 * j, 4);
    result.wrong = fmt::format("C[{}][{}] is 0x{:08x}; the plain loop gives 0x{:08x}", i, j, bits,
                               expected[i * p.n + j]);
    return;
  }
}

/// Cost of the board's path for an access that waits for no other and must open its row.
MemoryCost board_memory_cost(const DpasSimulationConfig& config) {
  const DdrConfig& ddr = *config.resolved_ddr;
  const PathConfig path = path_config(config, 0, ddr.burst_bytes());
  const double period = 1e6 / config.clock_mhz;  // ps, like all times here
  const double ports = static_cast<double>(path.clock_p) / static_cast<double>(path.clock_q);
  const double ps =
      static_cast<double>(path.interconnect_ps[0] + path.fixed_ps[0]) +
      path.crossing[0] * period / ports +
      static_cast<double>((ddr.t_rcd + ddr.cl + ddr.burst_clocks()) * std::uint64_t{ddr.tck_ps});
  const double bytes = std::min(config.axi_data_bits / 8.0, path.data_bits / 8.0 * ports);
  return {std::max(1U, static_cast<unsigned>(bytes)), static_cast<unsigned>(std::ceil(ps / period)),
          true};
}

}  // namespace

MemoryCost memory_cost(const DpasSimulationConfig& config) {
  const dpas::MachineParameters& machine = config.machine;
  if (machine.memory == dpas::MemoryKind::ideal) {
    return {machine.ideal_bytes, machine.ideal_cycles(), false};
  }
  // Cycles that address and data take through the pins.
  constexpr unsigned pins = 3;
  const MemoryCost cost =
      config.resolved_ddr
          ? board_memory_cost(config)
          : MemoryCost{config.axi_data_bits / 8, static_cast<unsigned>(config.read_latency), true};
  return {cost.bytes_per_cycle, machine.profile.send_latency + cost.latency + pins, true};
}

std::unique_ptr<Runner> make_dpas_runner(const std::string& name, const DpasRunnerConfig& config) {
  if (config.simulation.machine.numerics.float_mode != dpas::FloatMode::seq ||
      config.simulation.machine.numerics.ftz_in || config.simulation.machine.numerics.ftz_out) {
    user_error(
        "{}: products are checked against sums that are rounded one by one; allowed: "
        "float mode seq, without flushing denormals",
        name);
  }
  return std::make_unique<DpasRunner>(name, config);
}

std::string kernel_text(const Problem& problem, const DpasRunnerConfig& config) {
  const DpasTask task = task_of(problem, config);
  const dpas::Profile& profile = config.simulation.machine.profile;
  const Blocking blocking =
      choose_blocking(task, profile, memory_cost(config.simulation), config.wishes);
  const DpasLayout layout = layout_of(task);
  const auto surface = [](const char* name, const Surface& s) {
    return fmt::format("// {}: {} bytes, {} rows of {} bytes every {} bytes\n", name, s.bytes(),
                       s.height, s.width, s.pitch);
  };
  return fmt::format("// C (M x N) = A (M x K) * B (K x N), M x N x K = {}, {}, for {}\n",
                     problem.shape(), arithmetic_text(task), profile.name) +
         fmt::format("// {}\n", blocking.text()) + surface("A", layout.a) +
         surface(task.layout_of_b() == BLayout::vnni ? "B, interleaved" : "B", layout.b) +
         surface("C", layout.c) +
         fmt::format(
             "// tactus run --machine {} --threads {} --bind A=F --bind B=F --bind C={} "
             "--save C=F ...\n",
             profile.name, blocking.threads, layout.c.bytes()) +
         disassemble(make_kernel(task, profile, blocking));
}

}  // namespace tactus::gemm
