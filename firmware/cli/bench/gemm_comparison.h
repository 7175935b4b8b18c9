// tactus gemm --shape, --list: the same products on several machines.
#pragma once

#include <vector>

#include "firmware/cli/args.h"

namespace tactus {

[[nodiscard]] std::vector<Args::Option> comparison_options();
/// True if options of a comparison are given.
[[nodiscard]] bool compares(const Args& args);
/// Runs the comparison, prints and writes its results, and returns the exit code.
[[nodiscard]] int run_comparison(const Args& args);

}  // namespace tactus
