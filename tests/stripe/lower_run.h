// Runs a lowered Stripe program on the simulator and on the interpreter, in the unit's number
// format.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/compiler/targets/tcu/stripe/lower.h"
#include "isa/tcu/architecture.h"

namespace tactus::stripe::test {

struct LoweredRun {
  Tensors simulated, interpreted;  ///< outputs of both
  std::uint64_t cycles = 0;
};

/// Rounds the inputs to the number format, then runs.
[[nodiscard]] LoweredRun run_lowered(const compiler::LoweredStripe& lowered, const Tensors& inputs);

/// Runs a compiled network; inputs are given by the model's tensor names.
[[nodiscard]] LoweredRun run_via(const compiler::ViaStripe& via,
                                 const std::map<std::string, std::vector<float>>& inputs);

/// Runs any compiled network on the simulator only.
[[nodiscard]] LoweredRun simulate_model(const compiler::Compiled& model,
                                        const std::map<std::string, std::vector<float>>& inputs);

/// An architecture with a square array and memories of these depths.
[[nodiscard]] tcu::Architecture small_architecture(std::uint32_t array_size,
                                                   std::uint64_t local = 2048,
                                                   std::uint64_t accumulators = 512);

}  // namespace tactus::stripe::test
