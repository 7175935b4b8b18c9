#include "firmware/compiler/frontend/emitter.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "firmware/compiler/frontend/enumerate.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// The order in which the optional steps of a layer are tried.
constexpr Role fusion_order[] = {Role::factor, Role::add, Role::normalisation, Role::activation,
                                 Role::pool};

/// True if `next` can take the result of `last` while it is in the accumulators.
bool continues(const Step& last, const Step& next) {
  std::size_t readings = 0;
  for (const std::string& read : next.reads) {
    readings += static_cast<std::size_t>(std::count(last.writes.begin(), last.writes.end(), read));
  }
  // Add(x, x) needs one of its operands outside the accumulators.
  return readings == 1;
}

}  // namespace

std::vector<LayerPlan> form_layers(const Model& model) {
  std::vector<LayerPlan> layers;
  const std::vector<Step>& steps = model.steps;
  for (std::size_t i = 0; i < steps.size();) {
    LayerPlan layer;
    layer.steps.push_back(&steps[i++]);
    if (layer.steps.front()->role == Role::start) {
      for (const Role role : fusion_order) {
        while (i < steps.size() && steps[i].role == role &&
               continues(*layer.steps.back(), steps[i])) {
          layer.steps.push_back(&steps[i++]);
          if (role != Role::factor) break;
        }
      }
    }
    for (const Step* step : layer.steps) {
      layer.name += (layer.name.empty() ? "" : "+") + step->node->name;
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

Emitter::Emitter(const Model& model, const LayerPlan& plan, MemoryManager& memory)
    : model_(model), plan_(plan), memory_(memory) {
  layer_.name = plan.name;
}

hir::Layer Emitter::emit() {
  for (const Step* step : plan_.steps) {
    step_ = step;
    std::visit([this](const auto& nest) { enumerate(*this, nest); }, step->nest);
  }
  return std::move(layer_);
}

Addresses Emitter::variable(const std::string& value) {
  return memory_.consume(value, step_->node->name).addresses;
}

Addresses Emitter::temps(const std::string& value) {
  const auto found = temps_.find(value);
  return found != temps_.end() ? found->second : load(variable(value));
}

Addresses Emitter::load(const Addresses& source) {
  Addresses loaded = allocate(source.size());
  layer_.add(hir::Kind::load, {source}, loaded);
  return loaded;
}

Consumers Emitter::consumers_outside(const Value& value) const {
  Consumers outside;
  outside.output = value.output;
  for (const std::string& reader : value.readers) {
    const bool inside = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                    [&](const Step* step) { return step->node->name == reader; });
    if (!inside) outside.nodes.push_back(reader);
  }
  return outside;
}

void Emitter::result(const std::string& name, const Addresses& temps) {
  temps_[name] = temps;
  const Value& value = model_.value(name);
  const Consumers outside = consumers_outside(value);
  if (outside.nodes.empty() && !outside.output) return;
  const nn::Shape sizes = value.layout->memory_shape();
  const Object& object =
      memory_.allocate_variable(name, Dims(sizes.begin(), sizes.end()), temps.size(), outside);
  layer_.add(hir::Kind::save, {temps}, object.addresses);
}

void Emitter::alias(const std::string& name, const Addresses& addresses,
                    const std::vector<std::string>& blended) {
  const Value& value = model_.value(name);
  const nn::Shape sizes = value.layout->memory_shape();
  (void)memory_.blend(name, Dims(sizes.begin(), sizes.end()), addresses, blended,
                      consumers_outside(value));
}

const Object& Emitter::helper(const std::string& name, std::size_t count) {
  const std::string unused = unused_name(name);
  const std::string& reader = step_->node->name;
  const Object& object =
      memory_.allocate_variable(unused, {count, array_size()}, count, {{reader}, false});
  (void)memory_.consume(unused, reader);
  return object;
}

std::string Emitter::unused_name(std::string name) const {
  while (model_.values.count(name) != 0) name += '\'';
  return name;
}

/// What the constant of this name was made from: the operand of the node with which the name begins
/// or, if there is none, what the node itself makes.
ConstantSource Emitter::source_of(const std::string& name) const {
  const nn::Node& node = *step_->node;
  std::string operand;
  for (const std::string& input : node.inputs) {
    const bool begins = name.rfind(input, 0) == 0 && input.size() > operand.size();
    if (begins && model_.value(input).constant != nullptr) operand = input;
  }
  if (operand.empty()) return {model_.source_of(node), 0};
  const std::vector<float>& floats = model_.value(operand).constant->floats;
  const auto zeros = std::count(floats.begin(), floats.end(), 0.0F);
  return {model_.source_of(node, operand), floats.size() - static_cast<std::uint64_t>(zeros)};
}

const Addresses& Emitter::constant(const std::string& name, const Dims& dims, std::size_t count,
                                   const VectorMaker& make) {
  return memory_.constant(unused_name(name), dims, count, make, source_of(name)).addresses;
}

Addresses Emitter::splat(float value) {
  // Hexadecimal, because the decimal text of two floats may be the same.
  return memory_
      .constant(unused_name(fmt::format("{:a} in all lanes", value)), {array_size()}, 1,
                [&] { return std::vector<float>(array_size(), value); },
                {model_.source_of(*step_->node), 1})
      .addresses;
}

Addresses Emitter::row(const std::string& name, const std::vector<float>& values) {
  const std::size_t count = (values.size() + array_size() - 1) / array_size();
  return constant(name, {values.size()}, count, [&] {
    std::vector<float> lanes(values);
    lanes.resize(count * array_size());
    return lanes;
  });
}

}  // namespace tactus::compiler
