// tactus topologies: tables of layers, in the form that other simulators use, compiled, simulated
// and compared.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include <fmt/core.h>

#include "firmware/bench/evaluation.h"
#include "firmware/cli/args.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/network/network_commands.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/table.h"
#include "firmware/config/memory.h"
#include "firmware/energy/tcu.h"
#include "firmware/report/comparison.h"
#include "firmware/report/html.h"
#include "firmware/report/layer_table.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/tcu/run_figures.h"
#include "firmware/zoo/topology.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "isa/tcu/architecture_json.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// One topology and the results of its simulation.
struct Simulated {
  std::string name;  ///< name of its file, without the extension
  std::size_t layers = 0;
  std::uint64_t macs = 0, macs_with_padding = 0;
  std::optional<double> busy, useful;  ///< see models/sim/array_figures.h
  double frames_per_second = 0;
  std::uint64_t dram_bytes = 0;
  ComparedRun run;
  TextTable table;
  std::string statistics;
  std::string most_lost;  ///< the main reason for lost cycles; empty: none
};

/// Returns the files as given; for a folder its .csv files, sorted by name.
std::vector<std::string> files_of(const Words& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!fs::is_directory(name)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(name)) {
      if (nn::is_topology(entry.path().string())) found.push_back(entry.path().string());
    }
    if (found.empty()) user_error("{}: has no .csv file", name);
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  std::set<std::string> seen;
  for (const std::string& file : files) {
    const std::string name = fs::path(file).stem().string();
    if (!seen.insert(name).second) {
      user_error("tactus topologies: two files are named {}, and so would be their results", name);
    }
  }
  return files;
}

bench::Task task_of(const Args& args) {
  TcuSimulationConfig config;
  const auto board = read_board_option(args, config);
  if (!board) user_error("tactus topologies: name a board with --board; tactus boards lists them");
  read_memory_options(args, config);
  bench::Task task;
  static_cast<BoardValues&>(task) = config;
  task.architecture = config.architecture;
  task.source = bench::Source::onnx;
  read_options(bench::compiler_parameters(), args, static_cast<compiler::Choices&>(task));
  check_axi_width(task.architecture, task.axi_data_bits);
  task.energy = args.text("energy").value_or("");
  return task;
}

Json configuration_of(const bench::Task& task, const std::string& board) {
  Json json;
  json["topology"] = task.workload;
  json["board"] = board;
  json["architecture"] = json_of_text(tcu::to_json(task.architecture, -1));
  bench::compiler_parameters().write(json["compiler"], task);
  board_parameters().write(json["memory"], task);
  return json;
}

/// Simulates a topology. `task.energy` names the energy table.
Simulated simulate(bench::Task task, const bench::ProgramCache& cache, std::size_t layers,
                   const std::string& file, const std::string& board) {
  Simulated result;
  result.name = fs::path(file).stem().string();
  result.layers = layers;
  task.workload = file;
  Progress progress(0);
  const bench::Prepared prepared = bench::prepare(task, cache, [&](const compiler::Progress& p) {
    if (p.done == 0) progress.begin(p.all);
    progress.show(fmt::format("{}: {}", result.name, p.what), p.done);
  });
  const bench::Program& program = prepared.program;
  const tcu::ModelFile& model = program.model.file;
  result.macs = program.true_macs;
  result.macs_with_padding = program.macs_with_padding;

  const TcuSimulationConfig config = bench::machine_config(task);
  TcuSimulation simulation(config);
  Host host(simulation, program.model, HostMode::plain);
  const auto require_finished = [&](const TcuRunResult& run) {
    if (run.end == RunEnd::finished) return;
    user_error("{}: the program hangs after {}", file, counted(run.cycles, "cycle"));
  };
  if (const auto stuck = host.prepare()) require_finished(*stuck);
  TcuRunOptions run_options;
  run_options.regions = regions_of(model.layers);
  progress.begin(model.layers.empty() ? 0 : model.layers.back().first + model.layers.back().count);
  run_options.progress = [&](Cycle cycles, std::uint64_t done) { progress.update(cycles, done); };
  const auto start = std::chrono::steady_clock::now();
  TcuImages ran;
  ran.images.push_back(host.run_image(bench::seeded_inputs(program, task.seed), run_options));
  const TcuRunResult& run = ran.images.front().run;
  progress.clear();
  require_finished(run);

  RunDocument document =
      tcu_document("topology", file, config, simulation.machine().rates(), ran, result.macs);
  document.board = board;
  document.batch = model.batch;
  document.expected = expectations(model.layers);
  document.configuration = configuration_of(task, board);
  document.total_cycles = simulation.now();
  document.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (const auto meter = energy::meter_of(task.energy, config.architecture)) {
    energy::add_to(document, *meter, config);
  }

  result.statistics = stats_json(document);
  result.run = run_of_statistics(json_of_text(result.statistics), file, result.name);
  result.run.parts.clear();  // layers of different networks cannot be compared
  result.table = layer_table(document);
  result.frames_per_second = static_cast<double>(model.batch) * 1e3 / result.run.latency_ms;
  result.busy = array_figures::busy(run.array_runs, run.cycles);
  result.useful = array_figures::useful(result.macs, run.cycles, document.rates.peak_macs);
  const std::uint64_t beat = config.axi_data_bits / 8;
  for (unsigned p = 0; p < 2; ++p) {
    result.dram_bytes += (run.read_beats[p] + run.write_beats[p]) * beat;
  }
  const std::vector<LostCycles> lost = lost_cycles(run.accounting.totals);
  if (!lost.empty()) {
    result.most_lost = run.accounting.totals.info->time.states[lost.front().reason].name;
  }
  return result;
}

/// The table of all topologies, for the screen and the page.
TextTable table_of(const std::vector<Simulated>& all) {
  TextTable table;
  for (const Simulated& s : all) {
    table.begin_row();
    table.cell({"topology", true}, s.name);
    table.cell({"layers"}, std::to_string(s.layers));
    table.cell({"MMAC with padding"},
               fmt::format("{:.3f}", static_cast<double>(s.macs_with_padding) / 1e6));
    table.cell({"MMAC without padding"}, fmt::format("{:.3f}", static_cast<double>(s.macs) / 1e6));
    table.cell({"cycles"}, std::to_string(s.run.cycles));
    table.cell({"time"}, time_text(s.run.latency_ms));
    table.cell({"frames/s"}, fmt::format("{:.2f}", s.frames_per_second));
    table.cell({array_figures::busy_title}, fmt::format("{:.1f}", 100 * s.busy.value_or(0)));
    table.cell({array_figures::useful_title}, fmt::format("{:.1f}", 100 * s.useful.value_or(0)));
    table.cell({"DRAM MB"}, fmt::format("{:.3f}", static_cast<double>(s.dram_bytes) / 1e6));
    if (!s.run.energy.empty()) {
      table.cell({"energy"}, fmt::format("{:.5g}", s.run.energy.front().second));
    }
    table.cell({"most lost to", true}, s.most_lost);
  }
  return table;
}

/// A line that names the table of energies; empty if there are none.
std::string energy_line(const std::vector<Simulated>& all) {
  const std::string& table = all.front().run.energy_table;
  return table.empty() ? "" : "energy by table " + table;
}

std::string page_of(const std::vector<Simulated>& all, const std::string& board) {
  html::Page page("Layer topologies on " + board);
  page.sortable();
  page.lead(
      "<p>Each layer of a topology is compiled with an input of its own and simulated cycle by "
      "cycle. Array busy: cycles in which the array multiplies a vector; useful MAC: "
      "multiply-accumulates that the layers ask for, of those that the array could do in all "
      "cycles.</p>\n");
  if (const std::string energy = energy_line(all); !energy.empty()) {
    page.lead("<p>" + html::escape(energy) + ".</p>\n");
  }
  page.section("Topologies", html::list(table_of(all)));
  if (all.size() > 1) {
    std::vector<ComparedRun> runs;
    for (const Simulated& one : all) runs.push_back(one.run);
    for (const auto& [title, html] : comparison_tables(compare_runs(std::move(runs)))) {
      page.section(title, html);
    }
  }
  for (const Simulated& one : all) {
    page.section(fmt::format("Layers of {}", one.name), html::list(one.table));
  }
  return page.html();
}

}  // namespace

int topologies_command(const Words& words) {
  std::vector<Args::Option> options{
      {"board", "NAME|F.json", "a board of configs/boards or a file"},
      {"output", "DIR",
       "write index.html, and of each topology its statistics and layers: NAME.json, NAME.csv"},
      {"energy", "NAME|F.json",
       "energy and area: events times a table, of configs/energy or a file"},
      {"no-cache", "", "compile every topology, keep no programs"}};
  for (const auto& section : {parameter_options(bench::compiler_parameters().section(), "Compiler"),
                              parameter_options(board_parameters().section(), "Board")}) {
    options.insert(options.end(), section.begin(), section.end());
  }
  Args args(
      "topologies",
      "Compiles and simulates layer topologies as other simulators have them: rows of Layer,\n"
      "IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,\n"
      "or of Layer, M, N, K. Of a folder all .csv files. Layers are independent.",
      options, "F.csv|DIR...");
  if (!args.parse(words)) return exit_ok;
  if (args.positional().empty()) user_error("tactus topologies: name a file or a folder");
  const bench::Task task = task_of(args);
  // All files are read before the first simulation.
  const std::vector<std::string> files = files_of(args.positional());
  std::vector<std::size_t> layers;
  for (const std::string& file : files) {
    layers.push_back(nn::parse_topology(read_text(file), file).size());
  }
  (void)energy::meter_of(task.energy, task.architecture);
  const auto folder = args.text("output");
  if (folder) {
    std::error_code error;
    fs::create_directories(*folder, error);
    if (error) user_error("{}: cannot be made: {}", *folder, error.message());
    claim_output(*folder + "/index.html");
    for (const std::string& file : files) {
      const std::string base = *folder + "/" + fs::path(file).stem().string();
      for (const char* extension : {".json", ".csv"}) claim_output(base + extension);
    }
  }
  const std::string board = *args.text("board");
  const bench::ProgramCache cache(args.has("no-cache") ? std::nullopt
                                                       : bench::ProgramCache::default_folder());
  std::vector<Simulated> all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    all.push_back(simulate(task, cache, layers[i], files[i], board));
  }
  if (const std::string energy = energy_line(all); !energy.empty()) fmt::print("{}\n", energy);
  fmt::print("{}", Table(table_of(all)).text());
  if (!folder) return exit_ok;
  for (const Simulated& one : all) {
    write_file_atomically(*folder + "/" + one.name + ".json", one.statistics);
    write_file_atomically(*folder + "/" + one.name + ".csv", to_csv(one.table));
  }
  write_file_atomically(*folder + "/index.html", page_of(all, board));
  fmt::print("page in {}/index.html\n", *folder);
  return exit_ok;
}

}  // namespace tactus
