#include "firmware/compiler/targets/tcu/optimise/prediction.h"

#include <optional>

#include "isa/tcu/activation.h"
#include "isa/tcu/layout.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler::optimise {
namespace {

class Predictor {
 public:
  Predictor(const tcu::Architecture& architecture, const Machine& machine)
      : architecture_(architecture), layout_(architecture), timeline_(machine) {}

  void add(const tcu::Instruction& i);
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

 private:
  /// From the local operand on, operand0 or operand1.
  [[nodiscard]] static LocalRange range_of(const tcu::Operand& local, std::uint64_t count,
                                           bool writes) {
    const auto first = static_cast<std::uint32_t>(local.address);
    return {first, first + static_cast<std::uint32_t>((count - 1) << local.stride), writes};
  }
  /// At the head, before what the instruction itself takes.
  void come(const std::optional<LocalRange>& range) {
    if (range) (void)timeline_.access(*range);
    timeline_.come(range && range->writes ? range : std::nullopt);
  }
  void mat_mul(const tcu::Instruction& i);
  void load_weights(const tcu::Instruction& i);
  void data_move(const tcu::Instruction& i);

  const tcu::Architecture& architecture_;
  tcu::InstructionLayout layout_;
  Timeline timeline_;
};

void Predictor::mat_mul(const tcu::Instruction& i) {
  const std::uint64_t count = i.operand2 + 1;
  const bool accumulate = (i.flags & tcu::mat_mul_accumulate) != 0;
  if ((i.flags & tcu::mat_mul_zeroes) != 0) {
    come(std::nullopt);
    timeline_.mat_mul_zeroes(count, accumulate);
  } else {
    come(range_of(tcu::operand0_fields(layout_, i), count, false));
    timeline_.mat_mul(count, accumulate);
  }
}

void Predictor::load_weights(const tcu::Instruction& i) {
  const std::uint64_t count = i.operand1 + 1;
  const tcu::Operand local = tcu::operand0_fields(layout_, i);
  if ((i.flags & tcu::load_weights_zeroes) != 0) {
    come(std::nullopt);
    for (std::uint64_t k = 0; k < count; ++k) timeline_.load_zeroes();
  } else {
    come(range_of(local, count, false));
    timeline_.load_weights(count, static_cast<std::uint32_t>(local.address));
  }
}

void Predictor::data_move(const tcu::Instruction& i) {
  using Kind = tcu::DataMoveKind;
  const auto kind = static_cast<Kind>(i.flags);
  const std::uint64_t count = i.operand2 + 1;
  const tcu::Operand local = tcu::operand0_fields(layout_, i);
  const bool strided = tcu::operand1_fields(layout_, i).stride != 0;
  const LocalRange reads = range_of(local, count, false), writes = range_of(local, count, true);
  switch (kind) {
    case Kind::dram0_to_local:
    case Kind::dram1_to_local:
      timeline_.come(writes);
      return timeline_.dram_read(kind == Kind::dram0_to_local ? 0 : 1, count, strided, writes);
    case Kind::local_to_dram0:
    case Kind::local_to_dram1:
      timeline_.come(std::nullopt);
      return timeline_.dram_write(count, reads);
    case Kind::accumulator_to_local:
    case Kind::accumulator_to_local_activated:
      come(writes);
      return timeline_.to_local(count, kind == Kind::accumulator_to_local_activated);
    case Kind::local_to_accumulator:
    case Kind::local_to_accumulator_accumulate:
      come(reads);
      return timeline_.to_accumulators(count, kind == Kind::local_to_accumulator_accumulate);
  }
}

void Predictor::add(const tcu::Instruction& i) {
  switch (static_cast<tcu::Opcode>(i.opcode)) {
    case tcu::Opcode::mat_mul:
      return mat_mul(i);
    case tcu::Opcode::load_weights:
      return load_weights(i);
    case tcu::Opcode::data_move:
      return data_move(i);
    case tcu::Opcode::simd:
      come(std::nullopt);
      return timeline_.simd((i.flags & tcu::simd_read) != 0, (i.flags & tcu::simd_write) != 0);
    case tcu::Opcode::load_lut: {
      const std::uint64_t vectors = tcu::lookup_vectors(architecture_);
      come(range_of(tcu::operand0_fields(layout_, i), vectors, false));
      return timeline_.load_table(vectors);
    }
    case tcu::Opcode::load_activation:
      come(range_of(tcu::operand0_fields(layout_, i), tcu::activation_parameters, false));
      return timeline_.load_activation(tcu::activation_parameters);
    default:
      come(std::nullopt);
      return timeline_.wait(1);
  }
}

}  // namespace

Prediction predict(const std::vector<tcu::Instruction>& program,
                   const tcu::Architecture& architecture, const Machine& machine,
                   const std::vector<std::size_t>& ends) {
  Predictor predictor(architecture, machine);
  Prediction prediction;
  std::size_t next = 0;
  for (const std::size_t end : ends) {
    for (; next < end; ++next) predictor.add(program[next]);
    prediction.heads.push_back(predictor.timeline().head());
  }
  for (; next < program.size(); ++next) predictor.add(program[next]);
  prediction.cycles = predictor.timeline().end();
  return prediction;
}

}  // namespace tactus::compiler::optimise
