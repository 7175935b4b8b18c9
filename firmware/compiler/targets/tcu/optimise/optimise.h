// The optimising compiler after its frontend: takes a graph of vectors and makes a program.
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
  /// Lower bound for this form: one cycle for each vector and matrix, loading of weights and drain
  /// of the array once for each matrix, one DataMove of each result; no activation and no DRAM.
  std::uint64_t bound_cycles = 0;
};

struct Optimised {
  CompiledProgram program;
  std::vector<OptimisedLayer> layers;        ///< layers of the optimiser, in place of the program's
  std::vector<tcu::ResidentEntry> resident;  ///< constants that the driver loads once
  std::uint64_t predicted_cycles = 0;
  std::uint64_t plans = 0;  ///< plans that were tried
  /// Vectors transferred between DRAM0 and local memory, inputs included.
  std::uint64_t displaced = 0;
  std::uint64_t fetched = 0;  ///< vectors of weights read from DRAM1
};

/// DRAM0 addresses of the network's tensors, if the caller chooses them.
struct Ground {
  std::vector<std::uint64_t> inputs, outputs;  ///< first vectors, in the graph's order
  std::uint64_t scratch = 0;  ///< values that do not fit into local memory are stored from here on
};

/// Receives the network, blocks and schedule of the program, for the interpreter of jobs
/// (tests/compiler/interpreters/jobs.h).
using Inspect = std::function<void(const Network&, Blocks&, const Schedule&)>;

/// Without a ground, DRAM0 holds inputs, outputs and values that do not fit into local memory, one
/// behind the other.
[[nodiscard]] Optimised optimise(Graph graph, const tcu::Architecture& architecture,
                                 const Machine& machine, const Wishes& wishes,
                                 const std::optional<Ground>& ground = std::nullopt,
                                 const Inspect& inspect = {});

}  // namespace tactus::compiler::optimise
