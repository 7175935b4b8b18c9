// tactus estimate: a program's latency and energy by formula, without simulating it.
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "firmware/bench/estimator.h"
#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/cli/table.h"
#include "firmware/config/board.h"
#include "firmware/driver/tcu/model.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using bench::Cost;
using bench::Estimate;

/// The program to estimate, and its machine.
struct Subject {
  tcu::Architecture architecture;
  std::vector<tcu::Instruction> program;
  std::vector<tcu::LayerEntry> layers;
  std::optional<tcu::BoardEntry> board;  ///< board for which the model was compiled
};

std::optional<tcu::Architecture> given_architecture(const Args& args, BoardValues& values) {
  if (args.has("arch") && args.has("board")) {
    user_error("tactus estimate: give either --arch or --board");
  }
  if (const auto path = args.text("arch")) return read_architecture_option(*path);
  const auto name = args.text("board");
  if (!name) return std::nullopt;
  const Board board = read_board(*name);
  values = board;
  return board.architecture;
}

Subject read_subject(const std::string& path, const std::optional<tcu::Architecture>& given) {
  Subject subject;
  std::vector<std::uint8_t> bytes;
  if (std::filesystem::path(path).extension() == ".tmodel") {
    Model model = read_model(path, ProgramChecks::strict);
    subject.architecture = model.file.arch;
    if (given) {
      const std::string differences = architecture_differences(model.file.arch, *given);
      if (!differences.empty()) {
        user_error("{}: compiled for another architecture; (model, given) differ in: {}", path,
                   differences);
      }
    }
    bytes = std::move(model.program);
    subject.layers = std::move(model.file.layers);
    subject.board = std::move(model.file.board);
  } else {
    bytes = read_file(path);
    if (!given) {
      refuse_other_kind(path, as_text(bytes), FileKind::program);
      user_error("tactus estimate: {} needs --arch F.tarch or --board NAME", path);
    }
    subject.architecture = *given;
    check_program(subject.architecture, bytes, path, ProgramChecks::strict);
  }
  subject.program = decode_program(tcu::InstructionLayout(subject.architecture), bytes);
  return subject;
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<std::string> cost_cells(const std::string& name, const Cost& cost, const Cost& sum) {
  return {name,
          fmt::format("{}", cost.instructions),
          fmt::format("{}", cost.vectors),
          fmt::format("{}", cost.cycles),
          percent_text(cost.cycles, sum.cycles),
          fmt::format("{}", cost.energy),
          percent_text(cost.energy, sum.energy)};
}

std::string cost_table(const std::string& title,
                       const std::vector<std::pair<std::string, Cost>>& costs, const Cost& sum) {
  Table table(
      {{title, true}, {"instructions"}, {"vectors"}, {"cycles"}, {"%"}, {"energy units"}, {"%"}});
  for (const auto& [name, cost] : costs) table.row(cost_cells(name, cost, sum));
  table.row(cost_cells("sum", sum, sum));
  return table.text();
}

void print_totals(const Estimate& estimate, double clock_mhz) {
  const auto line = [&](const char* name, const Cost& cost) {
    fmt::print("{:<24}{}, {:.3f} M energy units\n", name, cycles_text(cost.cycles, clock_mhz),
               static_cast<double>(cost.energy) / 1e6);
  };
  line("all instructions", estimate.aggregate);
  line("as the reference counts", estimate.execution);
}

}  // namespace

int estimate_command(const Words& words) {
  Args args("estimate",
            "Latency and energy of a program by the reference's formula, by instruction and by\n"
            "layer. Knows no memory and no instruction delivery: tactus run tells the cycles.",
            {{"arch", "NAME|F.tarch", "architecture of a program; for a model it must match"},
             {"board", "NAME|F.json", "the same, and its clock, from a board"},
             {"formula", "current|march-2022",
              "march-2022: the one behind the published benchmark table (default current)"},
             {"clock-mhz", "F",
              "clock frequency for times (default: the board's, that of the model's, or 100)"}},
            "F.tprog|F.tmodel");
  if (!args.parse(words)) return exit_ok;
  const std::string path = only_file(args);
  const std::string name = args.text("formula").value_or("current");
  if (name != "current" && name != "march-2022") {
    user_error("tactus estimate: --formula {} is not allowed; allowed: current, march-2022",
               quote(name));
  }
  const auto formula = name == "current" ? bench::Formula::current : bench::Formula::march_2022;
  BoardValues board;
  const auto given = given_architecture(args, board);
  const Subject subject = read_subject(path, given);
  if (subject.board && !args.has("board")) board = subject.board->values;
  read_options(board_parameters(), args, board);
  const double clock_mhz = board.clock_mhz;

  const Estimate all = bench::estimate(subject.architecture, subject.program, formula);
  std::vector<std::pair<std::string, Cost>> kinds;
  for (std::size_t i = 0; i < all.by_kind.size(); ++i) {
    if (all.by_kind[i].instructions == 0) continue;
    kinds.emplace_back(tcu::instruction_kind_infos[i].title, all.by_kind[i]);
  }
  fmt::print("{}\n", cost_table("instruction", kinds, all.aggregate));
  if (!subject.layers.empty()) {
    const auto estimates =
        bench::estimate_layers(subject.architecture, subject.program, subject.layers, formula);
    std::vector<std::pair<std::string, Cost>> layers;
    Cost sum;
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      layers.emplace_back(fmt::format("{} {}", i, subject.layers[i].name), estimates[i].aggregate);
      sum += estimates[i].aggregate;
    }
    fmt::print("{}\n", cost_table("layer", layers, sum));
  }
  print_totals(all, clock_mhz);
  return exit_ok;
}

}  // namespace tactus
