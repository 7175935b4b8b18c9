// Lowers the graph of a layer to segments of LIR.
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

/// Receives segments in the order in which they run; empty ones are left out.
using SegmentSink = std::function<void(const lir::Segment&)>;

struct LoweringFigures {
  std::uint64_t stages = 0, partitions = 0;
  SpaceUse local, accumulators;
};

/// Strategy local-isolated: local memory is used by one partition at a time, and the layer is
/// divided so that partitions fit. Throws UserError if that is impossible.
LoweringFigures lower_isolated(const Graph& graph, const tcu::Architecture& architecture,
                               const std::string& layer_name, const SegmentSink& sink);

/// The other strategies: local memory is a heap that persists beyond the layer; vectors in DRAM are
/// loaded for the duration of the layer. There is one stage with one partition. Throws UserError if
/// it does not fit.
LoweringFigures lower_shared(const Graph& graph, const tcu::Architecture& architecture,
                             const std::string& layer_name, HeapSpace& local,
                             const SegmentSink& sink);

}  // namespace tactus::compiler
