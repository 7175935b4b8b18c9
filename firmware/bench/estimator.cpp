#include "firmware/bench/estimator.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/activation.h"
#include "isa/tcu/lookup.h"

namespace tactus::bench {
namespace {

using tcu::InstructionKind;

constexpr std::uint64_t dram_energy = 100, on_chip_energy = 10;  // a vector
constexpr unsigned dram_word_bits = 128;

/// Computes the costs of instructions in order; those of MatMul depend on the previous instruction.
class Costing {
 public:
  Costing(const tcu::Architecture& architecture, Formula formula)
      : formula_(formula),
        n_(architecture.array_size),
        blocks_(architecture.dais_blocks),
        table_vectors_(lookup_vectors(architecture)),
        vector_words_((architecture.vector_bytes() * 8 + dram_word_bits - 1) / dram_word_bits) {}

  Cost next(const tcu::Instruction& instruction, InstructionKind kind) {
    const Cost cost = this->cost(instruction, kind);
    previous_ = kind;
    return cost;
  }

 private:
  [[nodiscard]] Cost cost(const tcu::Instruction& instruction, InstructionKind kind) const {
    const std::uint64_t vectors = instruction.operand2 + 1;
    switch (kind) {
      case InstructionKind::no_op:
        return {1, 0, 1, 0};
      case InstructionKind::mat_mul:
        return {1, vectors, vectors + fill_cycles(), vectors * n_ * n_};
      case InstructionKind::load_weights: {
        const std::uint64_t rows = instruction.operand1 + 1;
        return {1, rows, rows, on_chip_energy * rows};
      }
      case InstructionKind::simd:
        return {1, 1, 1, n_};
      case InstructionKind::dram0_to_local:
      case InstructionKind::dram1_to_local:
        return {1, vectors, vectors * dram_cycles(2), dram_energy * vectors};
      case InstructionKind::local_to_dram0:
      case InstructionKind::local_to_dram1:
        return {1, vectors, vectors * dram_cycles(1), dram_energy * vectors};
      // Instructions of extensions are not in the reference: they count like other DataMoves, and
      // options that hide cycles have no effect.
      case InstructionKind::load_lut:
        return {1, table_vectors_, table_vectors_, on_chip_energy * table_vectors_};
      case InstructionKind::load_activation:
        return {1, tcu::activation_parameters, tcu::activation_parameters,
                on_chip_energy * tcu::activation_parameters};
      case InstructionKind::accumulator_to_local_activated:
      case InstructionKind::accumulator_to_local:
      case InstructionKind::local_to_accumulator:
      case InstructionKind::local_to_accumulator_accumulate:
        return {1, vectors, vectors, on_chip_energy * vectors};
      case InstructionKind::dais: {
        // Not in the reference: counts like a DataMove of the larger number of vectors.
        const tcu::DaisBlockEntry& block = blocks_[tcu::dais_fields(instruction).block];
        const std::uint64_t inputs = vectors * block.input_vectors(n_);
        const std::uint64_t results = vectors * block.output_vectors(n_);
        return {1, inputs, std::max(inputs, results), on_chip_energy * inputs};
      }
      case InstructionKind::configure:
      case InstructionKind::undefined:
        return {1, 0, 0, 0};
    }
    internal_error("instruction kind {}", static_cast<int>(kind));
  }

  [[nodiscard]] std::uint64_t fill_cycles() const {
    if (formula_ == Formula::march_2022 || previous_ == InstructionKind::mat_mul) return 0;
    return previous_ == InstructionKind::load_weights ? n_ : 2 * n_;
  }
  [[nodiscard]] std::uint64_t dram_cycles(std::uint64_t a_word) const {
    return formula_ == Formula::current ? 1 : a_word * vector_words_;
  }

  Formula formula_;
  std::uint32_t n_;
  const std::vector<tcu::DaisBlockEntry>& blocks_;
  std::uint64_t table_vectors_;
  std::uint64_t vector_words_;
  InstructionKind previous_ = InstructionKind::no_op;
};

void check_threads(const tcu::Architecture& architecture) {
  if (architecture.number_of_threads == 1) return;
  user_error("an architecture with number_of_threads {} has no estimate; allowed 1",
             architecture.number_of_threads);
}

/// Adds the costs of `count` instructions in order.
class Summing {
 public:
  Summing(const tcu::Architecture& architecture, std::uint64_t count, Formula formula)
      : layout_(architecture),
        costing_(architecture, formula),
        executed_(count - std::min(count, std::uint64_t{architecture.thread_queue_depth} + 1)) {}

  void next(const tcu::Instruction& instruction) {
    const InstructionKind kind = kind_of(layout_, instruction);
    const Cost cost = costing_.next(instruction, kind);
    result_.by_kind[static_cast<std::size_t>(kind)] += cost;
    result_.aggregate += cost;
    if (seen_++ < executed_) result_.execution += cost;
  }
  [[nodiscard]] const Estimate& result() const { return result_; }

 private:
  tcu::InstructionLayout layout_;
  Costing costing_;
  std::uint64_t executed_;  ///< number of instructions that count as executed
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
  // throws the error for incomplete instructions
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
