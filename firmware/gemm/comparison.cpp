#include "firmware/gemm/comparison.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/energy/table.h"
#include "firmware/gemm/figures.h"
#include "firmware/report/run_figures.h"
#include "isa/support/csv.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus::gemm {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(const FigureValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.6g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

/// One row: all figures of the machine. Machines of different kinds have different levels and
/// reasons.
NamedCells cells_of(const Measurement& m, const Runner& machine) {
  const Problem& p = m.problem;
  NamedCells row{{"name", p.name}};
  const auto number = [&](std::string name, std::uint64_t value) {
    row.push_back({std::move(name), fmt::format("{}", value)});
  };
  number("M", p.m);
  number("N", p.n);
  number("K", p.k);
  number("count", p.count);
  row.push_back({"machine", machine.name()});
  for (const GemmFigure& figure : gemm_figures()) {
    row.push_back({std::string(figure.name), cell(figure.value(m))});
  }
  number("on_chip_bits", machine.on_chip_bits());
  row.push_back({"correct", m.wrong.empty() ? "yes" : "no"});
  for (const OnChipMemory& memory : machine.on_chip()) {
    number("on_chip." + key(memory.name), memory.bits);
  }
  for (const Level& level : m.levels) {
    number(fmt::format("levels.{}.bytes_read", key(level.name)), level.bytes_read);
    number(fmt::format("levels.{}.bytes_written", key(level.name)), level.bytes_written);
  }
  if (!m.energy.is_null()) add_named_cells(m.energy, "energy", row);
  const Counters& counters = m.run.accounting.totals;
  for (std::size_t reason = 0; reason < counters.time.size(); ++reason) {
    if (!is_lost(*counters.info, reason)) continue;
    number(fmt::format("lost_by_reason.{}", counters.info->time.states[reason].name),
           counters.time[reason]);
  }
  return row;
}

Json run_json(const Measurement& m) {
  Json run = figures_json(m);
  run["bound"] = m.bound.text;
  run["correct"] = m.wrong.empty();
  run["checked"] = m.checked;
  for (const Lost& lost : lost_by_reason(m)) run["lost_by_reason"][lost.name] = lost.cycles;
  for (const Level& level : m.levels) {
    run["levels"].push_back({{"name", level.name},
                             {"bytes_read", level.bytes_read},
                             {"bytes_written", level.bytes_written}});
  }
  if (!m.energy.is_null()) run["energy"] = m.energy;
  run["accounting"] = accounting_json(m.run.accounting, m.rates, m.problem.macs());
  return run;
}

std::vector<Figure> columns_of_figures() {
  std::vector<Figure> columns;
  for (const GemmFigure& figure : gemm_figures()) {
    columns.push_back({std::string(figure.name),
                       figure.unit == "percent" ? "0..1" : std::string(figure.unit),
                       std::string(figure.meaning)});
  }
  return columns;
}

Json explanations() {
  Json figures;
  const auto add = [&](const std::string& name, const std::string& unit,
                       const std::string& meaning) {
    figures[name] = {{"unit", unit}, {"meaning", meaning}};
  };
  for (const Figure& figure : columns_of_figures()) add(figure.name, figure.unit, figure.meaning);
  add("bound", "text", "how bound_cycles is computed");
  add("correct", "true or false", "all elements of C that were compared are right");
  add("checked", "count", "elements of C that were compared with a plain triple loop");
  add("lost_by_reason.REASON", "cycles", "cycles in which the array computes nothing, by reason");
  add("levels.bytes_read", "bytes", "bytes read at this level; the first level is the outermost");
  add("levels.bytes_written", "bytes", "bytes written at this level");
  add("accounting.*", "", "what the cycles of every unit went into; see tactus explain");
  add("energy.*", "",
      "with --energy: energy of the events by the table that it names; see tactus explain");
  add("on_chip.bits", "bits", "bits of a memory of the machine, as configured");
  return figures;
}

}  // namespace

Comparison::Total Comparison::total(std::size_t machine) const {
  Total total;
  double peak = 0;
  for (const std::vector<Measurement>& row : results) {
    const Measurement& m = row[machine];
    const std::uint64_t count = m.problem.count;
    total.macs += count * m.problem.macs();
    total.cycles += count * m.run.cycles;
    total.bound_cycles += count * m.bound.cycles;
    total.bytes += count * m.bytes_moved();
    if (!m.energy.is_null()) {
      total.energy += static_cast<double>(count) * m.energy.at("total").get<double>();
    }
    total.ms += cycles_in_ms(count * m.run.cycles, m.clock_mhz);
    peak = static_cast<double>(m.peak_macs);
  }
  if (total.cycles == 0) return total;
  const auto cycles = static_cast<double>(total.cycles);
  total.useful_mac = static_cast<double>(total.macs) / cycles / peak;
  total.share_of_bound = static_cast<double>(total.bound_cycles) / cycles;
  return total;
}

std::string Comparison::energy_title() const {
  return energies ? "energy, table " + energies->name : "";
}

std::vector<Figure> figure_columns() {
  std::vector<Figure> columns = columns_of_figures();
  const std::vector<Figure> groups{
      {"on_chip.*", "", "bits of each memory of the machine, as configured"},
      {"levels.*", "", "bytes read and written at each level of the machine"},
      {"lost_by_reason.*", "", "cycles in which the array computes nothing, by reason"},
      {"energy.*", "",
       "with --energy: energy of the events by the table; see energy of statistics"}};
  columns.insert(columns.end(), groups.begin(), groups.end());
  return columns;
}

std::vector<Figure> csv_columns() {
  std::vector<Figure> columns{{"name", "text", "name of the product"},
                              {"M", "count", "rows of A and C"},
                              {"N", "count", "columns of B and C"},
                              {"K", "count", "columns of A, rows of B"},
                              {"count", "count", "number of times that the product counts in sums"},
                              {"machine", "text", "the machine, as --machine names it"}};
  const std::vector<Figure> figures = figure_columns();
  columns.insert(columns.end(), figures.begin(), figures.end());
  columns.push_back({"on_chip_bits", "bits", "bits of all memories of the machine, as configured"});
  columns.push_back({"correct", "yes or no", "all elements of C that were compared are right"});
  return columns;
}

std::string to_csv(const Comparison& comparison) {
  const std::size_t machines = comparison.machines.size();
  return named_csv(comparison.results.size() * machines, [&](std::size_t i) {
    return cells_of(comparison.results[i / machines][i % machines],
                    *comparison.machines[i % machines]);
  });
}

std::string to_json(const Comparison& comparison) {
  Json document;
  document["tool"] = fmt::format("tactus {} ({})", comparison.version, comparison.revision);
  for (std::size_t i = 0; i < comparison.machines.size(); ++i) {
    const Runner& machine = *comparison.machines[i];
    Json entry{{"name", machine.name()},
               {"description", machine.description()},
               {"memory", machine.memory_description()},
               {"arithmetic", machine.arithmetic_note()}};
    for (const OnChipMemory& memory : machine.on_chip()) {
      entry["on_chip"].push_back({{"name", memory.name}, {"bits", memory.bits}});
    }
    const Comparison::Total total = comparison.total(i);
    entry["total"] = {{"macs", total.macs},
                      {"cycles", total.cycles},
                      {"latency_ms", total.ms},
                      {std::string(array_figures::useful_name), total.useful_mac},
                      {"share_of_bound", total.share_of_bound},
                      {"memory_bytes", total.bytes}};
    if (comparison.energies) {
      entry["total"]["energy"] = {{"table", comparison.energies->name},
                                  {"unit", comparison.energies->unit()},
                                  {"total", total.energy}};
    }
    document["machines"].push_back(std::move(entry));
  }
  for (const std::vector<Measurement>& row : comparison.results) {
    const Problem& p = row.front().problem;
    Json product{{"name", p.name}, {"m", p.m}, {"n", p.n}, {"k", p.k}, {"count", p.count}};
    for (std::size_t i = 0; i < row.size(); ++i) {
      product["runs"][comparison.machines[i]->name()] = run_json(row[i]);
    }
    document["products"].push_back(std::move(product));
  }
  document["figures"] = explanations();
  return text_of_json(document, 2) + "\n";
}

}  // namespace tactus::gemm
