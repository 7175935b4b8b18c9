// Operators on signals: windows, Fourier transforms, mel filters, einsum.
#include <algorithm>
#include <cmath>
#include <map>

#include "firmware/onnx/number_types.h"
#include "firmware/reference/call.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {
namespace {

constexpr double pi = 3.14159265358979323846;

std::int64_t one_integer(const Call& call, std::size_t i) {
  const Tensor& tensor = call.input(i);
  if (tensor.integers.size() != 1) call.fail("input {} is no single integer", i);
  return tensor.integers[0];
}

/// Adds a result of the type that attribute "output_datatype" states.
void add_typed(Call& call, const Tensor& tensor) {
  const std::int64_t type = call.node.integer("output_datatype", onnx_float);
  if (!is_real_number(type)) {
    call.fail("attribute \"output_datatype\" is {}; allowed are types of real numbers", type);
  }
  call.results.push_back(as_type(tensor, static_cast<std::int32_t>(type)));
}

}  // namespace

void run_window(Call& call) {
  const std::int64_t size = one_integer(call, 0);
  if (size < 0 || size > 1 << 24) call.fail("the window has {} elements", size);
  const bool periodic = call.node.integer("periodic", 1) != 0;
  const double length = static_cast<double>(std::max<std::int64_t>(periodic ? size : size - 1, 1));
  const std::string& kind = call.node.op_type;
  std::vector<float> values;
  for (std::int64_t k = 0; k < size; ++k) {
    const double turn = 2 * pi * static_cast<double>(k) / length;
    const double value = kind == "HannWindow" ? 0.5 - 0.5 * std::cos(turn)
                         : kind == "HammingWindow"
                             ? 25.0 / 46 - 21.0 / 46 * std::cos(turn)
                             : 0.42 - 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn);
    values.push_back(static_cast<float>(value));
  }
  add_typed(call, Tensor::of({size}, std::move(values)));
}

void run_mel_weight_matrix(Call& call) {
  const std::int64_t bins = one_integer(call, 0), length = one_integer(call, 1);
  const double rate = static_cast<double>(one_integer(call, 2));
  const auto limit = [&](std::size_t i) {
    const Tensor& tensor = call.floats(i);
    if (tensor.size() != 1) call.fail("input {} is no single number", i);
    return static_cast<double>(tensor.floats[0]);
  };
  const std::int64_t lines = length / 2 + 1;
  if (bins < 1 || length < 1 || bins * lines > 1 << 26 || !(rate > 0)) {
    call.fail("{} mel bins of a transform of {} are out of range", bins, length);
  }
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(limit(3)), high = mel(limit(4));
  std::vector<std::int64_t> edges;
  for (std::int64_t k = 0; k < bins + 2; ++k) {
    const double at = low + static_cast<double>(k) * (high - low) / static_cast<double>(bins + 2);
    const double hertz = 700 * (std::pow(10, at / 2595) - 1);
    edges.push_back(
        static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * hertz / rate)));
  }
  Tensor out = Tensor::zeros({lines, bins});
  const auto set = [&](std::int64_t line, std::int64_t bin, double value) {
    if (line < 0 || line >= lines) call.fail("a filter reaches line {} of {}", line, lines);
    out.floats[static_cast<std::size_t>(line * bins + bin)] = static_cast<float>(value);
  };
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const auto k = static_cast<std::size_t>(bin);
    const std::int64_t left = edges[k], centre = edges[k + 1], right = edges[k + 2];
    if (centre == left) {
      set(centre, bin, 1);
    } else {
      for (std::int64_t line = left; line <= centre; ++line) {
        set(line, bin, static_cast<double>(line - left) / static_cast<double>(centre - left));
      }
    }
    for (std::int64_t line = centre; line < right && right > centre; ++line) {
      set(line, bin, static_cast<double>(right - line) / static_cast<double>(right - centre));
    }
  }
  add_typed(call, out);
}

namespace {

/// Transforms numbers of `parts` parts (1: real, 2: complex) that lie `step` apart. Elements beyond
/// `length` are cut off, missing ones are zero.
struct Transform {
  std::int64_t length = 0, lines = 0;
  bool inverse = false;

  template <typename Read, typename Write>
  void operator()(Read&& read, Write&& write) const {
    for (std::int64_t line = 0; line < lines; ++line) {
      double re = 0, im = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        const double turn = (inverse ? 2 : -2) * pi * static_cast<double>(line * k % length) /
                            static_cast<double>(length);
        const auto [a, b] = read(k);
        re += a * std::cos(turn) - b * std::sin(turn);
        im += a * std::sin(turn) + b * std::cos(turn);
      }
      const double scale = inverse ? 1 / static_cast<double>(length) : 1;
      write(line, re * scale, im * scale);
    }
  }
};

}  // namespace

void run_dft(Call& call) {
  const Tensor& x = call.floats(0);
  const std::size_t rank = x.shape.size();
  if (rank < 2 || (x.shape.back() != 1 && x.shape.back() != 2)) {
    call.fail("input 0 has shape {}; allowed are 1 or 2 parts in the last dimension",
              to_string(x.shape));
  }
  const bool by_input = call.opset >= 20;
  const std::int64_t given = by_input ? (call.optional(2) != nullptr ? one_integer(call, 2) : -2)
                                      : call.node.integer("axis", 1);
  const std::size_t axis = call.axis(given, rank);
  if (axis + 1 == rank) call.fail("axis {} has the parts of the numbers", axis);
  const bool inverse = call.node.integer("inverse", 0) != 0;
  const bool onesided = call.node.integer("onesided", 0) != 0;
  const bool to_real = inverse && onesided;
  if (to_real && x.shape.back() != 2) {
    call.fail("an inverse transform of one side needs 2 parts, not an input of shape {}",
              to_string(x.shape));
  }
  Transform transform;
  transform.length = call.optional(1) != nullptr ? one_integer(call, 1)
                     : to_real                   ? 2 * (x.shape[axis] - 1)
                                                 : x.shape[axis];
  if (transform.length < 1 || transform.length > 1 << 20) {
    call.fail("the transform has {} elements", transform.length);
  }
  transform.lines = onesided && !inverse ? transform.length / 2 + 1 : transform.length;
  transform.inverse = inverse;
  Shape shape = x.shape;
  shape[axis] = transform.lines;
  shape.back() = to_real ? 1 : 2;
  static_cast<void>(call.count(shape));
  Tensor out = Tensor::zeros(shape);
  const std::vector<std::int64_t> from = strides_of(x.shape), to = strides_of(shape);
  Shape lines = shape;
  lines[axis] = lines.back() = 1;
  for_each_position(lines, [&](const Shape& line) {
    std::int64_t first = 0, target = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      first += line[d] * from[d];
      target += line[d] * to[d];
    }
    transform(
        [&](std::int64_t k) {
          // The other side has the conjugates of this one.
          const bool is_other = to_real && k > transform.length / 2;
          if (is_other) k = transform.length - k;
          if (k >= x.shape[axis]) return std::pair(0.0, 0.0);
          const auto at = static_cast<std::size_t>(first + k * from[axis]);
          const double im = x.shape.back() == 2 ? static_cast<double>(x.floats[at + 1]) : 0.0;
          return std::pair(static_cast<double>(x.floats[at]), is_other ? -im : im);
        },
        [&](std::int64_t k, double re, double im) {
          const auto at = static_cast<std::size_t>(target + k * to[axis]);
          out.floats[at] = static_cast<float>(re);
          if (!to_real) out.floats[at + 1] = static_cast<float>(im);
        });
  });
  call.results.push_back(std::move(out));
}

void run_stft(Call& call) {
  const Tensor& x = call.floats(0);
  const std::int64_t step = one_integer(call, 1);
  const Tensor* const window = call.optional(2);
  const std::int64_t parts = x.shape.size() == 3 ? x.shape[2] : 1;
  if (x.shape.size() < 2 || x.shape.size() > 3 || (parts != 1 && parts != 2) || step < 1) {
    call.fail("a signal of shape {} in steps of {} is not supported", to_string(x.shape), step);
  }
  Transform transform;
  transform.length = call.optional(3) != nullptr ? one_integer(call, 3)
                     : window != nullptr         ? window->size()
                                                 : 0;
  if (transform.length < 1 || transform.length > x.shape[1] ||
      (window != nullptr && window->size() != transform.length)) {
    call.fail("frames of {} do not fit a signal of {}", transform.length, x.shape[1]);
  }
  const bool onesided = call.node.integer("onesided", 1) != 0;
  transform.lines = onesided ? transform.length / 2 + 1 : transform.length;
  const std::int64_t frames = (x.shape[1] - transform.length) / step + 1;
  const Shape shape{x.shape[0], frames, transform.lines, 2};
  static_cast<void>(call.count(shape));
  Tensor out = Tensor::zeros(shape);
  for (std::int64_t row = 0; row < x.shape[0] * frames; ++row) {
    const std::int64_t first = row / frames * x.shape[1] + row % frames * step;
    transform(
        [&](std::int64_t k) {
          const auto at = static_cast<std::size_t>((first + k) * parts);
          const double weight =
              window == nullptr ? 1 : window->reals()[static_cast<std::size_t>(k)];
          return std::pair(weight * static_cast<double>(x.floats[at]),
                           parts == 2 ? weight * static_cast<double>(x.floats[at + 1]) : 0.0);
        },
        [&](std::int64_t k, double re, double im) {
          const auto at = static_cast<std::size_t>((row * transform.lines + k) * 2);
          out.floats[at] = static_cast<float>(re);
          out.floats[at + 1] = static_cast<float>(im);
        });
  }
  call.results.push_back(std::move(out));
}

void run_einsum(Call& call) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < call.input_count(); ++i) shapes.push_back(call.floats(i).shape);
  const std::optional<Einsum> equation = read_einsum(call.node.text("equation"), shapes);
  if (!equation) {
    call.fail("equation \"{}\" does not fit the inputs", call.node.text("equation"));
  }
  const auto shape_of = [&](const std::vector<std::size_t>& indices) {
    Shape shape;
    for (const std::size_t index : indices) shape.push_back(equation->sizes[index]);
    return shape;
  };
  const Shape out_shape = shape_of(equation->result);
  static_cast<void>(call.count(out_shape));
  static_cast<void>(call.count(equation->sizes));
  Tensor out = Tensor::zeros(out_shape);
  std::vector<std::vector<std::int64_t>> strides;  // of each operand and the result, by index
  const auto strides_by_index = [&](const Shape& shape, const std::vector<std::size_t>& indices) {
    std::vector<std::int64_t> own = strides_of(shape), all(equation->sizes.size(), 0);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      if (shape[d] != 1 || equation->sizes[indices[d]] == 1) all[indices[d]] += own[d];
    }
    return all;
  };
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    strides.push_back(strides_by_index(shapes[i], equation->operands[i]));
  }
  const std::vector<std::int64_t> target = strides_by_index(out_shape, equation->result);
  std::vector<double> sums(out.floats.size(), 0);
  for_each_position(equation->sizes, [&](const Shape& at) {
    double product = 1;
    std::int64_t to = 0;
    for (std::size_t d = 0; d < at.size(); ++d) to += at[d] * target[d];
    for (std::size_t i = 0; i < strides.size(); ++i) {
      std::int64_t from = 0;
      for (std::size_t d = 0; d < at.size(); ++d) from += at[d] * strides[i][d];
      product *= static_cast<double>(call.floats(i).floats[static_cast<std::size_t>(from)]);
    }
    sums[static_cast<std::size_t>(to)] += product;
  });
  std::transform(sums.begin(), sums.end(), out.floats.begin(),
                 [](double sum) { return static_cast<float>(sum); });
  call.results.push_back(std::move(out));
}

}  // namespace tactus::nn
