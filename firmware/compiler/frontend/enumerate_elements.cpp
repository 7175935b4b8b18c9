// Functions of single elements as HIR.
//
// If whole vectors are broadcast, an operand's vectors are read several times. Add reads its second
// operand from memory directly into the accumulators; all other functions need temps.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "firmware/compiler/frontend/enumerate.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

class ElementEnumeration {
 public:
  ElementEnumeration(Emitter& e, const Elementwise& nest)
      : e_(e),
        nest_(nest),
        result_(*e.model().value(nest.result).layout),
        count_(static_cast<std::size_t>(result_.vectors(e.array_size()))) {
    for (const ElementOperand& operand : nest.operands) {
      const auto* value = std::get_if<RunTimeValue>(&operand);
      in_layer_ = in_layer_ || (value != nullptr && e.is_temp(value->name));
    }
  }

  void write() {
    if (nest_.functions.front().kind == hir::Kind::add) {
      write_sum();
      return;
    }
    for (const ElementOperand& operand : nest_.operands) values_.push_back(temps(operand));
    for (const Elementwise::Function& function : nest_.functions) {
      std::vector<Addresses> inputs;
      for (const std::size_t number : function.operands) inputs.push_back(values_[number]);
      values_.push_back(e_.allocate(count_));
      if (function.kind == hir::Kind::lookup) {
        Addresses tables = std::move(inputs.back());
        inputs.pop_back();
        e_.hir().add_lookup(std::move(inputs), std::move(tables), values_.back());
      } else {
        e_.hir().add(function.kind, std::move(inputs), values_.back());
      }
    }
    e_.result(nest_.result, values_.back());
  }

 private:
  /// The first operand is the one in the accumulators or, if there is none, the first that is no
  /// constant.
  void write_sum() {
    const ElementOperand &first = nest_.operands[0], &second = nest_.operands[1];
    const auto* a = std::get_if<RunTimeValue>(&first);
    const auto* b = std::get_if<RunTimeValue>(&second);
    const bool swap = a == nullptr || (b != nullptr && e_.is_temp(b->name));
    const Addresses kept = temps(swap ? second : first);
    const ElementOperand& added = swap ? first : second;
    const auto* value = std::get_if<RunTimeValue>(&added);
    const Addresses from_memory = value == nullptr ? whole(std::get<BroadcastConstant>(added))
                                                   : spread(*value, e_.variable(value->name));
    const Addresses sum = e_.allocate(kept.size());
    e_.hir().add(hir::Kind::add, {kept, from_memory}, sum);
    e_.result(nest_.result, sum);
  }

  [[nodiscard]] Addresses temps(const ElementOperand& operand) {
    return std::visit([this](const auto& known) { return temps_of(known); }, operand);
  }
  [[nodiscard]] Addresses temps_of(const RunTimeValue& value) const {
    return spread(value, e_.temps(value.name));
  }
  /// Behind a product in its layer, vectors that repeat are stored once.
  [[nodiscard]] Addresses temps_of(const BroadcastConstant& constant) const {
    if (!in_layer_) return e_.load(whole(constant));
    const Layout own = own_layout(*constant.tensor);
    return spread(own, e_.load(laid_out(e_, constant.name, *constant.tensor, own)));
  }
  [[nodiscard]] Addresses temps_of(const LaneConstants& constant) const {
    const Addresses row = e_.load(e_.row(constant.name, constant.values));
    Addresses all;
    for (std::size_t i = 0; i < count_; ++i) all.push_back(row[i % row.size()]);
    return all;
  }
  [[nodiscard]] Addresses temps_of(Number number) const {
    if (std::isinf(number)) {
      const tcu::DataTypeInfo& type = tcu::info(e_.model().architecture.data_type);
      const double unit = 1.0 / static_cast<double>(std::int64_t{1} << type.binary_point);
      number = static_cast<float>(static_cast<double>(number < 0 ? type.min() : type.max()) * unit);
    }
    return Addresses(count_, e_.load(e_.splat(number)).front());
  }
  /// Both tables, each padded to whole vectors.
  [[nodiscard]] Addresses temps_of(const LookupTables& tables) const {
    const std::size_t n = e_.array_size();
    const std::size_t vectors = (tables.slopes.size() + n - 1) / n;
    return e_.constant(tables.name, {2, tables.slopes.size()}, 2 * vectors, [&] {
      std::vector<float> lanes(tables.slopes);
      lanes.resize(vectors * n);
      lanes.insert(lanes.end(), tables.values.begin(), tables.values.end());
      lanes.resize(2 * vectors * n);
      return lanes;
    });
  }

  [[nodiscard]] const Addresses& whole(const BroadcastConstant& constant) const {
    return laid_out(e_, constant.name, *constant.tensor, result_);
  }
  /// Layout of a constant with the lanes of the result.
  [[nodiscard]] Layout own_layout(const nn::Tensor& tensor) const {
    if (result_.rank() == 0) return result_;
    nn::Shape shape = tensor.shape;
    shape.insert(shape.begin(), result_.rank() - shape.size(), 1);
    shape[result_.lane_dimension()] = result_.shape[result_.lane_dimension()];
    return {std::move(shape), result_.order};
  }
  [[nodiscard]] Addresses spread(const RunTimeValue& value, const Addresses& addresses) const {
    return spread(*e_.model().value(value.name).layout, addresses);
  }
  /// Repeats an operand's vectors to match those of the result.
  [[nodiscard]] Addresses spread(const Layout& layout, const Addresses& addresses) const {
    if (layout.shape == result_.shape) return addresses;
    nn::Shape outer = result_.memory_shape(), own = layout.memory_shape();
    outer.pop_back();
    own.pop_back();
    const BroadcastIndex source(own, outer);
    const auto blocks = static_cast<std::ptrdiff_t>(result_.blocks(e_.array_size()));
    Addresses repeated;
    nn::Shape position(outer.size(), 0);
    do {
      const auto from = addresses.begin() + source(position) * blocks;
      repeated.insert(repeated.end(), from, from + blocks);
    } while (next_position(position, outer));
    return repeated;
  }

  Emitter& e_;
  const Elementwise& nest_;
  const Layout& result_;
  std::size_t count_;
  bool in_layer_ = false;
  std::vector<Addresses> values_;
};

}  // namespace

void enumerate(Emitter& e, const Elementwise& nest) { ElementEnumeration(e, nest).write(); }

}  // namespace tactus::compiler
