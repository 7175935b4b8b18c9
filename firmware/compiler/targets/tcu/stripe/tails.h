// Joins elementwise kernels to the kernel whose results they use.
#pragma once

#include "firmware/compiler/stripe/ir.h"

namespace tactus::compiler {

/// Joins consecutive elementwise kernels of main if no other kernel reads the tensor between them.
void merge_elementwise(stripe::Block& main);

/// Moves an elementwise kernel behind a tiled contraction into its grid, between the sum of a tile
/// and its transfer to memory, if no other kernel reads the contraction's result.
void fuse_tails(stripe::Block& main);

}  // namespace tactus::compiler
