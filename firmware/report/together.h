// Figures of several units that run images at the same time behind one memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/report/run_document.h"

namespace tactus {

/// {"count", "alone_cycles", "speed_up", "memory", "each"}: the document's units, and for each its
/// images, cycles, lost cycles by reason, and where its DRAM ports waited. Precondition: several
/// units, all of whose images have finished.
[[nodiscard]] nlohmann::ordered_json together_json(const RunDocument& document);
/// Lines of the summary: name, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> together_lines(
    const RunDocument& document);
/// The same as a table of a page.
[[nodiscard]] std::string together_section(const RunDocument& document);

}  // namespace tactus
