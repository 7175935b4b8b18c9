// Interpreter of a scheduled network: computes job by job, bit for bit, what its program computes.
//
// It works on groups and jobs and knows neither instructions nor addresses. Tests compare programs
// with it.
#pragma once

#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"
#include "tests/compiler/interpreters/hir.h"

namespace tactus::compiler::optimise {

/// Computes the values of all vectors that the jobs make, as stored (network.h). `values` has
/// mantissas by vector of the graph; those of the graph's inputs must be given, and it may be
/// shorter than the graph.
void interpret(const Network& network, Blocks& blocks, const Schedule& schedule,
               const tcu::Architecture& architecture, std::vector<hir::Lanes>& values);

}  // namespace tactus::compiler::optimise
