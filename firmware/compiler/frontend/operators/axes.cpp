#include "firmware/compiler/frontend/operators/axes.h"

#include <algorithm>
#include <limits>
#include <set>

#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

std::optional<nn::Shape> squeezed(Planner& p, const nn::Shape& shape) {
  const bool all = !p.node.has("axes") && !p.given(1);
  std::set<std::int64_t> axes;
  for (const std::int64_t axis : p.integers("axes", 1, {})) {
    const std::optional<std::int64_t> normal = normal_axis(p, axis, shape.size());
    if (!normal) return std::nullopt;
    axes.insert(*normal);
  }
  nn::Shape result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool drop = all ? shape[d] == 1 : axes.count(static_cast<std::int64_t>(d)) != 0;
    if (drop && shape[d] != 1) {
      p.problem("axis {} of shape {} has {} elements; supported is 1", d, nn::to_string(shape),
                shape[d]);
      return std::nullopt;
    }
    if (!drop) result.push_back(shape[d]);
  }
  return result;
}

std::optional<nn::Shape> unsqueezed(Planner& p, const nn::Shape& shape) {
  if (!p.node.has("axes") && !p.given(1)) {
    p.problem("attribute axes is missing");
    return std::nullopt;
  }
  const std::vector<std::int64_t> axes = p.integers("axes", 1, {});
  const std::size_t rank = shape.size() + axes.size();
  std::set<std::int64_t> at;
  for (const std::int64_t axis : axes) {
    const std::optional<std::int64_t> normal = normal_axis(p, axis, rank);
    if (!normal) return std::nullopt;
    if (!at.insert(*normal).second) {
      p.problem("axes {} name one twice", nn::to_string(axes));
      return std::nullopt;
    }
  }
  nn::Shape result;
  std::size_t next = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    result.push_back(at.count(static_cast<std::int64_t>(d)) != 0 ? 1 : shape[next++]);
  }
  return result;
}

std::optional<nn::Shape> flattened(Planner& p, const nn::Shape& shape) {
  const std::int64_t axis = p.node.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis > rank) {
    p.problem("attribute axis is {}; supported are {} to {}", axis, -rank, rank);
    return std::nullopt;
  }
  nn::Shape result{1, 1};
  for (std::int64_t d = 0; d < rank; ++d) {
    result[d < (axis < 0 ? axis + rank : axis) ? 0 : 1] *= shape[static_cast<std::size_t>(d)];
  }
  return result;
}

/// Target shape of a Reshape: 0 keeps a size, -1 is the size that remains.
std::optional<nn::Shape> reshape_target(Planner& p, const nn::Shape& shape) {
  const nn::Tensor* target = p.need_constant(1, "the shape", nn::ElementType::int64);
  if (target == nullptr) return std::nullopt;
  nn::Shape result = target->integers;
  std::int64_t elements = 1, known = 1, open = -1;
  for (const std::int64_t size : shape) elements *= size;
  bool good = true;
  for (std::size_t d = 0; d < result.size(); ++d) {
    if (result[d] == 0 && d < shape.size() && p.node.integer("allowzero", 0) == 0) {
      result[d] = shape[d];
    }
    if (result[d] == -1 && open < 0) {
      open = static_cast<std::int64_t>(d);
    } else if (result[d] < 0 || result[d] > elements) {
      good = false;
    } else {
      known *= result[d];
    }
    good = good && known <= elements;
  }
  if (good && open >= 0) {
    good = known > 0 && elements % known == 0;
    if (good) result[static_cast<std::size_t>(open)] = elements / known;
  } else if (good) {
    good = known == elements;
  }
  if (!good) {
    p.problem("shape {} cannot become {}", nn::to_string(shape), nn::to_string(target->integers));
    return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> normal_axis(Planner& p, std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size) {
    p.problem("axis {} is outside the {} dimensions; supported are {} to {}", axis, rank, -size,
              size - 1);
    return std::nullopt;
  }
  return axis < 0 ? axis + size : axis;
}

std::optional<nn::Shape> reshaped(Planner& p, const nn::Shape& shape) {
  const std::string& op = p.node.op_type;
  if (op == "Reshape") return reshape_target(p, shape);
  if (op == "Flatten") return flattened(p, shape);
  if (op == "Squeeze") return squeezed(p, shape);
  return unsqueezed(p, shape);
}

std::optional<std::vector<SliceRange>> slice_ranges(Planner& p, const nn::Shape& shape) {
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
  std::vector<SliceRange> ranges;
  for (const std::int64_t size : shape) ranges.push_back({0, 1, size});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::optional<std::int64_t> axis = normal_axis(p, axes[k], shape.size());
    if (!axis) return std::nullopt;
    const std::int64_t size = shape[static_cast<std::size_t>(*axis)];
    const std::int64_t step = steps[k];
    if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) {
      p.problem("step {} is not supported", step);
      return std::nullopt;
    }
    if (size == 0) continue;
    const auto from_end = [&](std::int64_t at) { return at < 0 ? at + size : at; };
    const std::int64_t start = step > 0
                                   ? std::clamp<std::int64_t>(from_end(starts[k]), 0, size)
                                   : std::clamp<std::int64_t>(from_end(starts[k]), 0, size - 1);
    const std::int64_t end = step > 0 ? std::clamp<std::int64_t>(from_end(ends[k]), 0, size)
                                      : std::clamp<std::int64_t>(from_end(ends[k]), -1, size - 1);
    const std::int64_t span = step > 0 ? end - start : start - end;
    const std::int64_t stride = step > 0 ? step : -step;
    const std::int64_t count = span <= 0 ? 0 : (span - 1) / stride + 1;
    ranges[static_cast<std::size_t>(*axis)] = {start, step, count};
  }
  return ranges;
}

}  // namespace tactus::compiler
