#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "firmware/gemm/comparison.h"
#include "firmware/gemm/figures.h"
#include "firmware/report/html.h"
#include "firmware/report/run_document.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/svg.h"
#include "isa/support/quantity.h"

namespace tactus::gemm {
namespace {

using html::escape;
using html::grouped;
using html::percent;

std::string value_text(const GemmFigure& figure, const FigureValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return grouped(*whole);
  return escape(to_text(figure, value));
}

class Page {
 public:
  explicit Page(const Comparison& comparison) : c_(comparison), page_(title()) {}

  std::string html() {
    page_.lead(
        fmt::format("<p>{}. Results are compared with a plain triple loop in each machine's "
                    "arithmetic. Tactus {} ({}).</p>\n",
                    subject(), escape(c_.version), escape(c_.revision)));
    for (const auto& machine : c_.machines) {
      if (machine->arithmetic_note().empty()) continue;
      page_.lead(html::paragraph(machine->arithmetic_note() + "."));
    }
    page_.lead(memories());
    for (std::size_t i = 0; i < c_.machines.size(); ++i) {
      const Comparison::Total total = c_.total(i);
      page_.tile(
          c_.machines[i]->name(), percent(total.useful_mac),
          fmt::format("useful MAC; {} cycles, {}", grouped(total.cycles), time_text(total.ms)));
    }
    page_.section("Machines", machines());
    if (c_.problems.size() > 1) page_.section("Products", products());
    for (const auto& row : c_.results) {
      const Problem& p = row.front().problem;
      page_.section(
          fmt::format("{}{}", p.name == p.shape() ? "" : escape(p.name) + ": ", p.shape()),
          product(row));
    }
    page_.section("What the figures mean", meanings());
    return page_.html();
  }

 private:
  [[nodiscard]] std::string title() const {
    if (c_.problems.size() == 1) {
      return fmt::format("Matrix product {}", c_.problems.front().shape());
    }
    return fmt::format("{} matrix products", c_.problems.size());
  }
  [[nodiscard]] std::string subject() const {
    std::uint64_t macs = 0;
    for (const Problem& p : c_.problems) macs += p.count * p.macs();
    return fmt::format("{} multiply-accumulates on {} machine{}", grouped(macs), c_.machines.size(),
                       c_.machines.size() == 1 ? "" : "s");
  }

  /// Lists the memories if they differ. It stands before the figures, which depend on them.
  [[nodiscard]] std::string memories() const {
    std::set<std::string> kinds;
    std::string list;
    for (const auto& machine : c_.machines) {
      kinds.insert(machine->memory_description());
      list += fmt::format("{}{}: {}", list.empty() ? "" : "; ", machine->name(),
                          machine->memory_description());
    }
    if (kinds.size() < 2) return "";
    return fmt::format(
        "<p><b>The machines' memory is not alike</b>, and cycles depend on it. {}.</p>\n",
        escape(list));
  }

  [[nodiscard]] std::string machines() const {
    html::Table parts({{"machine", true},
                       {"what it is", true, true},
                       {"memory", true, true},
                       {"on the chip", true, true}});
    html::Table table;
    for (std::size_t i = 0; i < c_.machines.size(); ++i) {
      const Runner& machine = *c_.machines[i];
      std::string on_chip;
      for (const OnChipMemory& memory : machine.on_chip()) {
        on_chip += fmt::format("{}{} {:.1f} KiB", on_chip.empty() ? "" : ", ", escape(memory.name),
                               static_cast<double>(memory.bits) / 8192);
      }
      const Comparison::Total total = c_.total(i);
      parts.row({escape(machine.name()), escape(machine.description()),
                 escape(machine.memory_description()), on_chip});
      table.begin_row();
      table.cell({"machine", true}, escape(machine.name()));
      table.cell({"cycles"}, grouped(total.cycles));
      table.cell({"time"}, time_text(total.ms));
      table.cell({"useful MAC"}, percent(total.useful_mac));
      table.cell({"of bound"}, percent(total.share_of_bound));
      table.cell({"memory bytes"}, grouped(total.bytes));
      if (!c_.energies) continue;
      table.cell({c_.energy_title()},
                 escape(energy::energy_text(total.energy, c_.energies->unit())));
    }
    return table.html() + parts.html();
  }

  [[nodiscard]] std::string products() const {
    html::Table table;
    for (const auto& row : c_.results) {
      const Problem& p = row.front().problem;
      table.begin_row();
      table.cell({"product", true}, escape(p.name));
      table.cell({"M x N x K", true}, p.shape());
      table.cell({"count"}, grouped(p.count));
      for (std::size_t i = 0; i < row.size(); ++i) {
        table.cell({c_.machines[i]->name() + " cycles"}, grouped(row[i].run.cycles));
        table.cell({"useful MAC"}, percent(row[i].useful_mac()));
      }
    }
    return table.html();
  }

  [[nodiscard]] std::string product(const std::vector<Measurement>& row) const {
    html::Table table;
    for (const GemmFigure& figure : gemm_figures()) {
      if (figure.unit == "text") continue;  // shown with the machine
      table.begin_row();
      table.cell({"", true}, escape(figure.title));
      for (std::size_t i = 0; i < row.size(); ++i) {
        table.cell({c_.machines[i]->name()}, value_text(figure, figure.value(row[i])));
      }
    }
    std::string text = bars(row) + table.html();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].wrong.empty()) continue;
      text += fmt::format("<p><b>Wrong on {}</b>: {}</p>\n", escape(c_.machines[i]->name()),
                          escape(row[i].wrong));
    }
    for (std::size_t i = 0; i < row.size(); ++i) text += run(row[i], *c_.machines[i]);
    return text;
  }

  /// Bars with the time of each machine, one below the other, all on one scale of time.
  [[nodiscard]] std::string bars(const std::vector<Measurement>& row) const {
    html::Table table({{"machine", true}, {"cycles"}, {"time"}, {"time of its array", true}});
    double longest = 0;  // us
    const auto us = [](const Measurement& m) {
      return static_cast<double>(m.run.accounting.totals.cycles()) / m.clock_mhz;
    };
    for (const Measurement& m : row) longest = std::max(longest, us(m));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Measurement& m = row[i];
      table.row({escape(c_.machines[i]->name()), grouped(m.run.cycles),
                 time_text(cycles_in_ms(m.run.cycles, m.clock_mhz)),
                 time_bar(m.run.accounting.totals, true, longest * m.clock_mhz)});
    }
    return table.html() + legend(row);
  }

  /// Legend of all bars. A colour is listed with every title that a machine has for it.
  static std::string legend(const std::vector<Measurement>& row) {
    std::map<unsigned, std::vector<std::string>> titles;
    for (const Measurement& m : row) {
      for (const ReasonGroup& group : m.run.accounting.totals.info->time.groups) {
        std::vector<std::string>& same = titles[group.colour];
        if (std::find(same.begin(), same.end(), group.title) == same.end()) {
          same.emplace_back(group.title);
        }
      }
    }
    std::vector<svg::Legend> entries;
    for (const auto& [colour, names] : titles) {
      entries.push_back({fmt::format("{}", fmt::join(names, " / ")), colour});
    }
    return svg::legend(entries);
  }

  static std::string run(const Measurement& m, const Runner& machine) {
    const Counters& counters = m.run.accounting.totals;
    std::string text;
    for (const GemmFigure& figure : gemm_figures()) {
      if (figure.unit != "text") continue;
      text +=
          html::paragraph(fmt::format("{}: {}", figure.title, to_text(figure, figure.value(m))));
    }
    html::Table lost({{"lost cycles", true}, {"cycles"}, {"of all"}});
    for (const Lost& reason : lost_by_reason(m)) {
      lost.row({escape(reason.title), grouped(reason.cycles),
                percent(ratio(reason.cycles, counters.cycles()))});
    }
    html::Table levels({{"level", true}, {"bytes read"}, {"bytes written"}, {"MAC/byte"}});
    for (const Level& level : m.levels) {
      const std::uint64_t bytes = level.bytes_read + level.bytes_written;
      levels.row({escape(level.name), grouped(level.bytes_read), grouped(level.bytes_written),
                  fmt::format("{:.2f}", ratio(m.problem.macs(), bytes))});
    }
    text += lost.html() + levels.html();
    if (!m.energy.is_null()) text += energy::page_section(m.energy);
    return html::details(escape(machine.name()) + ": lost cycles and traffic", text);
  }

  [[nodiscard]] std::string meanings() const {
    html::Table table({{"figure", true}, {"meaning", true}});
    for (const GemmFigure& figure : gemm_figures()) {
      table.row({escape(figure.title), escape(figure.meaning)});
    }
    for (std::size_t i = 0; i < c_.machines.size(); ++i) {
      table.row(
          {"bound of " + escape(c_.machines[i]->name()), escape(c_.results.front()[i].bound.text)});
    }
    return table.html();
  }

  const Comparison& c_;
  html::Page page_;
};

}  // namespace

std::string to_html(const Comparison& comparison) { return Page(comparison).html(); }

}  // namespace tactus::gemm
