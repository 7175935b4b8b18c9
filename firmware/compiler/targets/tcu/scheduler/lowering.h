// From the graph of a layer to segments of LIR.
//
// Source: toolchain spec sections 3.8 and 3.9.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "firmware/compiler/targets/tcu/lir/lir.h"
#include "firmware/compiler/targets/tcu/memory/space.h"
#include "firmware/compiler/targets/tcu/scheduler/graph.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// Takes segments in the order they run in; empty ones are not passed on.
using SegmentSink = std::function<void(const lir::Segment&)>;

struct LoweringFigures {
  std::uint64_t stages = 0, partitions = 0;
  SpaceUse local, accumulators;
};

/// Strategy local-isolated: local memory belongs to one partition at a time, the layer is cut to
/// fit. Throws UserError if it cannot be.
LoweringFigures lower_isolated(const Graph& graph, const tcu::Architecture& architecture,
                               const std::string& layer_name, const SegmentSink& sink);

/// The other strategies: local memory is a heap that outlives the layer; what is still in DRAM is
/// loaded for the time of the layer. One stage, one partition. Throws UserError if they do not fit.
LoweringFigures lower_shared(const Graph& graph, const tcu::Architecture& architecture,
                             const std::string& layer_name, HeapSpace& local,
                             const SegmentSink& sink);

}  // namespace tactus::compiler
