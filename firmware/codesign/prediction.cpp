#include "firmware/codesign/prediction.h"

#include <algorithm>
#include <cmath>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/lookup.h"

namespace tactus::codesign {
namespace {

using tcu::InstructionKind;

class Clockwork {
 public:
  Clockwork(const tcu::Architecture& architecture, const Rates& rates)
      : architecture_(architecture), layout_(architecture), rates_(rates) {}

  void add(const tcu::Instruction& instruction, KernelPrediction& kernel) {
    const InstructionKind kind = kind_of(layout_, instruction);
    const std::uint64_t vectors = instruction.operand2 + 1;
    Paths& paths = kernel.paths;
    ++kernel.instructions;
    switch (kind) {
      case InstructionKind::mat_mul:
        paths.array += vectors + fill();
        break;
      case InstructionKind::load_weights:
        paths.weights += instruction.operand1 + 1;
        break;
      case InstructionKind::dram0_to_local:
      case InstructionKind::local_to_dram0:
        paths.dma0 += transfer(vectors);
        ++kernel.dma_moves;
        break;
      case InstructionKind::dram1_to_local:
      case InstructionKind::local_to_dram1:
        paths.dma1 += transfer(vectors);
        ++kernel.dma_moves;
        break;
      case InstructionKind::accumulator_to_local:
      case InstructionKind::local_to_accumulator:
      case InstructionKind::accumulator_to_local_activated:
      case InstructionKind::local_to_accumulator_accumulate:
      case InstructionKind::dais:
        paths.moves += vectors;
        break;
      case InstructionKind::load_lut:
        paths.moves += tcu::lookup_vectors(architecture_);
        break;
      case InstructionKind::load_activation:
        paths.moves += tcu::activation_parameters;
        break;
      case InstructionKind::simd:
        ++paths.simd;
        break;
      case InstructionKind::no_op:
      case InstructionKind::configure:
      case InstructionKind::undefined:
        ++paths.other;
        break;
    }
    previous_ = kind;
  }

  [[nodiscard]] std::uint64_t cycles(const Paths& paths) const {
    if (rates_.pipeline_depth < 2) return paths.sum();
    return paths.sum() == 0
               ? 0
               : paths.longest() + rates_.dma_latency + 2 * std::uint64_t{architecture_.array_size};
  }

 private:
  [[nodiscard]] std::uint64_t fill() const {
    const std::uint64_t n = architecture_.array_size;
    if (previous_ == InstructionKind::mat_mul) return 0;
    return previous_ == InstructionKind::load_weights ? n : 2 * n;
  }
  [[nodiscard]] std::uint64_t transfer(std::uint64_t vectors) const {
    const auto bytes = static_cast<double>(vectors * architecture_.vector_bytes());
    return rates_.dma_latency +
           static_cast<std::uint64_t>(std::ceil(bytes / rates_.bytes_per_cycle));
  }

  const tcu::Architecture& architecture_;
  tcu::InstructionLayout layout_;
  const Rates& rates_;
  InstructionKind previous_ = InstructionKind::no_op;
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
