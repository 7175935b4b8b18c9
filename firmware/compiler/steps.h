// What several ways from a model to a program share: inputs, single steps as the optimiser sees
// them, and the machine that it is told of.
#pragma once

#include <string>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/targets/tcu/optimise/optimise.h"

namespace tactus::compiler {

/// Gives the model's inputs their places; the layer is empty.
hir::Layer allocate_inputs(const Model& model, const Options& options, MemoryManager& memory);

/// A value of the model as the optimiser sees it, by the name of the step that made it.
[[nodiscard]] optimise::StepShape shape_of(const Model& model, const std::string& name,
                                           const std::string& value);
/// The shape of a step's result. It is not known if there are several, each with its own shape.
[[nodiscard]] optimise::StepShape shape_of(const Model& model, const Step& step);

[[nodiscard]] LayerPlan plan_of(const Step& step);

/// A memory for HIR that is not lowered where it is made: ample, and constants keep their values.
/// Nothing is given back as long as no layer ends.
[[nodiscard]] MemoryManager unlimited_memory(const tcu::Architecture& architecture);

[[nodiscard]] optimise::Machine machine_of(const tcu::Architecture& architecture,
                                           const Options& options);

/// What the options ask of the optimiser.
[[nodiscard]] optimise::Wishes wishes_of(const Options& options);

/// Tells of a layer that is about to be lowered, in a pass over all layers.
void tell_layer(const Options& options, unsigned pass, unsigned passes, std::size_t layer,
                std::size_t layers, const std::string& name);

[[nodiscard]] LayerInfo info_of(optimise::OptimisedLayer layer);

}  // namespace tactus::compiler
