// Operators that rearrange elements: shapes, orders, parts, padding.
#include <algorithm>

#include "firmware/tensorflow/translator.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

// ---- shapes -------------------------------------------------------------------------------------

void translate_reshape(Translator& t) {
  Value& x = t.input(0);
  nn::Shape shape = t.integers(1, "the shape");
  const std::int64_t count = nn::element_count(x.shape, t.node().where());
  std::int64_t known = 1, open = 0;
  for (const std::int64_t size : shape) {
    if (size < -1) t.fail("the shape is {}", nn::to_string(shape));
    open += size == -1 ? 1 : 0;
    if (size > 0) known *= size;
    if (known > count && count > 0) break;
  }
  if (open > 1) t.fail("the shape {} leaves more than one size open", nn::to_string(shape));
  if (open == 1) {
    if (known == 0 || count % known != 0) {
      t.fail("shape {} cannot become {}", nn::to_string(x.shape), nn::to_string(shape));
    }
    std::replace(shape.begin(), shape.end(), std::int64_t{-1}, count / known);
  }
  if (shape == x.shape) {
    t.pass_on(0);
    return;
  }
  t.result(t.reshaped(x, std::move(shape)));
}

/// An Unbatched value after a change that adds or removes dimensions of size 1.
template <typename Change>
std::shared_ptr<const Unbatched> changed(Translator& t, const Unbatched& from, Change&& change) {
  auto inner = std::make_shared<Unbatched>(from);
  nn::Shape shape = from.base.shape;
  change(shape, 1);
  change(inner->before, 0);
  change(inner->after, 0);
  change(inner->block, 1);
  inner->base = t.reshaped(inner->base, std::move(shape));
  return inner;
}

void translate_expand_dims(Translator& t) {
  Value& x = t.input(0);
  const std::size_t axis = t.axis(t.integer(1, "the axis"), x.shape.size() + 1);
  nn::Shape shape = x.shape;
  const auto at = static_cast<std::ptrdiff_t>(axis);
  shape.insert(shape.begin() + at, 1);
  Value result = t.reshaped(x, std::move(shape));
  if (x.unbatched != nullptr && axis > 0) {
    result.unbatched =
        changed(t, *x.unbatched, [&](std::vector<std::int64_t>& list, std::int64_t value) {
          list.insert(list.begin() + at, value);
        });
  }
  t.result(std::move(result));
}

void translate_squeeze(Translator& t) {
  Value& x = t.input(0);
  const std::size_t rank = x.shape.size();
  std::vector<std::int64_t> wanted =
      t.node().integers("squeeze_dims", t.node().integers("axis", {}));
  std::vector<bool> drop(rank, false);
  for (const std::int64_t axis : wanted) drop[t.axis(axis, rank)] = true;
  nn::Shape shape;
  std::vector<std::size_t> left;
  for (std::size_t d = 0; d < rank; ++d) {
    if (wanted.empty()) drop[d] = x.shape[d] == 1;
    if (drop[d] && x.shape[d] != 1) {
      t.fail("dimension {} of {} is not 1", d, nn::to_string(x.shape));
    }
    if (drop[d]) continue;
    shape.push_back(x.shape[d]);
    left.push_back(rank == 4 ? image_axis(d) : d);
  }
  // Without rows and columns, both orders of an image are the same.
  if (rank == 4 && t.constant(x) == nullptr && !x.image.empty() && left.size() < rank &&
      std::is_sorted(left.begin(), left.end())) {
    std::vector<std::int64_t> axes;
    for (std::size_t d = 0; d < rank; ++d) {
      if (drop[d]) axes.push_back(static_cast<std::int64_t>(image_axis(d)));
    }
    std::sort(axes.begin(), axes.end());
    t.result(t.plain_value(t.emit("Squeeze", {x.image, t.constant(std::move(axes))}), shape));
    return;
  }
  Value result = t.reshaped(x, std::move(shape));
  if (x.unbatched != nullptr && !drop[0]) {
    bool settled = true;
    for (std::size_t d = 0; d < rank; ++d) {
      settled =
          settled && (!drop[d] || (x.unbatched->block[d] == 1 && x.unbatched->before[d] == 0 &&
                                   x.unbatched->after[d] == 0));
    }
    if (settled) {
      result.unbatched =
          changed(t, *x.unbatched, [&](std::vector<std::int64_t>& list, std::int64_t) {
            std::vector<std::int64_t> kept;
            for (std::size_t d = 0; d < rank; ++d) {
              if (!drop[d]) kept.push_back(list[d]);
            }
            list = std::move(kept);
          });
    }
  }
  t.result(std::move(result));
}

void translate_transpose(Translator& t) {
  Value& x = t.input(0);
  std::vector<std::int64_t> permutation = t.integers(1, "the permutation");
  std::vector<bool> seen(x.shape.size(), false);
  bool good = permutation.size() == x.shape.size();
  for (std::int64_t& d : permutation) {
    if (!good) break;
    d = static_cast<std::int64_t>(t.axis(d, x.shape.size()));
    good = !seen[static_cast<std::size_t>(d)];
    seen[static_cast<std::size_t>(d)] = true;
  }
  if (!good) {
    t.fail("{} is no permutation of {} dimensions", nn::to_string(permutation), x.shape.size());
  }
  if (std::is_sorted(permutation.begin(), permutation.end())) {
    t.pass_on(0);
    return;
  }
  t.result(t.transposed(x, permutation));
}

// ---- parts --------------------------------------------------------------------------------------

bool on_image(const Translator& t, Value& x) {
  return x.shape.size() == 4 && t.prefers_image({&x});
}

/// ConcatV2 (the axis last), Concat (the axis first).
void translate_concat(Translator& t) {
  const bool first = t.node().op == "Concat";
  const std::size_t count = t.input_count() - 1;
  const std::size_t begin = first ? 1 : 0;
  std::vector<Value*> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(&t.input(begin + i));
  nn::Shape shape = values[0]->shape;
  const std::size_t axis = t.axis(t.integer(first ? 0 : count, "the axis"), shape.size());
  shape[axis] = 0;
  for (const Value* value : values) {
    nn::Shape other = value->shape;
    if (other.size() == shape.size()) {
      shape[axis] += other[axis];
      other[axis] = shape[axis];
    }
    if (other != shape) {
      t.fail("shapes {} and {} cannot be joined along axis {}", nn::to_string(values[0]->shape),
             nn::to_string(value->shape), axis);
    }
  }
  if (count == 1) {
    t.pass_on(begin);
    return;
  }
  t.expect_size(shape);
  const bool as_image = shape.size() == 4 && t.prefers_image(values);
  std::vector<std::string> inputs;
  for (Value* value : values) inputs.push_back(as_image ? t.image(*value) : t.plain(*value));
  const auto own = static_cast<std::int64_t>(as_image ? image_axis(axis) : axis);
  const std::string name = t.emit("Concat", std::move(inputs), {{"axis", own}});
  Value result = as_image ? t.image_value(name, to_channels_first(shape))
                          : t.plain_value(name, std::move(shape));
  result.type = values[0]->type;
  t.result(std::move(result));
}

std::vector<Value> split(Translator& t, Value& x, std::size_t axis,
                         const std::vector<std::int64_t>& sizes) {
  const bool as_image = on_image(t, x);
  const std::string source = as_image ? t.image(x) : t.plain(x);
  const auto own = static_cast<std::int64_t>(as_image ? image_axis(axis) : axis);
  const std::string lengths = t.constant(sizes);
  const std::vector<std::string> names =
      t.emit("Split", {source, lengths}, {{"axis", own}}, sizes.size());
  std::vector<Value> results;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    nn::Shape shape = x.shape;
    shape[axis] = sizes[i];
    results.push_back(as_image ? t.image_value(names[i], to_channels_first(shape))
                               : t.plain_value(names[i], std::move(shape)));
    results.back().type = x.type;
  }
  return results;
}

constexpr std::int64_t most_parts = 4096;

/// Split: axis, value; equal parts.
void translate_split(Translator& t) {
  Value& x = t.input(1);
  const std::size_t axis = t.axis(t.integer(0, "the axis"), x.shape.size());
  const std::int64_t parts = t.node().integer("num_split");
  if (parts < 1 || parts > most_parts || x.shape[axis] % parts != 0) {
    t.fail("{} elements cannot be split into {} parts", x.shape[axis], parts);
  }
  if (parts == 1) {
    t.pass_on(1);
    return;
  }
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), x.shape[axis] / parts);
  for (Value& part : split(t, x, axis, sizes)) t.result(std::move(part));
}

/// SplitV: value, sizes (one may be -1), axis.
void translate_split_v(Translator& t) {
  Value& x = t.input(0);
  std::vector<std::int64_t> sizes = t.integers(1, "the sizes");
  const std::size_t axis = t.axis(t.integer(2, "the axis"), x.shape.size());
  std::int64_t rest = x.shape[axis], open = 0;
  for (const std::int64_t size : sizes) {
    if (size < -1 || size > x.shape[axis]) t.fail("the sizes are {}", nn::to_string(sizes));
    open += size == -1 ? 1 : 0;
    if (size > 0) rest -= size;
  }
  if (sizes.empty() || open > 1 || rest < 0 || (open == 0 && rest != 0)) {
    t.fail("sizes {} do not make up {}", nn::to_string(sizes), x.shape[axis]);
  }
  std::replace(sizes.begin(), sizes.end(), std::int64_t{-1}, rest);
  if (sizes.size() == 1) {
    t.pass_on(0);
    return;
  }
  for (Value& part : split(t, x, axis, sizes)) t.result(std::move(part));
}

/// Pack: stacks operands along a new dimension.
void translate_pack(Translator& t) {
  const nn::Shape shape = t.input(0).shape;
  const std::size_t axis = t.axis(t.node().integer("axis", 0), shape.size() + 1);
  nn::Shape wide = shape;
  wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  std::vector<std::string> inputs;
  const nn::ElementType type = t.input(0).type;
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    if (t.input(i).shape != shape) {
      t.fail("inputs have shapes {} and {}; they must be alike", nn::to_string(shape),
             nn::to_string(t.input(i).shape));
    }
    Value row = t.reshaped(t.input(i), wide);
    inputs.push_back(t.plain(row));
  }
  wide[axis] = static_cast<std::int64_t>(inputs.size());
  Value result = t.plain_value(
      inputs.size() == 1
          ? inputs[0]
          : t.emit("Concat", std::move(inputs), {{"axis", static_cast<std::int64_t>(axis)}}),
      wide);
  result.type = type;
  t.result(std::move(result));
}

void translate_unpack(Translator& t) {
  Value& x = t.input(0);
  const std::size_t axis = t.axis(t.node().integer("axis", 0), x.shape.size());
  const std::int64_t count = x.shape[axis];
  if (count < 1 || count > most_parts) t.fail("dimension {} has {} elements", axis, count);
  nn::Shape shape = x.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  if (count == 1) {
    t.result(t.reshaped(x, shape));
    return;
  }
  for (Value& part :
       split(t, x, axis, std::vector<std::int64_t>(static_cast<std::size_t>(count), 1))) {
    t.result(t.reshaped(part, shape));
  }
}

/// Slice: begin and size, -1 for the rest.
void translate_slice(Translator& t) {
  Value& x = t.input(0);
  const std::size_t rank = x.shape.size();
  const std::vector<std::int64_t> start = t.integers(1, "the begin");
  std::vector<std::int64_t> count = t.integers(2, "the size");
  if (start.size() != rank || count.size() != rank) {
    t.fail("begin {} and size {} do not belong to shape {}", nn::to_string(start),
           nn::to_string(count), nn::to_string(x.shape));
  }
  for (std::size_t d = 0; d < rank; ++d) {
    const bool inside = start[d] >= 0 && start[d] <= x.shape[d];
    if (inside && count[d] == -1) count[d] = x.shape[d] - start[d];
    if (!inside || count[d] < 0 || count[d] > x.shape[d] - start[d]) {
      t.fail("begin {} and size {} are not inside shape {}", nn::to_string(start),
             nn::to_string(count), nn::to_string(x.shape));
    }
  }
  t.result(t.sliced(x, start, count, std::vector<std::int64_t>(rank, 1)));
}

/// An entry of a strided slice, assigned to a dimension of the operand.
struct SliceEntry {
  std::int64_t start = 0, count = 0, step = 1;
  bool dropped = false;
};

/// Elements of a dimension between two positions, each of which a mask may leave open.
SliceEntry slice_entry(const Translator& t, std::int64_t size, std::int64_t begin, std::int64_t end,
                       std::int64_t step, bool open_begin, bool open_end, bool single) {
  constexpr std::int64_t far = std::int64_t{1} << 40;
  begin = std::clamp(begin, -far, far);
  end = std::clamp(end, -far, far);
  if (step == 0 || step < -far || step > far) t.fail("a stride is {}", step);
  SliceEntry entry;
  entry.step = step;
  if (single) {
    entry.start = begin < 0 ? begin + size : begin;
    entry.count = entry.step = 1;
    entry.dropped = true;
    if (entry.start < 0 || entry.start >= size) {
      t.fail("element {} is not in a dimension of {}", begin, size);
    }
    return entry;
  }
  // Clamps positions outside the dimension to its ends.
  const auto bounded = [&](std::int64_t at) {
    if (at < 0) at += size;
    return step > 0 ? std::clamp<std::int64_t>(at, 0, size)
                    : std::clamp<std::int64_t>(at, -1, size - 1);
  };
  const std::int64_t first = open_begin ? (step > 0 ? 0 : size - 1) : bounded(begin);
  const std::int64_t last = open_end ? (step > 0 ? size : -1) : bounded(end);
  const std::int64_t span = step > 0 ? last - first : first - last;
  const std::int64_t pace = step > 0 ? step : -step;
  entry.start = first;
  entry.count = span <= 0 ? 0 : (span + pace - 1) / pace;
  return entry;
}

void translate_strided_slice(Translator& t) {
  Value& x = t.input(0);
  const std::vector<std::int64_t> begin = t.integers(1, "the begin");
  const std::vector<std::int64_t> end = t.integers(2, "the end");
  const std::vector<std::int64_t> stride = t.integers(3, "the strides");
  if (begin.size() != end.size() || begin.size() != stride.size() || begin.size() > 32) {
    t.fail("begin, end and strides have {}, {} and {} entries", begin.size(), end.size(),
           stride.size());
  }
  const auto mask = [&](const char* name, std::size_t i) {
    return (static_cast<std::uint64_t>(t.node().integer(name, 0)) >> i & 1U) != 0;
  };
  const std::size_t rank = x.shape.size();
  std::size_t consumed = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const bool takes = !mask("ellipsis_mask", i) && !mask("new_axis_mask", i);
    consumed += takes ? 1 : 0;
  }
  if (consumed > rank) {
    t.fail("{} entries for a tensor of {} dimensions", consumed, rank);
  }
  std::vector<std::int64_t> starts, counts, steps;
  nn::Shape shape;
  std::size_t d = 0;
  const auto keep_whole = [&] {
    starts.push_back(0);
    counts.push_back(x.shape[d]);
    steps.push_back(1);
    shape.push_back(x.shape[d++]);
  };
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (mask("ellipsis_mask", i)) {
      for (std::size_t k = consumed; k < rank; ++k) keep_whole();
      consumed = rank;  // a second ellipsis has no effect
      continue;
    }
    if (mask("new_axis_mask", i)) {
      shape.push_back(1);
      continue;
    }
    const SliceEntry entry =
        slice_entry(t, x.shape[d], begin[i], end[i], stride[i], mask("begin_mask", i),
                    mask("end_mask", i), mask("shrink_axis_mask", i));
    starts.push_back(entry.start);
    counts.push_back(entry.count);
    steps.push_back(entry.step);
    if (!entry.dropped) shape.push_back(entry.count);
    ++d;
  }
  while (d < rank) keep_whole();
  if (t.constant(x) != nullptr && std::count(counts.begin(), counts.end(), 0) != 0) {
    nn::Tensor none;
    none.type = x.type;
    none.stored = x.stored;
    none.shape = shape;
    t.result(t.constant_value(std::move(none)));
    return;
  }
  Value part = t.sliced(x, starts, counts, steps);
  part.type = x.type;
  Value result = t.reshaped(part, std::move(shape));
  result.type = x.type;
  result.stored = x.stored;
  result.shared = true;
  t.result(std::move(result));
}

/// Gather, GatherV2: selects elements along an axis by constant indices.
void translate_gather(Translator& t) {
  Value& x = t.input(0);
  const std::size_t axis =
      t.axis(t.input_count() > 2 ? t.integer(2, "the axis") : 0, x.shape.size());
  if (t.node().integer("batch_dims", 0) != 0) t.fail("attribute batch_dims is not 0");
  if (t.input(1).type != nn::ElementType::int64) t.fail("the indices (input 1) are no integers");
  if (const nn::Tensor* const indices = t.constant(t.input(1))) {
    for (const std::int64_t i : indices->integers) {
      if (i < 0 || i >= x.shape[axis]) {
        t.fail("element {} is not in a dimension of {}", i, x.shape[axis]);
      }
    }
  }
  nn::Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  const nn::Shape& middle = t.input(1).shape;
  shape.insert(shape.end(), middle.begin(), middle.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end());
  t.expect_size(shape);
  const bool as_image = on_image(t, x) && middle.size() == 1;
  const auto own = static_cast<std::int64_t>(as_image ? image_axis(axis) : axis);
  const std::string source = as_image ? t.image(x) : t.plain(x);
  const std::string name = t.emit("Gather", {source, t.plain(t.input(1))}, {{"axis", own}});
  Value result = as_image ? t.image_value(name, to_channels_first(shape))
                          : t.plain_value(name, std::move(shape));
  result.type = x.type;
  t.result(std::move(result));
}

void translate_tile(Translator& t) {
  Value& x = t.input(0);
  const std::vector<std::int64_t> times = t.integers(1, "the repetitions");
  const std::size_t rank = x.shape.size();
  if (times.size() != rank) t.fail("{} repetitions for {} dimensions", times.size(), rank);
  nn::Shape shape = x.shape;
  for (std::size_t d = 0; d < rank; ++d) {
    if (times[d] < 1 || times[d] > (1 << 20)) t.fail("{} repetitions are not supported", times[d]);
    shape[d] *= times[d];
    t.expect_size(shape);
  }
  if (shape == x.shape) {
    t.pass_on(0);
    return;
  }
  const bool as_image = on_image(t, x);
  const std::string source = as_image ? t.image(x) : t.plain(x);
  const std::string name =
      t.emit("Tile", {source, t.constant(as_image ? to_channels_first(times) : times)});
  Value result = as_image ? t.image_value(name, to_channels_first(shape))
                          : t.plain_value(name, std::move(shape));
  result.type = x.type;
  t.result(std::move(result));
}

// ---- padding ------------------------------------------------------------------------------------

/// Pads by mirroring at the borders: for each dimension, gathers the elements in their new order.
void mirror_on_border(Translator& t, const std::vector<std::int64_t>& before,
                      const std::vector<std::int64_t>& after) {
  Value x = t.input(0);
  for (std::size_t d = 0; d < x.shape.size(); ++d) {
    const std::int64_t size = x.shape[d];
    if (before[d] == 0 && after[d] == 0) continue;
    if (std::max(before[d], after[d]) > size) {
      t.fail("dimension {} of {} cannot be mirrored by {}", d, size, std::max(before[d], after[d]));
    }
    std::vector<std::int64_t> order;
    for (std::int64_t i = before[d]; i-- > 0;) order.push_back(i);
    for (std::int64_t i = 0; i < size; ++i) order.push_back(i);
    for (std::int64_t i = 0; i < after[d]; ++i) order.push_back(size - 1 - i);
    const bool as_image = on_image(t, x);
    nn::Shape shape = x.shape;
    shape[d] = static_cast<std::int64_t>(order.size());
    const auto own = static_cast<std::int64_t>(as_image ? image_axis(d) : d);
    const std::string source = as_image ? t.image(x) : t.plain(x);
    const std::string name =
        t.emit("Gather", {source, t.constant(std::move(order))}, {{"axis", own}});
    x = as_image ? t.image_value(name, to_channels_first(shape))
                 : t.plain_value(name, std::move(shape));
  }
  t.result(std::move(x));
}

/// Pad, PadV2 (with a value), MirrorPad.
void translate_pad(Translator& t) {
  Value& x = t.input(0);
  const std::size_t rank = x.shape.size();
  const std::vector<std::int64_t> pairs = t.integers(1, "the paddings");
  if (pairs.size() != 2 * rank) {
    t.fail("{} paddings for {} dimensions", pairs.size(), rank);
  }
  std::string mode = "constant";
  if (t.node().op == "MirrorPad") {
    const std::string given = t.node().text("mode", "");
    if (given != "REFLECT" && given != "SYMMETRIC") {
      t.fail("attribute mode is {}; supported are REFLECT and SYMMETRIC", quote(given));
    }
    mode = given == "REFLECT" ? "reflect" : "symmetric";
  }
  std::vector<std::int64_t> before, after;
  nn::Shape shape = x.shape;
  for (std::size_t d = 0; d < rank; ++d) {
    before.push_back(pairs[2 * d]);
    after.push_back(pairs[2 * d + 1]);
    const std::int64_t most = std::max(before[d], after[d]);
    if (std::min(before[d], after[d]) < 0 || most > (1 << 20)) {
      t.fail("the paddings are {}", nn::to_string(pairs));
    }
    if (mode == "reflect" && most >= std::max<std::int64_t>(x.shape[d], 1)) {
      t.fail("dimension {} of {} cannot be mirrored by {}", d, x.shape[d], most);
    }
    shape[d] += before[d] + after[d];
  }
  t.expect_size(shape);
  if (mode == "symmetric") {
    mirror_on_border(t, before, after);
    return;
  }
  const bool as_image = on_image(t, x);
  const auto ordered = [&](const std::vector<std::int64_t>& v) {
    return as_image ? to_channels_first(v) : v;
  };
  std::vector<std::int64_t> all = ordered(before);
  const std::vector<std::int64_t> tail = ordered(after);
  all.insert(all.end(), tail.begin(), tail.end());
  std::vector<std::string> inputs{as_image ? t.image(x) : t.plain(x), t.constant(std::move(all))};
  if (t.node().op == "PadV2") {
    const nn::Tensor& value = t.constant_input(2, "the value");
    if (value.size() != 1) t.fail("the value has {} elements; 1 is allowed", value.size());
    const bool zero = value.type == nn::ElementType::float32 && value.floats[0] == 0;
    if (!zero) {
      Value scalar = t.reshaped(t.input(2), {});
      inputs.push_back(t.plain(scalar));
    }
  }
  const std::string name = t.emit("Pad", std::move(inputs), {{"mode", mode}});
  t.result(as_image ? t.image_value(name, to_channels_first(shape))
                    : t.plain_value(name, std::move(shape)));
}

}  // namespace

Operators rearrangement_operators() {
  return {{"Concat", 2, any_number, translate_concat},
          {"ConcatV2", 2, any_number, translate_concat},
          {"ExpandDims", 2, 2, translate_expand_dims},
          {"Gather", 2, 2, translate_gather},
          {"GatherV2", 3, 3, translate_gather},
          {"MirrorPad", 2, 2, translate_pad},
          {"Pack", 1, any_number, translate_pack},
          {"Pad", 2, 2, translate_pad},
          {"PadV2", 3, 3, translate_pad},
          {"Reshape", 2, 2, translate_reshape},
          {"Slice", 3, 3, translate_slice},
          {"Split", 2, 2, translate_split},
          {"SplitV", 3, 3, translate_split_v},
          {"Squeeze", 1, 1, translate_squeeze},
          {"StridedSlice", 4, 4, translate_strided_slice},
          {"Tile", 2, 2, translate_tile},
          {"Transpose", 2, 2, translate_transpose},
          {"Unpack", 1, 1, translate_unpack}};
}

}  // namespace tactus::tf
