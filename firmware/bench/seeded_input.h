// Generated inputs for programs without an input file.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/model.h"
#include "isa/tcu/architecture.h"

namespace tactus::bench {

/// Makes one image of an input as vectors. With a layout it has the zoo's seeded values; if
/// `layout` is null, every lane has a random value from -1 to 1.
[[nodiscard]] std::vector<std::uint8_t> seeded_input(const tcu::Architecture& architecture,
                                                     const Tensor& tensor,
                                                     const compiler::TensorLayout* layout,
                                                     std::uint64_t seed);

}  // namespace tactus::bench
