#include "firmware/onnx/input_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "firmware/onnx/number_types.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

Tensor constant_of(const std::string& where, ValueInfo info, const std::vector<double>& values,
                   const GivenShapes& shapes) {
  const bool open = info.dims && info.dims->size() == 1 && !info.dims->front().size &&
                    shapes.count(info.name) == 0;
  if (open) info.dims->front().size = static_cast<std::int64_t>(values.size());
  std::vector<std::string> problems;
  const std::optional<Shape> shape = input_shape(where, info, shapes, problems);
  if (!shape) throw UserError(problems.front());
  const std::int64_t count = element_count(*shape, where);
  if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != count) {
    user_error("{}: {} values are given for shape {}; allowed are 1, for all elements, and {}",
               where, values.size(), to_string(*shape), count);
  }
  const auto value_of = [&](std::int64_t i) {
    return values[values.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  };
  if (info.type == ElementType::float32) {
    Tensor tensor = Tensor::zeros(*shape);
    for (std::int64_t i = 0; i < count; ++i) {
      tensor.floats[static_cast<std::size_t>(i)] = static_cast<float>(value_of(i));
    }
    return tensor;
  }
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    if (value_of(i) != std::floor(value_of(i)) || std::abs(value_of(i)) > 1e15) {
      user_error("{}: {:g} is no whole number; the input holds {} elements", where, value_of(i),
                 name_of(info.type, info.stored));
    }
    numbers.push_back(static_cast<std::int64_t>(value_of(i)));
  }
  Tensor tensor = Tensor::of(*shape, numbers);
  tensor.stored = info.stored;
  const Tensor held = as_type(tensor, info.stored != 0 ? info.stored : std::int32_t{onnx_int64});
  if (held.integers != numbers) {
    user_error("{}: {} do not hold all of the values", where, name_of(info.type, info.stored));
  }
  return tensor;
}

}  // namespace

Graph with_input_values(Graph graph, const GivenValues& values, GivenShapes& shapes) {
  for (const auto& [name, numbers] : values) {
    const auto found = std::find_if(graph.inputs.begin(), graph.inputs.end(),
                                    [&](const ValueInfo& info) { return info.name == name; });
    if (found == graph.inputs.end()) {
      std::vector<std::string_view> names;
      for (const ValueInfo& info : graph.inputs) names.emplace_back(info.name);
      user_error("{}: a value was given for {}, which is no input; allowed {}", graph.file,
                 quote(name), quote_list(names));
    }
    graph.initializers[name] =
        constant_of(fmt::format("{}: input {}", graph.file, quote(name)), *found, numbers, shapes);
    graph.inputs.erase(found);
    shapes.erase(name);
  }
  return graph;
}

}  // namespace tactus::nn
