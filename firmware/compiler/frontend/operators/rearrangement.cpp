// Reshape, Flatten, Squeeze, Unsqueeze, Concat, Split, Slice, Pad, CenterCropPad.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

std::int64_t row_major(const nn::Shape& position, const std::vector<std::int64_t>& strides) {
  std::int64_t index = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) index += position[k] * strides[k];
  return index;
}

// ---- Reshape and its kin ------------------------------------------------------------------------

/// If the reshape is a Squeeze or Unsqueeze, returns the layout in which the other dimensions keep
/// their order in memory.
std::optional<Layout> kept_order(const Planner& p, const Layout& from, const nn::Shape& to) {
  const bool squeeze = p.node.op_type == "Squeeze";
  if (!squeeze && p.node.op_type != "Unsqueeze") return std::nullopt;
  if (from.shape.empty() || to.empty()) return std::nullopt;
  // The dimensions of size 1 may be paired at will, since that moves nothing.
  const nn::Shape& longer = squeeze ? from.shape : to;
  const nn::Shape& shorter = squeeze ? to : from.shape;
  std::vector<std::size_t> of_longer(longer.size(),
                                     longer.size());  // matching dimension of the shorter shape
  for (std::size_t d = 0, s = 0; d < longer.size(); ++d) {
    const std::size_t left = longer.size() - d, wanted = shorter.size() - s;
    if (s < shorter.size() && longer[d] == shorter[s] && (longer[d] != 1 || left == wanted)) {
      of_longer[d] = s++;
    }
  }
  Layout result{to, {}};
  if (squeeze) {
    for (const std::size_t d : from.order) {
      if (of_longer[d] < shorter.size()) result.order.push_back(of_longer[d]);
    }
    if (of_longer[from.lane_dimension()] >= shorter.size()) return std::nullopt;
  } else {
    std::vector<std::size_t> to_longer(shorter.size());
    for (std::size_t d = 0; d < longer.size(); ++d) {
      if (of_longer[d] < shorter.size()) to_longer[of_longer[d]] = d;
    }
    for (const std::size_t d : from.order) result.order.push_back(to_longer[d]);
    for (std::size_t d = 0; d < longer.size(); ++d) {
      if (of_longer[d] < shorter.size()) continue;
      auto before = std::find_if(result.order.begin(), result.order.end() - 1,
                                 [&](std::size_t other) { return other > d; });
      result.order.insert(before, d);
    }
  }
  if (result.order.size() != to.size()) return std::nullopt;
  return result;
}

/// Sources of a reshape as the reference does it. Elements keep their index; the reference counts
/// it in the order of memory, except from fewer than four dimensions to four, where it is
/// row-major.
FindOrigin reshaped_as_reference(const Layout& from, const Layout& to) {
  const bool row_major_order = from.rank() != 4 && to.rank() == 4;
  return [from, to, row_major_order, strides = strides_of(to.shape),
          memory = strides_of(to.memory_shape())](const nn::Shape& position) {
    if (row_major_order) return Origin{0, row_major(position, strides)};
    std::int64_t place = 0, index = 0;
    for (std::size_t k = 0; k < to.rank(); ++k) place += position[to.order[k]] * memory[k];
    const std::vector<std::int64_t> own = strides_of(from.shape);
    for (std::size_t k = from.rank(); k-- > 0;) {
      const std::size_t d = from.order[k];
      index += place % from.shape[d] * own[d];
      place /= from.shape[d];
    }
    return Origin{0, index};
  };
}

Plan plan_reshape(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  std::optional<nn::Shape> shape = reshaped(p, x->shape);
  if (!shape) return {};
  const std::optional<Layout> kept = kept_order(p, *x, *shape);
  p.reads(0);
  const Layout result = kept ? *kept : p.model().natural_layout(p.node.outputs[0], *shape);
  p.output_reshaped(result);
  const std::string &in = p.node.inputs[0], &out = p.node.outputs[0];
  if (p.compat()) {
    return Rearrangement{{in}, {{out, reshaped_as_reference(*p.value(0)->layout, result)}}};
  }
  const auto origin = [strides = strides_of(*shape)](const nn::Shape& position) {
    return Origin{0, row_major(position, strides)};
  };
  return Rearrangement{{in}, {{out, origin}}};
}

void fold_reshape(Planner& p) {
  nn::Tensor result = *p.constant(0);
  const std::optional<nn::Shape> shape = reshaped(p, result.shape);
  if (!shape) return;
  result.shape = *shape;
  p.fold(std::move(result));
}

// ---- Concat, Split, Slice -----------------------------------------------------------------------

/// An operand of Concat; a constant has the layout of the others.
struct Part {
  nn::Shape shape;
  std::shared_ptr<const nn::Tensor> constant;
};

Plan plan_concat(Planner& p) {
  const std::int64_t stated = p.node.integer("axis");
  const Layout* first = nullptr;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < p.node.inputs.size(); ++i) {
    const Value* value = p.value(i);
    if (value == nullptr) return {};
    if (value->constant != nullptr &&
        (p.compat() || value->constant->type != nn::ElementType::float32)) {
      p.problem(
          "input {} ({}) is a constant of {}; supported are values computed at run time and "
          "constants of FLOAT",
          i, quote(value->name), nn::name_of(value->constant->type));
      return {};
    }
    if (first == nullptr && value->layout) first = &*value->layout;
    parts.push_back(
        {value->constant ? value->constant->shape : value->layout->shape, value->constant});
  }
  const std::optional<std::int64_t> axis = normal_axis(p, stated, first->rank());
  if (!axis) return {};
  const auto along = static_cast<std::size_t>(*axis);
  Layout result = *first;
  result.shape[along] = 0;
  std::vector<std::int64_t> begins;
  for (const Part& part : parts) {
    nn::Shape rest = part.shape, wanted = first->shape;
    if (rest.size() == wanted.size()) rest[along] = wanted[along] = 0;
    if (rest != wanted) {
      p.problem("inputs of shapes {} and {} cannot be joined along axis {}",
                nn::to_string(first->shape), nn::to_string(part.shape), along);
      return {};
    }
    begins.push_back(result.shape[along]);
    result.shape[along] += part.shape[along];
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].constant) p.reads(i);
  }
  p.output(result);
  std::vector<std::vector<std::int64_t>> strides;
  for (const Part& part : parts) strides.push_back(strides_of(part.shape));
  const auto origin = [along, begins, strides](const nn::Shape& position) {
    const auto piece =
        std::upper_bound(begins.begin(), begins.end(), position[along]) - begins.begin() - 1;
    const auto k = static_cast<std::size_t>(piece);
    return Origin{piece, row_major(position, strides[k]) - begins[k] * strides[k][along]};
  };
  return Rearrangement{p.node.inputs, {{p.node.outputs[0], origin}}};
}

/// Returns the sources of a slice: a part of each dimension of an operand with this shape.
FindOrigin part_of(const nn::Shape& shape, std::vector<nn::SliceRange> ranges) {
  return [strides = strides_of(shape), ranges = std::move(ranges)](const nn::Shape& position) {
    std::int64_t index = 0;
    for (std::size_t k = 0; k < strides.size(); ++k) {
      index += (ranges[k].start + position[k] * ranges[k].step) * strides[k];
    }
    return Origin{0, index};
  };
}

/// Sizes of the parts: stated, or equal ones.
std::optional<std::vector<std::int64_t>> split_sizes(Planner& p, std::int64_t size) {
  const std::size_t parts = p.node.outputs.size();
  const nn::Shape stated = p.integers("split", 1, {});
  if (p.failed()) return std::nullopt;
  std::optional<nn::Shape> sizes = nn::split_sizes(size, parts, stated, p.node.has("num_outputs"));
  if (sizes || stated.empty()) {
    if (!sizes) p.problem("{} elements do not split into {} equal parts", size, parts);
    return sizes;
  }
  p.problem("split {} does not cut {} elements into {} parts", nn::to_string(stated), size, parts);
  return std::nullopt;
}

Plan plan_split(Planner& p) {
  const std::int64_t stated = p.node.integer("axis", 0);
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::optional<std::int64_t> axis = normal_axis(p, stated, x->rank());
  if (!axis) return {};
  const auto along = static_cast<std::size_t>(*axis);
  const std::optional<std::vector<std::int64_t>> sizes = split_sizes(p, x->shape[along]);
  if (!sizes) return {};
  p.reads(0);
  Rearrangement parts{{p.node.inputs[0]}, {}};
  const Layout whole = *x;
  std::int64_t begin = 0;
  for (std::size_t k = 0; k < sizes->size(); ++k) {
    Layout part = whole;
    part.shape[along] = (*sizes)[k];
    p.output(k, part);
    std::vector<nn::SliceRange> ranges(whole.rank());
    ranges[along].start = begin;
    if (p.output_given(k)) {
      parts.outputs.push_back({p.node.outputs[k], part_of(whole.shape, std::move(ranges))});
    }
    begin += (*sizes)[k];
  }
  return parts;
}

Plan plan_slice(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::optional<std::vector<nn::SliceRange>> ranges = slice_ranges(p, x->shape);
  if (!ranges) return {};
  Layout result = *x;
  for (std::size_t d = 0; d < ranges->size(); ++d) result.shape[d] = (*ranges)[d].count;
  const FindOrigin origin = part_of(x->shape, *ranges);
  p.reads(0);
  p.output(result);
  return Rearrangement{{p.node.inputs[0]}, {{p.node.outputs[0], origin}}};
}

// ---- Pad ----------------------------------------------------------------------------------------

/// Most elements that a dimension grows by.
constexpr std::int64_t largest_pad = 1 << 20;

enum class PadMode : std::uint8_t { constant, edge, reflect, wrap };

/// Source of position `at` of a padded dimension (negative in the front padding), or -1 for the
/// fill value.
std::int64_t pad_source(PadMode mode, std::int64_t at, std::int64_t size) {
  if (at >= 0 && at < size) return at;
  if (mode == PadMode::constant) return -1;
  if (mode == PadMode::edge || size == 1) return at < 0 ? 0 : size - 1;
  if (mode == PadMode::wrap) return ((at % size) + size) % size;
  const std::int64_t period = 2 * (size - 1);
  const std::int64_t folded = ((at % period) + period) % period;
  return folded < size ? folded : period - folded;
}

std::optional<PadMode> pad_mode(Planner& p) {
  const std::string mode = p.node.text("mode", "constant");
  // The reference fills with zeroes whatever the mode.
  if (mode == "constant" || p.compat()) return PadMode::constant;
  if (mode == "edge") return PadMode::edge;
  if (mode == "reflect") return PadMode::reflect;
  if (mode == "wrap") return PadMode::wrap;
  p.problem("attribute mode is {}; supported are constant, edge, reflect, wrap", quote(mode));
  return std::nullopt;
}

float pad_value(Planner& p) {
  if (p.opset() < 11) return p.node.real("value", 0.0F);
  if (!p.given(2)) return 0.0F;
  const nn::Tensor* value = p.need_constant(2, "constant_value", nn::ElementType::float32);
  if (value != nullptr && value->size() != 1) {
    p.problem("constant_value has shape {}; supported is one value", nn::to_string(value->shape));
    return 0.0F;
  }
  return value == nullptr ? 0.0F : value->floats[0];
}

/// Pads of all dimensions. Since opset 18 an input may name the axes that the given pads belong to.
std::vector<std::int64_t> all_pads(Planner& p, std::size_t rank) {
  std::vector<std::int64_t> pads =
      p.opset() < 11 ? p.node.integers("pads") : p.integers("pads", 1, {});
  if (!p.given(3)) return pads;
  const nn::Tensor* axes = p.need_constant(3, "axes", nn::ElementType::int64);
  if (axes == nullptr) return pads;
  for (const std::int64_t axis : axes->integers) {
    if (!normal_axis(p, axis, rank)) return pads;
  }
  const std::optional<nn::Shape> all = nn::pads_of_axes(pads, axes->integers, rank);
  if (all) return *all;
  p.problem("pads are {} for axes {}", nn::to_string(pads), nn::to_string(axes->integers));
  return pads;
}

/// A value with these pads of all dimensions, below 0 where elements are cut off.
Plan padded(Planner& p, const Layout& x, const nn::Shape& pads, PadMode mode, float fill) {
  Layout result = x;
  const std::size_t rank = x.rank();
  for (std::size_t d = 0; d < rank; ++d) result.shape[d] += pads[d] + pads[rank + d];
  const auto origin = [pads, mode, shape = x.shape,
                       strides = strides_of(x.shape)](const nn::Shape& position) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t at = pad_source(mode, position[d] - pads[d], shape[d]);
      if (at < 0) return Origin{-1, 0};
      index += at * strides[d];
    }
    return Origin{0, index};
  };
  p.reads(0);
  p.output(result);
  return Rearrangement{{p.node.inputs[0]}, {{p.node.outputs[0], origin}}, fill};
}

Plan plan_pad(Planner& p) {
  const std::optional<PadMode> mode = pad_mode(p);
  const float fill = pad_value(p);
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::vector<std::int64_t> pads = all_pads(p, x->rank());
  if (!mode || p.failed()) return {};
  const bool good =
      pads.size() == 2 * x->rank() && std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) {
        return pad >= -largest_pad && pad <= largest_pad;
      });
  if (!good) {
    p.problem("pads are {}; supported are {} values, each up to {}", nn::to_string(pads),
              2 * x->rank(), largest_pad);
    return {};
  }
  return padded(p, *x, pads, *mode, p.compat() ? 0.0F : fill);
}

Plan plan_center_crop_pad(Planner& p) {
  const nn::Tensor* sizes = p.need_constant(1, "shape", nn::ElementType::int64);
  const Layout* x = p.activation(0);
  if (x == nullptr || sizes == nullptr) return {};
  const std::optional<nn::Shape> pads =
      nn::centred_pads(x->shape, sizes->integers, p.node.integers("axes", {}));
  const bool good = pads && std::all_of(sizes->integers.begin(), sizes->integers.end(),
                                        [](auto size) { return size >= 1 && size <= largest_pad; });
  if (!good) {
    p.problem("shape is {}; supported is a size of 1 to {} for each axis of {}",
              nn::to_string(sizes->integers), largest_pad, nn::to_string(x->shape));
    return {};
  }
  return padded(p, *x, *pads, PadMode::constant, 0.0F);
}

// ---- the same on constants ----------------------------------------------------------------------

template <typename T>
std::vector<T> picked(const std::vector<T>& from, const nn::Shape& shape,
                      const std::vector<nn::SliceRange>& ranges, const nn::Shape& result) {
  std::vector<T> values;
  if (from.empty() || std::find(result.begin(), result.end(), 0) != result.end()) return values;
  const std::vector<std::int64_t> strides = strides_of(shape);
  nn::Shape position(result.size(), 0);
  do {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      index += (ranges[d].start + position[d] * ranges[d].step) * strides[d];
    }
    values.push_back(from[static_cast<std::size_t>(index)]);
  } while (next_position(position, result));
  return values;
}

void fold_slice(Planner& p) {
  const nn::Tensor& x = *p.constant(0);
  const std::optional<std::vector<nn::SliceRange>> ranges = slice_ranges(p, x.shape);
  if (!ranges) return;
  nn::Tensor result;
  result.type = x.type;
  for (const nn::SliceRange& range : *ranges) result.shape.push_back(range.count);
  result.floats = picked(x.floats, x.shape, *ranges, result.shape);
  result.integers = picked(x.integers, x.shape, *ranges, result.shape);
  p.fold(std::move(result));
}

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from, std::int64_t first,
            std::int64_t count) {
  if (from.empty()) return;
  to.insert(to.end(), from.begin() + first, from.begin() + first + count);
}

void fold_concat(Planner& p) {
  const nn::Tensor& first = *p.constant(0);
  const std::optional<std::int64_t> axis =
      normal_axis(p, p.node.integer("axis"), first.shape.size());
  if (!axis) return;
  const auto along = static_cast<std::size_t>(*axis);
  nn::Tensor result;
  result.type = first.type;
  result.shape = first.shape;
  result.shape[along] = 0;
  std::int64_t outer = 1;
  for (std::size_t d = 0; d < along; ++d) outer *= first.shape[d];
  for (std::size_t i = 0; i < p.node.inputs.size(); ++i) {
    if (!p.given(i)) {
      p.problem("input {} is missing", i);
      return;
    }
    nn::Shape rest = p.constant(i)->shape, wanted = first.shape;
    if (rest.size() == wanted.size()) rest[along] = wanted[along] = 0;
    if (rest != wanted || p.constant(i)->type != first.type) {
      p.problem("constants of shapes {} and {} cannot be joined along axis {}",
                nn::to_string(first.shape), nn::to_string(p.constant(i)->shape), along);
      return;
    }
    result.shape[along] += p.constant(i)->shape[along];
  }
  for (std::int64_t row = 0; row < outer; ++row) {
    for (std::size_t i = 0; i < p.node.inputs.size(); ++i) {
      const nn::Tensor& part = *p.constant(i);
      const std::int64_t run = part.size() / outer;
      append(result.floats, part.floats, row * run, run);
      append(result.integers, part.integers, row * run, run);
    }
  }
  p.fold(std::move(result));
}

}  // namespace

Operators rearrange_operators() {
  return {{"Reshape", keeps_quantisation, Role::simple, plan_reshape, fold_reshape},
          {"Flatten", keeps_quantisation, Role::simple, plan_reshape, fold_reshape},
          {"Squeeze", keeps_quantisation, Role::simple, plan_reshape, fold_reshape},
          {"Unsqueeze", keeps_quantisation, Role::simple, plan_reshape, fold_reshape},
          {"Concat", keeps_rows, Role::simple, plan_concat, fold_concat},
          {"Split", 0, Role::simple, plan_split},
          {"Slice", keeps_rows | keeps_quantisation, Role::simple, plan_slice, fold_slice},
          {"Pad", 0, Role::simple, plan_pad},
          {"CenterCropPad", 0, Role::simple, plan_center_crop_pad}};
}

}  // namespace tactus::compiler
