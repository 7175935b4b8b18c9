#include "firmware/energy/report.h"

#include <utility>

#include <fmt/format.h>

#include "firmware/energy/table.h"

namespace tactus::energy {

void add_to(RunDocument& document, ReportedRun& run, nlohmann::ordered_json energy) {
  run.lines.emplace_back("energy", summary(energy));
  if (document.images.empty() || &run == document.images.data()) {
    document.closing_sections.emplace_back(
        fmt::format("Energy by table {}", energy.at("table").get<std::string>()),
        page_section(energy));
  }
  run.own["energy"] = std::move(energy);
}

}  // namespace tactus::energy
