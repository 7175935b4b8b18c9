// Operators that take or place elements by computed indices, and orders of elements.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

/// Element `from` of one tensor becomes element `to` of another of the same type.
void copy(const Tensor& in, std::size_t from, Tensor& out, std::size_t to) {
  if (in.type == ElementType::float32) out.floats[to] = in.floats[from];
  if (in.type == ElementType::int64) out.integers[to] = in.integers[from];
}

Tensor zeros_like(const Call& call, const Tensor& in, Shape shape) {
  const auto count = static_cast<std::size_t>(call.count(shape));
  Tensor out;
  out.shape = std::move(shape);
  out.type = in.type;
  out.stored = in.stored;
  if (in.type == ElementType::float32) out.floats.resize(count);
  if (in.type == ElementType::int64) out.integers.resize(count);
  return out;
}

const Tensor& indices(const Call& call, std::size_t i) {
  const Tensor& tensor = call.input(i);
  if (tensor.type != ElementType::int64) call.fail("input {} is FLOAT; allowed are integers", i);
  return tensor;
}

std::int64_t index_in(const Call& call, std::int64_t index, std::int64_t size) {
  if (index < -size || index >= size) {
    call.fail("index {} is out of range for {} elements", index, size);
  }
  return index < 0 ? index + size : index;
}

/// Adds `update` to the element, or what attribute "reduction" says.
void place(const Call& call, const std::string& reduction, const Tensor& updates, std::size_t from,
           Tensor& out, std::size_t to) {
  if (updates.type != out.type) call.fail("data and updates must be of one type");
  const auto combine = [&](auto& old, auto update) {
    if (reduction == "add") {
      old += update;
    } else if (reduction == "mul") {
      old *= update;
    } else if (reduction == "max") {
      old = std::max(old, update);
    } else if (reduction == "min") {
      old = std::min(old, update);
    } else if (reduction == "none") {
      old = update;
    } else {
      call.fail("attribute \"reduction\" is \"{}\"; allowed are none, add, mul, max, min",
                reduction);
    }
  };
  if (out.type == ElementType::float32) combine(out.floats[to], updates.floats[from]);
  if (out.type == ElementType::int64) combine(out.integers[to], updates.integers[from]);
}

/// Places in `shape` that tuples of indices, the last dimension of `tuples`, stand for: the first
/// element of each.
std::vector<std::int64_t> places_of(const Call& call, const Tensor& tuples, const Shape& shape,
                                    std::size_t first) {
  const std::vector<std::int64_t> strides = strides_of(shape);
  const auto length = static_cast<std::size_t>(tuples.shape.back());
  std::vector<std::int64_t> places;
  for (std::size_t at = 0; at < tuples.integers.size(); at += length) {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < length; ++k) {
      place += index_in(call, tuples.integers[at + k], shape[first + k]) * strides[first + k];
    }
    places.push_back(place);
  }
  return places;
}

/// Length of the tuples; checks that they fit the dimensions from `first` on.
std::size_t tuple_length(const Call& call, const Tensor& tuples, const Shape& shape,
                         std::size_t first) {
  const bool fits = !tuples.shape.empty() && tuples.shape.back() >= 1 &&
                    first + static_cast<std::size_t>(tuples.shape.back()) <= shape.size();
  if (!fits) call.fail("indices {} do not fit {}", to_string(tuples.shape), to_string(shape));
  return static_cast<std::size_t>(tuples.shape.back());
}

}  // namespace

void run_gather_elements(Call& call) {
  const Tensor& x = call.input(0);
  const Tensor& which = indices(call, 1);
  const std::size_t axis = call.axis(call.node.integer("axis", 0), x.shape.size());
  if (which.shape.size() != x.shape.size()) {
    call.fail("indices {} do not fit {}", to_string(which.shape), to_string(x.shape));
  }
  const std::vector<std::int64_t> strides = strides_of(x.shape);
  Tensor out = zeros_like(call, x, which.shape);
  std::size_t next = 0;
  for_each_position(which.shape, [&](const Shape& position) {
    std::int64_t from = 0;
    for (std::size_t d = 0; d < position.size(); ++d) {
      const std::int64_t at = d == axis ? which.integers[next] : position[d];
      from += index_in(call, at, x.shape[d]) * strides[d];
    }
    copy(x, static_cast<std::size_t>(from), out, next++);
  });
  call.results.push_back(std::move(out));
}

void run_gather_nd(Call& call) {
  const Tensor& x = call.input(0);
  const Tensor& tuples = indices(call, 1);
  const std::int64_t batch = call.node.integer("batch_dims", 0);
  const bool fits = batch >= 0 && static_cast<std::size_t>(batch) < x.shape.size() &&
                    static_cast<std::size_t>(batch) < tuples.shape.size() &&
                    std::equal(x.shape.begin(), x.shape.begin() + batch, tuples.shape.begin());
  if (!fits) {
    call.fail("indices {} do not fit {} with {} batch dimensions", to_string(tuples.shape),
              to_string(x.shape), batch);
  }
  const auto first = static_cast<std::size_t>(batch);
  const std::size_t length = tuple_length(call, tuples, x.shape, first);
  const auto tail = x.shape.begin() + static_cast<std::ptrdiff_t>(first + length);
  Shape shape(tuples.shape.begin(), tuples.shape.end() - 1);
  shape.insert(shape.end(), tail, x.shape.end());
  const std::vector<std::int64_t> places = places_of(call, tuples, x.shape, first);
  const std::int64_t slice = element_count(Shape(tail, x.shape.end()));
  const std::int64_t batches = element_count(Shape(x.shape.begin(), x.shape.begin() + batch));
  const std::int64_t of_batch = batches == 0 ? 0 : x.size() / batches;
  const std::int64_t tuples_of_batch =
      batches == 0 ? 1 : static_cast<std::int64_t>(places.size()) / batches;
  Tensor out = zeros_like(call, x, std::move(shape));
  std::size_t next = 0;
  for (std::size_t t = 0; t < places.size(); ++t) {
    const std::int64_t from = places[t] + static_cast<std::int64_t>(t) /
                                              std::max<std::int64_t>(tuples_of_batch, 1) * of_batch;
    for (std::int64_t k = 0; k < slice; ++k) {
      copy(x, static_cast<std::size_t>(from + k), out, next++);
    }
  }
  call.results.push_back(std::move(out));
}

void run_scatter_elements(Call& call) {
  Tensor out = call.input(0);
  const Tensor& which = indices(call, 1);
  const Tensor& updates = call.input(2);
  const std::size_t axis = call.axis(call.node.integer("axis", 0), out.shape.size());
  if (which.shape.size() != out.shape.size() || updates.shape != which.shape) {
    call.fail("indices {} and updates {} do not fit {}", to_string(which.shape),
              to_string(updates.shape), to_string(out.shape));
  }
  const std::string reduction = call.node.text("reduction", "none");
  const std::vector<std::int64_t> strides = strides_of(out.shape);
  std::size_t next = 0;
  for_each_position(which.shape, [&](const Shape& position) {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < position.size(); ++d) {
      const std::int64_t at = d == axis ? which.integers[next] : position[d];
      to += index_in(call, at, out.shape[d]) * strides[d];
    }
    place(call, reduction, updates, next++, out, static_cast<std::size_t>(to));
  });
  call.results.push_back(std::move(out));
}

void run_scatter_nd(Call& call) {
  Tensor out = call.input(0);
  const Tensor& tuples = indices(call, 1);
  const Tensor& updates = call.input(2);
  const std::size_t length = tuple_length(call, tuples, out.shape, 0);
  const Shape tail(out.shape.begin() + static_cast<std::ptrdiff_t>(length), out.shape.end());
  Shape wanted(tuples.shape.begin(), tuples.shape.end() - 1);
  wanted.insert(wanted.end(), tail.begin(), tail.end());
  if (updates.shape != wanted) {
    call.fail("updates have shape {}; indices {} of {} need {}", to_string(updates.shape),
              to_string(tuples.shape), to_string(out.shape), to_string(wanted));
  }
  const std::string reduction = call.node.text("reduction", "none");
  const std::int64_t slice = element_count(tail);
  std::size_t next = 0;
  for (const std::int64_t first : places_of(call, tuples, out.shape, 0)) {
    for (std::int64_t k = 0; k < slice; ++k) {
      place(call, reduction, updates, next++, out, static_cast<std::size_t>(first + k));
    }
  }
  call.results.push_back(std::move(out));
}

void run_trilu(Call& call) {
  Tensor out = call.input(0);
  if (out.shape.size() < 2) call.fail("input 0 has shape {}; no matrix", to_string(out.shape));
  const Tensor* const k = call.optional(1);
  if (k != nullptr && k->integers.size() != 1) call.fail("input 1 is no single integer");
  const std::int64_t diagonal = k == nullptr ? 0 : k->integers[0];
  const bool upper = call.node.integer("upper", 1) != 0;
  std::size_t next = 0;
  for_each_position(out.shape, [&](const Shape& at) {
    const std::int64_t right = at.back() - at[at.size() - 2];
    if (upper ? right < diagonal : right > diagonal) {
      if (out.type == ElementType::float32) out.floats[next] = 0;
      if (out.type == ElementType::int64) out.integers[next] = 0;
    }
    ++next;
  });
  call.results.push_back(std::move(out));
}

void run_top_k(Call& call) {
  const Tensor& x = call.input(0);
  const std::size_t axis = call.axis(call.node.integer("axis", -1), x.shape.size());
  const std::int64_t size = x.shape[axis];
  std::int64_t count = 0;
  if (call.opset < 10) {
    count = call.node.integer("k");
  } else {
    const Tensor& k = indices(call, 1);
    if (k.integers.size() != 1) call.fail("input 1 is no single integer");
    count = k.integers[0];
  }
  if (count < 0 || count > size) call.fail("k is {} of {} elements", count, size);
  const bool largest = call.node.integer("largest", 1) != 0;
  Shape shape = x.shape;
  shape[axis] = count;
  Tensor values = zeros_like(call, x, shape);
  Tensor places =
      Tensor::of(shape, std::vector<std::int64_t>(static_cast<std::size_t>(call.count(shape))));
  const std::vector<std::int64_t> from = strides_of(x.shape), to = strides_of(shape);
  Shape lines = x.shape;
  lines[axis] = 1;
  for_each_position(lines, [&](const Shape& line) {
    std::int64_t first = 0, target = 0;
    for (std::size_t d = 0; d < line.size(); ++d) {
      first += line[d] * from[d];
      target += line[d] * to[d];
    }
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    const auto sort = [&](const auto& elements) {
      const auto at = [&](std::int64_t k) {
        return elements[static_cast<std::size_t>(first + k * from[axis])];
      };
      // The sort keeps the order of equal elements.
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return largest ? at(a) > at(b) : at(a) < at(b);
      });
    };
    if (x.type == ElementType::float32) sort(x.floats);
    if (x.type == ElementType::int64) sort(x.integers);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t which = order[static_cast<std::size_t>(k)];
      const auto out = static_cast<std::size_t>(target + k * to[axis]);
      copy(x, static_cast<std::size_t>(first + which * from[axis]), values, out);
      places.integers[out] = which;
    }
  });
  call.results.push_back(std::move(values));
  call.results.push_back(std::move(places));
}

void run_reverse_sequence(Call& call) {
  const Tensor& x = call.input(0);
  const std::vector<std::int64_t>& lengths = call.integers(1);
  const std::size_t rank = x.shape.size();
  const std::size_t time = call.axis(call.node.integer("time_axis", 0), rank);
  const std::size_t batch = call.axis(call.node.integer("batch_axis", 1), rank);
  const bool fits = time != batch && static_cast<std::int64_t>(lengths.size()) == x.shape[batch];
  if (!fits) call.fail("{} lengths do not fit {}", lengths.size(), to_string(x.shape));
  const std::vector<std::int64_t> strides = strides_of(x.shape);
  Tensor out = x;
  std::size_t next = 0;
  for_each_position(x.shape, [&](const Shape& position) {
    const std::int64_t length = lengths[static_cast<std::size_t>(position[batch])];
    if (length < 0 || length > x.shape[time]) {
      call.fail("length {} is not in 0 .. {}", length, x.shape[time]);
    }
    std::int64_t from = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      const bool turns = d == time && position[d] < length;
      from += (turns ? length - 1 - position[d] : position[d]) * strides[d];
    }
    copy(x, static_cast<std::size_t>(from), out, next++);
  });
  call.results.push_back(std::move(out));
}

void run_col2im(Call& call) {
  const Tensor& x = call.floats(0);
  const Shape image = call.integers(1), block = call.integers(2);
  const std::size_t n = image.size();
  const Shape strides = call.node.integers("strides", Shape(n, 1));
  const Shape dilations = call.node.integers("dilations", Shape(n, 1));
  const Shape pads = call.node.integers("pads", Shape(2 * n, 0));
  const std::int64_t taps = element_count(block);
  const bool fits = n >= 1 && block.size() == n && strides.size() == n && dilations.size() == n &&
                    pads.size() == 2 * n && x.shape.size() == 3 && taps > 0 &&
                    x.shape[1] % taps == 0;
  if (!fits) call.fail("input {} and blocks {} do not fit", to_string(x.shape), to_string(block));
  Shape windows;
  for (std::size_t d = 0; d < n; ++d) {
    windows.push_back(
        (image[d] + pads[d] + pads[n + d] - dilations[d] * (block[d] - 1) - 1) / strides[d] + 1);
  }
  if (element_count(windows) != x.shape[2]) {
    call.fail("{} columns; an image of {} has {}", x.shape[2], to_string(image),
              element_count(windows));
  }
  Shape shape{x.shape[0], x.shape[1] / taps};
  shape.insert(shape.end(), image.begin(), image.end());
  static_cast<void>(call.count(shape));
  Tensor out = Tensor::zeros(shape);
  const std::vector<std::int64_t> to = strides_of(image);
  const std::int64_t plane = element_count(image);
  std::size_t next = 0;
  for (std::int64_t channel = 0; channel < shape[0] * shape[1]; ++channel) {
    for_each_position(block, [&](const Shape& tap) {
      for_each_position(windows, [&](const Shape& window) {
        const float value = x.floats[next++];
        std::int64_t at = channel * plane;
        for (std::size_t d = 0; d < n; ++d) {
          const std::int64_t p = window[d] * strides[d] + tap[d] * dilations[d] - pads[d];
          if (p < 0 || p >= image[d]) return;
          at += p * to[d];
        }
        out.floats[static_cast<std::size_t>(at)] += value;
      });
    });
  }
  call.results.push_back(std::move(out));
}

}  // namespace tactus::nn
