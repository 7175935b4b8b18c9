// The optimising compiler's middle and end: a graph of vectors in, a program out.
//
// Tries plans (tiles, order, memory for weights) within the effort, costs each by the cost model of
// isa/tcu/timing.h, and keeps the cheapest; the same request gives the same program. Throws
// UserError where a network does not fit the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/graph.h"
#include "firmware/compiler/targets/tcu/optimise/planner.h"
#include "firmware/compiler/targets/tcu/program_builder.h"
#include "isa/tcu/model_file.h"

namespace tactus::compiler::optimise {

struct OptimisedLayer : LayerStatistics {
  std::vector<std::string> nodes;
  std::string form;                    ///< how it is computed, in words
  std::uint64_t predicted_cycles = 0;  ///< by the cost model
  /// Fewest for its form: a cycle a vector and matrix, the weights' load and the array's drain once
  /// a matrix, a move of each result; no activation, no DRAM.
  std::uint64_t bound_cycles = 0;
};

struct Optimised {
  CompiledProgram program;
  std::vector<OptimisedLayer> layers;        ///< instead of the program's
  std::vector<tcu::ResidentEntry> resident;  ///< constants that the driver loads once
  std::uint64_t predicted_cycles = 0;
  std::uint64_t plans = 0;      ///< that were tried
  std::uint64_t displaced = 0;  ///< vectors between DRAM0 and local memory, inputs included
  std::uint64_t fetched = 0;    ///< vectors of weights read from DRAM1
};

/// Where the network's tensors lie in DRAM0 if that is not the optimiser's to choose.
struct Ground {
  std::vector<std::uint64_t> inputs, outputs;  ///< first vectors, in the graph's order
  std::uint64_t scratch = 0;                   ///< what does not fit local memory: from there on
};

/// Sees what the program was made from, for the interpreter (interpret.h).
using Inspect = std::function<void(const Network&, Blocks&, const Schedule&)>;

/// Without a ground inputs, outputs and what does not fit lie one behind the other.
[[nodiscard]] Optimised optimise(Graph graph, const tcu::Architecture& architecture,
                                 const Machine& machine, const Wishes& wishes,
                                 const std::optional<Ground>& ground = std::nullopt,
                                 const Inspect& inspect = {});

}  // namespace tactus::compiler::optimise
