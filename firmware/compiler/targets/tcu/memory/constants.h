// Encoding of constants as bytes.
//
// Source: toolchain spec section 1.4.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// Appends the DRAM image of `values`, rounded and saturated to the data type.
void encode_constants(tcu::DataType type, const std::vector<float>& values,
                      std::vector<std::uint8_t>& bytes);

}  // namespace tactus::compiler
