// Reductions along dimensions, and normalisations that use them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "firmware/reference/call.h"

namespace tactus::nn {

void run_softmax(Call& call);  // elementwise.cpp

namespace {

/// True for the dimensions that are reduced. The axes are an attribute in older operator sets and
/// an input in newer ones.
std::vector<bool> reduced_dimensions(const Call& call, std::size_t rank) {
  const Shape axes =
      call.optional(1) != nullptr ? call.integers(1) : call.node.integers("axes", Shape());
  const bool none_is_all = call.node.integer("noop_with_empty_axes", 0) == 0;
  if (const auto reduced = nn::reduced_dimensions(axes, rank, none_is_all)) return *reduced;
  call.fail("axes {} are not in a tensor of {} dimensions", to_string(axes), rank);
}

/// Calls visit(index of the result, value) for each element.
template <typename Visit>
void for_each_element(const Tensor& x, const std::vector<bool>& reduced, Visit&& visit) {
  const std::vector<std::int64_t> strides = strides_of(reduced_shape(x.shape, reduced, true));
  std::size_t next = 0;
  for_each_position(x.shape, [&](const Shape& position) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      at += reduced[i] ? 0 : position[i] * strides[i];
    visit(static_cast<std::size_t>(at), next++);
  });
}

std::size_t count_of(const Shape& shape, const std::vector<bool>& reduced) {
  return static_cast<std::size_t>(element_count(reduced_shape(shape, reduced, true)));
}

/// Reduces integers: sums and products wrap, a mean is rounded toward zero.
std::vector<std::int64_t> reduced_integers(const Call& call, const std::string& kind,
                                           const std::vector<bool>& reduced, std::size_t count) {
  const Tensor& x = call.input(0);
  if (kind == "L2" || kind == "LogSum" || kind == "LogSumExp") {
    call.fail("input 0 holds integers; allowed are real numbers");
  }
  const std::int64_t start = kind == "Prod"  ? 1
                             : kind == "Max" ? std::numeric_limits<std::int64_t>::min()
                             : kind == "Min" ? std::numeric_limits<std::int64_t>::max()
                                             : 0;
  std::vector<std::int64_t> values(count, start);
  for_each_element(x, reduced, [&](std::size_t to, std::size_t from) {
    const std::int64_t v = x.integers[from];
    const auto a = static_cast<std::uint64_t>(values[to]), b = static_cast<std::uint64_t>(v);
    const std::uint64_t wrapped = kind == "Prod"        ? a * b
                                  : kind == "SumSquare" ? a + b * b
                                  : kind == "L1"        ? a + (v < 0 ? 0 - b : b)
                                                        : a + b;
    values[to] = kind == "Max"   ? std::max(values[to], v)
                 : kind == "Min" ? std::min(values[to], v)
                                 : static_cast<std::int64_t>(wrapped);
  });
  const std::int64_t share = count == 0 ? 1 : x.size() / static_cast<std::int64_t>(count);
  for (std::int64_t& v : values) v = kind == "Mean" && share > 0 ? v / share : v;
  return values;
}

}  // namespace

void run_reduce(Call& call) {
  const Tensor& x = call.input(0);
  const std::string kind = call.node.op_type.substr(6);  // after "Reduce"
  const std::vector<bool> reduced = reduced_dimensions(call, x.shape.size());
  const std::size_t count = count_of(x.shape, reduced);
  const Shape shape = reduced_shape(x.shape, reduced, call.node.integer("keepdims", 1) != 0);
  if (x.type == ElementType::int64) {
    Tensor whole = Tensor::of(shape, reduced_integers(call, kind, reduced, count));
    whole.stored = x.stored;
    return call.results.push_back(std::move(whole));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const double start = kind == "Prod"  ? 1
                       : kind == "Max" ? -infinity
                       : kind == "Min" ? infinity
                                       : 0;
  std::vector<double> values(count, start);
  for_each_element(x, reduced, [&](std::size_t to, std::size_t from) {
    const auto v = static_cast<double>(x.floats[from]);
    double& sum = values[to];
    if (kind == "Max") {
      sum = std::max(sum, v);
    } else if (kind == "Min") {
      sum = std::min(sum, v);
    } else if (kind == "Prod") {
      sum *= v;
    } else if (kind == "L1") {
      sum += std::abs(v);
    } else if (kind == "L2" || kind == "SumSquare") {
      sum += v * v;
    } else {
      sum += kind == "LogSumExp" ? std::exp(v) : v;
    }
  });
  const double share =
      x.size() == 0 ? 1 : static_cast<double>(count) / static_cast<double>(x.size());
  Tensor result;
  result.shape = shape;
  for (double v : values) {
    if (kind == "Mean") v *= share;
    if (kind == "L2") v = std::sqrt(v);
    if (kind == "LogSum" || kind == "LogSumExp") v = std::log(v);
    result.floats.push_back(static_cast<float>(v));
  }
  call.results.push_back(std::move(result));
}

void run_arg(Call& call) {
  const Tensor& x = call.floats(0);
  const bool largest = call.node.op_type == "ArgMax";
  const bool last = call.node.integer("select_last_index", 0) != 0;
  const std::size_t axis = call.axis(call.node.integer("axis", 0), x.shape.size());
  std::vector<bool> reduced(x.shape.size());
  reduced[axis] = true;
  std::vector<float> best(count_of(x.shape, reduced));
  std::vector<std::int64_t> where(best.size(), -1), seen(best.size(), 0);
  for_each_element(x, reduced, [&](std::size_t to, std::size_t from) {
    const float v = x.floats[from];
    const bool better = largest ? v > best[to] : v < best[to];
    if (where[to] < 0 || better || (last && v == best[to])) {
      best[to] = v;
      where[to] = seen[to];
    }
    ++seen[to];
  });
  call.results.push_back(
      Tensor::of(reduced_shape(x.shape, reduced, call.node.integer("keepdims", 1) != 0), where));
}

namespace {

/// Combines each element along an axis with those before it, which begin with `start`.
template <typename Combine>
void accumulate(Call& call, std::int64_t start, const Combine& combine) {
  Tensor result = call.input(0);
  const Tensor& stated = call.input(1);
  if (stated.type != ElementType::int64 || stated.size() != 1) call.fail("input 1 is no axis");
  const std::size_t axis = call.axis(stated.integers[0], result.shape.size());
  const bool exclusive = call.node.integer("exclusive", 0) != 0;
  const bool reverse = call.node.integer("reverse", 0) != 0;
  const auto length = static_cast<std::size_t>(result.shape[axis]);
  const auto step = static_cast<std::size_t>(strides_of(result.shape)[axis]);
  const auto run = [&](auto& values) {
    using Element = typename std::decay_t<decltype(values)>::value_type;
    for (std::size_t first = 0; first < values.size(); ++first) {
      if (first / step % length != 0) continue;
      auto sum = static_cast<Element>(start);
      for (std::size_t k = 0; k < length; ++k) {
        Element& value = values[first + (reverse ? length - 1 - k : k) * step];
        const Element before = sum;
        if constexpr (std::is_same_v<Element, float>) {
          sum = combine(sum, value);
        } else {  // wraps
          sum = static_cast<Element>(
              combine(static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(value)));
        }
        value = exclusive ? before : sum;
      }
    }
  };
  run(result.floats);
  run(result.integers);
  call.results.push_back(std::move(result));
}

}  // namespace

void run_cum_sum(Call& call) {
  accumulate(call, 0, [](auto sum, auto value) { return sum + value; });
}

void run_cum_prod(Call& call) {
  accumulate(call, 1, [](auto product, auto value) { return product * value; });
}

void run_log_softmax(Call& call) {
  run_softmax(call);
  for (float& value : call.results[0].floats) value = std::log(value);
}

void run_lrn(Call& call) {
  const Tensor& x = call.floats(0);
  if (x.shape.size() < 2)
    call.fail("input 0 has shape {}; channels are missing", to_string(x.shape));
  const std::int64_t size = call.node.integer("size");
  if (size < 1) call.fail("attribute \"size\" is {}; allowed is 1 or more", size);
  const auto alpha = static_cast<double>(call.node.real("alpha", 1e-4F));
  const auto beta = static_cast<double>(call.node.real("beta", 0.75F));
  const auto bias = static_cast<double>(call.node.real("bias", 1.0F));
  const std::int64_t channels = x.shape[1];
  std::int64_t inner = 1;
  for (std::size_t i = 2; i < x.shape.size(); ++i) inner *= x.shape[i];
  Tensor result = x;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::int64_t c = i / inner % channels;
    double squares = 0;
    for (std::int64_t k = std::max<std::int64_t>(0, c - (size - 1) / 2);
         k <= std::min(channels - 1, c + size / 2); ++k) {
      const auto v = static_cast<double>(x.floats[static_cast<std::size_t>(i + (k - c) * inner)]);
      squares += v * v;
    }
    const auto at = static_cast<std::size_t>(i);
    result.floats[at] =
        static_cast<float>(static_cast<double>(x.floats[at]) /
                           std::pow(bias + alpha / static_cast<double>(size) * squares, beta));
  }
  call.results.push_back(std::move(result));
}

namespace {

/// Normalises runs of `length` elements to mean 0 and variance 1, then scales and shifts them by
/// factor(element).
template <typename Factor>
void normalise(Tensor& x, std::int64_t length, double epsilon, Factor&& factor) {
  for (std::int64_t first = 0; length > 0 && first < x.size(); first += length) {
    float* values = x.floats.data() + first;
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += static_cast<double>(values[i]);
    const double mean = sum / static_cast<double>(length);
    for (std::int64_t i = 0; i < length; ++i) {
      const double d = static_cast<double>(values[i]) - mean;
      squares += d * d;
    }
    const double norm = 1 / std::sqrt(squares / static_cast<double>(length) + epsilon);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto [scale, offset] = factor(first + i);
      values[i] =
          static_cast<float>((static_cast<double>(values[i]) - mean) * norm * scale + offset);
    }
  }
}

/// Mean and reciprocal deviation of each run of `length` elements, as tensors of this shape.
std::pair<Tensor, Tensor> moments(const Tensor& x, std::int64_t length, const Shape& shape,
                                  double epsilon) {
  Tensor means = Tensor::zeros(shape), inverses = Tensor::zeros(shape);
  for (std::size_t row = 0; row < means.floats.size(); ++row) {
    const float* values = x.floats.data() + static_cast<std::int64_t>(row) * length;
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += static_cast<double>(values[i]);
    const double mean = sum / static_cast<double>(length);
    for (std::int64_t i = 0; i < length; ++i) {
      const double distance = static_cast<double>(values[i]) - mean;
      squares += distance * distance;
    }
    means.floats[row] = static_cast<float>(mean);
    inverses.floats[row] =
        static_cast<float>(1 / std::sqrt(squares / static_cast<double>(length) + epsilon));
  }
  return {std::move(means), std::move(inverses)};
}

}  // namespace

void run_instance_normalization(Call& call) {
  Tensor x = call.floats(0);
  const Tensor& scale = call.floats(1);
  const Tensor& bias = call.floats(2);
  if (x.shape.size() < 3 || scale.shape != Shape{x.shape[1]} || bias.shape != scale.shape) {
    call.fail("input {}, scale {} and bias {} do not fit", to_string(x.shape),
              to_string(scale.shape), to_string(bias.shape));
  }
  std::int64_t plane = 1;
  for (std::size_t i = 2; i < x.shape.size(); ++i) plane *= x.shape[i];
  normalise(x, plane, static_cast<double>(call.node.real("epsilon", 1e-5F)), [&](std::int64_t i) {
    const auto c = static_cast<std::size_t>(i / plane % x.shape[1]);
    return std::pair(static_cast<double>(scale.floats[c]), static_cast<double>(bias.floats[c]));
  });
  call.results.push_back(std::move(x));
}

/// Scale and bias have one value for each group in sets 18 to 20, and for each channel since 21.
void run_group_normalization(Call& call) {
  Tensor x = call.floats(0);
  const Tensor& scale = call.floats(1);
  const Tensor& bias = call.floats(2);
  const std::int64_t groups = call.node.integer("num_groups");
  if (x.shape.size() < 3 || groups < 1 || x.shape[1] % groups != 0) {
    call.fail("input {} does not have channels for {} groups", to_string(x.shape), groups);
  }
  const std::int64_t of_group = x.shape[1] / groups;
  const std::int64_t shared = call.opset < 21 ? of_group : 1;  // channels with one scale
  if (scale.shape != Shape{x.shape[1] / shared} || bias.shape != scale.shape) {
    call.fail("input {}, scale {} and bias {} do not fit", to_string(x.shape),
              to_string(scale.shape), to_string(bias.shape));
  }
  std::int64_t plane = 1;
  for (std::size_t i = 2; i < x.shape.size(); ++i) plane *= x.shape[i];
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  normalise(x, of_group * plane, epsilon, [&](std::int64_t i) {
    const auto c = static_cast<std::size_t>(i / plane % x.shape[1] / shared);
    return std::pair(static_cast<double>(scale.floats[c]), static_cast<double>(bias.floats[c]));
  });
  call.results.push_back(std::move(x));
}

void run_layer_normalization(Call& call) {
  Tensor x = call.floats(0);
  const std::size_t axis = call.axis(call.node.integer("axis", -1), x.shape.size());
  std::int64_t length = 1;
  for (std::size_t i = axis; i < x.shape.size(); ++i) length *= x.shape[i];
  const Tensor& scale = call.floats(1);
  const Tensor* bias = call.optional(2);
  if (scale.size() != length || (bias != nullptr && bias->size() != length)) {
    call.fail("scale {} does not fit {} from axis {} on", to_string(scale.shape),
              to_string(x.shape), axis);
  }
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  Shape rows = x.shape;
  std::fill(rows.begin() + static_cast<std::ptrdiff_t>(axis), rows.end(), 1);
  auto [means, inverses] = moments(x, length, rows, epsilon);
  normalise(x, length, epsilon, [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i % length);
    return std::pair(static_cast<double>(scale.floats[k]),
                     bias == nullptr ? 0.0 : static_cast<double>(bias->floats[k]));
  });
  call.results.push_back(std::move(x));
  call.results.push_back(std::move(means));
  call.results.push_back(std::move(inverses));
}

void run_rms_normalization(Call& call) {
  Tensor x = call.floats(0);
  const Tensor& scale = call.floats(1);
  const std::size_t axis = call.axis(call.node.integer("axis", -1), x.shape.size());
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  std::int64_t length = 1;
  for (std::size_t i = axis; i < x.shape.size(); ++i) length *= x.shape[i];
  for (std::int64_t first = 0; first < x.size(); first += length) {
    float* values = x.floats.data() + first;
    double squares = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    const double root = std::sqrt(squares / static_cast<double>(length) + epsilon);
    for (std::int64_t i = 0; i < length; ++i) {
      values[i] = static_cast<float>(static_cast<double>(values[i]) / root);
    }
  }
  const Shape shape = x.shape;
  Tensor result = call.combined(x, scale, [](auto a, auto b) { return a * b; });
  if (result.shape != shape) {
    call.fail("scale {} does not fit {}", to_string(scale.shape), to_string(shape));
  }
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
