#include "models/tcu/decoder/decoder_shapes.h"

#include <algorithm>

#include "models/tcu/accumulators/alu_array.h"

namespace tactus {

std::uint32_t DecoderShapes::add(const tcu::Instruction& instruction, bool meets,
                                 const LocalOrder& order) {
  Shape& shape = table_->shapes.emplace_back();
  Decoded& d = shape.item;
  shape.meets = meets;
  decoding_.decode(instruction, d);
  d.local_base = 0;
  d.order = order;
  d.is_sent = false;
  // The timing depends on two facts only: whether the operation takes an input, and whether it is a
  // lookup.
  if (d.kind == tcu::InstructionKind::simd) {
    AluOperation& alu = d.accumulator.control.alu;
    const unsigned source = AluArray::needs_input(alu) ? 0 : 1;
    const tcu::SimdOp other = source == 0 ? tcu::SimdOp::move : tcu::SimdOp::zero;
    alu = {alu.op == tcu::SimdOp::lookup ? alu.op : other, source, source, 0};
  }
  // With a step of 1, no two consecutive addresses of the accumulators are equal.
  if (d.accumulator.step != 0) d.accumulator.step = 1;
  d.accumulator.form = form_of(d.accumulator);
  return d.shape = static_cast<std::uint32_t>(table_->shapes.size() - 1);
}

std::uint32_t DecoderShapes::form_of(AccumulatorItem item) {
  item.control.alu.dest = 0;
  // The number of the table does not affect the timing
  item.control.table = item.control.table == 0 ? 0 : 1;
  item.control.read_address = item.control.write_address = 0;
  std::vector<AccumulatorItem>& forms = table_->forms;
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const AccumulatorItem& form) {
    return form.control == item.control && form.size == item.size && form.step == item.step;
  });
  item.form = static_cast<std::uint32_t>(found - forms.begin());
  if (found == forms.end()) forms.push_back(item);
  return item.form;
}

void DecoderShapes::enter(std::uint32_t shape, Decoded& d) {
  const Shape& known = table_->shapes[shape];
  d = known.item;
  AccumulatorControl& c = d.accumulator.control;
  if ((d.legs & leg_accumulator) == 0 || (!c.read && !c.write)) return;
  const std::uint64_t first = (last_access_ + (known.meets ? 0 : 1)) & accumulator_mask_;
  c.read_address = c.write_address = first;
  last_access_ = first;
  if (c.read && c.write) {
    last_access_ = c.write_address = (first + 1) & accumulator_mask_;
  } else if (d.accumulator.step != 0) {
    // A move or a product uses one address; the other one stays 0.
    (c.write ? c.read_address : c.write_address) = 0;
    last_access_ = (first + d.accumulator.size) & accumulator_mask_;
  }
}

void DecoderShapes::reset() {
  own_ = {};
  use(nullptr);
  (void)add({}, false, {});
  last_access_ = 0;
}

}  // namespace tactus
