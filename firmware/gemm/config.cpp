#include "firmware/gemm/config.h"

#include <utility>

#include <fmt/format.h>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "firmware/config/port_memory.h"
#include "firmware/driver/dpas/simulation_parameters.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/gemm/dpas/tiles.h"
#include "firmware/gemm/tcu/runner.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus::gemm {
namespace {

/// Path of the file NAME in configs/`kind`, or of a file given by path, relative to the folder of
/// `beside`.
std::string path_of(std::string_view kind, const std::string& name, const std::string& beside,
                    std::string_view extension = ".json") {
  const std::string path = config_path(kind, name, extension);
  return path == name && !beside.empty() ? resolve_beside(beside, name) : path;
}

std::string one_line(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

template <typename Keep>
ParameterTable<DpasOptions> filtered(const char* name, const char* about,
                                     const ParameterTable<dpas::MachineParameters>& table,
                                     Keep&& keep) {
  std::vector<Parameter<DpasOptions>> parameters;
  for (Parameter<DpasOptions>& parameter :
       table.within<DpasOptions>([](auto& options) -> auto& { return options.machine; })) {
    if (keep(parameter.key)) parameters.push_back(std::move(parameter));
  }
  return ParameterTable<DpasOptions>(name, about, std::move(parameters));
}

}  // namespace

const ParameterTable<KernelOptions>& kernel_parameters() {
  using K = KernelOptions;
  static const ParameterTable<K> table(
      "kernel", "How a matrix product is cut for a DPAS array; 0: as the formula chooses.",
      {text("precision", &K::precision, "int8",
            "precision of both matrices, or of B and A with a dot between: int8, bf16, u4.s8, ...")
           .with_value_name("P"),
       choice(
           "b_layout", &K::b_layout, {"rows", "vnni"},
           "how B lies in memory: rows (row by row) or vnni (already interleaved for the array)"),
       whole("rows", &K::rows, {0, 8}, "rows", "RC: repeat count of the instructions"),
       whole("m_tiles", &K::m_tiles, {0, most_tiles}, "tiles", "height of a block of C"),
       whole("n_tiles", &K::n_tiles, {0, most_tiles}, "tiles", "width of a block of C"),
       whole("k_steps", &K::k_steps, {0, 4}, "steps", "steps of K that a load fetches: 1, 2 or 4"),
       whole("buffers", &K::buffers, {0, 2}, "sets",
             "operand buffers of a thread; with 2 it loads while it multiplies"),
       whole("threads", &K::threads, {0, dpas::most_threads}, "threads",
             "hardware threads; 0: all that the profile has")});
  return table;
}

const ParameterTable<DpasOptions>& dpas_option_parameters() {
  static const ParameterTable<DpasOptions> table =
      filtered("dpas", "A machine with a DPAS array beside its profile.", dpas_machine_parameters(),
               [](const std::string& key) {
                 return key != "threads" && key != "engine" && key != "float_mode" &&
                        key != "ftz_in" && key != "ftz_out" && key != "tf32_all_bits";
               });
  return table;
}

const ParameterTable<DpasOptions>& profile_parameters() {
  static const ParameterTable<DpasOptions> table =
      filtered("profile", "What the profile says, to be replaced one by one.",
               dpas_profile_overrides(), [](const std::string&) { return true; });
  return table;
}

void put_on_board(GemmConfig& config, const Board& board) {
  config.board_path = board.path;
  config.board = board;
  config.dpas.machine.memory = dpas::MemoryKind::axi;
}

[[noreturn]] void refuse_tcu_name(const std::string& machine, const std::string& name) {
  const std::vector<std::string> boards = config_names("boards");
  const std::vector<std::string> architectures = config_names("arch", ".tarch");
  std::vector<std::string_view> all(boards.begin(), boards.end());
  all.insert(all.end(), architectures.begin(), architectures.end());
  user_error("no machine {}{}; allowed: tcu: and a board ({}), an architecture ({}) or F.tarch",
             quote(machine), suggestion(name, all), one_line(boards), one_line(architectures));
}

GemmConfig named_machine(const std::string& name, const std::string& beside) {
  if (const std::size_t at = name.rfind('@'); at != std::string::npos) {
    GemmConfig config = named_machine(name.substr(0, at), beside);
    config.machine = name;
    if (!config.board_path.empty()) {
      user_error("machine {}: {} has a board already", quote(name), quote(name.substr(0, at)));
    }
    put_on_board(config, read_board(path_of("boards", name.substr(at + 1), beside)));
    return config;
  }
  GemmConfig config;
  config.machine = name;
  const std::size_t colon = name.find(':');
  const std::string kind = colon == std::string::npos ? "dpas" : name.substr(0, colon);
  const std::string rest = colon == std::string::npos ? name : name.substr(colon + 1);
  if (kind == "tcu" && !rest.empty()) {
    config.is_tcu = true;
    // A name that is both a board's and an architecture's means the board.
    const bool is_board = rest.find('/') != std::string::npos || ends_with(rest, ".json") ||
                          is_config_name("boards", rest);
    if (ends_with(rest, ".tarch") || (!is_board && is_config_name("arch", rest, ".tarch"))) {
      config.architecture = tcu::read_architecture(path_of("arch", rest, beside, ".tarch"));
      // The memory is nearly ideal if each port has one vector per cycle.
      const std::uint64_t vector_bits = 8 * config.architecture.vector_bytes();
      auto width = static_cast<unsigned>(axi_width_range.max);
      while (width > axi_width_range.min && vector_bits % width != 0) width /= 2;
      config.board.axi_data_bits = width;
    } else {
      if (!is_board) refuse_tcu_name(name, rest);
      const Board board = read_board(path_of("boards", rest, beside));
      config.board_path = board.path;
      config.board = board;
      config.architecture = board.architecture;
    }
    return config;
  }
  const std::vector<std::string> names = config_names("dpas");
  const std::string allowed = fmt::format(
      "allowed: a profile ({}) or dpas:F.json, tcu:F.tarch or tcu: and an architecture ({}), each "
      "of them with @ and a board, or tcu: and a board ({})",
      one_line(names), one_line(config_names("arch", ".tarch")), one_line(config_names("boards")));
  if (kind != "dpas" || rest.empty()) user_error("no machine {}; {}", quote(name), allowed);
  const bool is_path = rest.find('/') != std::string::npos || ends_with(rest, ".json");
  if (!is_path && std::find(names.begin(), names.end(), rest) == names.end()) {
    user_error("no machine {}{}; {}", quote(name), suggestion(rest, {names.begin(), names.end()}),
               allowed);
  }
  config.dpas.machine.profile = dpas::read_profile(path_of("dpas", rest, beside));
  return config;
}

DpasRunnerConfig dpas_runner_config(const GemmConfig& config) {
  DpasRunnerConfig dpas;
  static_cast<BoardValues&>(dpas.simulation) = config.board;
  dpas.simulation.machine = config.dpas.machine;
  dpas.simulation.machine.engine = config.engine;
  const bool axi = dpas.simulation.machine.memory == dpas::MemoryKind::axi;
  if (!axi && !config.board_path.empty()) {
    user_error("{}: a board needs --memory-port axi (memory_port), not ideal", config.machine);
  }
  if (axi || !config.board.board_memory)
    dpas.simulation.resolved_ddr = resolve_port_memory(config.board);
  dpas.precision = parse_precision(config.kernel.precision, "precision");
  dpas.b_layout = config.kernel.b_layout;
  const KernelOptions& k = config.kernel;
  dpas.wishes = {k.rows, k.m_tiles, k.n_tiles, k.k_steps, k.buffers, k.threads};
  return dpas;
}

std::unique_ptr<Runner> make_runner(const GemmConfig& config) {
  if (config.is_tcu) {
    TcuSimulationConfig tcu = tcu_config(config.board, config.architecture);
    tcu.engine = config.engine;
    TcuUnits::check_ports(tcu, 1);
    return make_tcu_runner(config.machine, tcu);
  }
  const dpas::Profile& profile = config.dpas.machine.profile;
  if (profile.grf_bytes != 4 * profile.execution_size) {
    user_error(
        "{}: {} channels with registers of {} bytes; allowed: registers of {}, 4 bytes a "
        "channel",
        config.machine, profile.execution_size, profile.grf_bytes, 4 * profile.execution_size);
  }
  return make_dpas_runner(config.machine, dpas_runner_config(config));
}

}  // namespace tactus::gemm
