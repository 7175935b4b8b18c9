// A lowered Stripe program on the simulator, beside the interpreter in the unit's number format.
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
  Tensors simulated, interpreted;  ///< outputs
  std::uint64_t cycles = 0;
};

/// Inputs are rounded to the format first.
[[nodiscard]] LoweredRun run_lowered(const compiler::LoweredStripe& lowered, const Tensors& inputs);

/// A compiled network, by the names of the model's tensors and in its order.
[[nodiscard]] LoweredRun run_via(const compiler::ViaStripe& via,
                                 const std::map<std::string, std::vector<float>>& inputs);

/// Any compiled network, without the interpreter.
[[nodiscard]] LoweredRun simulate_model(const compiler::Compiled& model,
                                        const std::map<std::string, std::vector<float>>& inputs);

/// A square array with memories of so many vectors.
[[nodiscard]] tcu::Architecture small_architecture(std::uint32_t array_size,
                                                   std::uint64_t local = 2048,
                                                   std::uint64_t accumulators = 512);

}  // namespace tactus::stripe::test
