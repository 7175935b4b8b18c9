// How a program's kernels are tiled, and what their tiles take of the memories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::codesign {

struct Tiles {
  std::string kernel;
  std::uint64_t count = 0;                 ///< times that the innermost level with copies runs
  std::uint64_t accumulator_elements = 0;  ///< of all copies at ACC
  std::uint64_t local_elements = 0;        ///< of all copies at LOCAL
};

/// One for each nested block of "main" (or of the entry) that has copies at ACC or LOCAL.
[[nodiscard]] std::vector<Tiles> tiles_of(const stripe::Program& program);

}  // namespace tactus::codesign
