// The memory of a board, looked up and checked.
#pragma once

#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// What speaks against a memory on an architecture: a JSON path below the board and a sentence.
struct MemoryProblem {
  std::string path;
  std::string what;
};

/// Looks up the DRAM of a configuration that uses the board's memory, and checks that clocks,
/// presets and banks fit each other. Does nothing with the memory of fixed latency. Throws
/// UserError.
void resolve_memory(TcuSimulationConfig& config);

/// The same checks for a board's file.
[[nodiscard]] std::vector<MemoryProblem> memory_problems(const BoardValues& board,
                                                         const tcu::Architecture& architecture);

}  // namespace tactus
