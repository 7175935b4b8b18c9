#include "isa/dais/steps.h"

#include <algorithm>
#include <cmath>

#include "isa/dais/check.h"
#include "isa/support/error.h"

namespace tactus::dais {
namespace {

class Decoder {
 public:
  Decoder(const Program& program, MuxCompare compare) : program_(program), compare_(compare) {}

  Step decode(const Op& op) {
    step_ = Step{};
    step_.width = static_cast<std::uint8_t>(op.type.width());
    step_.is_signed = op.type.is_signed != 0;
    step_.id0 = static_cast<std::uint32_t>(std::max(op.id0, 0));
    step_.id1 = static_cast<std::uint32_t>(std::max(op.id1, 0));
    const OpKind kind = *kind_of(op.opcode);
    step_.has_id1 = operand_count(kind) > 1;
    decode_kind(op, kind);
    return step_;
  }

 private:
  [[nodiscard]] const DataType& type(std::int32_t id) const {
    return program_.ops[static_cast<std::size_t>(id)].type;
  }
  [[nodiscard]] std::int64_t fraction(std::int32_t id) const { return type(id).fraction_bits; }

  void decode_kind(const Op& op, OpKind kind) {
    switch (kind) {
      case OpKind::copy:
        step_.kind = StepKind::copy;
        step_.cuts = true;
        step_.scale = std::ldexp(1.0, program_.input_shifts[step_.id0] + op.type.fraction_bits);
        return;
      case OpKind::add:
      case OpKind::subtract:
        step_.kind = StepKind::add;
        step_.negate1 = kind == OpKind::subtract;
        return align(op, true);
      case OpKind::relu:
      case OpKind::quantise:
        step_.kind = kind == OpKind::relu ? StepKind::relu : StepKind::quantise;
        step_.negate0 = negates(op.opcode);
        step_.cuts = true;
        step_.right = static_cast<std::uint8_t>(fraction(op.id0) - op.type.fraction_bits);
        return;
      case OpKind::add_constant:
        step_.kind = StepKind::add;
        step_.left0 = static_cast<std::uint8_t>(op.type.fraction_bits - fraction(op.id0));
        step_.constant = op.data;
        return;
      case OpKind::constant:
        step_.kind = StepKind::constant;
        step_.constant = op.data;
        return;
      case OpKind::mux:
        return decode_mux(op);
      case OpKind::multiply:
        step_.kind = StepKind::multiply;
        return;
      case OpKind::lookup:
        return decode_lookup(op);
      case OpKind::bit_unary:
        return decode_bit_unary(op);
      case OpKind::bit_binary:
        return decode_bit_binary(op);
    }
    internal_error("operation of kind {}", static_cast<int>(kind));
  }

  /// Shifts both operands to the larger fraction. Operand 1 is multiplied by 2^data_low.
  void align(const Op& op, bool may_drop) {
    const std::int64_t fraction1 = fraction(op.id1) - op.data_low();
    const std::int64_t natural = std::max(fraction(op.id0), fraction1);
    step_.left0 = static_cast<std::uint8_t>(natural - fraction(op.id0));
    step_.left1 = static_cast<std::uint8_t>(natural - fraction1);
    if (may_drop) step_.right = static_cast<std::uint8_t>(natural - op.type.fraction_bits);
  }

  void decode_mux(const Op& op) {
    step_.kind = StepKind::mux;
    step_.negate1 = negates(op.opcode);
    step_.cuts = program_.dialect != Dialect::seed;
    step_.condition = static_cast<std::uint32_t>(op.data_low());
    const std::int64_t own = op.type.fraction_bits;
    step_.left0 = static_cast<std::uint8_t>(own - fraction(op.id0));
    step_.left1 = static_cast<std::uint8_t>(own - (fraction(op.id1) - op.data_high()));
    const DataType& condition = type(op.data_low());
    const auto width = static_cast<unsigned>(condition.width());
    step_.test_bit = 63;
    if (condition.is_signed != 0) return;
    // The interpreters' shift count is taken modulo 64, as by x86.
    const Mantissa quarter = from_bits(std::uint64_t{1} << ((width + 62) % 64));
    step_.tests_bit = compare_ == MuxCompare::documented;
    switch (compare_) {
      case MuxCompare::documented:
        // A type of width 0 has only the value 0, so bit 0 can be tested.
        step_.test_bit = static_cast<std::uint8_t>(width == 0 ? 0 : width - 1);
        return;
      case MuxCompare::v0_3:
        step_.constant = quarter;
        return;
      case MuxCompare::v0_6:
        step_.constant = std::max<Mantissa>(quarter, 0) + 1;
        return;
    }
    internal_error("mux comparison {}", static_cast<int>(compare_));
  }

  void decode_lookup(const Op& op) {
    step_.kind = StepKind::lookup;
    step_.condition = static_cast<std::uint32_t>(op.data_low());
    const DataType& source = type(op.id0);
    const auto width = static_cast<unsigned>(source.width());
    const Mantissa smallest = negate(from_bits(sign_bit(width, source.is_signed != 0)));
    step_.constant = add(smallest, op.data_high());
  }

  void decode_bit_unary(const Op& op) {
    constexpr StepKind kinds[] = {StepKind::bit_not, StepKind::bit_any, StepKind::bit_all};
    step_.kind = kinds[op.data_low()];
    step_.negate0 = negates(op.opcode);
    const bool masked = step_.kind == StepKind::bit_all || !step_.is_signed;
    const auto width = static_cast<unsigned>(type(op.id0).width());
    step_.constant = from_bits(masked ? low_mask(width) : ~std::uint64_t{0});
  }

  void decode_bit_binary(const Op& op) {
    constexpr StepKind kinds[] = {StepKind::bit_and, StepKind::bit_or, StepKind::bit_xor};
    const auto flags = static_cast<std::uint32_t>(op.data_high());
    step_.kind = kinds[flags >> 24];
    step_.negate0 = (flags & 1U) != 0;
    step_.negate1 = (flags & 2U) != 0;
    align(op, false);
  }

  const Program& program_;
  MuxCompare compare_;
  Step step_;
};

}  // namespace

Steps decode_steps(const Program& program, MuxCompare compare) {
  check_program(program, "DAIS program");
  Steps result;
  result.inputs = program.input_count();
  result.tables = program.tables;
  result.steps.reserve(program.ops.size());
  Decoder decoder(program, compare);
  for (const Op& op : program.ops) result.steps.push_back(decoder.decode(op));
  result.outputs.reserve(program.outputs.size());
  for (const Output& output : program.outputs) {
    OutputStep& step = result.outputs.emplace_back();
    step.index = output.index;
    step.negative = output.negative;
    if (output.index < 0) continue;
    const DataType& type = program.ops[static_cast<std::size_t>(output.index)].type;
    step.scale = std::ldexp(1.0, output.shift - type.fraction_bits);
  }
  return result;
}

}  // namespace tactus::dais
