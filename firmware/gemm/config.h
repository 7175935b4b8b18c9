// Configuration of a matrix product: the machine by name, and every value that options and the keys
// of sweeps set.
#pragma once

#include <memory>
#include <string>

#include "firmware/config/board.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/gemm/dpas/runner.h"
#include "firmware/gemm/measurement.h"
#include "isa/support/parameter.h"

namespace tactus::gemm {

/// Options of kernels for a DPAS array; not used for a TCU.
struct KernelOptions {
  std::string precision = "int8";
  BLayout b_layout = BLayout::rows;
  /// 0: chosen by the program
  unsigned rows = 0, m_tiles = 0, n_tiles = 0, k_steps = 0, buffers = 0;
  unsigned threads = 0;  ///< 0: all of the machine's threads
};
[[nodiscard]] const ParameterTable<KernelOptions>& kernel_parameters();

/// Options of a machine with a DPAS array, besides its profile. The memory is ideal by default.
struct DpasOptions {
  DpasOptions() { machine.memory = dpas::MemoryKind::ideal; }
  dpas::MachineParameters machine;
};
/// Parameters of DpasOptions. Not among them are the number of threads, which the kernel sets; the
/// engine, which GemmConfig has; and options that change results, since the check uses their
/// defaults.
[[nodiscard]] const ParameterTable<DpasOptions>& dpas_option_parameters();
/// Parameters of the profile; options may replace single values.
[[nodiscard]] const ParameterTable<DpasOptions>& profile_parameters();

struct GemmConfig {
  std::string machine;  ///< as the user named it
  bool is_tcu = false;
  std::string board_path;  ///< file of the board; empty: no board
  BoardValues board;
  DpasOptions dpas;
  KernelOptions kernel;
  tcu::Architecture architecture;  ///< TCU only
  Engine engine = Engine::fast;
};

/// Configuration of a named machine. Throws UserError that lists what is allowed. Names:
/// - "pvc" or "dpas:pvc": a profile of configs/dpas, or a .json file;
/// - "tcu:F.tarch": an architecture without a board; its ports have the largest AXI width that
///   divides a vector, and latencies are one cycle;
/// - "tcu:zcu104": a board of configs/boards, or a .json file;
/// - "pvc@zcu104", "tcu:F.tarch@zcu104": the machine on a board, see put_on_board().
/// Paths are relative to the folder of `beside`, if given.
[[nodiscard]] GemmConfig named_machine(const std::string& name, const std::string& beside = {});

/// Puts a machine without a board on one: sets clock, port and memory. A machine with a DPAS array
/// then uses its AXI port.
void put_on_board(GemmConfig& config, const Board& board);

/// Makes the runner of the configured machine. Throws UserError if values contradict each other.
[[nodiscard]] std::unique_ptr<Runner> make_runner(const GemmConfig& config);

/// Configuration of the runner of a machine with a DPAS array.
[[nodiscard]] DpasRunnerConfig dpas_runner_config(const GemmConfig& config);

}  // namespace tactus::gemm
