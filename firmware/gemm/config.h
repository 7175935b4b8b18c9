// What a matrix product is run on and how: machines by name, and every value that options and the
// keys of sweeps set.
#pragma once

#include <memory>
#include <string>

#include "firmware/config/board.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/gemm/dpas/runner.h"
#include "firmware/gemm/measurement.h"
#include "isa/support/parameter.h"

namespace tactus::gemm {

/// How kernels are made; of a TCU nothing of it counts.
struct KernelOptions {
  std::string precision = "int8";
  BLayout b_layout = BLayout::rows;
  unsigned rows = 0, m_tiles = 0, n_tiles = 0, k_steps = 0, buffers = 0;  ///< 0: chosen
  unsigned threads = 0;                                                   ///< 0: all there are
};
[[nodiscard]] const ParameterTable<KernelOptions>& kernel_parameters();

/// A machine with a DPAS array beside its profile; its memory is ideal unless another is asked for.
struct DpasOptions {
  DpasOptions() { machine.memory = dpas::MemoryKind::ideal; }
  dpas::MachineParameters machine;
};
/// Without the number of threads and what changes numbers, which is fixed by the check.
[[nodiscard]] const ParameterTable<DpasOptions>& dpas_option_parameters();
/// What the profile says, to be replaced one by one.
[[nodiscard]] const ParameterTable<DpasOptions>& profile_parameters();

struct GemmConfig {
  std::string machine;  ///< as it was named
  bool is_tcu = false;
  std::string board_path;  ///< the file of its board; empty: it has none
  BoardValues board;
  DpasOptions dpas;
  KernelOptions kernel;
  tcu::Architecture architecture;  ///< of a TCU
  Engine engine = Engine::fast;
};

/// "pvc" or "dpas:pvc": a profile of configs/dpas, or a .json file; "tcu:F.tarch": an architecture
/// with ports as wide as its vectors, if AXI has them, and latencies of one cycle; "tcu:zcu104": a
/// board of configs/boards, or a .json file. "pvc@zcu104", "tcu:F.tarch@zcu104": the same on a
/// board, see put_on_board(). Paths are sought from the folder of `beside`, if it is given. Throws
/// UserError with what is allowed.
[[nodiscard]] GemmConfig named_machine(const std::string& name, const std::string& beside = {});

/// Gives a machine that has none a board: its clock, port and memory. A machine with a DPAS array
/// then has the AXI port.
void put_on_board(GemmConfig& config, const Board& board);

/// Throws UserError for values that contradict each other.
[[nodiscard]] std::unique_ptr<Runner> make_runner(const GemmConfig& config);

/// Of a machine with a DPAS array; the runner's configuration.
[[nodiscard]] DpasRunnerConfig dpas_runner_config(const GemmConfig& config);

}  // namespace tactus::gemm
