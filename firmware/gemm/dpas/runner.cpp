#include "firmware/gemm/dpas/runner.h"

#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "firmware/gemm/dpas/kernel.h"
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

const char* result_type(const DpasTask& task) { return task.is_integer() ? "s32" : "f32"; }

class DpasRunner final : public Runner {
 public:
  DpasRunner(std::string name, const DpasRunnerConfig& config)
      : name_(std::move(name)), config_(config) {}

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
    return fmt::format("AXI {} bits, one port, memory latency {} read {} write",
                       config_.simulation.axi_data_bits, config_.simulation.read_latency,
                       config_.simulation.write_latency);
  }
  [[nodiscard]] std::string arithmetic_note() const override { return {}; }
  [[nodiscard]] std::vector<OnChipMemory> on_chip() const override {
    const dpas::Profile& p = profile();
    const std::uint64_t threads = most_threads();
    return {{"register files", threads * p.register_file_bytes() * 8},
            {"operand buffers", (std::uint64_t{p.src1_buffer_bytes} + p.src2_buffer_bytes) * 8}};
  }
  [[nodiscard]] const MachineInfo& info() const override { return dpas_machine_info(); }

  [[nodiscard]] Measurement run(const Problem& problem, const RunLimits& limits) override;

 private:
  [[nodiscard]] const dpas::Profile& profile() const { return config_.simulation.machine.profile; }
  [[nodiscard]] unsigned most_threads() const {
    if (config_.wishes.threads != 0) return config_.wishes.threads;
    return std::min<unsigned>(profile().threads, dpas::most_threads);
  }
  [[nodiscard]] Bound bound(const DpasTask& task) const;
  void add_traffic(const DpasRunResult& run, Measurement& result) const;
  void check(const DpasTask& task, const DpasLayout& layout, std::uint64_t seed,
             DpasSimulation& simulation, Measurement& result) const;

  std::string name_;
  DpasRunnerConfig config_;
};

/// A row of C takes a cycle a pass for each of its tiles and steps of K; the last has its latency.
Bound DpasRunner::bound(const DpasTask& task) const {
  const dpas::Profile& p = profile();
  const auto last_rows = static_cast<unsigned>((task.problem.m - 1) % 8 + 1);
  const unsigned latency = dpas::latency(p, last_rows, config_.simulation.machine.latency);
  const std::uint64_t tiles = dpas_count(task, p, 8) / ((task.problem.m + 7) / 8);
  return {tiles * p.passes() * task.problem.m + latency,
          fmt::format("M * ceil(N/{}) * ceil(K/{}) rows of {} cycle{}, and the latency {} of the "
                      "last DPAS; no memory time",
                      p.execution_size, task.k_step(), p.passes(), p.passes() == 1 ? "" : "s",
                      latency)};
}

Measurement DpasRunner::run(const Problem& problem, const RunLimits& limits) {
  const DpasTask task = task_of(problem, config_);
  const MemoryCost cost = memory_cost(config_.simulation);
  const Blocking blocking = choose_blocking(task, profile(), cost, config_.wishes);
  const DpasLayout layout = layout_of(task);
  const dpas::Program program = make_kernel(task, profile(), blocking);
  const DpasOperands operands = make_operands(task, layout, limits.seed);

  DpasSimulationConfig config = config_.simulation;
  config.machine.threads = blocking.threads;
  DpasSimulation simulation(config);
  simulation.bind({"A", layout.a.base, layout.a.bytes()});
  simulation.bind({"B", layout.b.base, layout.b.bytes()});
  simulation.bind({"C", layout.c.base, layout.c.bytes()});
  simulation.write(layout.a.base, operands.a);
  simulation.write(layout.b.base, operands.b);
  std::vector<DpasThread> threads(blocking.threads);
  for (DpasThread& thread : threads) thread.kernel = &program.kernels.front();

  RunOptions options;
  options.max_cycles = limits.max_cycles;
  const auto begin = std::chrono::steady_clock::now();
  const DpasRunResult run = simulation.run(program, threads, options);
  Measurement result(run);
  result.host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.problem = problem;
  result.arithmetic = fmt::format("{} x {}, sums in {}", dpas::info(task.a).name,
                                  dpas::info(task.w).name, result_type(task));
  result.schedule = blocking.text();
  result.clock_mhz = config.clock_mhz;
  result.rates = simulation.machine().rates();
  result.peak_macs = dpas::peak_macs(profile(), dpas::ops_per_channel(task.w, task.a));
  result.bound = bound(task);
  result.estimated_cycles = estimated_cycles(task, profile(), blocking, cost);
  result.array_instructions = run.dpas;
  result.registers = RegisterReads{run.grf_reads, run.grf_reads_saved};
  add_traffic(run, result);
  if (run.end != RunEnd::finished) {
    result.wrong = fmt::format("the program did not finish within {} cycles", run.cycles);
    for (const std::string& line : run.waits_for) result.wrong += "\n" + line;
  } else {
    check(task, layout, limits.seed, simulation, result);
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

void DpasRunner::check(const DpasTask& task, const DpasLayout& layout, std::uint64_t seed,
                       DpasSimulation& simulation, Measurement& result) const {
  const Problem& p = task.problem;
  const std::vector<std::uint32_t> expected = expected_product(task, seed);
  for (std::uint64_t i = 0; i < p.m; ++i) {
    const std::vector<std::uint8_t> row =
        simulation.read(layout.c.base + i * layout.c.pitch, p.n * 4);
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

}  // namespace

MemoryCost memory_cost(const DpasSimulationConfig& config) {
  const dpas::MachineParameters& machine = config.machine;
  if (machine.memory == dpas::MemoryKind::ideal) {
    return {machine.ideal_bytes, machine.ideal_cycles(), false};
  }
  // Address and data each take a cycle through the pins.
  constexpr unsigned pins = 3;
  return {config.axi_data_bits / 8,
          machine.profile.send_latency + static_cast<unsigned>(config.read_latency) + pins, true};
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
  return disassemble(make_kernel(task, profile, blocking));
}

}  // namespace tactus::gemm
