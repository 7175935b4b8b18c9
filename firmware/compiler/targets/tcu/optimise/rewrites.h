// Rewrites of the network by form_network(), each in a source of its own.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Joins a group that normalises another group's results, vector by vector, to that group: the sums
/// leave the accumulators twice, unchanged and normalised by the activation unit. For machines with
/// this unit, after signs and shifts are decided.
void take_in_normalisations(Network& network);

/// Moves maxima before monotone activations: if only one max pool reads a block of a sum, in
/// windows that do not overlap, the sum computes the maximum.
///
/// max(f(x), f(y)) = f(max(x, y)) for ReLU, leaky ReLU and clipping, rounding included. The maximum
/// is then taken in the accumulators: no data is copied for it, and the activation works on fewer
/// pixels.
void pool_sums(Network& network);

/// Packs several pixels with few channels into a vector. Runs before signs and shifts are decided.
///
/// A group whose results fill at most half of the lanes may store neighbouring pixels in one
/// vector. A matrix between two packed tensors replaces several: one for each combination of a
/// pixel of the input vector with a pixel of the result. A group is packed if this saves cycles in
/// the group and its readers together.
void pack_pixels(Network& network);

/// Gathers taps of a convolution with few channels into lanes, if that takes fewer cycles: one
/// vector holds several pixels of the kernel's window.
///
/// A group of its own copies the pixels side by side, by one product each; neighbouring windows
/// share copies. The convolution then has one product for each rectangle of its kernel in place of
/// one for each tap.
void gather_taps(Network& network);

/// Removes pixels and blocks that no output depends on.
void drop_unread(Network& network);

/// Removes pixels and blocks of which no result is live, and subtracts their share of the multiply-
/// accumulates.
void drop_dead(Group& group, const std::vector<bool>& live, std::uint32_t n);

/// Renumbers pixels and blocks of the parts; those whose new number is no_vector are removed.
void renumber(Group& group, const std::vector<std::uint32_t>& pixels,
              const std::vector<std::uint32_t>& blocks);

}  // namespace tactus::compiler::optimise
