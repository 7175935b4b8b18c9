// Compiles for the memory that the program will run with: programs that the cost model takes for
// about equally fast are simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "firmware/compiler/compiler.h"

namespace tactus::compiler {

/// The memory behind the machine. The optimiser's cost model only knows memory of fixed latency.
struct MeasuredMemory {
  std::string name;  ///< for notes, such as "the board's memory"
  /// Simulated cycles of a program with this memory; empty if the simulation takes too long.
  std::function<std::optional<std::uint64_t>(const Compiled&)> cycles;
};

/// As compile(). With options.optimise and options.quickest the program is the one that is quicker
/// with `memory`, where the programs of the optimiser and of the strategies are near by the cost
/// model; the note on a strategy's program has cycles with this memory.
[[nodiscard]] Compiled compile_for(const nn::Graph& graph, const tcu::Architecture& architecture,
                                   const Options& options, const MeasuredMemory& memory);

}  // namespace tactus::compiler
