#include "firmware/report/together.h"

#include <fmt/format.h>

#include "firmware/report/html.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/run_sums.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Sums over all images of a unit.
struct UnitSum : RunSums {
  using RunSums::RunSums;
  std::uint64_t images = 0;
  Cycle cycles = 0;  ///< as the driver counts them
};

std::vector<UnitSum> sums(const RunDocument& document) {
  std::vector<UnitSum> units(document.units,
                             UnitSum(*document.images.front().run->accounting.totals.info));
  for (std::size_t i = 0; i < document.images.size(); ++i) {
    UnitSum& unit = units[i % document.units];
    unit.images += document.batch;
    unit.cycles += document.images[i].cycles;
    unit.add(document.images[i].run->accounting);
  }
  return units;
}

/// Frames per second of all units, divided by those of one unit that has the memory alone.
double speed_up(const RunDocument& document) {
  const Throughput one =
      throughput({document.alone}, document.clock_mhz, document.host_us, document.batch);
  const auto all = throughput_of(document);
  return all && one.frames_per_second ? *all->frames_per_second / *one.frames_per_second : 0;
}

std::string summary_of(const RunDocument& document) {
  return fmt::format(
      "{} behind one memory: {:.2f} times the frames/s of one; alone it takes {} cycles",
      document.units, speed_up(document), document.alone);
}

}  // namespace

Json together_json(const RunDocument& document) {
  Json json;
  json["count"] = document.units;
  json["alone_cycles"] = document.alone;
  json["speed_up"] = speed_up(document);
  json["memory"] = document.shared_memory;
  json["each"] = Json::array();
  for (const UnitSum& unit : sums(document)) {
    Json& each = json["each"].emplace_back();
    each["images"] = unit.images;
    each["cycles"] = unit.cycles;
    each["lost_cycles"] = lost_json(unit.totals);
    if (!unit.memories.empty()) each["waits"] = waits_json(unit);
  }
  return json;
}

std::vector<std::pair<std::string, std::string>> together_lines(const RunDocument& document) {
  std::vector<std::pair<std::string, std::string>> lines{{"units", summary_of(document)}};
  std::size_t number = 0;
  for (const UnitSum& unit : sums(document)) {
    const auto share = [&](std::uint64_t cycles) {
      return 100 * ratio(cycles, unit.totals.cycles());
    };
    lines.emplace_back(
        fmt::format("unit {}", number),
        fmt::format("{} in {} cycles; {:.1f} % lost; its ports wait for other accesses in {:.1f} "
                    "%, {:.0f} % of it for those of other units",
                    counted(unit.images, "image"), unit.cycles, share(lost_total(unit.totals)),
                    share(unit.queued()), 100 * document.waits_for_others.at(number)));
    ++number;
  }
  return lines;
}

std::string together_section(const RunDocument& document) {
  html::Table table({{"unit", true},
                     {"images"},
                     {"cycles"},
                     {"lost, %"},
                     {"most lost to", true},
                     {"ports wait for other accesses, cycles"},
                     {"of that for those of other units, %"}});
  std::size_t number = 0;
  for (const UnitSum& unit : sums(document)) {
    const std::vector<LostCycles> lost = lost_cycles(unit.totals);
    table.row(
        {fmt::format("unit {}", number), html::grouped(unit.images), html::grouped(unit.cycles),
         fmt::format("{:.1f}", 100 * ratio(lost_total(unit.totals), unit.totals.cycles())),
         lost.empty() ? ""
                      : html::escape(unit.totals.info->time.reasons[lost.front().reason].title),
         html::grouped(unit.queued()),
         fmt::format("{:.0f}", 100 * document.waits_for_others.at(number))});
    ++number;
  }
  return fmt::format("<p>{}. Image i runs on unit i mod {}; the other sections show unit 0.</p>\n",
                     html::escape(summary_of(document)), document.units) +
         table.html();
}

}  // namespace tactus
