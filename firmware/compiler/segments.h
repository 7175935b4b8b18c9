// Programs made by two compilers: steps that the optimiser does not support are compiled by the
// strategy local-isolated, all others are optimised.
//
// The steps are divided into segments, each for one of the compilers, producers first. The program
// is the concatenation of the segments' programs. DRAM0 contains the inputs and outputs of the
// model, then the values passed between segments, each until its last use, then values that an
// optimised segment has no room for. DRAM1 contains the constants of local-isolated, then those of
// each optimised segment.
//
// A layer of local-isolated may include steps that could be optimised, such as a convolution before
// a function of its result. Three divisions are compared by their cost: all such layers whole, all
// of them split, and each of them in the cheaper way.
#pragma once

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// Compiles for one image, without constants that stay in local memory. Throws UserError if the
/// program does not fit the machine.
[[nodiscard]] Compiled compile_in_segments(const nn::Graph& graph, const Model& model,
                                           const Options& options);

}  // namespace tactus::compiler
