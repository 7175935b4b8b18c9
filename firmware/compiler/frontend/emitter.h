// Emitter: the interface with which operators write their part of a layer.
//
// Operands inside the layer are temps; others are variables or constants, which must be loaded to
// become temps. result() keeps a temp for the next step of the layer, and saves it if a step
// outside the layer reads it. Source: toolchain spec sections 3.3 and 3.6.
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

/// A layer: nodes that share accumulators, in the order of the model's steps.
struct LayerPlan {
  std::string name;
  std::vector<const Step*> steps;
};

/// Divides the steps into layers: a MatMul, Gemm or Conv with the steps that may follow it. Every
/// other step is a layer of its own.
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
  /// Returns the operand as temps; loads it if it comes from outside the layer. Consumes one
  /// reading.
  [[nodiscard]] Addresses temps(const std::string& value);
  /// Returns the vectors of an operand from outside the layer. Consumes one reading.
  [[nodiscard]] Addresses variable(const std::string& value);
  [[nodiscard]] Addresses allocate(std::size_t count) { return memory_.allocate_temp(count); }
  [[nodiscard]] Addresses load(const Addresses& source);

  void result(const std::string& value, const Addresses& temps);
  /// Makes the value an alias of existing vectors; `blended` names the objects that contain these.
  void alias(const std::string& value, const Addresses& addresses,
             const std::vector<std::string>& blended);
  /// Allocates vectors for results of this node, which alias() then makes part of its output.
  [[nodiscard]] const Object& helper(const std::string& name, std::size_t count);

  /// Returns a constant. `name` identifies the tensor and its form; equal names are one constant.
  [[nodiscard]] const Addresses& constant(const std::string& name, const Dims& dims,
                                          std::size_t count, const VectorMaker& make);
  /// Returns a vector with the value in all lanes.
  [[nodiscard]] Addresses splat(float value);
  /// Returns a tensor of rank 1 along the lanes; padding lanes are zero.
  [[nodiscard]] Addresses row(const std::string& name, const std::vector<float>& values);

 private:
  [[nodiscard]] Consumers consumers_outside(const Value& value) const;
  /// Returns a name that is not used yet: constants and helpers share one name space with the
  /// model's values.
  [[nodiscard]] std::string unused_name(std::string name) const;
  [[nodiscard]] ConstantSource source_of(const std::string& name) const;

  const Model& model_;
  const LayerPlan& plan_;
  MemoryManager& memory_;
  hir::Layer layer_;
  const Step* step_ = nullptr;
  std::unordered_map<std::string, Addresses> temps_;
};

}  // namespace tactus::compiler
