// Taps gathered into lanes: where a convolution has few channels, one vector takes several pixels
// of its kernel's window.
//
// A group of its own copies the pixels side by side, by one product each; neighbouring windows
// share what they have in common. The convolution then has a product for each rectangle of its
// kernel in place of one for each tap.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Wherever that takes fewer cycles.
void gather_taps(Network& network);

}  // namespace tactus::compiler::optimise
