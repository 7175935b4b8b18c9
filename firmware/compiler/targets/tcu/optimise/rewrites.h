// Rewrites of the network that form_network() makes, each in a source of its own.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Groups that normalise what one other group makes, vector by vector, become part of that group:
/// the activation unit lets its sums leave the accumulators twice, as they are and normalised. For
/// machines with the unit, once it is decided how values are stored.
void take_in_normalisations(Network& network);

/// Maxima before what is monotone: of a sum, blocks that one pool alone reads, in windows that do
/// not overlap, are pooled in the sum.
///
/// max(f(x), f(y)) = f(max(x, y)) for ReLU, leaky ReLU and clipping, rounding included. The maximum
/// is then taken where the sums are made, in the accumulators: nothing is moved for it, and the
/// activation has fewer pixels to do.
void pool_sums(Network& network);

/// Several pixels in a vector, where channels are few. Before signs and shifts are decided.
///
/// A group whose results fill at most half of their lanes may keep neighbouring pixels in one
/// vector. A matrix between two such tensors does the work of several: one for each way in which
/// pixels of an input vector meet pixels of a result. A group is packed where that saves cycles
/// over it and its readers.
void pack_pixels(Network& network);

/// Taps gathered into lanes, wherever that takes fewer cycles: where a convolution has few
/// channels, one vector takes several pixels of its kernel's window.
///
/// A group of its own copies the pixels side by side, by one product each; neighbouring windows
/// share what they have in common. The convolution then has a product for each rectangle of its
/// kernel in place of one for each tap.
void gather_taps(Network& network);

}  // namespace tactus::compiler::optimise
