#include "firmware/energy/report.h"

#include <utility>

#include <fmt/format.h>

#include "firmware/energy/table.h"

namespace tactus::energy {

void add_to(RunDocument& document, ReportedRun& run, nlohmann::ordered_json energy) {
  const nlohmann::ordered_json& shown =
      document.energy_of_units.is_null() ? energy : document.energy_of_units;
  run.lines.emplace_back("energy", summary(shown));
  if (document.images.empty() || &run == document.images.data()) {
    document.closing_sections.emplace_back(
        fmt::format("Energy by table {}", shown.at("table").get<std::string>()),
        page_section(shown));
  }
  run.own["energy"] = std::move(energy);
}

}  // namespace tactus::energy
