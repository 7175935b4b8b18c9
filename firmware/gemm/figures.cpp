#include "firmware/gemm/figures.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/report/run_figures.h"
#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus::gemm {
namespace {

using M = Measurement;

FigureValue registers(const M& m, std::uint64_t RegisterReads::*member) {
  if (!m.registers) return {};
  return (*m.registers).*member;
}

}  // namespace

const std::vector<GemmFigure>& gemm_figures() {
  static const std::vector<GemmFigure> figures{
      {"arithmetic", "arithmetic", "text", "what the machine multiplies and adds",
       [](const M& m) -> FigureValue { return m.arithmetic; }},
      {"macs", "multiply-accumulates", "count", "M * N * K",
       [](const M& m) -> FigureValue { return m.problem.macs(); }},
      {"cycles", "cycles", "cycles", "cycles of one product, until the last byte is stored",
       [](const M& m) -> FigureValue { return std::uint64_t{m.run.cycles}; }},
      {"clock_mhz", "clock", "MHz", "100 MHz, unless the board or --clock-mhz gives another clock",
       [](const M& m) -> FigureValue { return m.clock_mhz; }},
      {"latency_ms", "time", "ms", "cycles at the machine's clock",
       [](const M& m) -> FigureValue { return cycles_in_ms(m.run.cycles, m.clock_mhz); }},
      {"macs_per_cycle", "MAC/cycle", "1/cycle", "macs / cycles; padding does not count",
       [](const M& m) -> FigureValue { return m.macs_per_cycle(); }},
      {"peak_macs_per_cycle", "peak MAC/cycle", "1/cycle",
       "multiply-accumulates that the array can do in a cycle, in the product's arithmetic",
       [](const M& m) -> FigureValue { return m.peak_macs; }},
      {array_figures::busy_name, "array busy", "percent",
       "cycles in which the array multiplies / cycles; padding counts as work",
       [](const M& m) -> FigureValue { return m.array_busy(); }},
      {array_figures::useful_name, "useful MAC", "percent",
       "macs_per_cycle / peak_macs_per_cycle; padding does not count",
       [](const M& m) -> FigureValue { return m.useful_mac(); }},
      {"bound_cycles", "bound", "cycles",
       "closed form: cycles that this array needs for the product without memory and waiting",
       [](const M& m) -> FigureValue { return m.bound.cycles; }},
      {"share_of_bound", "of bound", "percent", "bound_cycles / cycles",
       [](const M& m) -> FigureValue { return m.share_of_bound(); }},
      {"estimated_cycles", "estimate", "cycles", "cycles by the formula that chose the schedule",
       [](const M& m) -> FigureValue { return m.estimated_cycles; }},
      {"array_instructions", "array instructions", "count",
       "DPAS of a DPAS machine, MatMul of a TCU",
       [](const M& m) -> FigureValue { return m.array_instructions; }},
      {"instructions", "instructions", "count", "instructions issued or retired, padding included",
       [](const M& m) -> FigureValue { return m.run.retired; }},
      {"lost_cycles", "lost cycles", "cycles", "cycles in which the array computes nothing",
       [](const M& m) -> FigureValue { return lost_total(m.run.accounting.totals); }},
      {"memory_bytes_read", "memory bytes read", "bytes", "at the memory ports, whole beats",
       [](const M& m) -> FigureValue { return m.levels.front().bytes_read; }},
      {"memory_bytes_written", "memory bytes written", "bytes", "at the memory ports, whole beats",
       [](const M& m) -> FigureValue { return m.levels.front().bytes_written; }},
      {"macs_per_byte", "MAC/byte", "1/byte", "macs / bytes at the memory ports",
       [](const M& m) -> FigureValue {
         if (m.bytes_moved() == 0) return {};
         return static_cast<double>(m.problem.macs()) / static_cast<double>(m.bytes_moved());
       }},
      {"registers_read", "registers read", "count",
       "registers read by all instructions, those of the array and others",
       [](const M& m) { return registers(m, &RegisterReads::read); }},
      {"registers_saved", "register reads saved", "count",
       "register reads that the array's operand buffers saved",
       [](const M& m) { return registers(m, &RegisterReads::saved); }},
      {"schedule", "schedule", "text", "how the product was cut",
       [](const M& m) -> FigureValue { return m.schedule; }},
  };
  return figures;
}

std::string to_text(const GemmFigure& figure, const FigureValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) {
    if (figure.unit == "ms") return time_text(*real);
    return figure.unit == "percent" ? fmt::format("{:.1f} %", 100 * *real)
                                    : fmt::format("{:.{}f}", *real, *real < 100 ? 3 : 1);
  }
  return "-";
}

nlohmann::ordered_json figures_json(const Measurement& measurement) {
  nlohmann::ordered_json json;
  for (const GemmFigure& figure : gemm_figures()) {
    nlohmann::ordered_json& place = json[std::string(figure.name)];
    std::visit(
        [&place](const auto& value) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
            place = value;
          }
        },
        figure.value(measurement));
  }
  return json;
}

std::vector<Lost> lost_by_reason(const Measurement& measurement) {
  const Counters& counters = measurement.run.accounting.totals;
  const TimeInfo& time = counters.info->time;
  std::vector<Lost> list;
  for (const LostCycles& lost : lost_cycles(counters)) {
    list.push_back({std::string(time.states[lost.reason].name),
                    std::string(time.reasons[lost.reason].title), lost.cycles});
  }
  return list;
}

std::string key(std::string_view title) {
  std::string name(title);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace tactus::gemm
