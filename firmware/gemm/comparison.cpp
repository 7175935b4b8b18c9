#include "firmware/gemm/comparison.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/gemm/figures.h"
#include "firmware/report/run_figures.h"

namespace tactus::gemm {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const FigureValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string cell(const FigureValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:.6g}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return cell(*text);
  return {};
}

Json run_json(const Measurement& m) {
  Json run;
  for (const GemmFigure& figure : gemm_figures()) {
    run[std::string(figure.name)] = to_json(figure.value(m));
  }
  run["bound"] = m.bound.text;
  run["correct"] = m.wrong.empty();
  run["checked"] = m.checked;
  for (const Lost& lost : lost_by_reason(m)) run["lost_by_reason"][lost.name] = lost.cycles;
  for (const Level& level : m.levels) {
    run["levels"].push_back({{"name", level.name},
                             {"bytes_read", level.bytes_read},
                             {"bytes_written", level.bytes_written}});
  }
  run["accounting"] = accounting_json(m.run.accounting, m.rates);
  return run;
}

Json explanations() {
  Json figures;
  for (const GemmFigure& figure : gemm_figures()) {
    figures[std::string(figure.name)] = {{"unit", figure.unit == "percent" ? "0..1" : figure.unit},
                                         {"meaning", figure.meaning}};
  }
  const auto add = [&](const char* name, const char* unit, const char* meaning) {
    figures[name] = {{"unit", unit}, {"meaning", meaning}};
  };
  add("bound", "text", "how bound_cycles comes about");
  add("correct", "true or false", "all elements of C that were compared are right");
  add("checked", "count", "elements of C that were compared with a plain triple loop");
  add("lost_by_reason.REASON", "cycles", "in which the array computes nothing, by reason");
  add("levels.bytes_read", "bytes", "read at this level; the outermost is the first");
  add("levels.bytes_written", "bytes", "written at this level");
  add("accounting.*", "", "what the cycles of every unit went into; see tactus explain");
  add("on_chip.bits", "bits", "of a memory of the machine, as configured");
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
    total.ms += static_cast<double>(count * m.run.cycles) / m.clock_mhz / 1e3;
    peak = static_cast<double>(m.peak_macs);
  }
  if (total.cycles == 0) return total;
  const auto cycles = static_cast<double>(total.cycles);
  total.utilisation = static_cast<double>(total.macs) / cycles / peak;
  total.share_of_bound = static_cast<double>(total.bound_cycles) / cycles;
  return total;
}

std::string to_csv(const Comparison& comparison) {
  std::string text = "name,M,N,K,count,machine";
  for (const GemmFigure& figure : gemm_figures()) text += fmt::format(",{}", figure.name);
  text += ",on_chip_bits,correct\n";
  for (const std::vector<Measurement>& row : comparison.results) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Measurement& m = row[i];
      const Problem& p = m.problem;
      text += fmt::format("{},{},{},{},{},{}", cell(p.name), p.m, p.n, p.k, p.count,
                          cell(comparison.machines[i]->name()));
      for (const GemmFigure& figure : gemm_figures()) text += "," + cell(figure.value(m));
      std::uint64_t bits = 0;
      for (const OnChipMemory& memory : comparison.machines[i]->on_chip()) bits += memory.bits;
      text += fmt::format(",{},{}\n", bits, m.wrong.empty() ? "yes" : "no");
    }
  }
  return text;
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
                      {"utilisation", total.utilisation},
                      {"share_of_bound", total.share_of_bound},
                      {"memory_bytes", total.bytes}};
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
  return document.dump(2) + "\n";
}

}  // namespace tactus::gemm
