// Elementwise kernels that go on with what the kernel before them made.
#pragma once

#include "firmware/compiler/stripe/ir.h"

namespace tactus::compiler {

/// Elementwise kernels of main that follow each other become one if the tensor between them is read
/// by nobody else.
void merge_elementwise(stripe::Block& main);

/// An elementwise kernel after a tiled contraction moves into its grid, between the sum of a tile
/// and its way to memory, if it alone reads what the contraction made.
void fuse_tails(stripe::Block& main);

}  // namespace tactus::compiler
