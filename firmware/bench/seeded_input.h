// Generated inputs for programs without an input file.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/model.h"
#include "isa/tcu/architecture.h"

namespace tactus::bench {

/// One image of an input as vectors: the zoo's seeded values where the layout is known, else (null)
/// a value from -1 to 1 in every lane.
[[nodiscard]] std::vector<std::uint8_t> seeded_input(const tcu::Architecture& architecture,
                                                     const Tensor& tensor,
                                                     const compiler::TensorLayout* layout,
                                                     std::uint64_t seed);

}  // namespace tactus::bench
