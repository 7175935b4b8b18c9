#include "models/tcu/accumulators/alu_array.h"

#include <string>

#include "isa/support/error.h"
#include "models/sim/bytes.h"
#include "models/tcu/channel_signals.h"
#include "models/tcu/events.h"

namespace tactus {

AluArray::AluArray(const sc_core::sc_module_name& name, Clock& clock,
                   const tcu::Architecture& architecture, const AluArrayLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      kernels_(tcu::vector_kernels(architecture.data_type)),
      lanes_(architecture.array_size),
      vector_bytes_(architecture.vector_bytes()),
      registers_(architecture.simd_registers_depth),
      register_mask_((1U << tcu::address_bits(architecture.simd_registers_depth)) - 1),
      file_(registers_ * vector_bytes_),
      zero_(vector_bytes_),
      argument_(links.tables == nullptr ? 0 : vector_bytes_),
      results_(4, vector_bytes_),
      account_("alus", clock, state_table, rest) {}

void AluArray::decide() {
  edge_ = {links_.operation.fires(), links_.input.valid, links_.output.fires(), state()};
}

void AluArray::move_results() {
  const AluOperation& operation = links_.operation.bits;
  // stage2_ enters the queue in this cycle, or passes through it when it is empty.
  if (stage2_) ++stored_;
  if (edge_.leaves) {
    --stored_;
    results_.pop();
  }
  if (stage1_ || stage2_) ++clock_.progress;
  stage2_ = stage1_;
  stage1_ = edge_.issues;
  if (!edge_.issues) return;
  ++clock_.progress;
  ++stats_.issued;
  if (clock_.events != nullptr) clock_.events->event({TcuEvent::alu});
  if (operation.op == tcu::SimdOp::lookup) ++links_.tables->counts().lookups;
  std::uint8_t* const out = results_.push();
  if (clock_.timing_only) return;
  execute(operation, edge_.has_input ? links_.input.bits : zero_.data(), out);
}

const std::uint8_t* AluArray::source(unsigned selector, VectorRef input) const {
  if (selector == 0) return input;
  // The index is cut to the register file's address bits; beyond the file the RTL's read
  // multiplexer falls back to register 0.
  const unsigned index = (selector - 1) & register_mask_;
  return file_.data() + (index < registers_ ? index : 0) * vector_bytes_;
}

void AluArray::execute(const AluOperation& operation, VectorRef input, std::uint8_t* out) {
  if (operation.op == tcu::SimdOp::no_op) {
    copy_block(out, input, vector_bytes_);
    return;
  }
  if (operation.op == tcu::SimdOp::lookup) return look_up(operation, input, out);
  kernels_.alu(operation.op, source(operation.left, input), source(operation.right, input), out,
               lanes_);
  if (operation.dest == 0) return;
  const unsigned index = (operation.dest - 1) & register_mask_;
  if (index < registers_) copy_block(file_.data() + index * vector_bytes_, out, vector_bytes_);
}

/// Registers are numbered from 1 on; the first one gets the difference.
void AluArray::look_up(const AluOperation& operation, VectorRef input, std::uint8_t* out) {
  const unsigned count = links_.tables->tables();
  if (operation.dest == 0 || operation.dest + count > registers_) {
    user_error("SIMD Lookup to {} gives {} vectors to consecutive registers, and there are {}",
               operation.dest == 0 ? "O" : "R" + std::to_string(operation.dest), count + 1,
               registers_);
  }
  std::uint8_t* const difference = file_.data() + (operation.dest - 1) * vector_bytes_;
  // The argument may be one of the registers that are written.
  copy_block(argument_.data(), source(operation.left, input), vector_bytes_);
  links_.tables->find(argument_.data(), difference, difference + vector_bytes_);
  copy_block(out, difference, vector_bytes_);
}

void AluArray::describe(const trace::Scope& scope) const {
  scope.channel("operation", links_.operation);
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  scope.reg("stage1", 1, [this] { return stage1_; });
  scope.reg("stage2", 1, [this] { return stage2_; });
  scope.level("output_queue", 2, [this] { return stored_; });
  for (unsigned i = 0; i < registers_; ++i) {
    scope.vector_register("register" + std::to_string(i),
                          [this, i] { return file_.data() + i * vector_bytes_; });
  }
}

}  // namespace tactus
