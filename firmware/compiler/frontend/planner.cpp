#include "firmware/compiler/frontend/planner.h"

#include "firmware/compiler/frontend/operators/table_curve.h"
#include "isa/support/text.h"

namespace tactus::compiler {

const Value* Planner::value(std::size_t i) const {
  if (!given(i)) return nullptr;
  const auto found = model_.values.find(node.inputs[i]);
  return found == model_.values.end() || !found->second.known() ? nullptr : &found->second;
}

const nn::Tensor* Planner::constant(std::size_t i) const {
  const Value* operand = value(i);
  return operand == nullptr ? nullptr : operand->constant.get();
}

const Layout* Planner::activation(std::size_t i) {
  const Value* operand = value(i);
  if (operand == nullptr) return nullptr;
  if (operand->constant != nullptr) {
    // Where another operand is unknown, this node need not be one of the program.
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (given(k) && value(k) == nullptr) return nullptr;
    }
    problem("input {} ({}) is a constant; supported is a value computed at run time", i,
            quote(operand->name));
    return nullptr;
  }
  return &*operand->layout;
}

const Layout* Planner::image(std::size_t i) {
  const Layout* layout = activation(i);
  if (layout == nullptr) return nullptr;
  if (layout->rank() != 4) {
    problem("input {} has shape {}; supported are images of 4 dimensions, N C H W",
            quote(node.inputs[i]), nn::to_string(layout->shape));
    return nullptr;
  }
  if (!layout->is_image()) {
    problem("input {} lies in memory as {}; supported is N C H W with the channels innermost",
            quote(node.inputs[i]), describe(*layout, architecture().array_size));
    return nullptr;
  }
  return layout;
}

const nn::Tensor* Planner::need_constant(std::size_t i, std::string_view what,
                                         nn::ElementType type) {
  const Value* operand = value(i);
  if (operand == nullptr) {
    if (!given(i)) problem("{} (input {}) is missing", what, i);
    return nullptr;
  }
  if (operand->constant == nullptr) {
    problem("{} ({}) is computed at run time; supported are initializers and folded constants",
            what, quote(operand->name));
    return nullptr;
  }
  if (operand->constant->type != type) {
    problem("{} ({}) holds {} elements; supported is {}", what, quote(operand->name),
            nn::name_of(operand->constant->type), nn::name_of(type));
    return nullptr;
  }
  return operand->constant.get();
}

bool Planner::output_read_by_node(std::size_t i) const {
  return output_given(i) && model_.nodes_reading.count(node.outputs[i]) != 0;
}

bool Planner::output_read(std::size_t i) const {
  if (!output_given(i)) return false;
  const auto value = model_.values.find(node.outputs[i]);
  return output_read_by_node(i) || (value != model_.values.end() && value->second.output);
}

const QuantisedSteps* Planner::quantised(const std::string& value) const {
  const auto found = model_.quantised.find(value);
  return found == model_.quantised.end() ? nullptr : &found->second;
}

std::shared_ptr<const TableCurve> Planner::table_curve(const std::string& name,
                                                       const std::function<TableCurve()>& draw) {
  std::shared_ptr<const TableCurve>& curve = model_.table_curves[name];
  if (curve == nullptr) curve = std::make_shared<const TableCurve>(draw());
  return curve;
}

void Planner::register_node(const nn::Node& made) {
  for (const std::string& input : made.inputs) {
    if (!input.empty()) model_.nodes_reading[input].push_back(&made);
  }
  model_.origins[&made] = &origin();
  set_before_product(made);
}

std::string Planner::unused_node_name(const std::string& wanted) {
  std::string name = wanted;
  for (unsigned k = 1; !model_.node_names.insert(name).second; ++k) {
    name = fmt::format("{} {}", wanted, k);
  }
  return name;
}

std::string Planner::unused_value_name(const std::string& wanted) const {
  std::string name = wanted;
  const auto taken = [&](const std::string& candidate) {
    return model_.values.count(candidate) != 0 || model_.nodes_reading.count(candidate) != 0;
  };
  for (unsigned k = 1; taken(name); ++k) name = fmt::format("{} {}", wanted, k);
  return name;
}

std::string Planner::new_constant(const std::string& name, nn::Tensor tensor) {
  Value& made = model_.values[name];
  made.name = name;
  made.constant = std::make_shared<nn::Tensor>(std::move(tensor));
  return name;
}

bool Planner::all_constant() const {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (given(i) && constant(i) == nullptr) return false;
  }
  return true;
}

std::vector<std::int64_t> Planner::integers(std::string_view attribute, std::size_t input,
                                            std::vector<std::int64_t> fallback) {
  if (given(input)) {
    const nn::Tensor* tensor = need_constant(input, attribute, nn::ElementType::int64);
    if (tensor != nullptr) return tensor->integers;
    return fallback;
  }
  return node.integers(attribute, std::move(fallback));
}

void Planner::output(std::size_t i, Layout layout) {
  if (!output_given(i)) return;
  for (const std::int64_t size : layout.shape) {
    if (size < 1) {
      problem("output {} would have shape {}; supported are sizes of 1 or more",
              quote(node.outputs[i]), nn::to_string(layout.shape));
      return;
    }
  }
  // Refuses tensors larger than any memory before their vectors are counted.
  (void)nn::element_count(layout.shape, node.where() + ": output " + quote(node.outputs[i]));
  Value& made = model_.values[node.outputs[i]];
  made.name = node.outputs[i];
  made.layout = std::move(layout);
  step_.writes.push_back(made.name);
}

void Planner::output_reshaped(Layout layout) {
  const std::string& source = model_.value(node.inputs[0]).reshaped_from;
  const std::string from = source.empty() ? node.inputs[0] : source;
  output(0, std::move(layout));
  model_.values[node.outputs[0]].reshaped_from = from;
}

void Planner::fold(nn::Tensor tensor, std::size_t i) {
  if (!output_given(i)) return;
  Value& made = model_.values[node.outputs[i]];
  made.name = node.outputs[i];
  made.constant = std::make_shared<nn::Tensor>(std::move(tensor));
}

}  // namespace tactus::compiler
