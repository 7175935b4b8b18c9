#include "firmware/compiler/frontend/declarations.h"

#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/onnx/input_shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

bool is_real_type(std::int64_t type) {
  return type == nn::onnx_float || type == nn::onnx_double || type == nn::onnx_float16 ||
         type == nn::onnx_bfloat16;
}

/// True if every reader converts the integers to real numbers, so that the value can be real from
/// the beginning.
bool only_cast_to_real(const Model& model, const std::string& name) {
  const auto& readers = model.nodes_reading.at(name);
  return !model.compat && std::all_of(readers.begin(), readers.end(), [](const nn::Node* node) {
    return node->op_type == "Cast" && is_real_type(node->integer("to", 0));
  });
}

/// Whether the value is what the node repeats its work over, along dimension 0.
bool is_sequence(const nn::Node& node, const std::string& value, std::int64_t opset) {
  if (has(node, is_recurrent)) return node.integer("layout", 0) == 0 && node.input(0) == value;
  if (node.op_type != "Scan" || opset < 9) return false;
  const std::size_t scanned = std::min<std::size_t>(
      static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs", 0), 0)),
      node.inputs.size());
  const nn::Shape axes = node.integers("scan_input_axes", nn::Shape(scanned, 0));
  for (std::size_t k = 0; k < std::min(scanned, axes.size()); ++k) {
    if (node.inputs[node.inputs.size() - scanned + k] == value && axes[k] == 0) return true;
  }
  return false;
}

/// Whether the first dimension, which nobody gives, is no batch but the steps of a sequence.
bool is_open_sequence(const Model& model, const nn::ValueInfo& info, const Options& options) {
  if (!info.dims || info.dims->empty() || info.dims->front().size) return false;
  auto given = options.input_shapes.find(info.name);
  if (given == options.input_shapes.end()) given = options.input_shapes.find("");
  const bool is_given =
      given != options.input_shapes.end() && !given->second.empty() && given->second.front() >= 0;
  const auto& readers = model.nodes_reading.at(info.name);
  return !is_given && std::any_of(readers.begin(), readers.end(), [&](const nn::Node* node) {
    return is_sequence(*node, info.name, model.graph->opset);
  });
}

}  // namespace

void declare_inputs(Model& model, const Options& options, std::vector<std::string>& problems) {
  std::set<std::string> unknown;
  for (const auto& [name, shape] : options.input_shapes) {
    if (!name.empty()) unknown.insert(name);
  }
  for (const nn::ValueInfo& info : model.graph->inputs) {
    unknown.erase(info.name);
    if (model.nodes_reading.count(info.name) == 0) continue;
    const bool whole =
        info.type != nn::ElementType::float32 && !only_cast_to_real(model, info.name);
    const std::string where = fmt::format("{}: input {}", model.graph->file, quote(info.name));
    if (is_open_sequence(model, info, options)) {
      problems.push_back(where +
                         ": the length of the sequence is open in the model; give its size "
                         "(--input-shape, input_shapes in Python)");
      continue;
    }
    std::optional<nn::Shape> shape = nn::input_shape(where, info, options.input_shapes, problems);
    if (!shape) continue;
    (void)nn::element_count(*shape, where);
    Value& value = model.values[info.name];
    value.name = info.name;
    if (whole) {
      nn::Tensor sample = nn::Tensor::of(
          *shape,
          std::vector<std::int64_t>(static_cast<std::size_t>(nn::element_count(*shape, where))));
      sample.stored = info.stored;
      value.sample = std::make_shared<const nn::Tensor>(std::move(sample));
    }
    value.layout = model.natural_layout(info.name, std::move(*shape));
    if (!whole) model.inputs.push_back(info.name);
  }
  for (const std::string& name : unknown) {
    problems.push_back(fmt::format("{}: a shape was given for {}, which is no input",
                                   model.graph->file, quote(name)));
  }
}

void declare_constants(Model& model) {
  for (const auto& [name, tensor] : model.graph->initializers) {
    Value& value = model.values[name];
    value.name = name;
    // The graph outlives the model, so this pointer does not own the tensor.
    value.constant = std::shared_ptr<const nn::Tensor>(std::shared_ptr<void>(), &tensor);
  }
}

}  // namespace tactus::compiler
