// Several pixels in a vector, where channels are few.
//
// A group whose results fill at most half of their lanes may keep neighbouring pixels in one
// vector. A matrix between two such tensors does the work of several: one for each way in which
// pixels of an input vector meet pixels of a result. A group is packed where that saves cycles
// over it and its readers.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Before signs and shifts are decided.
void pack_pixels(Network& network);

}  // namespace tactus::compiler::optimise
