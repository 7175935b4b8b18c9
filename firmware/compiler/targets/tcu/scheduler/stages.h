// Division of a layer into stages and partitions that fit local memory and accumulators.
//
// A stage keeps one set of weights in local memory; its roots are computed in partitions. Both are
// as large as possible. Source: toolchain spec section 3.8, steps 1 to 3.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/scheduler/graph.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

struct Stage {
  std::vector<Index> roots;             ///< in the order of their first save targets
  std::vector<Index> constants;         ///< in the order of loading
  std::vector<std::size_t> partitions;  ///< end of each partition, as an index into roots
};

/// Divides a layer. Throws UserError if a single root does not fit.
[[nodiscard]] std::vector<Stage> plan_stages(const Graph& graph,
                                             const tcu::Architecture& architecture,
                                             const std::string& layer_name);

}  // namespace tactus::compiler
