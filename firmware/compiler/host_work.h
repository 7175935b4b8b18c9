// What the host does for each image beside the program: nodes before and behind it, and the way of
// tensors into vectors and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"

namespace tactus::compiler {

/// The nodes of one operator.
struct HostOperator {
  std::string name;
  std::uint64_t nodes = 0;
  std::uint64_t elements = 0;  ///< of the results
  std::uint64_t bytes = 0;     ///< of operands and results; of a Gather's table the rows it takes
};

struct HostWork {
  std::vector<HostOperator> before, behind;
  std::uint64_t packed = 0, unpacked = 0;  ///< bytes of vectors, of inputs and outputs
  double seconds = 0;                      ///< measured on this computer, inputs are zeroes
};

[[nodiscard]] HostWork host_work(const Compiled& compiled);

/// "Gather: 2 nodes, 1024 elements, 8192 bytes; ..."
[[nodiscard]] std::string text_of(const std::vector<HostOperator>& operators);

}  // namespace tactus::compiler
