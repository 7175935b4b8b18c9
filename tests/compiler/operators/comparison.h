// Compiles a case in one of several ways, runs it on the functional model, and compares it with the
// float reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {

/// One way of compiling.
struct Way {
  std::string name;
  Options options;
};
/// Returns all strategies, and `--optimise`.
[[nodiscard]] const std::vector<Way>& all_ways();

/// Compiles a case. Empty if local memory is too small for a strategy that keeps whole layers on
/// chip; other errors of compile() are thrown.
[[nodiscard]] std::optional<Compiled> compiled_if_it_fits(const Sample& sample, const Way& way);

/// Describes a wrong result of the program, with the largest error and its position; empty if all
/// results are correct.
[[nodiscard]] std::string difference(const Sample& sample, const Compiled& compiled);

/// Compiles the case, if it fits, and checks it; errors of compile() also count as wrong. If
/// `--optimise` takes the program of a strategy, the optimiser's own program is also checked.
[[nodiscard]] std::string difference(const Sample& sample, const Way& way);

}  // namespace tactus::compiler
