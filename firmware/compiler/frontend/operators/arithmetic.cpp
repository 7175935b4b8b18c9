// Add, Sub, Mul of two operands, broadcast as ONNX does where whole vectors can be repeated.
//
// A constant operand is written out in the layout of the result. Add takes its second operand
// from local memory straight into the accumulators; the others need both as temps.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Operand {
  std::string name;
  Layout layout;                               ///< of a run-time operand
  std::shared_ptr<const nn::Tensor> constant;  ///< or this
};

struct Arithmetic {
  hir::Kind kind = hir::Kind::add;
  Operand first, second;
  Layout result;
  std::string output;

  void emit(Emitter& e) const;
  /// The operand's vectors, repeated to those of the result.
  [[nodiscard]] Addresses spread(const Operand& operand, const Addresses& addresses,
                                 std::uint32_t n) const;
  [[nodiscard]] Addresses written_out(Emitter& e, const Operand& operand) const;
  [[nodiscard]] Addresses temps(Emitter& e, const Operand& operand) const {
    return operand.constant ? e.load(written_out(e, operand))
                            : spread(operand, e.temps(operand.name), e.array_size());
  }
};

Addresses Arithmetic::spread(const Operand& operand, const Addresses& addresses,
                             std::uint32_t n) const {
  if (operand.layout.shape == result.shape) return addresses;
  nn::Shape outer = result.memory_shape(), own = operand.layout.memory_shape();
  outer.pop_back();
  own.pop_back();
  const BroadcastIndex source(own, outer);
  const auto blocks = static_cast<std::ptrdiff_t>(result.blocks(n));
  Addresses repeated;
  nn::Shape position(outer.size(), 0);
  do {
    const auto from = addresses.begin() + source(position) * blocks;
    repeated.insert(repeated.end(), from, from + blocks);
  } while (next_position(position, outer));
  return repeated;
}

/// Lanes beyond the last channel are zero, as in the artefacts of the reference before August 2022;
/// it lets the constant go on there since.
Addresses Arithmetic::written_out(Emitter& e, const Operand& operand) const {
  const std::int64_t n = e.array_size();
  const nn::Shape sizes = result.memory_shape();
  const std::int64_t blocks = result.blocks(e.array_size());
  const nn::Tensor& tensor = *operand.constant;
  const auto make = [&] {
    const BroadcastIndex source(tensor.shape, result.shape);
    nn::Shape outer(sizes.begin(), sizes.end() - 1), at(outer.size(), 0);
    nn::Shape position(result.rank(), 0);
    std::vector<float> lanes;
    lanes.reserve(static_cast<std::size_t>(result.vectors(e.array_size()) * n));
    do {
      for (std::size_t k = 0; k < at.size(); ++k) position[result.order[k]] = at[k];
      for (std::int64_t lane = 0; lane < blocks * n; ++lane) {
        if (lane >= sizes.back()) {
          lanes.push_back(0);
          continue;
        }
        position[result.lane_dimension()] = lane;
        lanes.push_back(tensor.floats[static_cast<std::size_t>(source(position))]);
      }
    } while (next_position(at, outer));
    return lanes;
  };
  const std::string name =
      fmt::format("{} broadcast to {} in order {}", operand.name, nn::to_string(result.shape),
                  nn::to_string(nn::Shape(result.order.begin(), result.order.end())));
  return e.constant(name, Dims(sizes.begin(), sizes.end()),
                    static_cast<std::size_t>(result.vectors(e.array_size())), make);
}

void Arithmetic::emit(Emitter& e) const {
  if (kind != hir::Kind::add) {
    const Addresses x = temps(e, first);
    const Addresses y = temps(e, second);
    const Addresses sum = e.allocate(x.size());
    e.hir().add(kind, {x, y}, sum);
    e.result(output, sum);
    return;
  }
  // The operand that is in the accumulators, or else the first that is no constant, comes first.
  const bool swap = first.constant != nullptr || (!second.constant && e.is_temp(second.name));
  const Operand& kept = swap ? second : first;
  const Operand& added = swap ? first : second;
  const Addresses x = temps(e, kept);
  const Addresses y = added.constant ? written_out(e, added)
                                     : spread(added, e.variable(added.name), e.array_size());
  const Addresses sum = e.allocate(x.size());
  e.hir().add(kind, {x, y}, sum);
  e.result(output, sum);
}

std::optional<Operand> plan_operand(Planner& p, std::size_t i) {
  const Value* value = p.value(i);
  if (value == nullptr) return std::nullopt;
  Operand operand;
  operand.name = value->name;
  operand.constant = value->constant;
  if (value->layout) operand.layout = *value->layout;
  if (operand.constant && operand.constant->type != nn::ElementType::float32) {
    p.problem("constant {} holds {} elements; supported is FLOAT", quote(operand.name),
              nn::name_of(operand.constant->type));
    return std::nullopt;
  }
  return operand;
}

/// A run-time operand can be repeated along all dimensions but the lanes'.
bool check_operand(Planner& p, const Operand& operand, const Layout& result) {
  if (operand.constant) return true;
  if (operand.layout.order == result.order && operand.layout.lanes() == result.lanes()) return true;
  p.problem(
      "operand {} of shape {} does not lie in memory as the result of shape {}; supported are "
      "operands of one rank and order whose innermost dimension in memory is equal",
      quote(operand.name), nn::to_string(operand.layout.shape), nn::to_string(result.shape));
  return false;
}

Emit plan(Planner& p) {
  const std::optional<Operand> first = plan_operand(p, 0), second = plan_operand(p, 1);
  if (!first || !second) return {};
  const auto shape_of = [](const Operand& operand) {
    return operand.constant ? operand.constant->shape : operand.layout.shape;
  };
  const std::optional<nn::Shape> shape = broadcast_shape(shape_of(*first), shape_of(*second));
  if (!shape || std::find(shape->begin(), shape->end(), 0) != shape->end()) {
    p.problem("shapes {} and {} do not broadcast", nn::to_string(shape_of(*first)),
              nn::to_string(shape_of(*second)));
    return {};
  }
  Arithmetic arithmetic;
  arithmetic.first = *first;
  arithmetic.second = *second;
  arithmetic.kind = p.node.op_type == "Add"   ? hir::Kind::add
                    : p.node.op_type == "Sub" ? hir::Kind::subtract
                                              : hir::Kind::multiply;
  const Operand& example = first->constant ? *second : *first;
  arithmetic.result = {*shape, example.layout.order};
  if (example.layout.rank() != shape->size()) {
    p.problem("operands have shapes {} and {}; supported are operands of one rank",
              nn::to_string(shape_of(*first)), nn::to_string(shape_of(*second)));
    return {};
  }
  if (!check_operand(p, *first, arithmetic.result) ||
      !check_operand(p, *second, arithmetic.result)) {
    return {};
  }
  arithmetic.output = p.node.outputs[0];
  for (std::size_t i = 0; i < 2; ++i) {
    if (p.constant(i) == nullptr) p.reads(i);
  }
  p.output(arithmetic.result);
  return [arithmetic](Emitter& e) { arithmetic.emit(e); };
}

}  // namespace

Operators arithmetic_operators() {
  return {{"Add", 2, Role::add, plan, fold_arithmetic},
          {"Sub", 2, Role::simple, plan, fold_arithmetic},
          {"Mul", 2, Role::simple, plan, fold_arithmetic},
          {"Div", 2, Role::simple, nullptr, fold_arithmetic}};
}

}  // namespace tactus::compiler
