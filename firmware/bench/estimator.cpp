#include "firmware/bench/estimator.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/timing.h"

namespace tactus::bench {
namespace {

using tcu::Action;

constexpr std::uint64_t dram_energy = 100, on_chip_energy = 10;  // per vector
constexpr unsigned dram_word_bits = 128;

/// Computes the cost of one instruction after the other. The cost of a MatMul depends on the
/// instruction before it.
class Costing {
 public:
  Costing(const tcu::Architecture& architecture, Formula formula)
      : formula_(formula),
        n_(architecture.array_size),
        vector_words_((architecture.vector_bytes() * 8 + dram_word_bits - 1) / dram_word_bits) {}

  Cost next(const tcu::VectorFlow& flow) {
    const Action action = info(flow.kind).action;
    const std::uint64_t vectors = flow.size + 1;
    const std::uint64_t dram =
        vectors *
        (formula_ == Formula::current ? 1 : (action == Action::from_dram ? 2 : 1) * vector_words_);
    const Action before = formula_ == Formula::march_2022 ? Action::multiply : previous_;
    previous_ = action;
    Cost cost{1, vectors, formula_cycles(flow, before, n_, dram), on_chip_energy * vectors};
    switch (action) {
      case Action::none:
      case Action::configure:
      case Action::undefined:
        cost.vectors = cost.energy = 0;
        break;
      case Action::multiply:
        cost.energy = vectors * n_ * n_;
        break;
      case Action::simd:
        cost.energy = n_;
        break;
      case Action::from_dram:
      case Action::to_dram:
        cost.energy = dram_energy * vectors;
        break;
      default:
        // The reference has no instructions of extensions. They count like DataMoves on the chip,
        // and options of an architecture that hide cycles have no effect.
        break;
    }
    return cost;
  }

 private:
  Formula formula_;
  std::uint64_t n_;
  std::uint64_t vector_words_;
  Action previous_ = Action::none;
};

void check_threads(const tcu::Architecture& architecture) {
  if (architecture.number_of_threads == 1) return;
  user_error("an architecture with number_of_threads {} has no estimate; allowed 1",
             architecture.number_of_threads);
}

/// Adds the costs of the `count` instructions of a program, one after the other.
class Summing {
 public:
  Summing(const tcu::Architecture& architecture, std::uint64_t count, Formula formula)
      : architecture_(architecture),
        layout_(architecture),
        costing_(architecture, formula),
        executed_(count - std::min(count, std::uint64_t{architecture.thread_queue_depth} + 1)) {}

  void next(const tcu::Instruction& instruction) {
    const tcu::VectorFlow flow = flow_of(architecture_, layout_, instruction);
    const Cost cost = costing_.next(flow);
    result_.by_kind[static_cast<std::size_t>(flow.kind)] += cost;
    result_.aggregate += cost;
    if (seen_++ < executed_) result_.execution += cost;
  }
  [[nodiscard]] const Estimate& result() const { return result_; }

 private:
  const tcu::Architecture& architecture_;
  tcu::InstructionLayout layout_;
  Costing costing_;
  std::uint64_t executed_;  ///< number of instructions that Estimate::execution covers
  std::uint64_t seen_ = 0;
  Estimate result_;
};

Estimate estimate_range(const tcu::Architecture& architecture, const tcu::Instruction* first,
                        std::uint64_t count, Formula formula) {
  Summing sum(architecture, count, formula);
  for (std::uint64_t i = 0; i < count; ++i) sum.next(first[i]);
  return sum.result();
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  instructions += other.instructions;
  vectors += other.vectors;
  cycles += other.cycles;
  energy += other.energy;
  return *this;
}

Estimate estimate(const tcu::Architecture& architecture,
                  const std::vector<tcu::Instruction>& program, Formula formula) {
  check_threads(architecture);
  return estimate_range(architecture, program.data(), program.size(), formula);
}

Estimates estimate_file(const tcu::Architecture& architecture,
                        const std::vector<std::uint8_t>& program) {
  check_threads(architecture);
  const tcu::InstructionLayout layout(architecture);
  const std::size_t step = layout.instruction_bytes();
  // decode_program() throws the error for incomplete instructions.
  if (program.size() % step != 0) (void)decode_program(layout, program);
  const std::uint64_t count = program.size() / step;
  Summing current(architecture, count, Formula::current);
  Summing march_2022(architecture, count, Formula::march_2022);
  for (std::size_t at = 0; at < program.size(); at += step) {
    const tcu::Instruction instruction = decode(layout, program.data() + at);
    current.next(instruction);
    march_2022.next(instruction);
  }
  return {current.result(), march_2022.result()};
}

std::vector<Estimate> estimate_layers(const tcu::Architecture& architecture,
                                      const std::vector<tcu::Instruction>& program,
                                      const std::vector<tcu::LayerEntry>& layers, Formula formula) {
  check_threads(architecture);
  std::vector<Estimate> result;
  for (const tcu::LayerEntry& layer : layers) {
    if (layer.first > program.size() || layer.count > program.size() - layer.first) {
      user_error("layer {}: instructions {}..{} of a program of {}", quote(layer.name), layer.first,
                 layer.first + layer.count, program.size());
    }
    result.push_back(
        estimate_range(architecture, program.data() + layer.first, layer.count, formula));
  }
  return result;
}

}  // namespace tactus::bench
