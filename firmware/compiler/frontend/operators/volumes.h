// Convolutions and pools of images with a depth.
#pragma once

#include "firmware/compiler/frontend/expansion.h"

namespace tactus::compiler {

/// Writes a Conv, ConvTranspose or pool of an image N C D H W as operators on images. Returns false
/// if input 0 has another rank.
bool expand_volume(Planner& p, Expansion& e);

}  // namespace tactus::compiler
