// A case compiled in some way, run on the untimed machine, and held against the float reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {

/// How a program is made.
struct Way {
  std::string name;
  Options options;
};
/// The strategies and `--optimise`.
[[nodiscard]] const std::vector<Way>& all_ways();

/// Nothing if local memory is too small for a strategy that keeps whole layers on chip. What else
/// compile() throws is thrown.
[[nodiscard]] std::optional<Compiled> compiled_if_it_fits(const Sample& sample, const Way& way);

/// What is wrong with the program's results, the largest error and where it is; empty: nothing.
[[nodiscard]] std::string difference(const Sample& sample, const Compiled& compiled);

/// The same for a program that is compiled here, if it fits; what compile() throws is wrong, too.
/// Where `--optimise` takes a strategy's program, that of the optimiser is looked at as well.
[[nodiscard]] std::string difference(const Sample& sample, const Way& way);

}  // namespace tactus::compiler
