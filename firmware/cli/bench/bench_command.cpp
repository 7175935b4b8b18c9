// tactus bench: the table of networks on boards.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "firmware/bench/table_config.h"
#include "firmware/cli/args.h"
#include "firmware/cli/bench/bench_replays.h"
#include "firmware/cli/column_tables.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/standard_output.h"
#include "firmware/cli/table.h"
#include "firmware/driver/common/throughput.h"
#include "firmware/process/pool.h"
#include "firmware/report/version.h"
#include "isa/support/csv.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using bench::Figures;
using bench::Row;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_jobs = 256;

/// The result of a row, or the reason for having none.
struct Outcome {
  std::optional<Figures> figures;
  std::string error;
  double seconds = 0;
};

std::vector<Args::Option> bench_options() {
  return {
      {"config", "NAME|F.json", "rows, of configs/bench or a file (default: default)"},
      {"filter", "TEXT", "only rows whose \"network strategy board\" contains TEXT"},
      {"models", "DIR",
       "for a table of Edge TPU models: folder with their files (default: "
       "$TACTUS_SHARED/golden/darwinn/tflite, or here)"},
      {"all", "", "also run the rows that take minutes"},
      {"list", "", "print the rows and run nothing"},
      {"speed", "N",
       "measure the simulator instead: each row N times, one at a time; prints the least time of a "
       "simulation and the simulated cycles a second (rows: --config speed)"},
      {"jobs", "N", "rows at a time, a process each (default: number of cores)", false, 'j'},
      {"json", "F", "write all figures as JSON"},
      {"csv", "F", "write all figures as CSV"},
      {"no-cache", "", "compile every network, keep no programs"},
      {"row", "", "run one row, a task as JSON on standard input (used for the processes)", false,
       0, "", true},
  };
}

std::optional<std::string> cache_folder(const Args& args) {
  return args.has("no-cache") ? std::nullopt : bench::ProgramCache::default_folder();
}

int run_row(const Args& args) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const bench::Task task = bench::parse_task(text, "standard input");
  const Figures figures = bench::evaluate(task, bench::ProgramCache(cache_folder(args)));
  fmt::print("{}\n", to_json(figures));
  return exit_ok;
}

// ---- the table ------------------------------------------------------------------------------

std::string published_cell(const Row& row) {
  if (!row.published) return "";
  return fmt::format("{:g} ({})", row.published->latency_ms, row.published->date);
}

/// True if the table has columns with the optimising compiler's prediction and bound.
bool shows_bounds(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.task.optimise; });
}

/// True if the table has a column with the cycles of constants that are copied once: a row keeps
/// them in local memory, or is a compiled model, which may.
bool shows_constants(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    const compiler::Strategy strategy = row.task.strategy;
    return row.task.source == bench::Source::model || row.task.resident ||
           (!row.task.optimise && (strategy == compiler::Strategy::local_consts ||
                                   strategy == compiler::Strategy::local_vars_and_consts));
  });
}

Table make_table(const std::vector<Row>& rows) {
  std::vector<Table::Column> columns{{"network", true},
                                     {"board", true},
                                     {"array"},
                                     {"MHz"},
                                     {"instructions"},
                                     {"cycles"},
                                     {"latency ms"},
                                     {"frames/s"},
                                     {array_figures::busy_title},
                                     {array_figures::useful_title},
                                     {"estimate ms"},
                                     {"published ms", true},
                                     {"measured frames/s", true},
                                     {"off by cycles"},
                                     {"host us"},
                                     {"host s"}};
  if (shows_bounds(rows)) {
    columns.insert(columns.end(), {{"predicted"}, {"bound"}, {"times fewer"}});
  }
  if (shows_constants(rows)) columns.push_back({"constants, once"});
  Table table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.program(),
                                   row.board.name,
                                   "",
                                   "",
                                   "",
                                   "999999999",
                                   "",
                                   "9999.99",
                                   "",
                                   "",
                                   "",
                                   published_cell(row),
                                   "",
                                   "",
                                   "",
                                   ""};
    if (shows_bounds(rows)) cells.insert(cells.end(), {"999999999", "999999999", "9.99"});
    if (shows_constants(rows)) cells.emplace_back("999999999");
    table.fit(cells);
  }
  return table;
}

double milliseconds(const Row& row, std::uint64_t cycles) {
  return cycles_in_ms(cycles, row.task.clock_mhz);
}

/// Compares a simulation with a measurement on the board. The measured time includes the host's,
/// which the board's file states; simulated figures do not.
struct RowComparison {
  double measured_cycles = 0;
  /// Simulated cycles and those of the host, minus measured cycles.
  double error_cycles = 0;
  std::optional<double> error_percent;  ///< error of the frames per second; empty without a latency
};

RowComparison compare(const Row& row, const Figures& figures) {
  RowComparison comparison;
  comparison.measured_cycles = row.task.clock_mhz * 1e6 / row.measured->frames_per_second;
  const double simulated =
      static_cast<double>(figures.cycles) + row.task.host_us * row.task.clock_mhz;
  comparison.error_cycles = simulated - comparison.measured_cycles;
  if (simulated > 0) {
    comparison.error_percent = 100 * (comparison.measured_cycles / simulated - 1);
  }
  return comparison;
}

std::string measured_cell(const Row& row, const Figures& figures) {
  if (!row.measured) return "";
  const auto error = compare(row, figures).error_percent;
  return fmt::format("{}{}", row.measured->frames_per_second,
                     error ? fmt::format(" ({:+.2f} %)", *error) : "");
}

std::string error_cell(const Row& row, const Figures& figures) {
  return row.measured ? fmt::format("{:+.0f}", compare(row, figures).error_cycles) : "";
}

std::string host_cell(const Row& row) {
  return row.measured ? fmt::format("{:g}", row.task.host_us) : "";
}

/// Cycles for an image of the row that is equal but for the optimiser; 0: there is none.
std::uint64_t cycles_before(const std::vector<Row>& rows, const std::vector<Outcome>& outcomes,
                            const Row& row) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& other = rows[i];
    if (other.task.optimise || !outcomes[i].figures || other.network != row.network ||
        other.board.name != row.board.name || other.changes != row.changes) {
      continue;
    }
    return outcomes[i].figures->cycles;
  }
  return 0;
}

std::vector<std::string> bound_cells(const Row& row, const Figures& figures, std::uint64_t before) {
  if (!figures.predicted_cycles) return {"", "", ""};
  return {fmt::format("{}", *figures.predicted_cycles),
          figures.bound_cycles ? fmt::format("{}", *figures.bound_cycles) : "",
          before == 0 ? ""
                      : fmt::format("{:.2f}", static_cast<double>(before * row.task.batch) /
                                                  static_cast<double>(figures.cycles))};
}

std::string percent_cell(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

std::string line(const Table& table, const Row& row, const Outcome& outcome,
                 const std::optional<std::uint64_t>& before, bool constants) {
  const std::uint64_t n = row.task.architecture.array_size;
  std::vector<std::string> cells{row.program(), row.board.name, fmt::format("{}x{}", n, n),
                                 fmt::format("{:g}", row.task.clock_mhz)};
  if (!outcome.figures) {
    std::string text = table.line(cells);
    text.pop_back();
    return text + "  FAILED: " + outcome.error.substr(0, outcome.error.find('\n')) + "\n";
  }
  const Figures& figures = *outcome.figures;
  for (std::string cell :
       {fmt::format("{}", figures.instructions), fmt::format("{}", figures.cycles),
        fmt::format("{:.3f}", figures.latency_ms),
        figures.frames_per_second ? fmt::format("{:.2f}", *figures.frames_per_second) : "-",
        percent_cell(figures.array_busy), percent_cell(figures.useful_mac),
        fmt::format("{:.3f}", milliseconds(row, figures.estimated_cycles)), published_cell(row),
        measured_cell(row, figures), error_cell(row, figures), host_cell(row),
        fmt::format("{:.1f}", outcome.seconds)}) {
    cells.push_back(std::move(cell));
  }
  if (before) {
    for (std::string& cell : bound_cells(row, figures, *before)) cells.push_back(std::move(cell));
  }
  if (constants) cells.push_back(fmt::format("{}", figures.constants_cycles));
  return table.line(cells);
}

void print_notes(const std::vector<Row>& rows, std::size_t left) {
  std::set<std::string> notes;
  for (const Row& row : rows) {
    if (row.published) {
      notes.insert(fmt::format("published, {}: {} (an estimate, not a measurement)",
                               row.published->date, row.published->source));
    }
    if (row.measured) {
      notes.insert(fmt::format("measured, {}: {}", row.measured->date, row.measured->source));
    }
    if (row.task.compat) {
      notes.insert(
          fmt::format("{}: compiled byte for byte as the reference does (--compat)", row.title()));
    }
    if (row.changes.empty()) continue;
    notes.insert(
        fmt::format("{} on {}: architecture with {}", row.network, row.board.name, row.changes));
  }
  fmt::print(
      "latency: one image, simulated cycle by cycle, without the host; boards and their memories: "
      "configs/boards\n"
      "estimate: the reference's formula, which knows neither memory nor instruction delivery\n");
  const bool any_measured = std::any_of(rows.begin(), rows.end(),
                                        [](const Row& row) { return row.measured.has_value(); });
  if (any_measured) {
    fmt::print(
        "off by cycles: simulated cycles and the host's time in each run (host us, of the board), "
        "less the measured ones\n");
  }
  if (shows_bounds(rows)) {
    fmt::print(
        "predicted: the optimising compiler's cost model, memory of fixed latency; bound: the "
        "matrices it chose, their weight changes and a DataMove of each result; times fewer: "
        "cycles an image of many, against the row without optimisation\n");
  }
  if (shows_constants(rows)) {
    fmt::print(
        "constants, once: cycles before the first image in which constants are copied to local "
        "memory; they are in no other column\n");
  }
  for (const std::string& note : notes) fmt::print("{}\n", note);
  if (left > 0) fmt::print("{} with --all, which may take minutes\n", counted(left, "more row"));
}

/// Prints a table of the rows in which requests arrive, with a line for each network. Prints
/// nothing if there are none.
void print_served(const std::vector<Row>& rows, const std::vector<Outcome>& outcomes) {
  Table table;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!outcomes[i].figures || outcomes[i].figures->serving.is_null()) continue;
    std::string title = rows[i].program();
    for (const auto& [name, figures] : outcomes[i].figures->serving.items()) {
      table.begin_row();
      table.cell({"requests that arrive", true}, std::exchange(title, ""));
      table.cell({"board", true}, rows[i].board.name);
      table.cell({"network", true}, name);
      for (const char* key : {"done", "dropped"}) table.cell({key}, figures.at(key).dump());
      const auto number = [&table](const char* column, int digits, const Json& value) {
        table.cell({column},
                   value.is_null() ? "" : fmt::format("{:.{}f}", value.get<double>(), digits));
      };
      number("frames/s", 2, figures.at("frames_per_second"));
      const Json latency = figures.value("latency_ms", Json::object());
      number("median ms", 3, latency.value("median", Json()));
      number("99 % ms", 3, latency.value("p99", Json()));
      number("max ms", 3, latency.value("max", Json()));
      number("slowdown", 4, latency.empty() ? Json() : figures.at("slowdown"));
    }
  }
  if (!table.rows.empty()) fmt::print("\n{}", table.text());
}

// ---- files ----------------------------------------------------------------------------------

Json row_json(const Row& row, const Outcome& outcome) {
  Json json;
  json["network"] = row.network;
  json["board"] = row.board.name;
  json["strategy"] = row.task.source == bench::Source::model
                         ? Json()
                         : Json(std::string(to_string(row.task.strategy)));
  json["task"] = json_of_text(to_json(row.task));
  json["status"] = outcome.figures ? "ok" : "failed";
  json["figures"] = outcome.figures ? json_of_text(to_json(*outcome.figures)) : Json();
  json["error"] = outcome.figures ? Json() : Json(outcome.error);
  json["estimated_ms"] =
      outcome.figures ? Json(milliseconds(row, outcome.figures->estimated_cycles)) : Json();
  json["estimated_2022_ms"] =
      outcome.figures ? Json(milliseconds(row, outcome.figures->estimated_cycles_2022)) : Json();
  json["published"] = Json();
  if (row.published) {
    json["published"] = {{"latency_ms", row.published->latency_ms},
                         {"source", row.published->source},
                         {"date", row.published->date}};
  }
  json["measured"] = Json();
  if (row.measured) {
    json["measured"] = {{"frames_per_second", row.measured->frames_per_second},
                        {"source", row.measured->source},
                        {"date", row.measured->date}};
    if (outcome.figures) {
      const RowComparison comparison = compare(row, *outcome.figures);
      json["measured"]["host_us"] = row.task.host_us;
      json["measured"]["cycles"] = comparison.measured_cycles;
      json["measured"]["error_cycles"] = comparison.error_cycles;
      json["measured"]["deviation_percent"] =
          comparison.error_percent ? Json(*comparison.error_percent) : Json();
    }
  }
  json["host_seconds"] = outcome.seconds;
  return json;
}

std::string to_csv(const Json& rows) {
  return named_csv(rows.size(), [&](std::size_t i) {
    NamedCells cells;
    for (const auto& [name, value] : rows[i].items()) {
      // null if the object is absent
      const bool object = name == "figures" || name == "published" || name == "measured";
      if (!object || !value.is_null()) add_named_cells(value, name, cells);
    }
    return cells;
  });
}

// ---- the run --------------------------------------------------------------------------------

std::vector<Row> choose_rows(const Args& args, std::size_t& left) {
  const std::string config = args.text("config").value_or("default");
  const std::string filter = args.text("filter").value_or("");
  std::vector<Row> chosen;
  const std::vector<Row> rows = bench::read_rows(config);
  std::string titles;
  for (const Row& row : rows) {
    titles += "\n  " + row.title();
    if (row.title().find(filter) == std::string::npos) continue;
    // A row selected by name runs even if it takes minutes.
    if (row.standard || args.has("all") || !filter.empty()) {
      chosen.push_back(row);
    } else {
      ++left;
    }
  }
  if (chosen.empty()) {
    user_error("tactus bench: no row contains {}; the rows of {}:{}", quote(filter), config,
               titles);
  }
  return chosen;
}

Outcome outcome_of(const JobResult& result) {
  Outcome outcome;
  outcome.seconds = result.seconds;
  if (result.exit_code == exit_ok) {
    outcome.figures = bench::parse_figures(result.output, "row");
    return outcome;
  }
  outcome.error = result.messages;
  if (result.signal != 0) outcome.error += fmt::format("ended by signal {}", result.signal);
  constexpr std::string_view prefix = "tactus: error: ";
  if (outcome.error.rfind(prefix, 0) == 0) outcome.error.erase(0, prefix.size());
  while (!outcome.error.empty() && outcome.error.back() == '\n') outcome.error.pop_back();
  if (outcome.error.empty()) outcome.error = fmt::format("exit code {}", result.exit_code);
  return outcome;
}

/// The process that runs a row.
Job row_job(const Args& args, const Row& row) {
  Job job{{"bench", "--row"}, to_json(row.task)};
  if (args.has("no-cache")) job.arguments.emplace_back("--no-cache");
  return job;
}

/// Runs the rows in processes. Prints each row as soon as all rows before it are printed.
std::vector<Outcome> run_rows(const Args& args, const std::vector<Row>& rows, const Table& table,
                              std::size_t jobs) {
  std::vector<Outcome> outcomes(rows.size());
  std::vector<bool> ready(rows.size());
  std::size_t printed = 0;
  std::size_t finished = 0;
  auto progress = std::make_unique<Progress>(rows.size());
  const auto next = [&](std::size_t number, Job& job) {
    if (number == rows.size()) return false;
    job = row_job(args, rows[number]);
    progress->show(
        fmt::format("{} of {} rows done, running {}", finished, rows.size(), rows[number].title()),
        finished);
    return true;
  };
  const auto done = [&](std::size_t number, const JobResult& result) {
    outcomes[number] = outcome_of(result);
    ready[number] = true;
    ++finished;
    progress->clear();
    for (; printed < rows.size() && ready[printed]; ++printed) {
      std::optional<std::uint64_t> before;
      if (shows_bounds(rows)) before = cycles_before(rows, outcomes, rows[printed]);
      fmt::print("{}",
                 line(table, rows[printed], outcomes[printed], before, shows_constants(rows)));
      std::fflush(stdout);
    }
  };
  run_jobs(std::min(jobs, rows.size()), next, done);
  return outcomes;
}

// ---- the simulator's speed ------------------------------------------------------------------

/// Runs each row several times, one at a time, and prints the least time that a simulation took,
/// with its elaboration, and the cycles a second.
int measure_speed(const Args& args, const std::vector<Row>& rows, std::size_t times) {
  std::vector<Outcome> best(rows.size());
  const auto next = [&](std::size_t number, Job& job) {
    if (number == rows.size() * times) return false;
    job = row_job(args, rows[number / times]);
    return true;
  };
  const auto done = [&](std::size_t number, const JobResult& result) {
    Outcome outcome = outcome_of(result);
    Outcome& known = best[number / times];
    const bool slower = outcome.figures && known.figures &&
                        outcome.figures->simulate_seconds >= known.figures->simulate_seconds;
    if (!slower) known = std::move(outcome);
  };
  run_jobs(1, next, done);
  Table table({{"network", true},
               {"board", true},
               {"memory", true},
               {"array"},
               {"images"},
               {"cycles"},
               {"seconds"},
               {"Mcycles/s"}});
  std::size_t failed = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bench::Task& task = rows[i].task;
    if (!best[i].figures) {
      fmt::print(stderr, "tactus bench: {}: {}\n", rows[i].title(), best[i].error);
      ++failed;
      continue;
    }
    const Figures& figures = *best[i].figures;
    const std::uint64_t cycles = figures.cycles * runs_of(task.images(), figures.batch);
    table.row({rows[i].program(), rows[i].board.name,
               task.memory_model == MemoryModel::board ? "board's" : "fixed latency",
               fmt::format("{0}x{0}", task.architecture.array_size),
               fmt::format("{}", task.images()), fmt::format("{}", cycles),
               fmt::format("{:.3f}", figures.simulate_seconds),
               fmt::format("{:.1f}", static_cast<double>(cycles) / 1e6 /
                                         std::max(1e-9, figures.simulate_seconds))});
  }
  fmt::print("{}seconds: the least of {}, of one process on one core, elaboration included\n",
             table.text(), counted(times, "simulation"));
  return failed == 0 ? exit_ok : exit_mismatch;
}

}  // namespace

std::vector<Figure> bench_columns() {
  std::vector<Figure> columns{
      {"network", "text", "network of the zoo, or a file"},
      {"board", "text", "board of configs/boards, or a file"},
      {"strategy", "text", "strategy of the compiler; empty for a compiled model"},
      {"task.*", "", "the row's parameters in full; tactus explain KEY explains each"},
      {"status", "text", "ok or failed"},
      {"error", "text", "why a row failed"},
      {"estimated_ms", "ms", "estimated_cycles at the board's clock"},
      {"estimated_2022_ms", "ms", "estimated_cycles_2022 at the board's clock"},
      {"published.latency_ms", "ms", "as published: an estimate, not a measurement"},
      {"published.source", "text", "where it was published"},
      {"published.date", "text", "when it was published"},
      {"measured.frames_per_second", "1/s", "as measured on the board"},
      {"measured.source", "text", "who measured"},
      {"measured.date", "text", "when it was measured"},
      {"measured.host_us", "us", "time of the host in each run, from the board's file"},
      {"measured.cycles", "cycles", "the measured time at the board's clock"},
      {"measured.error_cycles", "cycles",
       "simulated cycles plus the host's, minus the measured cycles"},
      {"measured.deviation_percent", "%",
       "deviation of simulated frames per second from the measured ones"},
      {"host_seconds", "s", "time that the host took for the row"}};
  for (Figure figure : bench::figure_columns()) {
    figure.name = "figures." + figure.name;
    columns.push_back(std::move(figure));
  }
  return columns;
}

int bench_command(const Words& words) {
  Args args("bench",
            "Compiles networks, simulates them cycle by cycle on boards and prints a table with\n"
            "latencies, next to what was estimated, published and measured.",
            bench_options());
  if (!args.parse(words)) return exit_ok;
  if (args.has("row")) return run_row(args);
  if (const auto replays = bench::read_replay_rows(args.text("config").value_or("default"))) {
    return bench_replays(args, *replays);
  }
  std::size_t left = 0;
  const std::vector<Row> rows = choose_rows(args, left);
  if (args.has("list")) {
    for (const Row& row : rows) fmt::print("{}\n", row.title());
    return exit_ok;
  }
  if (args.has("speed")) {
    constexpr std::uint64_t most_times = 1000;
    for (const char* option : {"json", "csv", "jobs"}) {
      if (args.has(option)) user_error("tactus bench: --speed goes not with --{}", option);
    }
    return measure_speed(args, rows, args.number("speed", 1, 1, most_times));
  }
  for (const char* option : {"json", "csv"}) {
    if (const auto path = args.text(option)) {
      claim_output(*path);
      keep_going_without_reader();
    }
  }

  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const auto jobs = static_cast<std::size_t>(args.number("jobs", cores, 1, most_jobs));

  const Table table = make_table(rows);
  fmt::print("{}", table.header());
  std::fflush(stdout);
  const std::vector<Outcome> outcomes = run_rows(args, rows, table, jobs);
  print_served(rows, outcomes);
  fmt::print("\n");
  print_notes(rows, left);

  Json json = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) json.push_back(row_json(rows[i], outcomes[i]));
  if (const auto path = args.text("csv")) write_file_atomically(*path, to_csv(json));
  if (const auto path = args.text("json")) {
    Json file;
    file["tool"] = "tactus";
    file["version"] = version;
    file["revision"] = git_revision;
    file["config"] = args.text("config").value_or("default");
    file["rows"] = std::move(json);
    write_file_atomically(*path, text_of_json(file, 2) + "\n");
  }
  std::size_t failed = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (outcomes[i].figures) continue;
    ++failed;
    fmt::print(stderr, "tactus bench: {}: {}\n", rows[i].title(), outcomes[i].error);
  }
  return failed == 0 ? exit_ok : exit_mismatch;
}

}  // namespace tactus
