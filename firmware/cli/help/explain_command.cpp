// tactus explain: what figures of a statistics file, parameters and instructions mean.
#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <fmt/core.h>
#include <fmt/format.h>

#include "firmware/cli/args.h"
#include "firmware/cli/column_tables.h"
#include "firmware/cli/command_table.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/run/run_parameters.h"
#include "firmware/config/config_files.h"
#include "firmware/driver/dpas/simulation_parameters.h"
#include "firmware/driver/machines.h"
#include "firmware/gemm/comparison.h"
#include "firmware/report/figures.h"
#include "firmware/report/layer_table.h"
#include "firmware/serving/serving_figures.h"
#include "firmware/sweep/configuration.h"
#include "firmware/sweep/runner.h"
#include "firmware/zoo/zoo.h"
#include "isa/dpas/instruction_set.h"
#include "isa/dpas/profile_table.h"
#include "isa/dram/ddr_config.h"
#include "isa/support/board_values.h"
#include "isa/support/error.h"
#include "isa/support/link_values.h"
#include "isa/support/nearest_name.h"
#include "isa/support/reference.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_table.h"
#include "isa/tcu/device_registers.h"
#include "isa/tcu/instruction_set.h"
#include "models/tcu/events.h"

namespace tactus {
namespace {

/// A topic: a name, and the sections of parameters or the tables that explain it.
struct Topic {
  std::string name;
  std::vector<ParameterSection> sections;
  std::vector<ReferenceTable> tables;
};

/// `dpas`: the instructions are those of DPAS machines.
std::vector<Topic> topics(bool dpas) {
  return {{"architecture", {tcu::architecture_parameters().section()}, {}},
          {"board", {board_parameters().section()}, {}},
          {"dram", {ddr_parameters().section()}, {}},
          {"link", {link_parameters().section()}, {}},
          {"dpas", {dpas::profile_parameters().section(), dpas_machine_parameters().section()}, {}},
          {"run", run_sections(), {}},
          {"sweep", sweep::parameters(), {}},
          {"asm", {}, dpas ? dpas::assembly_tables() : tcu::assembly_tables()},
          {"instructions", {}, dpas ? dpas::instruction_tables() : tcu::instruction_tables()},
          {"registers", {}, {tcu::device_register_table()}}};
}

std::string default_of(const ParameterInfo& parameter) {
  const std::string text = parameter.default_text();
  return text.empty() ? "-" : text;
}

std::string range_of(const ParameterInfo& parameter) {
  if (parameter.type == ParameterType::text) return "text";
  if (parameter.type == ParameterType::other) {
    return parameter.value_name.empty() ? "list" : parameter.value_name;
  }
  return parameter.range();
}

void print(const Figure& figure) {
  fmt::print("{}{}{}\n    {}\n", figure.name, figure.unit.empty() ? "" : "  ",
             figure.unit.empty() ? "" : "[" + figure.unit + "]", figure.meaning);
}

/// `more`: what else is told behind the default.
void print(const ParameterInfo& parameter, const std::string& more = "") {
  fmt::print("{}{}  {}; default {}{}\n    {}\n", parameter.key,
             parameter.unit.empty() ? "" : "  [" + parameter.unit + "]", range_of(parameter),
             default_of(parameter), more, parameter.sentence);
}

/// True if commands have the parameter as an option. Those of architectures, DPAS machines and
/// sweeps are keys of files only.
bool has_option(const Topic& topic, const ParameterInfo& parameter) {
  return !parameter.option.empty() && topic.name != "architecture" && topic.name != "dpas" &&
         topic.name != "sweep";
}

void print(const Topic& topic) {
  for (const ParameterSection& section : topic.sections) {
    fmt::print("{}{}: {}\n\n", &section == topic.sections.data() ? "" : "\n", section.name,
               section.about);
    for (const ParameterInfo& parameter : section.parameters) print(parameter);
  }
  for (const ReferenceTable& table : topic.tables) {
    fmt::print("{}{}", &table == topic.tables.data() ? "" : "\n", to_text(table));
  }
}

void print_markdown(const Topic& topic) {
  for (const ReferenceTable& table : topic.tables) {
    fmt::print("{}{}", &table == topic.tables.data() ? "" : "\n", to_markdown(table));
  }
  for (const ParameterSection& section : topic.sections) {
    fmt::print(
        "{}{}\n\n| key | allowed | default | unit | option | meaning |\n"
        "|---|---|---|---|---|---|\n",
        &section == topic.sections.data() ? "" : "\n", section.about);
    for (const ParameterInfo& p : section.parameters) {
      fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", p.key, markdown_cell(range_of(p)),
                 default_of(p), p.unit, has_option(topic, p) ? "`--" + p.option + "`" : "",
                 markdown_cell(p.sentence));
    }
  }
}

/// A kind of file besides statistics, or a table on the screen, whose columns are explained.
struct ColumnFile {
  std::string file;
  std::vector<Figure> columns;
};

std::vector<ColumnFile> column_files(const MachineInfo& machine) {
  std::vector<ColumnFile> files{
      {"layers as CSV (run --layers-csv, topologies)", layer_columns(machine)},
      {"results.csv of a sweep", sweep::result_columns()},
      {"gemm --csv", gemm::csv_columns()},
      {"bench --csv", bench_columns()},
      {"run --stats of requests that arrive", serving_columns()},
      {"run --request-log", request_columns()},
      {"dram --output", dram_answer_columns()},
      {"dram --commands", dram_command_columns()}};
  for (PrintedTable& table : printed_tables()) {
    files.push_back({std::string("printed by ") + table.command, std::move(table.columns)});
  }
  return files;
}

/// Prints the columns of this name, each with its file, and those whose name ends with it:
/// "serving.clock_mhz" for "clock_mhz", "serving.models.latency_ms.*" for "latency_ms". `groups`:
/// also those below it, "serving.*" for "serving".
bool print_columns(const MachineInfo& machine, const std::string& name, bool groups) {
  bool found = false;
  const auto ends = [&name](std::string_view whole) {
    for (const std::string& end : {"." + name, "." + name + ".*"}) {
      if (whole.size() > end.size() && whole.substr(whole.size() - end.size()) == end) return true;
    }
    return false;
  };
  for (ColumnFile& file : column_files(machine)) {
    const FigureTable table(machine, std::move(file.columns));
    std::vector<const Figure*> columns;
    if (groups) {
      columns = table.matches(name);
    } else if (const Figure* column = table.find(name)) {
      columns.push_back(column);
    } else {
      for (const Figure& each : table.all()) {
        if (ends(each.name)) columns.push_back(&each);
      }
    }
    for (const Figure* column : columns) {
      fmt::print("{}: ", file.file);
      print(*column);
    }
    found = found || !columns.empty();
  }
  return found;
}

/// True if two names are equal but for the case of letters.
bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Prints the rows with this name in the tables of instructions, registers and program text, each
/// with the title of its table.
bool print_rows(const std::vector<Topic>& topics, const std::string& name) {
  bool found = false;
  for (const Topic& topic : topics) {
    for (const ReferenceTable& table : topic.tables) {
      ReferenceTable named{table.title, "", table.columns, {}, ""};
      for (const std::vector<std::string>& row : table.rows) {
        if (same_name(row.front(), name)) named.rows.push_back(row);
      }
      if (named.rows.empty()) continue;
      fmt::print("{}{}", found ? "\n" : "", to_text(named));
      found = true;
    }
  }
  return found;
}

/// Prints the command with this name.
bool print_command(const std::string& name) {
  for (const Command& command : all_commands().commands) {
    if (command.name != name) continue;
    fmt::print("tactus {0}\n    {1}; tactus {0} --help\n", command.name, command.help);
    return true;
  }
  return false;
}

/// Prints what the option with this name means, once for all commands that say the same of it.
bool print_options(const std::string& name) {
  struct Told {
    Args::Option option;
    std::vector<std::string> commands;
  };
  std::vector<Told> told;
  for (const ListedCommand& command : list_commands()) {
    for (const Args::Option& option : command.options) {
      if (option.name != name) continue;
      auto same = std::find_if(told.begin(), told.end(), [&](const Told& t) {
        return t.option.value == option.value && t.option.help == option.help;
      });
      if (same == told.end()) same = told.insert(told.end(), {option, {}});
      same->commands.push_back(command.name);
    }
  }
  for (const Told& t : told) {
    fmt::print("tactus {}: --{}{}{}\n    {}\n", fmt::join(t.commands, ", "), name,
               t.option.value.empty() ? "" : " ", t.option.value, t.option.help);
  }
  return !told.empty();
}

/// Prints the reason for lost cycles, or the group of such reasons, that tables and charts show
/// under this title.
bool print_reason(const TimeInfo& time, const std::string& title) {
  bool found = false;
  for (std::size_t r = 0; r < time.reasons.size(); ++r) {
    if (!same_name(time.reasons[r].title, title)) continue;
    fmt::print("{}, in accounting.lost_cycles: {}  [cycles]\n    {}\n", title, time.states[r].name,
               time.states[r].meaning);
    found = true;
  }
  for (std::size_t g = 0; g < time.groups.size(); ++g) {
    if (!same_name(time.groups[g].title, title)) continue;
    std::vector<std::string_view> titles;
    for (const ReasonInfo& reason : time.reasons) {
      if (reason.group == g) titles.push_back(reason.title);
    }
    fmt::print("{}, a group of reasons for cycles  [cycles]\n    {}\n", title,
               fmt::join(titles, "; "));
    found = true;
  }
  return found;
}

/// Says what a board, architecture, DRAM, network, kind of event or data type is, or which command
/// does.
bool print_thing(const std::string& name) {
  bool found = false;
  const auto tell = [&](std::string_view what, std::string_view more) {
    fmt::print("{}, {}\n    {}\n", name, what, more);
    found = true;
  };
  const auto is_config = [&](const char* folder, const char* ending) {
    const std::vector<std::string> names = config_names(folder, ending);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::string info = fmt::format("tactus info {} describes it", name);
  if (is_config("boards", ".json")) tell("a board", info);
  if (is_config("arch", ".tarch")) tell("an architecture", info);
  if (is_config("dram", ".json")) tell("a DRAM", info);
  for (const nn::ZooEntry& entry : nn::zoo()) {
    if (entry.name == name)
      tell("a network of the zoo", fmt::format("tactus zoo {} -o F.onnx", name));
  }
  using tcu::DataType;
  for (const DataType type :
       {DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10, DataType::fp32bp16}) {
    const tcu::DataTypeInfo& fixed = tcu::info(type);
    if (fixed.name != name) continue;
    tell("a data type", fmt::format("fixed point of {} bits, {} of them behind the binary point",
                                    fixed.width_bits, fixed.binary_point));
  }
  for (const EventInfo& kind : tcu_event_format({}).kinds) {
    // A port's number takes the place of the star: "D*C" is D0C and D1C.
    for (const char* port : {"0", "1"}) {
      std::string full(kind.name);
      if (const std::size_t star = full.find('*'); star != std::string::npos) {
        full.replace(star, 1, port);
      }
      if (full != name) continue;
      tell("an event of --events", kind.meaning);
      break;
    }
  }
  return found;
}

/// Prints the parameters with this key, also written with its section: "board.KEY", as explain
/// itself prints it, or "configuration.board.KEY", as in a sweep's table.
bool print_parameters(const std::vector<Topic>& topics, std::string name,
                      std::vector<std::string>& keys) {
  constexpr std::string_view of_sweep = "configuration.";
  std::string section;
  if (name.rfind(of_sweep, 0) == 0) {
    section = name.substr(of_sweep.size());
    const std::size_t dot = std::min(section.find('.'), section.size());
    name = section.substr(std::min(dot + 1, section.size()));
    section.resize(dot);
  }
  bool found = false;
  std::set<std::string> told;  // keys of other topics that are keys of sweeps, too
  const auto print_those = [&](bool sweep_keys) {
    for (const Topic& topic : topics) {
      // Sections of a sweep belong to other topics as well.
      if ((topic.name == "sweep") != sweep_keys) continue;
      for (const ParameterSection& part : topic.sections) {
        if (!section.empty() && part.name != section) continue;
        for (const ParameterInfo& parameter : part.parameters) {
          keys.push_back(parameter.key);
          const bool full = name == part.name + "." + parameter.key;
          if (parameter.key != name && parameter.option != name && !full) continue;
          std::string key = part.name + "." + parameter.key;
          if (sweep_keys && told.count(key) != 0) continue;
          std::string more;
          if (has_option(topic, parameter)) more += "; option --" + parameter.option;
          if (sweep_keys || sweep::find_parameter(key) != nullptr) more += "; key of sweeps";
          fmt::print("{}.", part.name);
          print(parameter, more);
          told.insert(std::move(key));
          found = true;
        }
      }
    }
  };
  if (section.empty()) print_those(false);
  print_those(true);
  return found;
}

/// True if a text has the words one after the other, in any case of letters.
bool has_words(std::string_view text, std::string_view words) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at + words.size() <= text.size(); ++at) {
    const std::size_t end = at + words.size();
    const bool whole =
        (at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]));
    if (whole && same_name(text.substr(at, words.size()), words)) return true;
  }
  return false;
}

/// Prints the figures and columns whose explanation has the words: kinds of ends, states and the
/// like are no names, but are explained there.
bool print_mentions(const MachineInfo& machine, const FigureTable& figures,
                    const std::string& words) {
  bool found = false;
  const auto print_if = [&](const std::string& file, const Figure& figure) {
    if (!has_words(figure.meaning, words)) return;
    if (!found) fmt::print("{} is the name of nothing; it is explained with:\n", quote(words));
    fmt::print("{}", file);
    print(figure);
    found = true;
  };
  for (const Figure& figure : figures.all()) print_if("", figure);
  for (const ColumnFile& file : column_files(machine)) {
    for (const Figure& column : file.columns) print_if(file.file + ": ", column);
  }
  return found;
}

/// Prints parameters, instructions, commands, figures and columns of this name, or else options of
/// commands that are no parameters, or else what mentions it. Throws UserError if there is nothing.
void print_name(const MachineInfo& machine, const FigureTable& figures,
                const std::vector<Topic>& topics, const std::string& name) {
  std::vector<std::string> keys;
  bool found = print_parameters(topics, name, keys);
  found = print_rows(topics, name) || found;
  found = print_command(name) || found;
  found = print_reason(machine.time, name) || found;
  found = print_thing(name) || found;
  for (const Figure* figure : figures.matches(name)) {
    print(*figure);
    found = true;
  }
  if (print_columns(machine, name, !found) || found || print_options(name)) return;
  try {
    (void)figures.explain(name);
  } catch (const UserError& error) {
    const bool near_figure =
        std::string_view(error.what()).find("did you mean") != std::string::npos;
    if (print_mentions(machine, figures, name)) return;
    const std::string hint = near_figure ? "" : nearest_name(name, {keys.begin(), keys.end()});
    if (hint.empty()) throw;
    user_error("tactus explain: no figure and no parameter is named {}{}", quote(name), hint);
  }
}

}  // namespace

int explain_command(const Words& words) {
  Args args(
      "explain",
      "Explains figures of --stats files: by full name (accounting.units.decoder.starved), by\n"
      "its end (decoder.starved) or by a group (roofline). Without a name: all of them.\n"
      "Explains the columns of CSV files by their titles (\"useful MAC %\").\n"
      "Explains parameters with range and default: by key (array_size), or all of an\n"
      "architecture, a board, DRAM, a host link, a DPAS machine, a run (with its options), or a\n"
      "sweep (its keys). Explains the text form of programs (asm) and every instruction with its\n"
      "flags, operands and cycles (instructions); with --machine dpas those of vISA kernels.\n"
      "A name with several meanings is explained with all of them.\n"
      "A single instruction, SIMD operation, configuration register or command by its name, and\n"
      "the registers of a TcuDevice (registers); any option without its dashes (order). A word "
      "that\n"
      "is no name is looked for in all explanations of figures.",
      {{"markdown", "",
        "print a whole table as Markdown: all figures, those parameters or instructions"},
       {"machine", "NAME",
        "figures and instructions of which machine: tcu (default), dpas, or a name that tactus "
        "machines lists"}},
      "[NAME|architecture|board|dram|link|dpas|run|sweep|asm|instructions|registers]");
  if (!args.parse(words)) return exit_ok;
  std::string machine = args.text("machine").value_or("tcu");
  if (is_config_name("dpas", machine)) machine = "dpas";  // all profiles have the same figures
  const MachineInfo& info = machine_info(machine);
  const FigureTable figures(info);
  const std::vector<std::string>& names = args.positional();
  const bool markdown = args.has("markdown");
  if (names.empty() && markdown) fmt::print("{}", figures.markdown());
  if (names.empty() && !markdown) {
    for (const Figure& figure : figures.all()) print(figure);
  }
  const std::vector<Topic> all = topics(machine == "dpas");
  const auto find = [&](const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const Topic& t) { return t.name == name; });
  };
  for (const std::string& name : names) {
    if (!markdown || find(name) != all.end()) continue;
    user_error(
        "tactus explain: --markdown prints the whole table; allowed no name, architecture, board, "
        "dram, link, dpas, run, sweep, asm, instructions, registers");
  }
  for (const std::string& name : names) {
    const auto topic = find(name);
    if (topic == all.end()) {
      print_name(info, figures, all, name);
    } else if (markdown) {
      print_markdown(*topic);
    } else {
      print(*topic);
    }
  }
  return exit_ok;
}

}  // namespace tactus
