// Programs of two compilers: what the optimiser does not know is compiled by local-isolated, all
// other steps stay optimised.
//
// The steps are cut into segments that the same compiler computes, producers first; the program is
// their programs one behind the other. DRAM0 holds the inputs and outputs of the model, behind them
// the values that go from segment to segment, each as long as somebody will read it, and then what
// an optimised segment has no room for. DRAM1 holds the constants of local-isolated, then those of
// each optimised segment.
//
// A layer of local-isolated may take optimisable steps in, as a convolution before a function of
// its result. Whether that costs less than a value in DRAM0 between them is tried: all such layers
// whole, all taken apart, and each as it was cheaper.
#pragma once

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// For one image, without constants that stay. Throws UserError where that does not fit the
/// machine.
[[nodiscard]] Compiled compile_in_segments(const nn::Graph& graph, const Model& model,
                                           const Options& options);

}  // namespace tactus::compiler
