#include <filesystem>

#include "firmware/gemm/comparison.h"
#include "firmware/gemm/config.h"
#include "firmware/gemm/figures.h"
#include "firmware/sweep/network_point.h"
#include "firmware/sweep/read_section.h"
#include "firmware/sweep/runner.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

constexpr const char* default_shape = "256x256x256";

/// The full path of a path relative to the folder of `file`, so that the point does not depend on
/// the current folder. A name, without / and dot, is returned unchanged.
std::string full_path(const std::string& path, const std::string& file) {
  if (path.find('/') == std::string::npos && path.find('.') == std::string::npos) return path;
  return full_path_beside(path, file);
}

/// The name of a machine, with the paths in it replaced by full paths.
std::string full_name(const std::string& machine, const std::string& file) {
  if (const std::size_t at = machine.rfind('@'); at != std::string::npos) {
    return full_name(machine.substr(0, at), file) + "@" + full_path(machine.substr(at + 1), file);
  }
  const std::size_t colon = machine.find(':');
  const std::string path = machine.substr(colon == std::string::npos ? 0 : colon + 1);
  const std::string full = full_path(path, file);
  if (full == path) return machine;
  return (colon == std::string::npos ? "dpas:" : machine.substr(0, colon + 1)) + full;
}

gemm::GemmConfig config_of(const Configuration& configuration) {
  gemm::GemmConfig config =
      gemm::named_machine(configuration.at("board").at("machine").get<std::string>());
  read_section(configuration, "board", board_parameters(), config.board);
  if (config.is_tcu) {
    read_section(configuration, "architecture", tcu::architecture_parameters(),
                 config.architecture);
  } else {
    read_section(configuration, "kernel", gemm::kernel_parameters(), config.kernel);
    read_section(configuration, "dpas", gemm::dpas_option_parameters(), config.dpas);
    read_section(configuration, "profile", gemm::profile_parameters(), config.dpas);
  }
  return config;
}

gemm::Problem problem_of(const Configuration& configuration) {
  return gemm::parse_shape(configuration.at("workload").at("gemm").get<std::string>(),
                           "workload.gemm");
}

gemm::ProductRequest request_of(const Configuration& configuration) {
  gemm::ProductRequest request;
  request.seed = configuration.at("workload").at("seed").get<std::uint64_t>();
  request.energy = configuration.at("measure").at("energy").get<std::string>();
  if (!request.energy.empty()) request.energies = energy::read_table(request.energy);
  return request;
}

Configuration gemm_defaults(const std::string& machine, const std::string& file) {
  gemm::GemmConfig config = gemm::named_machine(machine, file);
  // Every key of a point must have a value.
  config.dpas.machine.ideal_latency = config.dpas.machine.ideal_cycles();
  Configuration result;
  result["workload"] = {{"gemm", default_shape}, {"seed", 1}};
  result["measure"] = {{"energy", ""}};
  result["board"]["machine"] = full_name(machine, file);
  if (config.board_path.empty()) {
    board_parameters().write(result["board"], config.board);
  } else {
    const std::string board = std::filesystem::absolute(config.board_path);
    const Configuration defaults = board_defaults(board, file);
    for (const auto& value : defaults.at("board").items()) {
      if (value.key() != "name") result["board"][value.key()] = value.value();
    }
  }
  if (config.is_tcu) {
    result["architecture"] = architecture_values(config.architecture);
  } else {
    gemm::kernel_parameters().write(result["kernel"], config.kernel);
    gemm::dpas_option_parameters().write(result["dpas"], config.dpas);
    gemm::profile_parameters().write(result["profile"], config.dpas);
  }
  return result;
}

void check_gemm(const Configuration& configuration) {
  const auto runner = gemm::make_runner(config_of(configuration));
  (void)problem_of(configuration);
  const gemm::ProductRequest request = request_of(configuration);
  if (request.energies) (void)energy::Meter(*request.energies, runner->parts());
}

Configuration evaluate_gemm(const Configuration& configuration, const bench::ProgramCache&,
                            std::uint64_t max_cycles) {
  const auto runner = gemm::make_runner(config_of(configuration));
  gemm::ProductRequest request = request_of(configuration);
  if (max_cycles != 0) request.max_cycles = max_cycles;
  const gemm::Measurement m = runner->run(problem_of(configuration), request);
  if (!m.wrong.empty()) user_error("{}: {}", runner->name(), m.wrong);
  Configuration figures = gemm::figures_json(m);
  if (!m.energy.is_null()) figures["energy"] = m.energy;
  // Adds figures under the names that all kinds of points use.
  figures["frames_per_second"] = 1e3 / figures.at("latency_ms").get<double>();
  figures["dram_read_bytes"] = m.levels.front().bytes_read;
  figures["dram_write_bytes"] = m.levels.front().bytes_written;
  figures["memory_bits"] = runner->on_chip_bits();
  figures["multipliers"] = m.peak_macs;
  figures["accounted_cycles"] = m.run.accounting.cycles;
  Configuration& lost = figures["lost_by_reason"];
  lost = Configuration::object();
  for (const gemm::Lost& reason : gemm::lost_by_reason(m)) lost[reason.name] = reason.cycles;
  for (const gemm::Level& level : m.levels) {
    figures["levels"][gemm::key(level.name)] = {{"bytes_read", level.bytes_read},
                                                {"bytes_written", level.bytes_written}};
  }
  for (const gemm::OnChipMemory& memory : runner->on_chip()) {
    figures["on_chip"][gemm::key(memory.name)] = memory.bits;
  }
  return figures;
}

void check_gemm_value(const std::string& key, const std::string& value, const std::string&) {
  if (key == "workload.gemm") (void)gemm::parse_shape(value, "the shape");
  if (key == "kernel.precision") (void)gemm::parse_precision(value, "the precision");
}

}  // namespace

Runner gemm_runner() {
  return {"workload.gemm",
          "matrix product",
          "in place of network: a matrix product MxNxK",
          "board.machine",
          "board.machine",
          {gemm::kernel_parameters().section(), gemm::dpas_option_parameters().section(),
           gemm::profile_parameters().section()},
          {{"measure", "energy", "energy_sha256", energy_file}},
          gemm_defaults,
          check_gemm_value,
          check_gemm,
          evaluate_gemm,
          gemm::figure_columns,
          measure_sections};
}

}  // namespace tactus::sweep
