// Parts shared by several ways of compiling a model: inputs, single steps in the optimiser's form,
// and the machine that the optimiser assumes.
#pragma once

#include <string>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/targets/tcu/optimise/optimise.h"

namespace tactus::compiler {

/// Places the model's inputs; the layer is empty.
hir::Layer allocate_inputs(const Model& model, const Options& options, MemoryManager& memory);

/// Returns a value of the model in the optimiser's form, by the name of the step that computes it.
[[nodiscard]] optimise::StepShape shape_of(const Model& model, const std::string& name,
                                           const std::string& value);
/// Returns the shape of a step's result; unknown if the step has several results with different
/// shapes.
[[nodiscard]] optimise::StepShape shape_of(const Model& model, const Step& step);

[[nodiscard]] LayerPlan plan_of(const Step& step);

/// A memory for HIR that is lowered later: it is large, and constants keep their values. Nothing is
/// freed as long as no layer ends.
[[nodiscard]] MemoryManager unlimited_memory(const tcu::Architecture& architecture);

[[nodiscard]] optimise::Machine machine_of(const tcu::Architecture& architecture,
                                           const Options& options);

/// Returns the optimiser's options.
[[nodiscard]] optimise::Wishes wishes_of(const Options& options);

/// Reports progress before a layer is lowered, in a pass over all layers.
void tell_layer(const Options& options, unsigned pass, unsigned passes, std::size_t layer,
                std::size_t layers, const std::string& name);

[[nodiscard]] LayerInfo info_of(optimise::OptimisedLayer layer);

}  // namespace tactus::compiler
