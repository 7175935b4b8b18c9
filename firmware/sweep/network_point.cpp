#include "firmware/sweep/network_point.h"

#include <algorithm>
#include <filesystem>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "firmware/energy/tcu.h"
#include "firmware/sweep/runner.h"
#include "firmware/zoo/network_file.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

bool is_file(const std::string& network) {
  return nn::is_network_file(network) || ends_with(network, ".tmodel") ||
         ends_with(network, ".tprog");
}

NamedFile network_file(const std::string& value, const std::string& beside) {
  if (!is_file(value)) return {value, {}};
  const std::string path = full_path_beside(value, beside);
  return {path, path};
}

void check_network_value(const std::string& key, const std::string& value,
                         const std::string& beside) {
  if (key == "measure.energy" && !value.empty()) {
    (void)energy::read_table(energy::table_path(value, beside));
  }
  if (key != "workload.network") return;
  const std::string file = resolve_beside(beside, value);
  if (!is_file(value)) {
    (void)nn::zoo_entry(value);
  } else if (ends_with(value, ".tmodel")) {
    (void)read_model(file, ProgramChecks::strict);
  } else if (ends_with(value, ".tprog")) {
    (void)read_file(file);  // its instructions depend on the point's architecture
  } else {
    (void)nn::load_network(file);
  }
}

void check_network(const Configuration& configuration) {
  const bench::Task task = to_task(configuration);
  check_machine(task, task.architecture);
  bench::check_runs(task);
}

Configuration evaluate_network(const Configuration& configuration, const bench::ProgramCache& cache,
                               std::uint64_t max_cycles) {
  bench::Task task = to_task(configuration);
  if (max_cycles != 0) task.max_cycles = max_cycles;
  Configuration figures = json_of_text(to_json(bench::evaluate(task, cache)));
  // Figures about the host are not figures of the point.
  for (const char* key : {"from_cache", "compile_seconds", "simulate_seconds"}) figures.erase(key);
  add_size(figures, task.architecture, task.tcus);
  return figures;
}

}  // namespace

Runner network_runner() {
  return {"workload.network",
          "network",
          "",
          "board.name",
          "",
          {bench::compiler_parameters().section(), request_parameters(Asker::points).section()},
          {{"workload", "network", "sha256", network_file},
           {"measure", "energy", "energy_sha256", energy_file}},
          board_defaults,
          check_network_value,
          check_network,
          evaluate_network,
          bench::figure_columns,
          measure_sections};
}

void check_machine(const BoardValues& board, const tcu::Architecture& architecture) {
  check_axi_width(architecture, board.axi_data_bits);
  (void)tcu_config(board, architecture);
}

void add_size(Configuration& figures, const tcu::Architecture& architecture, std::uint64_t units) {
  const energy::OnChip needed = energy::on_chip(architecture, units);
  figures["memory_bits"] = needed.memory_bits;
  figures["multipliers"] = needed.multipliers;
}

bench::Task to_task(const Configuration& configuration) {
  const Configuration& workload = configuration.at("workload");
  const Configuration& board = configuration.at("board");
  const auto network = workload.at("network").get<std::string>();
  // A task has the keys of all sections in one object. Its reader checks their ranges.
  Configuration task;
  task["source"] = nn::is_network_file(network)    ? "onnx"
                   : ends_with(network, ".tmodel") ? "model"
                   : ends_with(network, ".tprog")  ? "program"
                                                   : "network";
  task["workload"] = network;
  task["seed"] = workload.at("seed");
  for (const auto& p : bench::compiler_parameters()) {
    task[p.key] = configuration.at("compiler").at(p.key);
  }
  task["architecture"] = without_nulls(configuration.at("architecture"));
  for (const Parameter<BoardValues>& p : board_parameters()) {
    if (replaces_board_memory(p.key)) continue;  // board.memory of the point has its value already
    if (board.contains(p.key)) task[p.key] = board.at(p.key);
  }
  for (const auto& p : request_parameters(Asker::points)) {
    if (const auto& measure = configuration.at("measure"); measure.contains(p.key)) {
      task[p.key] = measure.at(p.key);
    }
  }
  task["max_cycles"] = 0;
  return bench::parse_task(text_of_json(task), "the point's configuration");
}

Configuration architecture_values(const tcu::Architecture& architecture) {
  Configuration values;
  tcu::architecture_parameters().write(values, architecture);
  for (std::size_t i = 0; i < architecture.dais_blocks.size(); ++i) {
    values["dais_blocks"][i]["program"] =
        std::filesystem::absolute(architecture.dais_blocks[i].path).lexically_normal().string();
  }
  return values;
}

Configuration board_defaults(const std::string& name, const std::string& file) {
  const std::string path = config_path("boards", name);
  const Board board = read_board(path == name ? resolve_beside(file, name) : path);
  const bench::Task task;
  Configuration result;
  bench::workload_parameters().write(result["workload"], task);
  result["board"]["name"] = name;
  BoardValues values = board;
  if (board.board_memory) {
    std::string& preset = values.board_memory->preset;
    const bool is_file = config_path("dram", preset) == preset;
    if (is_file) preset = std::filesystem::absolute(preset).lexically_normal();
    // The keys that axes may vary get values of their own. The rest of the memory stays an object.
    const MemoryPath& port = values.board_memory->path(0);
    values.port_clock_mhz = port.clock_mhz;  // not set: the port follows the design's clock
    values.port_data_bits = port.data_bits;
    values.interconnect_ns = port.interconnect_ns[0];
    values.ddr = preset;
  }
  board_parameters().write(result["board"], values);
  result["architecture"] = architecture_values(board.architecture);
  // An architecture leaves out extensions that are off, but points may switch them on.
  for (const auto& parameter : tcu::architecture_parameters()) {
    Configuration& section = result["architecture"];
    if (tcu::extension_name(parameter.key).empty() || section.contains(parameter.key)) continue;
    if (parameter.type == ParameterType::choice) section[parameter.key] = parameter.choices.front();
    if (parameter.type == ParameterType::whole) section[parameter.key] = parameter.whole.min;
    if (parameter.type == ParameterType::boolean) section[parameter.key] = false;
  }
  // The tables write no empty texts, so their keys are made here.
  result["compiler"] = {{"calibrate", ""}};
  bench::compiler_parameters().write(result["compiler"], task);
  result["measure"] = {{"energy", ""}};
  request_parameters(Asker::points).write(result["measure"], task);
  return result;
}

}  // namespace tactus::sweep
