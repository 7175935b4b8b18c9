// Runs compiled networks on the simulated machine, with the memory that the compiler assumes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/reference/reference.h"
#include "models/sim/engine.h"

namespace tactus::nn {

/// Values by tensor name, in the graph's order of elements.
using Tensors = std::map<std::string, std::vector<float>>;

struct Target {
  tcu::Architecture architecture;
  unsigned axi_data_bits = 0;
};

struct Outcome {
  Tensors outputs;
  Cycle cycles = 0;
  std::vector<std::uint32_t> retires;  ///< retire cycle of each instruction
};

/// Compiles with the optimiser and returns the optimiser's own program, or with `quickest` the
/// fastest program.
[[nodiscard]] compiler::Compiled compile_for(const Graph& graph, const Target& target,
                                             bool optimise, std::uint64_t effort = 20,
                                             bool quickest = false);
/// Runs a program; expects it to be legal and to finish.
[[nodiscard]] Outcome run_on(const compiler::Compiled& compiled, const Target& target,
                             const Tensors& inputs, Engine engine = Engine::fast);

/// Expects that the program reads no on-chip vector that was not written before, by the program or
/// by loading the model's constants.
void expect_all_reads_written(const Model& model);

/// Random values for all inputs of the graph.
[[nodiscard]] Values random_inputs(const Graph& graph, std::uint64_t seed);
[[nodiscard]] Tensors floats_of(const Values& values);

[[nodiscard]] double rms_error(const std::vector<float>& actual,
                               const std::vector<float>& expected);

}  // namespace tactus::nn
