// What a scheduled network computes, job by job, bit for bit as its program does.
//
// Follows groups and jobs, not instructions: no memory, no weights' places, no runs. Programs are
// held against it in tests.
#pragma once

#include <vector>

#include "firmware/compiler/targets/tcu/hir/interpret.h"
#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"

namespace tactus::compiler::optimise {

/// Fills in the values of all vectors that the jobs make, as stored (network.h). `values`:
/// mantissas by vector of the graph, with those of the graph's inputs; may be shorter than the
/// graph.
void interpret(const Network& network, Blocks& blocks, const Schedule& schedule,
               const tcu::Architecture& architecture, std::vector<hir::Lanes>& values);

}  // namespace tactus::compiler::optimise
