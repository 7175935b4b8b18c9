#include "firmware/codesign/prediction.h"

#include <algorithm>
#include <cmath>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/timing.h"

namespace tactus::codesign {
namespace {

using tcu::Action;

class Clockwork {
 public:
  Clockwork(const tcu::Architecture& architecture, const Rates& rates)
      : architecture_(architecture), layout_(architecture), rates_(rates) {}

  void add(const tcu::Instruction& instruction, KernelPrediction& kernel) {
    const tcu::VectorFlow flow = flow_of(architecture_, layout_, instruction);
    const Action action = info(flow.kind).action;
    const bool port1 = info(flow.kind).from == tcu::VectorMemory::dram1 ||
                       info(flow.kind).to == tcu::VectorMemory::dram1;
    ++kernel.instructions;
    if (action == Action::from_dram || action == Action::to_dram) ++kernel.dma_moves;
    path(kernel.paths, action, port1) +=
        formula_cycles(flow, previous_, architecture_.array_size, transfer(flow.size + 1));
    if (action == Action::configure || action == Action::undefined) ++kernel.paths.other;
    previous_ = action;
  }

  [[nodiscard]] std::uint64_t cycles(const Paths& paths) const {
    if (rates_.pipeline_depth < 2) return paths.sum();
    return paths.sum() == 0
               ? 0
               : paths.longest() + rates_.dma_latency + 2 * std::uint64_t{architecture_.array_size};
  }

 private:
  [[nodiscard]] static std::uint64_t& path(Paths& paths, Action action, bool port1) {
    switch (action) {
      case Action::multiply:
        return paths.array;
      case Action::load_weights:
        return paths.weights;
      case Action::from_dram:
      case Action::to_dram:
        return port1 ? paths.dma1 : paths.dma0;
      case Action::simd:
        return paths.simd;
      case Action::none:
      case Action::configure:
      case Action::undefined:
        return paths.other;
      case Action::accumulator_to_local:
      case Action::local_to_accumulator:
      case Action::dais:
      case Action::load_table:
      case Action::load_activation:
        break;
    }
    return paths.moves;
  }
  [[nodiscard]] std::uint64_t transfer(std::uint64_t vectors) const {
    const auto bytes = static_cast<double>(vectors * architecture_.vector_bytes());
    return rates_.dma_latency +
           static_cast<std::uint64_t>(std::ceil(bytes / rates_.bytes_per_cycle));
  }

  const tcu::Architecture& architecture_;
  tcu::InstructionLayout layout_;
  const Rates& rates_;
  Action previous_ = Action::none;
};

}  // namespace

std::uint64_t Paths::sum() const { return dma0 + dma1 + weights + array + moves + simd + other; }

std::uint64_t Paths::longest() const {
  return std::max({dma0, dma1, weights + array, moves + simd + other});
}

Prediction predict(const tcu::Architecture& architecture,
                   const std::vector<tcu::Instruction>& program,
                   const std::vector<compiler::LayerInfo>& kernels, const Rates& rates) {
  if (architecture.number_of_threads != 1) {
    user_error("number_of_threads {}: there is no prediction; allowed 1",
               architecture.number_of_threads);
  }
  Clockwork clockwork(architecture, rates);
  Prediction result;
  for (const compiler::LayerInfo& kernel : kernels) {
    if (kernel.first_instruction > program.size() ||
        kernel.instructions > program.size() - kernel.first_instruction) {
      internal_error("kernel {} lies beyond the program's {} instructions", quote(kernel.name),
                     program.size());
    }
    KernelPrediction& prediction = result.kernels.emplace_back();
    prediction.name = kernel.name;
    for (std::uint64_t i = 0; i < kernel.instructions; ++i) {
      clockwork.add(program[kernel.first_instruction + i], prediction);
    }
    prediction.cycles = clockwork.cycles(prediction.paths);
    result.cycles += prediction.cycles;
  }
  return result;
}

}  // namespace tactus::codesign
