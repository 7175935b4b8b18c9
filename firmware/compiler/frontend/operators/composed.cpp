// Operators that are written as products, sums and rearrangements: Einsum, DFT, STFT, Col2Im,
// LpPool, GlobalLpPool, normalisations.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

// ---- Einsum -------------------------------------------------------------------------------------

/// A value with a number for each of its dimensions, see nn::Einsum.
struct Term {
  std::string name;
  nn::Shape shape;
  std::vector<std::size_t> numbers;

  [[nodiscard]] bool has(std::size_t number) const {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
  }
  [[nodiscard]] std::int64_t size(std::size_t number) const {
    const auto at = std::find(numbers.begin(), numbers.end(), number) - numbers.begin();
    return shape[static_cast<std::size_t>(at)];
  }
};

std::string reshaped_to(Expansion& e, const std::string& x, nn::Shape shape) {
  return e.node("Reshape", {x, e.constant(std::move(shape))});
}

/// The term with its dimensions in another order.
Term ordered(Expansion& e, Term term, const std::vector<std::size_t>& numbers) {
  if (term.numbers == numbers) return term;
  nn::Shape permutation, shape;
  for (const std::size_t number : numbers) {
    const auto at = std::find(term.numbers.begin(), term.numbers.end(), number);
    permutation.push_back(at - term.numbers.begin());
    shape.push_back(term.size(number));
  }
  return {e.node("Transpose", {term.name}, {{"perm", permutation}}), shape, numbers};
}

/// Sums a term over the dimensions that nobody else needs.
Term summed(Expansion& e, Term term, const std::set<std::size_t>& needed) {
  nn::Shape axes;
  Term result{"", {}, {}};
  for (std::size_t d = 0; d < term.numbers.size(); ++d) {
    if (needed.count(term.numbers[d]) == 0) {
      axes.push_back(static_cast<std::int64_t>(d));
    } else {
      result.numbers.push_back(term.numbers[d]);
      result.shape.push_back(term.shape[d]);
    }
  }
  if (axes.empty()) return term;
  result.name = e.node("ReduceSum", {term.name, e.constant(axes)}, {{"keepdims", std::int64_t{0}}});
  return result;
}

/// The product of two terms, summed over the dimensions that both have and nobody needs.
Term multiplied(Expansion& e, const Term& a, const Term& b, const std::set<std::size_t>& needed) {
  std::vector<std::size_t> batch, left, right, inner;
  for (const std::size_t number : a.numbers) {
    (!b.has(number) ? left : needed.count(number) != 0 ? batch : inner).push_back(number);
  }
  for (const std::size_t number : b.numbers) {
    if (!a.has(number)) right.push_back(number);
  }
  const auto joined = [](std::vector<std::size_t> first, const std::vector<std::size_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const auto size_of = [](const Term& term, const std::vector<std::size_t>& numbers) {
    std::int64_t size = 1;
    for (const std::size_t number : numbers) size *= term.size(number);
    return size;
  };
  const Term x = ordered(e, a, joined(joined(batch, left), inner));
  const Term y = ordered(e, b, joined(joined(batch, inner), right));
  Term result{"", {}, joined(joined(batch, left), right)};
  for (const std::size_t number : batch)
    result.shape.push_back(std::max(x.size(number), y.size(number)));
  for (const std::size_t number : left) result.shape.push_back(x.size(number));
  for (const std::size_t number : right) result.shape.push_back(y.size(number));
  if (left.empty() && right.empty() && inner.empty()) {
    result.name = e.node("Mul", {x.name, y.name});
    return result;
  }
  const auto matrices = [&](const Term& term, const std::vector<std::size_t>& rows,
                            const std::vector<std::size_t>& columns) {
    nn::Shape shape;
    for (const std::size_t number : batch) shape.push_back(term.size(number));
    shape.push_back(size_of(term, rows));
    shape.push_back(size_of(term, columns));
    return shape == term.shape ? term.name : reshaped_to(e, term.name, shape);
  };
  const std::string product =
      e.node("MatMul", {matrices(x, left, inner), matrices(y, inner, right)});
  result.name =
      left.size() == 1 && right.size() == 1 ? product : reshaped_to(e, product, result.shape);
  return result;
}

/// The term with each number once: of dimensions with the same number it keeps the elements whose
/// indices are equal.
Term without_diagonals(Expansion& e, Term term) {
  Term kept{"", {}, {}};
  std::vector<std::int64_t> steps;  // between neighbours of the kept dimensions, in the operand
  std::int64_t step = nn::element_count(term.shape);
  for (std::size_t d = 0; d < term.numbers.size(); ++d) {
    step /= std::max<std::int64_t>(term.shape[d], 1);
    const auto found = std::find(kept.numbers.begin(), kept.numbers.end(), term.numbers[d]);
    const auto at = static_cast<std::size_t>(found - kept.numbers.begin());
    if (found == kept.numbers.end()) {
      kept.numbers.push_back(term.numbers[d]);
      kept.shape.push_back(term.shape[d]);
      steps.push_back(step);
    } else if (term.shape[d] != 1) {  // a size of 1 is broadcast
      steps[at] = kept.shape[at] == 1 ? step : steps[at] + step;
      kept.shape[at] = term.shape[d];
    }
  }
  if (kept.numbers.size() == term.numbers.size()) return term;
  nn::Tensor places;
  places.type = nn::ElementType::int64;
  places.shape = kept.shape;
  nn::Shape position(kept.shape.size(), 0);
  do {
    places.integers.push_back(
        std::inner_product(position.begin(), position.end(), steps.begin(), std::int64_t{0}));
  } while (next_position(position, kept.shape));
  const std::string list = reshaped_to(e, term.name, {nn::element_count(term.shape)});
  kept.name = e.node("Gather", {list, e.constant(std::move(places))});
  return kept;
}

bool expand_einsum(Planner& p, Expansion& e) {
  std::vector<nn::Shape> shapes;
  for (std::size_t i = 0; i < p.node.inputs.size(); ++i) {
    const Value* const value = p.value(i);
    if (value == nullptr) return true;
    shapes.push_back(value->constant != nullptr ? value->constant->shape : value->layout->shape);
  }
  const std::string& equation = p.node.text("equation");
  const std::optional<nn::Einsum> einsum = nn::read_einsum(equation, shapes);
  if (!einsum) {
    p.problem("equation {} does not fit the inputs", quote(equation));
    return true;
  }
  std::vector<Term> terms;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    terms.push_back(without_diagonals(e, {p.node.inputs[i], shapes[i], einsum->operands[i]}));
  }
  const auto needed_behind = [&](std::size_t first) {
    std::set<std::size_t> needed(einsum->result.begin(), einsum->result.end());
    for (std::size_t i = first; i < terms.size(); ++i) {
      needed.insert(terms[i].numbers.begin(), terms[i].numbers.end());
    }
    return needed;
  };
  Term all = summed(e, terms[0], needed_behind(1));
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::set<std::size_t> needed = needed_behind(i + 1);
    needed.insert(all.numbers.begin(), all.numbers.end());
    const Term next = summed(e, terms[i], needed);
    all = multiplied(e, all, next, needed_behind(i + 1));
  }
  all = ordered(e, all, einsum->result);
  e.last("Identity", {all.name});
  return true;
}

// ---- Fourier transforms -------------------------------------------------------------------------

constexpr double pi = 3.14159265358979323846;

std::optional<std::int64_t> one_integer(Planner& p, std::size_t i, const char* what) {
  const nn::Tensor* const tensor = p.need_constant(i, what, nn::ElementType::int64);
  if (tensor == nullptr) return std::nullopt;
  if (tensor->size() == 1) return tensor->integers[0];
  p.problem("{} has shape {}; supported is one integer", what, nn::to_string(tensor->shape));
  return std::nullopt;
}

/// The real and the imaginary part of element k's weight in line `line`.
std::pair<double, double> turn(std::int64_t line, std::int64_t k, std::int64_t length,
                               bool inverse) {
  const double angle = (inverse ? 2 : -2) * pi * static_cast<double>(line * k % length) /
                       static_cast<double>(length);
  const double scale = inverse ? 1 / static_cast<double>(length) : 1;
  return {std::cos(angle) * scale, std::sin(angle) * scale};
}

bool expand_dft(Planner& p, Expansion& e) {
  const Layout* const x = p.activation(0);
  if (x == nullptr) return true;
  const auto rank = static_cast<std::int64_t>(x->rank());
  const std::int64_t parts = rank < 2 ? 0 : x->shape.back();
  if (parts != 1 && parts != 2) {
    p.problem("input has shape {}; supported are 1 or 2 parts of numbers in the last dimension",
              nn::to_string(x->shape));
    return true;
  }
  std::optional<std::int64_t> stated = p.opset() < 20 ? p.node.integer("axis", 1) : -2;
  if (p.opset() >= 20 && p.given(2)) stated = one_integer(p, 2, "axis");
  if (!stated) return true;
  const std::optional<std::int64_t> axis = normal_axis(p, *stated, x->rank());
  if (!axis) return true;
  const bool inverse = p.node.integer("inverse", 0) != 0;
  const bool onesided = p.node.integer("onesided", 0) != 0;
  const bool to_real = inverse && onesided;
  const std::int64_t size = x->shape[static_cast<std::size_t>(*axis)];
  const std::optional<std::int64_t> length =
      p.given(1) ? one_integer(p, 1, "the length") : std::optional(to_real ? 2 * size - 2 : size);
  if (!length) return true;
  constexpr std::int64_t most = 8192;
  if (*axis + 1 == rank || *length < 1 || *length > most || (to_real && parts != 2)) {
    p.problem(
        "a transform of {} elements along axis {} is not supported; supported are 1 to {} "
        "elements, not along the parts, and 2 parts if it is of one side and inverse",
        *length, *axis, most);
    return true;
  }
  const std::int64_t half = *length / 2 + 1;
  const std::int64_t lines = onesided && !inverse ? half : *length;
  const std::int64_t results = to_real ? 1 : 2;
  // The axis and the parts become the last dimension.
  nn::Shape order, back, rows, result;
  for (std::int64_t d = 0; d + 1 < rank; ++d) {
    if (d == *axis) continue;
    order.push_back(d);
    rows.push_back(x->shape[static_cast<std::size_t>(d)]);
  }
  result = rows;
  result.push_back(lines);
  result.push_back(results);
  rows.push_back(size * parts);
  order.push_back(*axis);
  order.push_back(rank - 1);
  for (std::int64_t d = 0; d < rank; ++d) {
    back.push_back(std::find(order.begin(), order.end(), d) - order.begin());
  }
  nn::Tensor weights = nn::Tensor::zeros({size * parts, lines * results});
  for (std::int64_t k = 0; k < std::min(size, to_real ? half : *length); ++k) {
    // An element that the other side has, too, counts twice.
    const double times = to_real && k > 0 && 2 * k != *length ? 2 : 1;
    for (std::int64_t line = 0; line < lines; ++line) {
      const auto of_whole = turn(line, k, *length, inverse);
      const double re = times * of_whole.first, im = times * of_whole.second;
      const auto set = [&](std::int64_t from, std::int64_t to, double value) {
        if (to >= results) return;
        const std::int64_t at = ((k * parts + from) * lines + line) * results + to;
        weights.floats[static_cast<std::size_t>(at)] = static_cast<float>(value);
      };
      set(0, 0, re);
      set(0, 1, im);
      if (parts == 2) set(1, 0, -im);
      if (parts == 2) set(1, 1, re);
    }
  }
  const std::string turned = e.node("Transpose", {p.node.inputs[0]}, {{"perm", order}});
  const std::string product =
      e.node("MatMul", {reshaped_to(e, turned, rows), e.constant(std::move(weights))});
  e.last("Transpose", {reshaped_to(e, product, result)}, {{"perm", back}});
  return true;
}

/// A convolution whose kernels are the lines of the transform of one frame.
bool expand_stft(Planner& p, Expansion& e) {
  const Layout* const x = p.activation(0);
  const std::optional<std::int64_t> step = one_integer(p, 1, "the step");
  const nn::Tensor* const window =
      p.given(2) ? p.need_constant(2, "the window", nn::ElementType::float32) : nullptr;
  const std::optional<std::int64_t> stated =
      p.given(3) ? one_integer(p, 3, "the length of frames") : std::nullopt;
  if (x == nullptr || !step || p.failed()) return true;
  const std::int64_t length = stated ? *stated : window == nullptr ? 0 : window->size();
  const bool real = x->rank() == 2 || (x->rank() == 3 && x->shape[2] == 1);
  if (!real || *step < 1 || length < 1 || length > x->shape[1] ||
      (window != nullptr && window->size() != length)) {
    p.problem(
        "a signal of shape {} in frames of {} with steps of {} is not supported; supported are "
        "real signals of one frame and more",
        nn::to_string(x->shape), length, *step);
    return true;
  }
  const bool onesided = p.node.integer("onesided", 1) != 0;
  const std::int64_t lines = onesided ? length / 2 + 1 : length;
  const std::int64_t frames = (x->shape[1] - length) / *step + 1;
  nn::Tensor weights = nn::Tensor::zeros({lines * 2, 1, length});
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t k = 0; k < length; ++k) {
      const auto [re, im] = turn(line, k, length, false);
      const double factor =
          window == nullptr ? 1 : static_cast<double>(window->floats[static_cast<std::size_t>(k)]);
      weights.floats[static_cast<std::size_t>(2 * line * length + k)] =
          static_cast<float>(re * factor);
      weights.floats[static_cast<std::size_t>((2 * line + 1) * length + k)] =
          static_cast<float>(im * factor);
    }
  }
  const std::string signal = reshaped_to(e, p.node.inputs[0], {x->shape[0], 1, x->shape[1]});
  const std::string spectrum =
      e.node("Conv", {signal, e.constant(std::move(weights))}, {{"strides", nn::Shape{*step}}});
  const std::string rows = e.node("Transpose", {spectrum}, {{"perm", nn::Shape{0, 2, 1}}});
  e.last("Reshape", {rows, e.constant(nn::Shape{x->shape[0], frames, lines, 2})});
  return true;
}

// ---- windows ------------------------------------------------------------------------------------

/// A transposed convolution whose kernels have a single 1.
bool expand_col2im(Planner& p, Expansion& e) {
  const Layout* const x = p.activation(0);
  const nn::Tensor* const image = p.need_constant(1, "the image's shape", nn::ElementType::int64);
  const nn::Tensor* const block = p.need_constant(2, "the block's shape", nn::ElementType::int64);
  if (x == nullptr || image == nullptr || block == nullptr) return true;
  const nn::Shape &sizes = image->integers, &kernel = block->integers;
  const std::size_t n = sizes.size();
  const nn::Shape strides = p.node.integers("strides", nn::Shape(n, 1));
  const nn::Shape dilations = p.node.integers("dilations", nn::Shape(n, 1));
  const nn::Shape pads = p.node.integers("pads", nn::Shape(2 * n, 0));
  const std::int64_t taps = nn::element_count(kernel);
  const bool good = n >= 1 && n <= 2 && kernel.size() == n && strides.size() == n &&
                    dilations.size() == n && pads.size() == 2 * n && x->rank() == 3 && taps > 0 &&
                    x->shape[1] % taps == 0;
  if (!good) {
    p.problem(
        "columns of shape {} for blocks of {} are not supported; supported are images of 1 or 2 "
        "dimensions",
        nn::to_string(x->shape), nn::to_string(kernel));
    return true;
  }
  nn::Shape columns{x->shape[0], x->shape[1]}, more;
  for (std::size_t d = 0; d < n; ++d) {
    const std::int64_t reach = dilations[d] * (kernel[d] - 1) + 1;
    const std::int64_t padded = sizes[d] + pads[d] + pads[n + d];
    columns.push_back((padded - reach) / strides[d] + 1);
    more.push_back((padded - reach) % strides[d]);
  }
  if (nn::element_count(columns) != x->elements()) {
    p.problem("{} columns do not fit an image of {}", x->shape[2], nn::to_string(sizes));
    return true;
  }
  const std::int64_t channels = x->shape[1] / taps;
  nn::Shape shape{x->shape[1], 1};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  nn::Tensor weights = nn::Tensor::zeros(shape);
  for (std::int64_t k = 0; k < x->shape[1]; ++k) {
    weights.floats[static_cast<std::size_t>(k * taps + k % taps)] = 1;
  }
  e.last("ConvTranspose",
         {reshaped_to(e, p.node.inputs[0], columns), e.constant(std::move(weights))},
         {{"strides", strides},
          {"dilations", dilations},
          {"pads", pads},
          {"output_padding", more},
          {"group", channels}});
  return true;
}

/// Sums of absolute values, roots of sums of squares, or roots of sums of other powers.
bool expand_lp_pool(Planner& p, Expansion& e) {
  const std::int64_t power = p.node.integer("p", 2);
  if (power < 1) {
    p.problem("attribute p is {}; supported are 1 and more", power);
    return true;
  }
  const std::string& x = p.node.inputs[0];
  const auto powers = [&] {
    if (power == 1) return e.node("Abs", {x});
    if (power == 2) return e.node("Mul", {x, x});
    return e.node("Pow", {e.node("Abs", {x}), e.constant(static_cast<float>(power))});
  };
  const auto finish = [&](const char* op, Expansion::Inputs inputs, Expansion::Attributes more) {
    if (power == 1) return e.last(op, std::move(inputs), std::move(more));
    const std::string sums = e.node(op, std::move(inputs), std::move(more));
    if (power == 2) return e.last("Sqrt", {sums});
    e.last("Pow", {sums, e.constant(1 / static_cast<float>(power))});
  };
  if (p.node.op_type == "GlobalLpPool") {
    const Layout* const layout = p.activation(0);
    if (layout == nullptr) return true;
    nn::Shape axes;
    for (std::size_t d = 2; d < layout->rank(); ++d) axes.push_back(static_cast<std::int64_t>(d));
    if (power <= 2) {
      e.last(power == 1 ? "ReduceL1" : "ReduceL2", {x, e.constant(axes)});
    } else {
      finish("ReduceSum", {powers(), e.constant(axes)}, {});
    }
    return true;
  }
  Expansion::Attributes attributes = p.node.attributes;
  attributes.erase("p");
  finish(sum_pool, {powers()}, std::move(attributes));
  return true;
}

// ---- normalisations -----------------------------------------------------------------------------

/// Rows divided by their norm.
bool expand_lp_normalization(Planner& p, Expansion& e) {
  const std::int64_t power = p.node.integer("p", 2);
  const Layout* const x = p.activation(0);
  if (x == nullptr) return true;
  const std::optional<std::int64_t> axis = normal_axis(p, p.node.integer("axis", -1), x->rank());
  if (!axis) return true;
  if (power != 1 && power != 2) {
    p.problem("attribute p is {}; supported are 1 and 2", power);
    return true;
  }
  const std::string norm = e.node(power == 1 ? "ReduceL1" : "ReduceL2",
                                  {p.node.inputs[0], e.constant(nn::Shape{*axis})});
  e.last("Div", {p.node.inputs[0], norm});
  return true;
}

bool expand_mean_variance(Planner& p, Expansion& e) {
  const nn::Shape axes = p.node.integers("axes", {0, 2, 3});
  const std::string& x = p.node.inputs[0];
  const auto mean = [&](const std::string& of) {
    return e.node("ReduceMean", {of, e.constant(axes)});
  };
  const std::string centred = e.node("Sub", {x, mean(x)});
  const std::string deviation = e.node("Sqrt", {mean(e.node("Mul", {centred, centred}))});
  e.last("Div", {centred, deviation});
  return true;
}

bool expand_swiglu(Planner& p, Expansion& e) {
  const std::string gate =
      e.node("Swish", {p.node.inputs[0]}, {{"alpha", p.node.real("alpha", 1)}});
  e.last("Mul", {gate, p.node.inputs[1]});
  return true;
}

}  // namespace

Operators composed_operators() {
  return {{"Einsum", is_product | wants_rows, Role::simple, nullptr, nullptr, expand_einsum},
          {"DFT", is_product | wants_rows, Role::simple, nullptr, nullptr, expand_dft},
          {"STFT", is_product | wants_rows, Role::simple, nullptr, nullptr, expand_stft},
          {"Col2Im", wants_rows, Role::simple, nullptr, nullptr, expand_col2im},
          {"LpPool", wants_image, Role::simple, nullptr, nullptr, expand_lp_pool},
          {"GlobalLpPool", wants_image, Role::simple, nullptr, nullptr, expand_lp_pool},
          {"LpNormalization", wants_rows, Role::simple, nullptr, nullptr, expand_lp_normalization},
          {"MeanVarianceNormalization", takes_means, Role::simple, nullptr, nullptr,
           expand_mean_variance},
          {"SwiGLU", keeps_layout, Role::simple, nullptr, nullptr, expand_swiglu}};
}

}  // namespace tactus::compiler
