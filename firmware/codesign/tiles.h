// Counts the tiles of a program's kernels and the memory that they need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::codesign {

struct Tiles {
  std::string kernel;
  std::uint64_t count = 0;  ///< executions of the block with copies that is executed most often
  std::uint64_t accumulator_elements = 0;  ///< size of all copies at ACC
  std::uint64_t local_elements = 0;        ///< size of all copies at LOCAL
};

/// Returns one element for each kernel: each block directly in "main" (or in the entry block, if
/// there is no "main") that has copies at ACC or LOCAL.
[[nodiscard]] std::vector<Tiles> tiles_of(const stripe::Program& program);

}  // namespace tactus::codesign
