// The page of a run that serves requests: self-contained HTML.
#pragma once

#include <optional>
#include <string>

#include "firmware/serving/serve.h"
#include "firmware/serving/slowdowns.h"

namespace tactus {

/// Lines at the top of the page, in plain text.
struct ServingPageLead {
  std::string machine, accuracy;
};

[[nodiscard]] std::string serving_page_html(const Serving& serving, const ServingPlan& plan,
                                            const ServingResult& result,
                                            const std::optional<Slowdowns>& slowdowns,
                                            const ServingPageLead& lead);

}  // namespace tactus
