// Operators that relate values to sums over their neighbours: Softmax, LogSoftmax, LRN,
// InstanceNormalization, GroupNormalization, LayerNormalization, RMSNormalization.
//
// Sums along the lanes are products with columns of ones. If they could leave the data type's range
// they are scaled down by a power of two, for which the function of the sum compensates. A division
// by a sum is a product with a function of the sum, by tables or chords (functions.h). Softmax
// subtracts the sum's logarithm before the exponential function, so that large numbers are never
// divided by large ones.
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// The permutation that exchanges the last dimension with another one.
nn::Shape swapped_last(std::size_t rank, std::size_t axis) {
  nn::Shape permutation(rank);
  for (std::size_t d = 0; d < rank; ++d) permutation[d] = static_cast<std::int64_t>(d);
  std::swap(permutation[axis], permutation[rank - 1]);
  return permutation;
}

// ---- Softmax ------------------------------------------------------------------------------------

/// Adds S e^d for values d up to 0, by a table that is centred in the range of arguments that
/// matter: its keys are as fine for small results as for large ones.
std::string scaled_power(Planner& p, Expansion& e, const std::string& d, double scale) {
  // The largest argument lies between keys: the last one's chord goes on to the end of the type.
  constexpr float centre = 7.75F;
  const std::string argument =
      clipped(p, e, e.node("Add", {d, e.constant(centre)}), -centre, centre);
  const ElementFunction power{
      fmt::format("{:g} times Exp of the argument less {:g}", scale, centre),
      [=](double v) {
        return scale * (std::exp(std::min(v, centre + 1.0) - centre) - std::exp(-2.0 * centre));
      },
      std::nullopt, Reach{-centre, centre}};
  return computed(p, e, argument, power);
}

/// The factor of powers in a Softmax on data types of a wide range, so that what thousands of small
/// powers lose does not count; 0: the type or the table does not have such a range.
double power_scale(const tcu::Architecture& machine) {
  if (!has_tables(machine)) return 0;
  const tcu::LookupTables& tables = machine.lookup_tables;
  const double reach = static_cast<double>(tables.depth) *
                       std::ldexp(1.0, -static_cast<int>(tables.key_binary_point));
  const double top = tcu::to_real(machine.data_type, tcu::info(machine.data_type).max());
  const double scale = std::exp2(std::floor(std::log2(top / 8)));
  return reach >= 16 && scale >= 1024 ? scale : 0;
}

/// Adds the logarithm of a sum of `classes` powers whose mean, times `factor`, is `mean`; `guess`
/// is the logarithm as looked up. What the guess lacks is about sum / e^guess - 1. Both operands of
/// this quotient are scaled to the same range, from 1 / sqrt(classes) to sqrt(classes).
std::string corrected_logarithm(Planner& p, Expansion& e, const std::string& mean,
                                const std::string& guess, std::int64_t classes, double factor) {
  const std::string scale =
      e.constant(static_cast<float>(std::sqrt(static_cast<double>(classes)) / factor));
  const std::string negative = e.node("Mul", {guess, e.constant(-1.0F)});
  const std::string inverse = e.node("Mul", {scaled_power(p, e, negative, factor), scale});
  const std::string quotient = e.node("Mul", {e.node("Mul", {mean, scale}), inverse});
  return e.node("Add", {guess, e.node("Add", {quotient, e.constant(-1.0F)})});
}

/// Softmax along the last dimension: e^(d - log(sum of e^d)), where d is the difference from the
/// largest element. Powers are multiplied by a number near the end of the type's range, if that is
/// wide enough, and their mean replaces the sum.
void expand_last(Planner& p, Expansion& e, const Layout& x) {
  const std::int64_t classes = x.shape.back();
  const tcu::DataType type = p.architecture().data_type;
  const nn::Shape axis{static_cast<std::int64_t>(x.rank()) - 1};
  const Expansion::Attributes along{{"axes", axis}, {"keepdims", std::int64_t{1}}};
  const std::string& in = p.node.inputs[0];
  const std::string distance = e.node("Sub", {in, e.node("ReduceMax", {in}, along)});
  const ElementFunction power{"Exp up to 0", [](double v) { return std::exp(std::min(v, 1.0)); },
                              Reach{-10, 0}, Reach{tcu::to_real(type, tcu::info(type).min()), 0}};
  const double factor = power_scale(p.architecture());
  // The sum of the powers of all classes is 1 or more, and at most their number.
  const double scale =
      factor != 0 ? factor / static_cast<double>(classes) : sum_scale(p, classes, 1);
  const std::string sum =
      factor != 0
          ? e.node("ReduceMean", {scaled_power(p, e, distance, factor)}, along)
          : sum_of_last(e, computed(p, e, distance, power), classes, static_cast<float>(scale));
  const double most = static_cast<double>(classes) * scale;
  const ElementFunction logarithm{
      fmt::format("Log of sums from {:g} to {:g}, times {:g}", scale, most, 1 / scale),
      [=](double v) { return std::log(std::max(v, scale / 2) / scale); }, Reach{scale, most},
      Reach{scale, most}};
  std::string log_sum = computed(p, e, sum, logarithm);
  // The tables of logarithms lose more than 0.2 % over wider ranges than this.
  constexpr std::int64_t most_looked_up = 512;
  if (factor != 0 && classes > most_looked_up) {
    log_sum = corrected_logarithm(p, e, sum, log_sum, classes, factor);
  }
  if (p.node.op_type == "LogSoftmax") {
    e.last("Sub", {distance, log_sum});
    return;
  }
  const std::string exponent = e.node("Sub", {distance, log_sum});
  if (factor == 0) return compute_last(p, e, exponent, power);
  e.last("Mul", {scaled_power(p, e, exponent, factor), e.constant(static_cast<float>(1 / factor))});
}

/// Expands a Softmax. A final one on a machine without tables is left to the host, which computes
/// it exactly.
bool expand_softmax(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  if (!has_tables(p.architecture()) && !p.before_product()) {
    if (p.node.op_type == "Softmax") return false;
    p.problem("no product follows, so it is computed exactly there");
    return true;
  }
  const Layout& x = *value->layout;
  const bool flattens = p.opset() < 13;
  const std::optional<std::int64_t> stated =
      normal_axis(p, p.node.integer("axis", flattens ? 1 : -1), x.rank());
  if (!stated) return true;
  const auto axis = static_cast<std::size_t>(*stated);
  if (axis + 1 == x.rank()) {
    expand_last(p, e, x);
    return true;
  }
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < x.rank(); ++d) (d < axis ? outer : inner) *= x.shape[d];
  if (flattens && inner != x.shape[axis]) {
    const std::string rows =
        e.node("Reshape", {p.node.inputs[0], e.constant(nn::Shape{outer, inner})});
    const std::string result = e.node(p.node.op_type, {rows}, {{"axis", std::int64_t{1}}});
    e.last("Reshape", {result, e.constant(x.shape)});
    return true;
  }
  const nn::Shape swap = swapped_last(x.rank(), axis);
  const std::string rows = e.node("Transpose", {p.node.inputs[0]}, {{"perm", swap}});
  const auto last = static_cast<std::int64_t>(x.rank()) - 1;
  e.last("Transpose", {e.node(p.node.op_type, {rows}, {{"axis", last}})}, {{"perm", swap}});
  return true;
}

// ---- normalisations -----------------------------------------------------------------------------

/// Computes x / sqrt(variance + epsilon) for a computed variance.
std::string scaled_by_deviation(Planner& p, Expansion& e, const std::string& x,
                                const std::string& variance, float epsilon) {
  const auto added = static_cast<double>(epsilon);
  const tcu::DataType type = p.architecture().data_type;
  const ElementFunction inverse{
      fmt::format("reciprocal root of a variance and {:g}", epsilon),
      [added](double v) { return 1 / std::sqrt(std::max(v, 0.0) + added); }, std::nullopt,
      Reach{0, tcu::to_real(type, tcu::info(type).max())}};
  return e.node("Mul", {x, computed(p, e, variance, inverse)});
}

bool expand_instance(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  const std::size_t rank = value->layout->rank();
  if (rank < 3) {
    p.problem("input {} has shape {}; supported are 3 dimensions or more", quote(p.node.inputs[0]),
              nn::to_string(value->layout->shape));
    return true;
  }
  nn::Shape axes, per_channel(rank, 1);
  per_channel[1] = value->layout->shape[1];
  for (std::size_t d = 2; d < rank; ++d) axes.push_back(static_cast<std::int64_t>(d));
  const Expansion::Attributes mean{{"axes", axes}, {"keepdims", std::int64_t{1}}};
  const std::string& x = p.node.inputs[0];
  const std::string centred = e.node("Sub", {x, e.node("ReduceMean", {x}, mean)});
  const std::string variance = e.node("ReduceMean", {e.node("Mul", {centred, centred})}, mean);
  std::string result = scaled_by_deviation(p, e, centred, variance, p.node.real("epsilon", 1e-5F));
  const auto channels = [&](std::size_t i) {
    return e.node("Reshape", {p.node.inputs[i], e.constant(per_channel)});
  };
  result = e.node("Mul", {result, channels(1)});
  e.last("Add", {result, channels(2)});
  return true;
}

/// GroupNormalization is an InstanceNormalization of groups in place of channels. Scale and bias
/// have one value for each group in sets 18 to 20, and for each channel since 21.
bool expand_group(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  const nn::Shape shape = value->layout->shape;
  const std::int64_t groups = p.node.integer("num_groups");
  if (shape.size() < 3 || groups < 1 || shape[1] % groups != 0) {
    p.problem(
        "input {} has shape {}; supported are 3 dimensions or more, with channels for {} groups",
        quote(p.node.inputs[0]), nn::to_string(shape), groups);
    return true;
  }
  const bool by_group = p.opset() < 21;
  const nn::Shape rows{shape[0], groups, nn::element_count(shape) / (shape[0] * groups)};
  const Expansion::Attributes mean{{"axes", nn::Shape{2}}, {"keepdims", std::int64_t{1}}};
  const std::string x = e.node("Reshape", {p.node.inputs[0], e.constant(rows)});
  const std::string centred = e.node("Sub", {x, e.node("ReduceMean", {x}, mean)});
  const std::string variance = e.node("ReduceMean", {e.node("Mul", {centred, centred})}, mean);
  std::string result = scaled_by_deviation(p, e, centred, variance, p.node.real("epsilon", 1e-5F));
  nn::Shape one_each = by_group ? nn::Shape{1, groups, 1} : nn::Shape(shape.size(), 1);
  if (!by_group) one_each[1] = shape[1];
  const auto factors = [&](std::size_t i) {
    return e.node("Reshape", {p.node.inputs[i], e.constant(one_each)});
  };
  if (!by_group) result = e.node("Reshape", {result, e.constant(shape)});
  result = e.node("Add", {e.node("Mul", {result, factors(1)}), factors(2)});
  e.last("Reshape", {result, e.constant(shape)});
  return true;
}

/// LayerNormalization, and RMSNormalization, which divides by the root of the mean square alone.
bool expand_layer(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  if (p.output_read(1) || p.output_read(2)) {
    p.problem("the unit computes output 0 only; mean and deviation are outputs for training");
    return true;
  }
  const Layout& x = *value->layout;
  const std::optional<std::int64_t> axis = normal_axis(p, p.node.integer("axis", -1), x.rank());
  if (!axis) return true;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    (static_cast<std::int64_t>(d) < *axis ? outer : inner) *= x.shape[d];
  }
  std::string rows = p.node.inputs[0];
  const bool last = *axis + 1 == static_cast<std::int64_t>(x.rank());
  if (!last) rows = e.node("Reshape", {rows, e.constant(nn::Shape{outer, inner})});
  const bool centres = p.node.op_type == "LayerNormalization";
  const auto mean_of_rows = [&](const std::string& values) {
    const std::int64_t along = last ? static_cast<std::int64_t>(x.rank()) - 1 : 1;
    return e.node("ReduceMean", {values},
                  {{"axes", nn::Shape{along}}, {"keepdims", std::int64_t{1}}});
  };
  const std::string centred = centres ? e.node("Sub", {rows, mean_of_rows(rows)}) : rows;
  const std::string variance = mean_of_rows(e.node("Mul", {centred, centred}));
  std::string result = scaled_by_deviation(p, e, centred, variance, p.node.real("epsilon", 1e-5F));
  if (!last) result = e.node("Reshape", {result, e.constant(x.shape)});
  if (!p.given(2)) {
    e.last("Mul", {result, p.node.inputs[1]});
    return true;
  }
  e.last("Add", {e.node("Mul", {result, p.node.inputs[1]}), p.node.inputs[2]});
  return true;
}

/// Expands LRN: x (bias + alpha / size * sum of the squares of neighbouring channels)^-beta. It
/// squares x * sqrt(alpha / size), since alpha is often smaller than the data type's step.
bool expand_lrn(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  if (!has_tables(p.architecture()) && !p.before_product()) {
    p.problem("no product follows, so it is computed exactly there");
    return true;
  }
  const Layout& x = *value->layout;
  const std::int64_t size = p.node.integer("size");
  if (x.rank() != 4 || size < 1) {
    p.problem("input {} has shape {}, attribute size is {}; supported are images and 1 or more",
              quote(p.node.inputs[0]), nn::to_string(x.shape), size);
    return true;
  }
  const auto real = [&](const char* name, float fallback) {
    return static_cast<double>(p.node.real(name, fallback));
  };
  const double alpha = real("alpha", 1e-4F), beta = real("beta", 0.75F), bias = real("bias", 1);
  if (alpha < 0 || !(bias > 0)) {
    p.problem("attribute alpha is {:g} and bias {:g}; supported are 0 and more, and above 0", alpha,
              bias);
    return true;
  }
  const std::int64_t channels = x.shape[1];
  const tcu::DataType type = p.architecture().data_type;
  nn::Tensor band = nn::Tensor::zeros({channels, channels, 1, 1});
  for (std::int64_t to = 0; to < channels; ++to) {
    for (std::int64_t from = std::max<std::int64_t>(0, to - (size - 1) / 2);
         from <= std::min(channels - 1, to + size / 2); ++from) {
      band.floats[static_cast<std::size_t>(to * channels + from)] = 1;
    }
  }
  const auto root = static_cast<float>(std::sqrt(alpha / static_cast<double>(size)));
  const std::string small = e.node("Mul", {p.node.inputs[0], e.constant(root)});
  const std::string squares = e.node("Mul", {small, small});
  const std::string sum = e.node("Conv", {squares, e.constant(std::move(band))});
  const ElementFunction power{
      fmt::format("({:g} + v)^-{:g}", bias, beta),
      [=](double v) { return std::pow(bias + std::max(v, -bias / 2), -beta); }, Reach{0, 64},
      Reach{0, tcu::to_real(type, tcu::info(type).max())}};
  e.last("Mul", {p.node.inputs[0], computed(p, e, sum, power)});
  return true;
}

}  // namespace

Operators statistics_operators() {
  return {{"LogSoftmax", 0, Role::simple, nullptr, nullptr, expand_softmax},
          {"LRN", 0, Role::simple, nullptr, nullptr, expand_lrn},
          {"InstanceNormalization", 0, Role::simple, nullptr, nullptr, expand_instance},
          {"GroupNormalization", 0, Role::simple, nullptr, nullptr, expand_group},
          {"LayerNormalization", wants_rows, Role::simple, nullptr, nullptr, expand_layer},
          {"RMSNormalization", wants_rows, Role::simple, nullptr, nullptr, expand_layer}};
}

std::string sum_of_last(Expansion& e, const std::string& x, std::int64_t count, float scale) {
  nn::Tensor column = nn::Tensor::zeros({count, 1});
  for (float& value : column.floats) value = scale;
  return e.node("MatMul", {x, e.constant(std::move(column))});
}

bool expand_inner_softmax(Planner& p, Expansion& e) { return expand_softmax(p, e); }

}  // namespace tactus::compiler
