#include "firmware/report/run_document.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/report/html.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/svg.h"
#include "firmware/report/together.h"
#include "firmware/report/version.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using html::escape;
using html::grouped;
using html::percent;

std::string swatch(const TimeInfo& time, std::size_t reason) {
  return fmt::format("<i style=\"background:{}\"></i>",
                     svg::colour(time.groups[time.reasons[reason].group].colour));
}

std::string group_legend(const TimeInfo& time) {
  std::vector<svg::Legend> entries;
  for (const ReasonGroup& group : time.groups) {
    entries.push_back({std::string(group.title), group.colour});
  }
  return svg::legend(entries);
}

std::string part_title(std::string_view name, std::uint64_t cycles, std::uint64_t total) {
  return fmt::format("{}: {} cycles, {}", name, grouped(cycles), percent(ratio(cycles, total)));
}

std::string main_reason_text(const Counters& counters) {
  const TimeInfo& time = counters.info->time;
  const MainReason most = main_reason(counters);
  if (most.group_cycles == 0) return "";
  std::string text = swatch(time, most.reason) +
                     escape(fmt::format("{}, {}", time.groups[most.group].title,
                                        percent(ratio(most.group_cycles, counters.cycles()))));
  if (most.reason_cycles < most.group_cycles) {
    text += escape(fmt::format("; of these {}, {}", time.reasons[most.reason].title,
                               percent(ratio(most.reason_cycles, counters.cycles()))));
  }
  return text;
}

void add_tiles(html::Page& out, const RunDocument& document) {
  const ReportedRun& image = document.images.front();
  const Accounting& a = image.run->accounting;
  const MachineInfo& machine = *a.totals.info;
  const Roofline busy = roofline(a.totals, document.rates);
  const Roofline roof = document.macs ? roofline(a.totals, document.rates, *document.macs) : busy;
  const std::vector<LostCycles> lost = lost_cycles(a.totals);
  out.tile("cycles", grouped(image.cycles),
           fmt::format("{} at {:g} MHz", time_text(milliseconds(document, image.cycles)),
                       document.clock_mhz));
  if (const Cycle once = document.constants.value_or(0); once != 0) {
    out.tile("constants, once", grouped(once),
             fmt::format("{} before the first image, in no latency",
                         time_text(milliseconds(document, once))));
  }
  if (a.cycles == 0) return;
  out.tile(fmt::format("{} busy", machine.time.subject),
           percent(array_figures::busy(busy_cycles(a.totals), image.cycles).value_or(0)),
           fmt::format("{:.1f} of {:g} MAC/cycle", busy.macs_per_cycle, busy.peak_macs_per_cycle));
  if (const auto useful =
          array_figures::useful(document.macs, image.cycles, document.rates.peak_macs)) {
    out.tile("useful MAC", percent(*useful),
             fmt::format("{} MAC of the network", grouped(*document.macs)));
  }
  out.tile("lost cycles", percent(ratio(lost_total(a.totals), a.cycles)),
           lost.empty()
               ? "none"
               : fmt::format("most: {}", machine.time.groups[main_reason(a.totals).group].title));
  if (!machine.traffic.ports.empty()) {
    out.tile(
        fmt::format("{} bandwidth", machine.traffic.title),
        percent(roof.bytes_per_cycle / roof.peak_bytes_per_cycle),
        fmt::format("{:.2f} of {:g} bytes/cycle", roof.bytes_per_cycle, roof.peak_bytes_per_cycle));
  }
  out.tile("roofline", percent(roof.share_of_roof),
           fmt::format("{}of the {} roof", document.macs ? "useful MAC, " : "",
                       roof.memory_bound ? "memory" : "compute"));
  out.tile("instructions", grouped(image.run->instructions),
           document.images.size() > 1 ? fmt::format("first of {} images", document.images.size())
                                      : std::string("retired in order"));
}

std::string time_section(const Accounting& a) {
  const TimeInfo& time = a.totals.info->time;
  std::string out = fmt::format("<p>{}</p>\n", time.introduction);
  out += time_bar(a.totals, true) + group_legend(time);
  html::Table table({{"reason", true}, {"cycles"}, {"share"}, {"what it means", true}});
  const auto row = [&](std::size_t reason) {
    table.row({swatch(time, reason) + escape(time.reasons[reason].title),
               grouped(a.totals.time[reason]), percent(ratio(a.totals.time[reason], a.cycles)),
               escape(time.states[reason].meaning)});
  };
  for (std::size_t r = 0; r < time.states.count; ++r) {
    if (!is_lost(*a.totals.info, r)) row(r);
  }
  for (const LostCycles& lost : lost_cycles(a.totals)) row(lost.reason);
  return out + table.html();
}

/// The layers as spans below columns that cover `cycles` cycles.
std::vector<svg::Columns::Span> layer_spans(const Accounting& a, Cycle cycles) {
  std::vector<svg::Columns::Span> spans;
  for (const RegionSpan& span : a.spans) {
    const std::string& name = a.regions[span.region].name;
    spans.push_back(
        {ratio(span.to, cycles), name,
         fmt::format("{}: cycles {} to {}", name, grouped(span.from), grouped(span.to - 1))});
  }
  return spans;
}

std::string activity_section(const Activity& activity, const Accounting& a) {
  const TimeInfo& time = a.totals.info->time;
  svg::Columns chart;
  for (const ReasonGroup& group : time.groups) {
    chart.layers.push_back({std::string(group.title), group.colour});
  }
  Cycle cycles = 0;
  for (const Activity::Bucket& bucket : activity.buckets()) {
    std::vector<double> shares(time.groups.size());
    for (std::size_t r = 0; r < bucket.size(); ++r) {
      cycles += bucket[r];
      shares[time.reasons[r].group] +=
          static_cast<double>(bucket[r]) / static_cast<double>(activity.width());
    }
    chart.shares.push_back(std::move(shares));
  }
  chart.first = "cycle 0";
  chart.last = grouped(cycles);
  chart.axis = fmt::format("one column is {} cycles", grouped(activity.width()));
  chart.spans = layer_spans(a, activity.width() * activity.buckets().size());
  return fmt::format("<p>The same reasons from the first cycle to the last{}.</p>\n",
                     chart.spans.empty() ? "" : ", and the layers below them") +
         svg::columns(chart) + group_legend(time);
}

std::string roofline_section(const Accounting& a, const RunDocument& document) {
  const MachineRates& rates = document.rates;
  const Roofline busy = roofline(a.totals, rates);
  const Roofline all = document.macs ? roofline(a.totals, rates, *document.macs) : busy;
  const MachineInfo& machine = *a.totals.info;
  std::string out = fmt::format(
      "<p>The roof is what the {} ({:g} MAC/cycle) and {} ({:g} bytes/cycle, one beat a cycle "
      "each, whatever the memory behind gives) allow at a given intensity. The run reaches {} of "
      "it and lies under the {} part.{}"
      "</p>\n",
      machine.time.subject, all.peak_macs_per_cycle, machine.traffic.ports_text,
      all.peak_bytes_per_cycle, percent(all.share_of_roof), all.memory_bound ? "memory" : "compute",
      fmt::format(
          "{}{}",
          document.macs
              ? fmt::format(" Multiply-accumulates are the network's own (useful MAC); the point "
                            "\"array busy\" also counts padding and reaches {}.",
                            percent(busy.share_of_roof))
              : "",
          a.regions.empty()
              ? ""
              : " Small points are layers; those with the most cycles are named, the pointer "
                "names the others."));
  if (!all.intensity || all.macs == 0) {
    return out +
           fmt::format(
               "<p>There is no point to draw: the run has no multiplications or no {} traffic."
               "</p>\n",
               machine.traffic.title);
  }
  svg::RooflineChart chart{all.peak_macs_per_cycle,
                           all.peak_bytes_per_cycle,
                           {},
                           std::string(machine.time.subject),
                           std::string(machine.traffic.title),
                           "whole run",
                           {}};
  // The points of the whole run are named first, then layers by their cycles.
  const auto point = [&](const Roofline& r, std::string_view name, Cycle weight, bool main) {
    if (!r.intensity || r.macs == 0) return;
    chart.points.push_back(
        {*r.intensity, r.macs_per_cycle,
         fmt::format("{}: {:.3g} MAC/byte, {:.3g} MAC/cycle, {} of the roof", name, *r.intensity,
                     r.macs_per_cycle, percent(r.share_of_roof)),
         main, std::string(name), static_cast<double>(weight)});
  };
  for (std::size_t i = 0; i < a.regions.size(); ++i) {
    const RegionFigures& region = a.regions[i];
    const Cycle cycles = region.counters.cycles();
    if (cycles >= a.cycles) continue;
    const auto macs = expectation(document.expected, i).macs;
    point(macs ? roofline(region.counters, rates, *macs) : roofline(region.counters, rates),
          region.name, cycles, false);
  }
  std::vector<std::string> others;
  if (!chart.points.empty()) others.emplace_back("layers");
  if (document.macs) others.emplace_back("array busy");
  chart.points_title = fmt::format("{}", fmt::join(others, ", "));
  if (document.macs) point(busy, "whole run, array busy", a.cycles + 1, false);
  point(all, "whole run", a.cycles + 2, true);
  return out + svg::roofline(chart);
}

/// Indices of the states that occur: busy states first, then stalls by their cycles, then idle.
std::vector<std::size_t> ordered_states(const UnitCycles& unit) {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < unit.cycles.size(); ++s) {
    if (unit.cycles[s] > 0) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const StateKind kind = unit.states[a].kind;
    if (kind != unit.states[b].kind) return kind < unit.states[b].kind;
    return kind == StateKind::stall && unit.cycles[a] > unit.cycles[b];
  });
  return order;
}

std::string units_section(const Accounting& a) {
  const MachineInfo& machine = *a.totals.info;
  constexpr double least_named = 0.005;
  html::Table bars(
      {{"unit", true}, {"states", true}, {"busy"}, {"waiting"}, {"largest wait", true, true}});
  html::Table states({{"unit and state", true}, {"cycles"}, {"share"}, {"what it means", true}});
  for (const UnitCycles& unit : a.units) {
    if (&unit == &a.units.back()) break;  // the account of the last unit has a section of its own
    std::vector<svg::Part> parts;
    std::string largest;
    std::string names;
    for (const std::size_t s : ordered_states(unit)) {
      const UnitState& state = unit.states[s];
      unsigned colour = state.kind == StateKind::busy ? 0 : 6;
      if (state.kind == StateKind::stall) {
        colour = largest.empty() ? 4 : 3;
        if (largest.empty()) largest = escape(state.meaning);
      }
      parts.push_back({static_cast<double>(unit.cycles[s]), colour,
                       part_title(state.name, unit.cycles[s], a.cycles)});
      const double share = ratio(unit.cycles[s], a.cycles);
      if (share >= least_named) {
        names += fmt::format("<span><i style=\"background:{}\"></i>{} {}</span>",
                             svg::colour(colour), state.name, percent(share));
      }
      states.row({fmt::format("{}: {}", escape(machine.unit_title(unit.unit)), state.name),
                  grouped(unit.cycles[s]), percent(ratio(unit.cycles[s], a.cycles)),
                  escape(state.meaning)});
    }
    bars.row({escape(machine.unit_title(unit.unit)),
              svg::stacked_bar(parts) + "<div class=\"parts\">" + names + "</div>",
              percent(ratio(unit.of(StateKind::busy), a.cycles)),
              percent(ratio(unit.of(StateKind::stall), a.cycles)), largest});
  }
  return "<p>Every unit is in one state in every cycle: busy, waiting for something, or without "
         "work. States of less than 0.5 % are named in the list below.</p>\n" +
         svg::legend({{"busy", 0}, {"largest wait", 4}, {"other waits", 3}, {"no work", 6}}) +
         bars.html() + html::details("All states with their cycles", states.html());
}

std::string instructions_section(const Accounting& a, const MachineRates& rates) {
  html::Table table({{"instruction", true},
                     {"count"},
                     {"vectors"},
                     {"bytes"},
                     {"cycles at the head"},
                     {"share"},
                     {"of these waiting"}});
  const MachineInfo& machine = *a.totals.info;
  for (std::size_t k = 0; k < machine.kinds.size(); ++k) {
    const KindFigures& figures = a.kinds[k];
    if (figures.count == 0 && figures.head_cycles() == 0) continue;
    const std::uint64_t head = figures.head_cycles();
    table.row({escape(machine.kinds[k].title), grouped(figures.count), grouped(figures.vectors),
               grouped(figures.vectors * rates.vector_bytes), grouped(head),
               percent(ratio(head, a.cycles)), percent(ratio(head - figures.busy, head))});
  }
  return fmt::format("<p>{}</p>\n", machine.kinds_introduction) + table.html();
}

std::string ports_section(const Accounting& a, const MachineRates& rates) {
  html::Table table({{"port", true},
                     {"bytes read"},
                     {"bytes written"},
                     {"beats a burst"},
                     {"of all cycles"},
                     {"of cycles with work"}});
  const TrafficInfo& traffic = a.totals.info->traffic;
  for (unsigned p = 0; p < traffic.ports.size(); ++p) {
    const PortFigures port = port_figures(a, p, rates);
    table.row({escape(traffic.ports[p].title), grouped(port.bytes_read),
               grouped(port.bytes_written), fmt::format("{:.1f}", port.beats_per_burst),
               percent(port.utilisation), percent(port.efficiency)});
  }
  return "<p>Shares are those in which a beat of data passes the pins.</p>\n" + table.html();
}

std::string layers_section(const Accounting& a, const RunDocument& document) {
  const std::vector<Expectation>& expected = document.expected;
  if (a.regions.empty()) {
    return "<p>The model names no layers. <code>--regions F.json</code> names parts of the "
           "program, "
           "<code>--regions 20</code> cuts it into 20.</p>\n";
  }
  const TimeInfo& time = a.totals.info->time;
  const bool predicted = is_predicted(expected);
  const bool has_macs = knows_macs(*a.totals.info);
  html::Table table;
  for (std::size_t i = 0; i < a.regions.size(); ++i) {
    const RegionFigures& region = a.regions[i];
    const std::uint64_t cycles = region.counters.cycles();
    if (cycles == 0) continue;
    const Expectation of_layer = expectation(expected, i);
    const auto useful = array_figures::useful(of_layer.macs, cycles, document.rates.peak_macs);
    table.begin_row();
    table.cell({"layer", true}, html::breakable(region.name));
    table.cell({"cycles"}, grouped(cycles));
    if (predicted) {
      const std::uint64_t all = of_layer.predicted_cycles, bound = of_layer.bound_cycles;
      table.cell({"predicted"}, all == 0 ? ""
                                         : fmt::format("{} ({:+.1f} %)", grouped(all),
                                                       100 * deviation(of_layer, region)));
      table.cell({"bound"}, bound == 0 ? "" : grouped(bound));
    }
    table.cell({"share"}, percent(ratio(cycles, a.cycles)));
    table.cell({fmt::format("{} busy", time.subject)},
               percent(ratio(busy_cycles(region.counters), cycles)));
    if (has_macs) table.cell({"useful MAC"}, useful ? percent(*useful) : "");
    table.cell({fmt::format("{}'s time", time.subject), true}, time_bar(region.counters, false));
    table.cell({"main reason for lost cycles", true, true}, main_reason_text(region.counters));
  }
  std::string text = "<p>A cycle belongs to the layer of the instruction that retires next.";
  if (has_macs) {
    text += fmt::format(
        " {0} busy: cycles in which the {0} multiplies a vector, padding included; useful MAC: "
        "multiply-accumulates that the network asks for, of those that the {0} could do in the "
        "layer's cycles.",
        time.subject);
  }
  if (predicted) {
    text +=
        " Predicted: what the optimising compiler expects of a memory of fixed latency; bound: "
        "its matrices, weight changes and DataMoves out of the accumulators alone.";
  }
  text += "</p>\n";
  if (const std::string once = constants_text(document); !once.empty()) {
    text += html::paragraph("Constants, once: " + once + "; they belong to no layer.");
  }
  for (const std::string& finding : prediction_findings(a, expected)) {
    text += html::paragraph(finding + ".");
  }
  return text + group_legend(time) + table.html();
}

std::string configuration_section(const nlohmann::ordered_json& configuration) {
  html::Table table({{"setting", true}, {"value", true}});
  const auto text = [](const nlohmann::ordered_json& value) {
    return escape(value.is_string() ? value.get<std::string>() : text_of_json(value));
  };
  for (const auto& [key, value] : configuration.items()) {
    if (!value.is_object()) {
      table.row({escape(key), text(value)});
      continue;
    }
    for (const auto& [inner, entry] : value.items()) {
      table.row({escape(key + "." + inner), text(entry)});
    }
  }
  return table.html();
}

std::string throughput_section(const RunDocument& document, const Throughput& rate) {
  html::Table table({{"latency", true}, {"cycles"}, {"time"}, {"time an image"}});
  const auto batch = static_cast<double>(rate.batch);
  const auto row = [&](const char* name, std::uint64_t cycles) {
    const double ms = milliseconds(document, cycles);
    table.row({name, grouped(cycles), time_text(ms), time_text(ms / batch)});
  };
  row("shortest", rate.min);
  row("median", rate.median);
  row("of 95 % at most", rate.p95);
  row("longest", rate.max);
  return fmt::format(
             "<p>{} images, {} one after the other{}: {}{}.</p>\n", rate.images,
             rate.batch == 1 ? "" : fmt::format("{} a run, runs", rate.batch),
             document.units == 1 ? "" : fmt::format(" on each of {} units", document.units),
             frames_text(rate),
             document.host_us > 0
                 ? fmt::format(", {:g} us of the host in each run included", document.host_us)
                 : "") +
         table.html();
}

std::string ending(RunEnd end) {
  if (end == RunEnd::hang) return "The program hangs; figures are up to there.";
  if (end == RunEnd::cycle_limit) {
    return "The run was stopped at its cycle limit; figures are up to there.";
  }
  return {};
}

/// Adds the sections about the cycles of the first image.
void add_accounting(html::Page& out, const RunDocument& document) {
  const Accounting& a = document.images.front().run->accounting;
  const MachineInfo& machine = *a.totals.info;
  out.section(fmt::format("Where the {}'s time goes", machine.time.subject), time_section(a));
  out.section("Over time", activity_section(*document.activity, a));
  if (!machine.traffic.ports.empty()) {
    out.section("Roofline", roofline_section(a, document));
  }
  out.section("Units", units_section(a));
  // On machines other than the TCU an instruction may run several times and in several threads, so
  // layers need not exist.
  if (!a.regions.empty() || machine.name == "tcu")
    out.section("Layers", layers_section(a, document));
  out.section("Instructions", instructions_section(a, document.rates));
  if (!machine.traffic.ports.empty()) {
    out.section(fmt::format("{} ports", machine.traffic.title), ports_section(a, document.rates));
  }
}

}  // namespace

std::string time_bar(const Counters& counters, bool big, double whole) {
  const TimeInfo& time = counters.info->time;
  std::vector<svg::Part> parts;
  for (std::size_t g = 0; g < time.groups.size(); ++g) {
    for (std::size_t r = 0; r < counters.time.size(); ++r) {
      if (time.reasons[r].group != g) continue;
      parts.push_back({static_cast<double>(counters.time[r]), time.groups[g].colour,
                       part_title(time.reasons[r].title, counters.time[r], counters.cycles())});
    }
  }
  return svg::stacked_bar(parts, big, whole);
}

std::string run_page_html(const RunDocument& document) {
  const RunResult& run = *document.images.front().run;
  html::Page out(document.subject);
  out.lead(html::paragraph(fmt::format("{}. Simulated cycle by cycle by Tactus {} ({}).",
                                       document.machine, version, git_revision)));
  if (!document.accuracy.empty()) {
    out.lead(html::paragraph(fmt::format("Accuracy: {}.", document.accuracy)));
  }
  if (document.unwritten && document.unwritten->count > 0) {
    out.lead(fmt::format("<p><b>Warning: {}.</b></p>\n", escape(document.unwritten->text())));
  }
  if (document.interrupted) {
    out.lead(
        fmt::format("<p><b>The run was interrupted in run {}; figures are up to there.</b></p>\n",
                    document.images.size()));
  } else if (run.end != RunEnd::finished) {
    out.lead(fmt::format("<p><b>{}</b></p>\n", escape(ending(run.end))));
  }
  add_tiles(out, document);
  if (run.accounting.cycles == 0) {
    out.lead(
        "<p>The program has no instructions: the outputs lie where the inputs do, or the host "
        "computes them. It takes no cycles, so there are no rates and no lost cycles.</p>\n");
  }
  for (const auto& [title, html] : document.sections) out.section(title, html);
  if (const auto rate = throughput_of(document); rate && rate->images > 1) {
    out.section("Throughput", throughput_section(document, *rate));
    if (document.units > 1) out.section("Units behind one memory", together_section(document));
  }
  if (run.accounting.cycles != 0) add_accounting(out, document);
  for (const auto& [title, html] : document.closing_sections) out.section(title, html);
  out.section("Configuration", configuration_section(document.configuration));
  return out.html();
}

}  // namespace tactus
