// Values that options and hardware models have in common.
#pragma once

#include <vector>

#include "firmware/compiler/stripe/passes/options.h"

namespace tactus {
class ArrayReader;
}

namespace tactus::stripe {

/// A list of {"startup_cost", "idxs": [{"name", "size", "outs", "ins"}]}.
[[nodiscard]] std::vector<Stencil> read_stencils(const ArrayReader& list);

/// Trailing commas become spaces, so that lines and columns stay.
[[nodiscard]] std::string without_trailing_commas(std::string_view json);

}  // namespace tactus::stripe
