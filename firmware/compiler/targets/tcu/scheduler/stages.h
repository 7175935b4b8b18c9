// Division of a layer into stages and partitions that fit local memory and accumulators.
//
// A stage keeps one set of weights in local memory; its roots are computed in partitions. Both are
// as large as possible. Source: toolchain spec section 3.8, steps 1 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/scheduler/graph.h"
#include "isa/support/error.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

struct Stage {
  std::vector<Index> roots;             ///< in the order of their first save targets
  std::vector<Index> constants;         ///< in the order of loading
  std::vector<std::size_t> partitions;  ///< end of each partition, as an index into roots
};

/// Thrown if local memory or accumulators cannot hold what one result of a layer needs.
class LayerTooLarge : public UserError {
 public:
  LayerTooLarge(const std::string& text, std::uint64_t needed_in, std::uint64_t there_in)
      : UserError(text), needed(needed_in), there(there_in) {}
  std::uint64_t needed, there;  ///< in vectors
};

/// Divides a layer. Throws LayerTooLarge if a single root does not fit.
[[nodiscard]] std::vector<Stage> plan_stages(const Graph& graph,
                                             const tcu::Architecture& architecture,
                                             const std::string& layer_name);

}  // namespace tactus::compiler
