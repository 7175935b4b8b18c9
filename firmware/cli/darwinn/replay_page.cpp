#include "firmware/cli/darwinn/replay_page.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/cli/darwinn/link_timeline.h"
#include "firmware/report/html.h"
#include "firmware/report/svg.h"

namespace tactus {
namespace {

using darwinn::Executable;
using html::escape;
using html::grouped;

std::string ms(Picoseconds time) {
  return fmt::format("{:.3f}", static_cast<double>(time) / picoseconds_per_ms);
}

std::string bytes_table(const darwinn::Traffic& traffic) {
  const std::pair<const char*, std::int64_t> classes[] = {
      {"instructions", traffic.instructions}, {"inputs", traffic.inputs},
      {"parameters", traffic.parameters},     {"scratch memory, in", traffic.scratch_in},
      {"outputs", traffic.outputs},           {"scratch memory, out", traffic.scratch_out}};
  std::vector<svg::Part> bar;
  std::vector<svg::Legend> legend;
  html::Table table({{"class", true}, {"bytes"}, {"share"}});
  const std::int64_t all = traffic.in() + traffic.out();
  unsigned colour = 0;
  for (const auto& [name, bytes] : classes) {
    const double share = all == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(all);
    bar.push_back({static_cast<double>(bytes), colour, fmt::format("{}: {} bytes", name, bytes)});
    legend.push_back({name, colour++});
    table.row({name, grouped(static_cast<std::uint64_t>(bytes)), html::percent(share)});
  }
  return svg::stacked_bar(bar, true) + svg::legend(legend) + table.html();
}

std::string transfers_table(const Executable& executable, const ReplayResult& result) {
  html::Table table({{"transfer", true}, {"bytes"}, {"start ms"}, {"end ms"}});
  for (const ReplayStep& step : result.steps) {
    table.row({escape(step_text(executable, step)),
               step.bytes > 0 ? grouped(static_cast<std::uint64_t>(step.bytes)) : "",
               ms(step.start), ms(step.end)});
  }
  return table.html();
}

std::string wire_table(const LinkReplayResult& result) {
  html::Table table({{"wire", true}, {"transactions"}, {"bytes"}, {"with packets"}, {"busy"}});
  for (const auto& [way, figures] :
       {std::pair("to the device", &result.out), std::pair("to the host", &result.in)}) {
    table.row(
        {way, grouped(figures->transactions), grouped(figures->bytes), grouped(figures->wire_bytes),
         html::percent(static_cast<double>(figures->busy) / static_cast<double>(result.total))});
  }
  return table.html();
}

void add_executable(html::Page& page, const Executable& executable, const LinkReplayResult& result,
                    bool parts) {
  std::string html = transfers_table(executable, result) + bytes_table(result.traffic);
  if (parts) html += wire_table(result);
  page.section(std::string(darwinn::type_name(executable.type)), html);
}

std::string link_table(const LinkPreset& link) {
  html::Table table({{"value", true}, {"of the link"}, {"unit", true}, {"meaning", true}});
  for (const Parameter<LinkValues>& one : link_parameters()) {
    table.row({escape(one.key), escape(to_text(one, one.get(link))), escape(one.unit),
               escape(one.sentence)});
  }
  return table.html();
}

}  // namespace

std::string replay_page_html(const ReplayDocument& document) {
  const darwinn::Package& package = document.file.package();
  html::Page page(document.file.name());
  page.lead(html::paragraph(document.words));
  page.lead(html::paragraph(document.link.name + ": " + document.link.title + "."));
  page.tile("latency", ms(document.main.total) + " ms",
            document.parts ? "R2: the link as its parts" : "R1: each transfer at the link's rate");
  if (document.main.listed != document.main.total) {
    page.tile("without the inferred tail", ms(document.main.listed) + " ms", "what the hints list");
  }
  if (!document.parts) {
    page.tile("bound", ms(document.main.bound) + " ms", "if everything overlapped");
  }
  if (document.caching) {
    page.tile("parameters", ms(document.caching->total) + " ms",
              "more on the first run, or after their eviction");
  }
  add_executable(page, package.main(), document.main, document.parts);
  if (document.caching) {
    add_executable(page, *package.caching(), *document.caching, document.parts);
  }
  page.section("Link", link_table(document.link));
  return page.html();
}

}  // namespace tactus
