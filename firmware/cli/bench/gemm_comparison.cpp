#include "firmware/cli/bench/gemm_comparison.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/core.h>

#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/run/dpas_plan.h"
#include "firmware/cli/table.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/gemm/comparison.h"
#include "firmware/gemm/config.h"
#include "firmware/gemm/figures.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/output_file.h"

namespace tactus {
namespace {

using gemm::Comparison;
using gemm::Measurement;
using gemm::Problem;

constexpr const char* files[] = {"stats", "csv", "report", "kernel"};

template <typename T>
std::vector<std::string> option_names(const ParameterTable<T>& table) {
  std::vector<std::string> names;
  for (const Parameter<T>& parameter : table) {
    if (!parameter.option.empty()) names.push_back(parameter.option);
  }
  return names;
}

/// Refuses options that no machine of the comparison uses.
void refuse_unused(const Args& args, const std::vector<gemm::GemmConfig>& machines) {
  const auto any = [&](auto&& is) { return std::any_of(machines.begin(), machines.end(), is); };
  const bool any_tcu = any([](const gemm::GemmConfig& machine) { return machine.is_tcu; });
  const bool any_dpas = any([](const gemm::GemmConfig& machine) { return !machine.is_tcu; });
  args.refuse(
      {"arch", "mac-rounding", "decoder-timeout", "feed-gap", "stall-percent", "stall-seed",
       "shuffle-seed"},
      "is for the built-in product, without --shape and --list; a machine is named with --machine");
  if (any_dpas) {
    if (!any_tcu) {
      refuse_unused_memory(args, machines.front().dpas.machine.memory == dpas::MemoryKind::ideal);
    }
    return;
  }
  std::vector<std::string> names = option_names(gemm::kernel_parameters());
  for (const auto& list :
       {option_names(gemm::dpas_option_parameters()), option_names(gemm::profile_parameters())}) {
    names.insert(names.end(), list.begin(), list.end());
  }
  names.emplace_back("kernel");
  // A TCU itself reports that its precision is fixed.
  names.erase(std::remove(names.begin(), names.end(), "precision"), names.end());
  args.refuse(names, "is for machines with a DPAS array, and none is named");
}

std::vector<Problem> problems_of(const Args& args) {
  std::vector<Problem> problems;
  for (const std::string& shape : args.texts("shape")) {
    problems.push_back(gemm::parse_shape(shape, "tactus gemm: --shape"));
  }
  for (const std::string& name : args.texts("list")) {
    const bool plain = name.find('/') == std::string::npos && name.find('.') == std::string::npos;
    const std::string path = plain ? config_folder() + "/gemm/" + name + ".csv" : name;
    if (plain && !std::filesystem::exists(path)) {
      user_error(
          "tactus gemm: --list {}: configs/gemm has no {}.csv; a list of your own is named "
          "with its path, such as ./{}.csv",
          name, name, name);
    }
    for (Problem& problem : gemm::parse_problems(read_text(path), path)) {
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

std::vector<gemm::GemmConfig> machines_of(const Args& args) {
  std::vector<std::string> names = args.texts("machine");
  if (names.empty()) names.emplace_back("pvc");
  std::optional<Board> board;
  if (const auto name = args.text("board")) board = read_board(*name);
  bool takes_board = false;
  std::vector<gemm::GemmConfig> machines;
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1) {
      user_error("tactus gemm: --machine {} is given twice", name);
    }
    gemm::GemmConfig config = gemm::named_machine(name);
    const bool lacks_board = config.board_path.empty();
    takes_board |= lacks_board;
    if (board && lacks_board) gemm::put_on_board(config, *board);
    read_options(gemm::kernel_parameters(), args, config.kernel);
    read_options(gemm::dpas_option_parameters(), args, config.dpas);
    read_options(gemm::profile_parameters(), args, config.dpas);
    config.engine = read_engine(args);
    machines.push_back(std::move(config));
  }
  if (board && !takes_board) {
    user_error(
        "tactus gemm: --board is for machines without a board, and all that are named have one");
  }
  refuse_unused(args, machines);
  for (gemm::GemmConfig& config : machines) read_memory_options(args, config.board);
  return machines;
}

std::string shape_line(const Problem& p) {
  return fmt::format("C ({0} x {1}) = A ({0} x {2}) * B ({2} x {1}), {3} multiply-accumulates", p.m,
                     p.n, p.k, p.macs());
}

std::string energy_cell(const Comparison& comparison, const nlohmann::ordered_json& energy) {
  return energy::energy_text(energy.at("total").get<double>(), comparison.energies->unit());
}

/// Prints one product: a row for each figure, a column for each machine.
void print_product(const Comparison& comparison) {
  const std::vector<Measurement>& row = comparison.results.front();
  fmt::print("product  {}\n", shape_line(row.front().problem));
  for (std::size_t i = 0; i < row.size(); ++i) {
    const gemm::Runner& machine = *comparison.machines[i];
    fmt::print("{}: {}\n    memory: {}\n    schedule: {}\n    bound: {}\n", machine.name(),
               machine.description(), machine.memory_description(), row[i].schedule,
               row[i].bound.text);
    if (!machine.arithmetic_note().empty()) fmt::print("    {}\n", machine.arithmetic_note());
  }
  Table table({{"", true}});
  for (const auto& machine : comparison.machines) table.columns.push_back({machine->name()});
  for (const gemm::GemmFigure& figure : gemm::gemm_figures()) {
    if (figure.name == "schedule" || figure.name == "macs") continue;
    table.row({std::string(figure.title)});
    for (const Measurement& m : row) {
      table.rows.back().push_back(gemm::to_text(figure, figure.value(m)));
    }
  }
  if (comparison.energies) {
    table.row({comparison.energy_title()});
    for (const Measurement& m : row) table.rows.back().push_back(energy_cell(comparison, m.energy));
  }
  fmt::print("\n{}", table.text());

  for (std::size_t i = 0; i < row.size(); ++i) {
    const Measurement& m = row[i];
    fmt::print("\n{}\n", comparison.machines[i]->name());
    Table lost({{"  lost cycles", true}, {""}, {""}});
    for (const gemm::Lost& reason : gemm::lost_by_reason(m)) {
      lost.row({"  " + reason.title, fmt::format("{}", reason.cycles),
                fmt::format("{:.1f} %", 100.0 * static_cast<double>(reason.cycles) /
                                            static_cast<double>(m.run.accounting.cycles))});
    }
    Table levels({{"  bytes", true}, {"read"}, {"written"}});
    for (const gemm::Level& level : m.levels) {
      levels.row({"  " + level.name, fmt::format("{}", level.bytes_read),
                  fmt::format("{}", level.bytes_written)});
    }
    fmt::print("{}{}", lost.text(), levels.text());
    std::string on_chip;
    for (const gemm::OnChipMemory& memory : comparison.machines[i]->on_chip()) {
      on_chip +=
          fmt::format("{}{} {} bytes", on_chip.empty() ? "" : ", ", memory.name, memory.bits / 8);
    }
    fmt::print("  on the chip: {}\n", on_chip);
    if (!m.energy.is_null()) fmt::print("  energy: {}\n", energy::summary(m.energy));
  }
}

/// Prints several products: a line for each product and machine, and sums.
class ProductTable {
 public:
  explicit ProductTable(const Comparison& comparison)
      : comparison_(comparison), table_(columns(comparison)) {
    std::vector<std::string> widest(10);
    const auto grow = [&widest](std::size_t i, const std::string& text) {
      if (text.size() > widest[i].size()) widest[i] = text;
    };
    for (const Problem& p : comparison.problems) {
      grow(0, p.name);
      grow(1, p.shape());
    }
    grow(0, "all, by count");
    for (const auto& machine : comparison.machines) grow(3, machine->name());
    widest[4] = widest[8] = std::string(12, '0');
    widest[5] = "10000.0";
    widest[6] = widest[7] = "100.0 %";
    if (!comparison.energies) widest.pop_back();
    table_.fit(widest);
    fmt::print("{}", table_.header());
  }

  void line(const Measurement& m, const gemm::Runner& machine) {
    print({m.problem.name, m.problem.shape(), fmt::format("{}", m.problem.count), machine.name()},
          m.run.cycles, m.macs_per_cycle(), m.useful_mac(), m.share_of_bound(), m.bytes_moved(),
          comparison_.energies ? m.energy.at("total").get<double>() : 0);
    std::fflush(stdout);
  }

  void totals() {
    for (std::size_t i = 0; i < comparison_.machines.size(); ++i) {
      const Comparison::Total total = comparison_.total(i);
      print({"all, by count", "", "", comparison_.machines[i]->name()}, total.cycles,
            static_cast<double>(total.macs) / static_cast<double>(total.cycles), total.useful_mac,
            total.share_of_bound, total.bytes, total.energy);
    }
  }

 private:
  void print(std::vector<std::string> cells, std::uint64_t cycles, double macs_per_cycle,
             double useful_mac, double share_of_bound, std::uint64_t bytes, double energy) {
    cells.insert(cells.end(),
                 {fmt::format("{}", cycles), fmt::format("{:.1f}", macs_per_cycle),
                  fmt::format("{:.1f} %", 100 * useful_mac),
                  fmt::format("{:.1f} %", 100 * share_of_bound), fmt::format("{}", bytes)});
    if (comparison_.energies) {
      cells.push_back(energy::energy_text(energy, comparison_.energies->unit()));
    }
    fmt::print("{}", table_.line(cells));
  }
  static std::vector<Table::Column> columns(const Comparison& comparison) {
    std::vector<Table::Column> columns{{"product", true}, {"M x N x K"}, {"count"},
                                       {"machine", true}, {"cycles"},    {"MAC/cycle"},
                                       {"useful MAC"},    {"of bound"},  {"memory bytes"}};
    if (comparison.energies) columns.push_back({comparison.energy_title()});
    return columns;
  }

  const Comparison& comparison_;
  Table table_;
};

void write_file(const Args& args, const char* option, const std::string& text) {
  const auto path = args.text(option);
  if (!path) return;
  OutputFile file(*path);
  file.write(text);
  file.close();
}

/// Prints wrong results to standard error. Returns the exit code.
int verdict(const Comparison& comparison) {
  int code = exit_ok;
  std::uint64_t checked = 0;
  for (const auto& row : comparison.results) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Measurement& m = row[i];
      checked += m.checked;
      if (m.wrong.empty()) continue;
      fmt::print(stderr, "tactus gemm: {} on {}: {}\n", m.problem.name,
                 comparison.machines[i]->name(), m.wrong);
      const bool stuck = m.run.end != RunEnd::finished;
      code = stuck ? exit_stuck : std::max(code, static_cast<int>(exit_mismatch));
    }
  }
  if (code == exit_ok) {
    fmt::print("\nresult   {} elements compared with a plain triple loop, all equal\n", checked);
  }
  return code;
}

}  // namespace

std::vector<Args::Option> comparison_options() {
  std::vector<Args::Option> options{
      {"shape", "MxNxK", "C (M x N) = A (M x K) * B (K x N)", true},
      {"list", "NAME|F.csv", "products, rows of name, M, N, K, count; a name of configs/gemm",
       true},
      {"machine", "M",
       "pvc, dg2, ...: a profile of configs/dpas, or dpas:F.json; tcu:NAME or tcu:F.tarch, an "
       "architecture; tcu:BOARD; "
       "pvc@BOARD: on a board's memory (default pvc)",
       true},
      {"seed", "N", "of the random matrices (default 1)"},
      {"stats", "F.json", "all figures, with explanations"},
      {"csv", "F.csv", "a row for each product and machine"},
      {"report", "F.html", "a page that compares"},
      {"kernel", "F.visaasm", "the kernel of the first DPAS machine, of one product"}};
  std::vector<Args::Option> asked =
      parameter_options(request_parameters(Asker::products).section(), "");
  asked.front().help = "stop a run after N cycles";  // shorter, without the range
  const auto files_begin = std::find_if(options.begin(), options.end(),
                                        [](const Args::Option& o) { return o.name == "stats"; });
  options.insert(files_begin, asked.begin(), asked.end());
  const auto add = [&](const ParameterSection& section, const char* group) {
    for (Args::Option& option : parameter_options(section, group)) {
      options.push_back(std::move(option));
    }
  };
  add(gemm::kernel_parameters().section(), "Kernel for a DPAS array");
  add(gemm::dpas_option_parameters().section(), "DPAS machine");
  add(gemm::profile_parameters().section(), "In place of the profile's values");
  options.push_back(
      {"board", "NAME|F.json",
       "a board of configs/boards or a file: the values below, of machines whose name "
       "has none; their port is AXI unless --memory-port says otherwise. Of the "
       "built-in product also the architecture"});
  options.back().group = "Board";
  add(board_parameters().section(), "Board");
  options.push_back(engine_option());
  return options;
}

bool compares(const Args& args) {
  if (args.has("shape") || args.has("list")) return true;
  for (const auto& names :
       {std::vector<std::string>{"machine", "seed"},
        option_names(request_parameters(Asker::products)),
        std::vector<std::string>{"stats", "csv", "report", "kernel"},
        option_names(gemm::kernel_parameters()), option_names(gemm::dpas_option_parameters()),
        option_names(gemm::profile_parameters())}) {
    args.refuse(names, "needs --shape MxNxK or --list F.csv");
  }
  return false;
}

int run_comparison(const Args& args) {
  Comparison comparison;
  comparison.version = version;
  comparison.revision = git_revision;
  comparison.problems = problems_of(args);
  const std::vector<gemm::GemmConfig> machines = machines_of(args);
  for (const char* option : files) {
    if (const auto path = args.text(option)) claim_output(*path);
  }
  for (const gemm::GemmConfig& config : machines) {
    comparison.machines.push_back(gemm::make_runner(config));
  }
  if (args.has("kernel")) {
    if (comparison.problems.size() != 1) {
      user_error("tactus gemm: --kernel is for one product, not {}", comparison.problems.size());
    }
  }
  gemm::ProductRequest request;
  request.seed = args.number("seed", 1, 0, ~std::uint64_t{0});
  read_options(request_parameters(Asker::products), args, static_cast<RunRequest&>(request));
  if (args.has("energy")) {
    comparison.energies = request.energies = energy::read_table(request.energy);
    for (const auto& machine : comparison.machines) {
      (void)energy::Meter(*request.energies, machine->parts());
    }
  }

  const bool many = comparison.problems.size() > 1;
  std::optional<ProductTable> table;
  if (many) table.emplace(comparison);
  for (const Problem& problem : comparison.problems) {
    std::vector<Measurement> row;
    for (const auto& machine : comparison.machines) {
      row.push_back(machine->run(problem, request));
      if (table) table->line(row.back(), *machine);
    }
    comparison.results.push_back(std::move(row));
  }
  if (many) {
    table->totals();
  } else {
    print_product(comparison);
  }
  if (args.has("kernel")) {
    const auto first = std::find_if(machines.begin(), machines.end(),
                                    [](const auto& machine) { return !machine.is_tcu; });
    write_file(args, "kernel",
               gemm::kernel_text(comparison.problems.front(), gemm::dpas_runner_config(*first)));
  }
  write_file(args, "stats", gemm::to_json(comparison));
  write_file(args, "csv", gemm::to_csv(comparison));
  write_file(args, "report", gemm::to_html(comparison));
  return verdict(comparison);
}

}  // namespace tactus
