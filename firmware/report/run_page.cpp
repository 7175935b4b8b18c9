#include "firmware/report/run_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/report/figures.h"
#include "firmware/report/html.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/svg.h"

namespace tactus {
namespace {

using html::escape;
using html::grouped;
using html::percent;

/// Reasons drawn in one colour.
struct Group {
  const char* title;
  unsigned colour;
};
constexpr Group groups[] = {
    {"array computes", 0},
    {"weights: entering, draining, operands", 1},
    {"accumulators, SIMD, DAIS blocks", 2},
    {"DRAM, data moving", 3},
    {"DRAM, waiting", 4},
    {"other instructions, stream, end", 5},
};

std::size_t group_of(std::size_t reason) {
  switch (static_cast<ArrayTime::State>(reason)) {
    case ArrayTime::compute:
      return 0;
    case ArrayTime::load_weights:
    case ArrayTime::drain:
    case ArrayTime::operands:
      return 1;
    case ArrayTime::accumulators:
    case ArrayTime::simd:
    case ArrayTime::dais:
    case ArrayTime::accumulator_moves:
    case ArrayTime::accumulator_results:
      return 2;
    case ArrayTime::dram0_read_data:
    case ArrayTime::dram0_write_data:
    case ArrayTime::dram1_read_data:
    case ArrayTime::dram1_write_data:
      return 3;
    case ArrayTime::dram0_read_wait:
    case ArrayTime::dram0_write_wait:
    case ArrayTime::dram1_read_wait:
    case ArrayTime::dram1_write_wait:
      return 4;
    case ArrayTime::other_instructions:
    case ArrayTime::instruction_stream:
    case ArrayTime::ended:
      break;
  }
  return 5;
}

std::string swatch(std::size_t reason) {
  return fmt::format("<i style=\"background:{}\"></i>",
                     svg::colour(groups[group_of(reason)].colour));
}

std::string group_legend() {
  std::vector<svg::Legend> entries;
  for (const Group& group : groups) entries.push_back({group.title, group.colour});
  return svg::legend(entries);
}

std::string part_title(std::string_view name, std::uint64_t cycles, std::uint64_t total) {
  return fmt::format("{}: {} cycles, {}", name, grouped(cycles), percent(ratio(cycles, total)));
}

/// Compute first, then the reasons group by group.
std::string time_bar(const Counters& counters, bool big) {
  std::vector<svg::Part> parts;
  for (std::size_t g = 0; g < std::size(groups); ++g) {
    for (std::size_t r = 0; r < ArrayTime::states; ++r) {
      if (group_of(r) != g) continue;
      parts.push_back(
          {static_cast<double>(counters.array_time[r]), groups[g].colour,
           part_title(ArrayTime::titles[r], counters.array_time[r], counters.cycles())});
    }
  }
  return svg::stacked_bar(parts, big);
}

std::string summary(const RunPage& page) {
  const Accounting& a = page.run->accounting;
  const Shape shape(*page.config);
  const Roofline roof = roofline(a.totals, shape);
  const std::vector<LostCycles> lost = lost_cycles(a.totals);
  std::vector<std::string> tiles;
  const double ms = static_cast<double>(page.cycles) / page.clock_mhz / 1e3;
  tiles.push_back(html::tile("cycles", grouped(page.cycles),
                             fmt::format("{:.3f} ms at {:g} MHz", ms, page.clock_mhz)));
  tiles.push_back(html::tile(
      "array utilisation", percent(ratio(a.totals.array_runs, a.cycles)),
      fmt::format("{:.1f} of {:g} MAC/cycle", roof.macs_per_cycle, roof.peak_macs_per_cycle)));
  tiles.push_back(html::tile(
      "lost cycles", percent(ratio(lost_total(a.totals), a.cycles)),
      lost.empty() ? "none" : "most: " + std::string(ArrayTime::titles[lost.front().reason])));
  tiles.push_back(html::tile(
      "DRAM bandwidth", percent(roof.bytes_per_cycle / roof.peak_bytes_per_cycle),
      fmt::format("{:.2f} of {:g} bytes/cycle", roof.bytes_per_cycle, roof.peak_bytes_per_cycle)));
  tiles.push_back(
      html::tile("roofline", percent(roof.share_of_roof),
                 fmt::format("of the {} roof", roof.memory_bound ? "memory" : "compute")));
  tiles.push_back(html::tile("instructions", grouped(page.run->instructions),
                             page.images > 1 ? fmt::format("first of {} images", page.images)
                                             : std::string("retired in order")));
  return html::tiles(tiles);
}

std::string array_time_section(const Accounting& a) {
  std::string out =
      "<p>In every cycle the array multiplies a vector, or one reason keeps it from it. Where the "
      "array has no instruction, what the decoder's head does is the reason.</p>\n";
  out += time_bar(a.totals, true) + group_legend();
  html::Table table({{"reason", true}, {"cycles"}, {"share"}, {"what it means", true}});
  const auto row = [&](std::size_t reason, std::uint64_t cycles) {
    table.row({swatch(reason) + escape(ArrayTime::titles[reason]), grouped(cycles),
               percent(ratio(cycles, a.cycles)), escape(ArrayTime::state_table[reason].meaning)});
  };
  row(ArrayTime::compute, a.totals.array_time[ArrayTime::compute]);
  for (const LostCycles& lost : lost_cycles(a.totals)) row(lost.reason, lost.cycles);
  return out + table.html();
}

std::string activity_section(const Activity& activity) {
  svg::Columns chart;
  for (const Group& group : groups) chart.layers.push_back({group.title, group.colour});
  Cycle cycles = 0;
  for (const Activity::Bucket& bucket : activity.buckets()) {
    std::vector<double> shares(std::size(groups));
    for (std::size_t r = 0; r < bucket.size(); ++r) {
      cycles += bucket[r];
      shares[group_of(r)] += static_cast<double>(bucket[r]) / static_cast<double>(activity.width());
    }
    chart.shares.push_back(std::move(shares));
  }
  chart.first = "cycle 0";
  chart.last = grouped(cycles);
  chart.axis = fmt::format("one column is {} cycles", grouped(activity.width()));
  return "<p>The same reasons from the first cycle to the last.</p>\n" + svg::columns(chart) +
         group_legend();
}

std::string roofline_section(const Accounting& a, const Shape& shape) {
  const Roofline all = roofline(a.totals, shape);
  std::string out = fmt::format(
      "<p>The roof is what the array ({:g} MAC/cycle) and the two DRAM ports ({:g} bytes/cycle, "
      "one "
      "beat a cycle each) allow at a given intensity. The run reaches {} of it and lies under the "
      "{} "
      "part.{}</p>\n",
      all.peak_macs_per_cycle, all.peak_bytes_per_cycle, percent(all.share_of_roof),
      all.memory_bound ? "memory" : "compute",
      a.regions.empty() ? ""
                        : " Small points are layers; rest the pointer on one to see its name.");
  if (!all.intensity || all.macs == 0) {
    return out +
           "<p>There is no point to draw: the run has no multiplications or no DRAM traffic."
           "</p>\n";
  }
  svg::RooflineChart chart{all.peak_macs_per_cycle, all.peak_bytes_per_cycle, {}};
  const auto point = [&](const Roofline& r, std::string_view name, bool main) {
    if (!r.intensity || r.macs == 0) return;
    chart.points.push_back(
        {*r.intensity, r.macs_per_cycle,
         fmt::format("{}: {:.3g} MAC/byte, {:.3g} MAC/cycle, {} of the roof", name, *r.intensity,
                     r.macs_per_cycle, percent(r.share_of_roof)),
         main});
  };
  for (const RegionFigures& region : a.regions) {
    point(roofline(region.counters, shape), region.name, false);
  }
  point(all, "whole run", true);
  return out + svg::roofline(chart);
}

/// States that occur: busy first, then waits by their cycles, then idle.
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
  constexpr double least_named = 0.005;
  html::Table bars(
      {{"unit", true}, {"states", true}, {"busy"}, {"waiting"}, {"largest wait", true, true}});
  html::Table states({{"unit and state", true}, {"cycles"}, {"share"}, {"what it means", true}});
  for (const UnitCycles& unit : a.units) {
    if (&unit == &a.units.back()) break;  // the array's time has a section of its own
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
      states.row({fmt::format("{}: {}", escape(unit_title(unit.unit)), state.name),
                  grouped(unit.cycles[s]), percent(ratio(unit.cycles[s], a.cycles)),
                  escape(state.meaning)});
    }
    bars.row({escape(unit_title(unit.unit)),
              svg::stacked_bar(parts) + "<div class=\"parts\">" + names + "</div>",
              percent(ratio(unit.of(StateKind::busy), a.cycles)),
              percent(ratio(unit.of(StateKind::stall), a.cycles)), largest});
  }
  return "<p>Every unit is in one state in every cycle: busy, waiting for something, or without "
         "work. States of less than 0.5 % are named in the list below.</p>\n" +
         svg::legend({{"busy", 0}, {"largest wait", 4}, {"other waits", 3}, {"no work", 6}}) +
         bars.html() + "<details><summary>All states with their cycles</summary>\n" +
         states.html() + "</details>\n";
}

std::string instructions_section(const Accounting& a, const Shape& shape) {
  html::Table table({{"instruction", true},
                     {"count"},
                     {"vectors"},
                     {"bytes"},
                     {"cycles at the head"},
                     {"share"},
                     {"of these waiting"}});
  for (std::size_t k = 0; k < tcu::instruction_kinds; ++k) {
    const KindFigures& figures = a.kinds[k];
    if (figures.count == 0 && figures.head_cycles() == 0) continue;
    const std::uint64_t head = figures.head_cycles();
    table.row({escape(tcu::instruction_kind_infos[k].title), grouped(figures.count),
               grouped(figures.vectors), grouped(figures.vectors * shape.vector_bytes),
               grouped(head), percent(ratio(head, a.cycles)),
               percent(ratio(head - figures.head[Decoder::busy], head))});
  }
  return "<p>Instructions are decoded one after the other; cycles at the decoder's head are what "
         "each kind costs there.</p>\n" +
         table.html();
}

std::string dram_section(const Accounting& a, const Shape& shape) {
  html::Table table({{"port", true},
                     {"bytes read"},
                     {"bytes written"},
                     {"beats a burst"},
                     {"of all cycles"},
                     {"of cycles with work"}});
  for (unsigned p = 0; p < 2; ++p) {
    const PortFigures port = port_figures(a, p, shape);
    table.row({fmt::format("DRAM{}", p), grouped(port.bytes_read), grouped(port.bytes_written),
               fmt::format("{:.1f}", port.beats_per_burst), percent(port.utilisation),
               percent(port.efficiency)});
  }
  return "<p>Shares are those in which a beat of data passes the pins.</p>\n" + table.html();
}

std::string layers_section(const Accounting& a) {
  if (a.regions.empty()) {
    return "<p>The model names no layers. <code>--regions F.json</code> names parts of the "
           "program, "
           "<code>--regions 20</code> cuts it into 20.</p>\n";
  }
  html::Table table({{"layer", true},
                     {"cycles"},
                     {"share"},
                     {"array"},
                     {"array's time", true},
                     {"main reason for lost cycles", true, true}});
  for (const RegionFigures& region : a.regions) {
    const std::uint64_t cycles = region.counters.cycles();
    if (cycles == 0) continue;
    const std::vector<LostCycles> lost = lost_cycles(region.counters);
    table.row({html::breakable(region.name), grouped(cycles), percent(ratio(cycles, a.cycles)),
               percent(ratio(region.counters.array_runs, cycles)), time_bar(region.counters, false),
               lost.empty() ? ""
                            : escape(fmt::format("{}, {}", ArrayTime::titles[lost.front().reason],
                                                 percent(ratio(lost.front().cycles, cycles))))});
  }
  return "<p>A cycle belongs to the layer of the instruction that retires next.</p>\n" +
         group_legend() + table.html();
}

}  // namespace

std::string run_page_html(const RunPage& page) {
  const Accounting& a = page.run->accounting;
  const Shape shape(*page.config);
  html::Page out(page.title);
  out.lead(fmt::format("<p>{}</p>\n", escape(page.lead)));
  if (!page.ending.empty()) out.lead(fmt::format("<p><b>{}</b></p>\n", escape(page.ending)));
  out.lead(summary(page));
  out.section("Where the array's time goes", array_time_section(a));
  out.section("Over time", activity_section(*page.activity));
  out.section("Roofline", roofline_section(a, shape));
  out.section("Units", units_section(a));
  out.section("Layers", layers_section(a));
  out.section("Instructions", instructions_section(a, shape));
  out.section("DRAM ports", dram_section(a, shape));
  html::Table configuration({{"setting", true}, {"value", true}});
  for (const auto& [name, value] : page.configuration) {
    configuration.row({escape(name), escape(value)});
  }
  out.section("Configuration", configuration.html());
  return out.html();
}

}  // namespace tactus
