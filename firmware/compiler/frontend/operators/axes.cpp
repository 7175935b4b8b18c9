#include "firmware/compiler/frontend/operators/axes.h"

#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

std::optional<nn::Shape> squeezed(Planner& p, const nn::Shape& shape) {
  if (!p.node.has("axes") && !p.given(1)) return nn::squeezed(shape, std::nullopt);
  const nn::Shape axes = p.integers("axes", 1, {});
  for (const std::int64_t stated : axes) {
    const std::optional<std::int64_t> axis = normal_axis(p, stated, shape.size());
    if (!axis) return std::nullopt;
    const std::int64_t size = shape[static_cast<std::size_t>(*axis)];
    if (size == 1) continue;
    p.problem("axis {} of shape {} has {} elements; supported is 1", *axis, nn::to_string(shape),
              size);
    return std::nullopt;
  }
  return nn::squeezed(shape, axes);
}

std::optional<nn::Shape> unsqueezed(Planner& p, const nn::Shape& shape) {
  if (!p.node.has("axes") && !p.given(1)) {
    p.problem("attribute axes is missing");
    return std::nullopt;
  }
  const nn::Shape axes = p.integers("axes", 1, {});
  for (const std::int64_t axis : axes) {
    if (!normal_axis(p, axis, shape.size() + axes.size())) return std::nullopt;
  }
  std::optional<nn::Shape> result = nn::unsqueezed(shape, axes);
  if (!result) p.problem("axes {} name one twice", nn::to_string(axes));
  return result;
}

std::optional<nn::Shape> flattened(Planner& p, const nn::Shape& shape) {
  const std::int64_t axis = p.node.integer("axis", 1);
  std::optional<nn::Shape> result = nn::flattened(shape, axis);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (!result) p.problem("attribute axis is {}; supported are {} to {}", axis, -rank, rank);
  return result;
}

std::optional<nn::Shape> reshape_target(Planner& p, const nn::Shape& shape) {
  const nn::Tensor* target = p.need_constant(1, "the shape", nn::ElementType::int64);
  if (target == nullptr) return std::nullopt;
  std::optional<nn::Shape> result =
      nn::reshaped(shape, target->integers, p.node.integer("allowzero", 0) != 0);
  if (!result) {
    p.problem("shape {} cannot become {}", nn::to_string(shape), nn::to_string(target->integers));
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> normal_axis(Planner& p, std::int64_t axis, std::size_t rank) {
  const std::optional<std::size_t> normal = nn::normal_axis(axis, rank);
  if (normal) return static_cast<std::int64_t>(*normal);
  const auto size = static_cast<std::int64_t>(rank);
  p.problem("axis {} is outside the {} dimensions; supported are {} to {}", axis, rank, -size,
            size - 1);
  return std::nullopt;
}

std::optional<nn::Shape> reshaped(Planner& p, const nn::Shape& shape) {
  const std::string& op = p.node.op_type;
  if (op == "Reshape") return reshape_target(p, shape);
  if (op == "Flatten") return flattened(p, shape);
  if (op == "Squeeze") return squeezed(p, shape);
  return unsqueezed(p, shape);
}

std::optional<std::vector<nn::SliceRange>> slice_ranges(Planner& p, const nn::Shape& shape) {
  const bool by_attribute = p.opset() < 10;
  const auto list = [&](std::string_view name, std::size_t input, nn::Shape fallback) {
    return by_attribute ? p.node.integers(name, std::move(fallback))
                        : p.integers(name, input, std::move(fallback));
  };
  const nn::Shape starts = list("starts", 1, {});
  const nn::Shape ends = list("ends", 2, {});
  nn::Shape all_axes;
  for (std::size_t k = 0; k < starts.size(); ++k) all_axes.push_back(static_cast<std::int64_t>(k));
  const nn::Shape axes = list("axes", 3, all_axes);
  const nn::Shape steps = by_attribute ? nn::Shape(starts.size(), 1)
                                       : p.integers("steps", 4, nn::Shape(starts.size(), 1));
  if (p.failed()) return std::nullopt;
  if (starts.empty() || ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    p.problem("starts {}, ends {}, axes {}, steps {} differ in length", nn::to_string(starts),
              nn::to_string(ends), nn::to_string(axes), nn::to_string(steps));
    return std::nullopt;
  }
  for (const std::int64_t axis : axes) {
    if (!normal_axis(p, axis, shape.size())) return std::nullopt;
  }
  std::optional<std::vector<nn::SliceRange>> ranges =
      nn::slice_ranges(shape, starts, ends, axes, steps);
  if (!ranges) p.problem("step 0 is not supported");
  return ranges;
}

}  // namespace tactus::compiler
