// What an operator sees of its layer while code is made.
//
// Operands inside the layer are temps; others are variables or constants that must be loaded to
// become temps. result() keeps a temp for the next step of the layer and saves it if somebody
// outside the layer needs it. Source: toolchain spec sections 3.3 and 3.6.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/targets/tcu/hir/hir.h"
#include "firmware/compiler/targets/tcu/memory/memory_manager.h"

namespace tactus::compiler {

/// Some nodes that share accumulators, in the order of the model's steps.
struct LayerPlan {
  std::string name;
  std::vector<const Step*> steps;
};

/// Cuts the steps into layers: MatMul, Gemm or Conv, then what may follow. The rest stands alone.
[[nodiscard]] std::vector<LayerPlan> form_layers(const Model& model);

class Emitter {
 public:
  Emitter(const Model& model, const LayerPlan& plan, MemoryManager& memory);

  [[nodiscard]] hir::Layer emit();

  // ---- for operators ----------------------------------------------------------------------------

  [[nodiscard]] std::uint32_t array_size() const { return model_.architecture.array_size; }
  [[nodiscard]] const Model& model() const { return model_; }
  hir::Layer& hir() { return layer_; }

  [[nodiscard]] bool is_temp(const std::string& value) const { return temps_.count(value) != 0; }
  /// The operand as temps, loaded if it comes from outside. Consumes one reading.
  [[nodiscard]] Addresses temps(const std::string& value);
  /// The vectors of an operand from outside the layer. Consumes one reading.
  [[nodiscard]] Addresses variable(const std::string& value);
  [[nodiscard]] Addresses allocate(std::size_t count) { return memory_.allocate_temp(count); }
  [[nodiscard]] Addresses load(const Addresses& source);

  void result(const std::string& value, const Addresses& temps);
  /// The value becomes the vectors of others; `blended` names the objects they come from.
  void alias(const std::string& value, const Addresses& addresses,
             const std::vector<std::string>& blended);
  /// Vectors for results of this node that alias() then makes part of its output.
  [[nodiscard]] const Object& helper(const std::string& name, std::size_t count);

  /// `name` says whose and which form; equal names are one constant.
  [[nodiscard]] const Addresses& constant(const std::string& name, const Dims& dims,
                                          std::size_t count, const VectorMaker& make);
  /// One vector with the value in all lanes.
  [[nodiscard]] Addresses splat(float value);
  /// A tensor of rank 1 along the lanes, padding lanes zero.
  [[nodiscard]] Addresses row(const std::string& name, const std::vector<float>& values);

 private:
  [[nodiscard]] Consumers consumers_outside(const Value& value) const;
  /// Constants and helpers share one name space with the model's values.
  [[nodiscard]] std::string unused_name(std::string name) const;

  const Model& model_;
  const LayerPlan& plan_;
  MemoryManager& memory_;
  hir::Layer layer_;
  const Step* step_ = nullptr;
  std::unordered_map<std::string, Addresses> temps_;
};

}  // namespace tactus::compiler
