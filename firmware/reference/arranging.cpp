// Operators that rearrange elements without changing them, and operators on shapes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "firmware/onnx/number_types.h"
#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

/// Makes a tensor of `shape` whose element at each position is the input's element at
/// offset(position), or `fill` if that is negative.
template <typename Offset>
Tensor rearranged(const Call& call, const Tensor& in, Shape shape, Offset&& offset, float fill = 0,
                  std::int64_t whole_fill = 0) {
  const auto count = static_cast<std::size_t>(call.count(shape));
  Tensor out;
  out.type = in.type;
  out.stored = in.stored;
  out.shape = std::move(shape);
  const bool real = in.type == ElementType::float32;
  if (real) out.floats.reserve(count);
  if (!real) out.integers.reserve(count);
  for_each_position(out.shape, [&](const Shape& position) {
    const std::int64_t from = offset(position);
    const auto at = static_cast<std::size_t>(from);
    if (real) {
      out.floats.push_back(from < 0 ? fill : in.floats[at]);
    } else {
      out.integers.push_back(from < 0 ? whole_fill : in.integers[at]);
    }
  });
  return out;
}

/// The part of `in` with `size` positions along `axis`, from `start` on.
Tensor part(const Call& call, const Tensor& in, std::size_t axis, std::int64_t start,
            std::int64_t size) {
  const auto strides = strides_of(in.shape);
  Shape shape = in.shape;
  shape[axis] = size;
  return rearranged(call, in, std::move(shape), [&](const Shape& position) {
    std::int64_t at = start * strides[axis];
    for (std::size_t i = 0; i < position.size(); ++i) at += position[i] * strides[i];
    return at;
  });
}

/// Gives the elements another shape. Without `shape` it fails; the error names `what` and `wanted`.
void relabel(Call& call, std::optional<Shape> shape, const Shape& wanted, const char* what) {
  Tensor result = call.input(0);
  if (!shape) call.fail("{} {} does not fit {}", what, to_string(wanted), to_string(result.shape));
  result.shape = *std::move(shape);
  call.results.push_back(std::move(result));
}

/// Axes from the attribute or, from operator set 13 on, from input 1.
std::optional<Shape> given_axes(const Call& call) {
  if (call.opset < 13) {
    if (!call.node.has("axes")) return std::nullopt;
    return call.node.integers("axes");
  }
  if (call.optional(1) == nullptr) return std::nullopt;
  return call.integers(1);
}

}  // namespace

void run_cast(Call& call) {
  const Tensor& in = call.input(0);
  const std::int64_t to = call.node.integer("to");
  if (!is_real_number(to) && !is_whole_number(to)) {
    call.fail(
        "element type {} is not supported; allowed are 1 (FLOAT), 10 (FLOAT16), 11 (DOUBLE), 16 "
        "(BFLOAT16), 3 (INT8), 5 (INT16), 6 (INT32), 7 (INT64), 2 (UINT8), 4 (UINT16), 12 (UINT32) "
        "and 9 (BOOL)",
        to);
  }
  const auto type = static_cast<std::int32_t>(to);
  if (is_real_number(to)) {
    Tensor result = Tensor::of(in.shape, in.reals());
    for (float& value : result.floats) value = rounded_to(type, value);
    return call.results.push_back(std::move(result));
  }
  Tensor result = in;
  result.type = ElementType::int64;
  result.floats.clear();
  result.stored = to == onnx_int64 ? 0 : type;
  // As on processors, which have numbers of 32 and 64 bits: what these hold wraps, NaN and what
  // they do not hold has no value.
  const bool narrow = to != onnx_int64 && to != onnx_uint32;
  const double limit = narrow ? 0x1p31 : 0x1p63;
  for (const float value : in.floats) {
    if (to == onnx_bool) {
      result.integers.push_back(value != 0 ? 1 : 0);
      continue;
    }
    const double whole = std::trunc(static_cast<double>(value));
    if (!(whole >= -limit && whole < limit)) {
      call.fail("{} has no {} value", value, name_of(ElementType::int64, result.stored));
    }
    result.integers.push_back(static_cast<std::int64_t>(whole));
  }
  call.results.push_back(std::move(result));
}

void run_concat(Call& call) {
  const Tensor& first = call.input(0);
  const std::size_t axis = call.axis(call.node.integer("axis"), first.shape.size());
  Tensor result;
  result.type = first.type;
  result.stored = first.stored;
  result.shape = first.shape;
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    std::optional<Shape> joined = joined_shape(result.shape, call.input(i).shape, axis);
    if (!joined || call.input(i).type != first.type) {
      call.fail("input {} ({}) does not fit input 0 ({}) along axis {}", i,
                to_string(call.input(i).shape), to_string(first.shape), axis);
    }
    result.shape = *std::move(joined);
  }
  static_cast<void>(call.count(result.shape));
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= first.shape[i];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::size_t i = 0; i < call.input_count(); ++i) {
      const Tensor& in = call.input(i);
      const std::int64_t run = in.size() / outer;
      const auto append = [&](auto& to, const auto& from) {
        to.insert(to.end(), from.begin() + o * run, from.begin() + (o + 1) * run);
      };
      if (in.type == ElementType::float32) append(result.floats, in.floats);
      if (in.type == ElementType::int64) append(result.integers, in.integers);
    }
  }
  call.results.push_back(std::move(result));
}

void run_constant(Call& call) {
  const Node& node = call.node;
  if (node.attributes.size() != 1) call.fail("needs exactly one attribute");
  const std::string& kind = node.attributes.begin()->first;
  if (kind == "value") {
    call.results.push_back(node.tensor(kind));
  } else if (kind == "value_float") {
    call.results.push_back(Tensor::of({}, std::vector<float>{node.real(kind)}));
  } else if (kind == "value_int") {
    call.results.push_back(Tensor::of({}, std::vector<std::int64_t>{node.integer(kind)}));
  } else if (kind == "value_floats") {
    const auto& values = node.reals(kind);
    call.results.push_back(Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  } else {
    const auto& values = node.integers(kind);
    call.results.push_back(Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  }
}

void run_flatten(Call& call) {
  const Shape& shape = call.input(0).shape;
  const std::int64_t axis = call.node.integer("axis", 1);
  std::optional<Shape> result = flattened(shape, axis);
  if (!result || (axis < 0 && call.opset < 11)) {
    call.fail("axis {} is not in a tensor of {} dimensions", axis, shape.size());
  }
  relabel(call, std::move(result), {}, "");
}

void run_gather(Call& call) {
  const Tensor& in = call.input(0);
  const Tensor& indices = call.input(1);
  if (indices.type != ElementType::int64) call.fail("input 1 is FLOAT; allowed is INT64");
  const std::size_t axis = call.axis(call.node.integer("axis", 0), in.shape.size());
  const std::int64_t size = in.shape[axis];
  for (const std::int64_t index : indices.integers) {
    if (index < (call.opset < 11 ? 0 : -size) || index >= size) {
      call.fail("index {} is out of range for a size of {}", index, size);
    }
  }
  Shape shape = gathered_shape(in.shape, axis, indices.shape);
  const auto strides = strides_of(in.shape);
  const auto index_strides = strides_of(indices.shape);
  const std::size_t after = axis + indices.shape.size();
  call.results.push_back(rearranged(call, in, std::move(shape), [&](const Shape& position) {
    std::int64_t which = 0, at = 0;
    for (std::size_t i = 0; i < indices.shape.size(); ++i) {
      which += position[axis + i] * index_strides[i];
    }
    const std::int64_t index = indices.integers[static_cast<std::size_t>(which)];
    at = (index < 0 ? index + size : index) * strides[axis];
    for (std::size_t i = 0; i < axis; ++i) at += position[i] * strides[i];
    for (std::size_t i = axis + 1; i < in.shape.size(); ++i) {
      at += position[after + i - axis - 1] * strides[i];
    }
    return at;
  }));
}

void run_pad(Call& call) {
  const Tensor& in = call.input(0);
  const bool as_inputs = call.opset >= 11;
  Shape pads = as_inputs ? call.integers(1) : call.node.integers("pads");
  if (call.optional(3) != nullptr) {
    const std::optional<Shape> all = pads_of_axes(pads, call.integers(3), in.shape.size());
    if (!all) call.fail("{} pads for axes {}", pads.size(), to_string(call.integers(3)));
    pads = *all;
  }
  const std::string mode = call.node.text("mode", "constant");
  float fill = as_inputs ? 0.0F : call.node.real("value", 0);
  auto whole_fill = static_cast<std::int64_t>(fill);
  if (as_inputs && call.optional(2) != nullptr) {
    if (call.input(2).type != in.type || call.input(2).size() != 1) {
      call.fail("input 2 must be a scalar of the type of input 0");
    }
    if (in.type == ElementType::float32) fill = call.input(2).floats[0];
    if (in.type == ElementType::int64) whole_fill = call.input(2).integers[0];
  }
  const std::size_t rank = in.shape.size();
  if (pads.size() != 2 * rank) call.fail("{} pads for {} dimensions", pads.size(), rank);
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap") {
    call.fail("attribute \"mode\" is \"{}\"; allowed are constant, reflect, edge, wrap", mode);
  }
  Shape shape = in.shape;
  for (std::size_t i = 0; i < rank; ++i) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (const std::int64_t pad : {pads[i], pads[rank + i]}) {
      // Reflection can repeat every element except the first one, once.
      const std::int64_t longest = mode == "constant" ? most
                                   : mode == "edge" || mode == "wrap"
                                       ? (in.shape[i] > 0 ? most : 0)
                                       : std::max<std::int64_t>(0, in.shape[i] - 1);
      if (pad > longest || pad < -in.shape[i]) {
        call.fail("padding of {} is out of range for a size of {}", pad, in.shape[i]);
      }
    }
    shape[i] += pads[i] + pads[rank + i];
  }
  const auto strides = strides_of(in.shape);
  call.results.push_back(rearranged(
      call, in, std::move(shape),
      [&](const Shape& position) {
        std::int64_t at = 0;
        for (std::size_t i = 0; i < rank; ++i) {
          const std::int64_t last = in.shape[i] - 1;
          std::int64_t x = position[i] - pads[i];
          if (x < 0 || x > last) {
            if (mode == "constant") return std::int64_t{-1};
            if (mode == "edge") x = x < 0 ? 0 : last;
            if (mode == "reflect") x = x < 0 ? -x : 2 * last - x;
            if (mode == "wrap") x = ((x % (last + 1)) + last + 1) % (last + 1);
          }
          at += x * strides[i];
        }
        return at;
      },
      fill, whole_fill));
}

void run_center_crop_pad(Call& call) {
  const Tensor& in = call.input(0);
  const std::optional<Shape> pads =
      centred_pads(in.shape, call.integers(1), call.node.integers("axes", {}));
  if (!pads) {
    call.fail("sizes {} do not fit {}", to_string(call.integers(1)), to_string(in.shape));
  }
  const std::size_t rank = in.shape.size();
  Shape shape = in.shape;
  for (std::size_t i = 0; i < rank; ++i) shape[i] += (*pads)[i] + (*pads)[rank + i];
  const auto strides = strides_of(in.shape);
  call.results.push_back(rearranged(call, in, std::move(shape), [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t x = position[i] - (*pads)[i];
      if (x < 0 || x >= in.shape[i]) return std::int64_t{-1};
      at += x * strides[i];
    }
    return at;
  }));
}

void run_reshape(Call& call) {
  const Shape& target = call.integers(1);
  const bool zero_is_zero = call.node.integer("allowzero", 0) != 0;
  relabel(call, reshaped(call.input(0).shape, target, zero_is_zero), target, "shape");
}

void run_shape(Call& call) {
  const Shape part = part_of_shape(call.node, call.input(0).shape);
  call.results.push_back(Tensor::of({static_cast<std::int64_t>(part.size())}, part));
}

void run_slice(Call& call) {
  const Tensor& in = call.input(0);
  const bool as_inputs = call.opset >= 10;
  const Shape starts = as_inputs ? call.integers(1) : call.node.integers("starts");
  const Shape ends = as_inputs ? call.integers(2) : call.node.integers("ends");
  Shape axes(starts.size()), steps(starts.size(), 1);
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<std::int64_t>(i);
  if (as_inputs && call.optional(3) != nullptr) axes = call.integers(3);
  if (!as_inputs) axes = call.node.integers("axes", axes);
  if (call.optional(4) != nullptr) steps = call.integers(4);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    call.fail("{} starts, {} ends, {} axes, {} steps; they must be as many", starts.size(),
              ends.size(), axes.size(), steps.size());
  }
  const std::optional<std::vector<SliceRange>> ranges =
      slice_ranges(in.shape, starts, ends, axes, steps);
  if (!ranges) {
    call.fail("axes {} with steps {} do not fit {}", to_string(axes), to_string(steps),
              to_string(in.shape));
  }
  Shape shape;
  for (const SliceRange& range : *ranges) shape.push_back(range.count);
  const auto strides = strides_of(in.shape);
  call.results.push_back(rearranged(call, in, std::move(shape), [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      at += ((*ranges)[i].start + position[i] * (*ranges)[i].step) * strides[i];
    }
    return at;
  }));
}

void run_split(Call& call) {
  const Tensor& in = call.input(0);
  const std::size_t axis = call.axis(call.node.integer("axis", 0), in.shape.size());
  const auto parts = static_cast<std::int64_t>(call.node.outputs.size());
  Shape sizes;
  if (call.opset < 13 && call.node.has("split")) sizes = call.node.integers("split");
  if (call.opset >= 13 && call.optional(1) != nullptr) sizes = call.integers(1);
  if (sizes.empty() && call.node.integer("num_outputs", parts) != parts) {
    call.fail("attribute \"num_outputs\" is {}, there are {}", call.node.integer("num_outputs"),
              parts);
  }
  const std::optional<Shape> fit =
      split_sizes(in.shape[axis], call.node.outputs.size(), sizes, call.node.has("num_outputs"));
  if (!fit) {
    call.fail("parts {} do not make up a size of {} in {} outputs", to_string(sizes),
              in.shape[axis], parts);
  }
  std::int64_t start = 0;
  for (const std::int64_t size : *fit) {
    call.results.push_back(part(call, in, axis, start, size));
    start += size;
  }
}

void run_squeeze(Call& call) {
  const Shape& shape = call.input(0).shape;
  const auto axes = given_axes(call);
  relabel(call, squeezed(shape, axes), axes.value_or(Shape()), "squeezing axes");
}

void run_transpose(Call& call) {
  const Tensor& in = call.input(0);
  const std::size_t rank = in.shape.size();
  Shape perm(rank);
  for (std::size_t i = 0; i < rank; ++i) perm[i] = static_cast<std::int64_t>(rank - 1 - i);
  perm = call.node.integers("perm", perm);
  Shape shape = permuted(in.shape, perm);
  if (shape.size() != rank || perm.size() != rank) {
    call.fail("{} does not permute {} dimensions", to_string(perm), rank);
  }
  const auto strides = strides_of(in.shape);
  call.results.push_back(rearranged(call, in, std::move(shape), [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      at += position[i] * strides[static_cast<std::size_t>(perm[i])];
    }
    return at;
  }));
}

void run_unsqueeze(Call& call) {
  const Shape& shape = call.input(0).shape;
  const auto axes = given_axes(call);
  if (!axes) call.fail("attribute \"axes\" is missing");
  relabel(call, unsqueezed(shape, *axes), *axes, "adding axes");
}

void run_one_hot(Call& call) {
  const Tensor &indices = call.input(0), &count = call.input(1), &values = call.input(2);
  if (count.size() != 1 || values.size() != 2) {
    call.fail("depth has shape {} and values {}; allowed are one number and two",
              to_string(count.shape), to_string(values.shape));
  }
  const auto depth = static_cast<std::int64_t>(count.reals()[0]);
  if (depth < 1) call.fail("depth is {}; allowed is 1 and more", depth);
  const std::size_t axis = call.axis(call.node.integer("axis", -1), indices.shape.size() + 1);
  Tensor result;
  result.type = values.type;
  result.stored = values.stored;
  result.shape = indices.shape;
  result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  const auto of_index = strides_of(indices.shape);
  const std::vector<float> numbers = indices.reals();
  static_cast<void>(call.count(result.shape));
  for_each_position(result.shape, [&](const Shape& position) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < position.size(); ++d) {
      if (d != axis) from += position[d] * of_index[d < axis ? d : d - 1];
    }
    auto index = static_cast<std::int64_t>(numbers[static_cast<std::size_t>(from)]);
    if (index < 0) index += depth;
    const std::size_t which = index == position[axis] ? 1 : 0;
    if (values.type == ElementType::float32) {
      result.floats.push_back(values.floats[which]);
    } else {
      result.integers.push_back(values.integers[which]);
    }
  });
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
