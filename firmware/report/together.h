// Figures of several units that run images at the same time and share one memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/report/run_document.h"

namespace tactus {

/// The document's units as {"count", "alone_cycles", "speed_up", "memory", "each"}. "each" has for
/// each unit its images, cycles, lost cycles by reason, and what its DRAM ports waited for.
/// Precondition: the document has several units, and all images have finished.
[[nodiscard]] nlohmann::ordered_json together_json(const RunDocument& document);
/// These figures as lines of the summary: name, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> together_lines(
    const RunDocument& document);
/// These figures as an HTML table for a page.
[[nodiscard]] std::string together_section(const RunDocument& document);

}  // namespace tactus
