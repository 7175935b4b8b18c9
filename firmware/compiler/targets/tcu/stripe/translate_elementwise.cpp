// Arithmetic, activations and normalisation.
#include <cmath>
#include <optional>

#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/stripe/lookup.h"
#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

void Translator::arithmetic(const std::string& function) {
  const Layout& result = layout(out());
  const nn::Shape sizes = result.memory_shape();
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("eltwise");
  const std::vector<Affine> at = count(k, sizes);
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string into = i == 0 ? "A" : "B";
    const nn::Tensor* tensor = constant(i);
    if (tensor == nullptr) {
      const nn::Shape own = layout(in(i)).memory_shape();
      std::vector<Affine> its;
      for (std::size_t d = 0; d < own.size(); ++d) {
        its.push_back(own[d] == 1 && sizes[d] != 1 ? Affine() : at[d]);
      }
      read(k, into, in(i), its);
    } else {
      // Dimensions along which a tensor is broadcast are left out, except the lanes'.
      const BroadcastIndex source(tensor->shape, result.shape);
      Sizes kept;
      std::vector<Affine> its;
      std::vector<std::size_t> dims;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        const bool scalar = result.rank() == 0;
        const std::size_t dim = scalar ? 0 : result.order[d];
        const std::size_t missing = result.shape.size() - tensor->shape.size();
        const bool varies = !scalar && dim >= missing && tensor->shape[dim - missing] != 1;
        if (!varies && d + 1 != sizes.size()) continue;
        kept.push_back(sizes[d]);
        its.push_back(at[d]);
        dims.push_back(dim);
      }
      std::vector<float> values;
      nn::Shape position(kept.size(), 0), whole(sizes.size(), 0);
      do {
        for (std::size_t d = 0; d < dims.size(); ++d) whole[dims[d]] = position[d];
        values.push_back(tensor->floats[static_cast<std::size_t>(source(whole))]);
      } while (next_position(position, kept));
      const std::string buffer = make_constant(in(i), kept, std::move(values), in(i));
      k.in(into, shapes_.at(buffer), buffer, its);
    }
    operands.push_back(k.load(into));
  }
  write(k, target.buffer, access(target, at));
  // Slopes of a PRelu are 1 at most here.
  k.store("Y", function.empty() ? k.call("max", {k.call("mul", operands), operands[0]})
                                : k.call(function, operands));
  append(std::move(k));
}

/// Approximates a function by chords: a start value, plus for each chord the shifted and scaled
/// input, clipped to the chord's range.
void Translator::curve() {
  const std::vector<float>& numbers = node().reals("chords");
  map(in(), make_place(out()).buffer, [&](Kernel& k, const std::string& x) {
    std::string sum = k.real(numbers[0]);
    const std::string zero = k.integer(0);
    for (std::size_t c = 1; c + 2 < numbers.size(); c += 3) {
      const std::string line =
          k.call("add", {k.call("mul", {x, k.real(numbers[c])}), k.real(numbers[c + 1])});
      const std::string rise = k.real(numbers[c + 2]);
      const bool falls = numbers[c + 2] < 0;
      const std::string cut =
          k.call("min", {k.call("max", {line, falls ? rise : zero}), falls ? zero : rise});
      sum = k.call("add", {sum, cut});
    }
    return sum;
  });
}

/// Computes a sum of table functions, each of the argument times a scale.
void Translator::lookup() {
  const std::vector<float>&scales = node().reals("scales"), &slopes = node().reals("slopes"),
        &values = node().reals("values");
  const std::size_t entries = slopes.size() / scales.size();
  std::vector<std::string> functions;
  for (std::size_t piece = 0; piece < scales.size(); ++piece) {
    std::vector<float> rows;
    for (const std::vector<float>* all : {&slopes, &values}) {
      const auto first = all->begin() + static_cast<std::ptrdiff_t>(piece * entries);
      rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(entries));
    }
    functions.push_back(
        stripe::lookup_name(table({2, static_cast<std::int64_t>(entries)}, std::move(rows))));
  }
  const double step =
      std::ldexp(1.0, -static_cast<int>(model_.architecture.lookup_tables.key_binary_point));
  map(in(), make_place(out()).buffer, [&](Kernel& k, const std::string& x) {
    const std::string distance = k.real(step);
    std::string sum;
    for (std::size_t piece = 0; piece < scales.size(); ++piece) {
      const std::string argument =
          scales[piece] == 1.0F ? x : k.call("mul", {x, k.real(scales[piece])});
      const std::string part = k.call(functions[piece], {argument, distance});
      sum = sum.empty() ? part : k.call("add", {sum, part});
    }
    return sum;
  });
}

void Translator::relu() {
  map(in(), make_place(out()).buffer, [](Kernel& k, const std::string& x) {
    const std::string zero = k.integer(0);
    return k.call("cond", {k.call("cmp_lt", {x, zero}), zero, x});
  });
}

void Translator::leaky_relu() {
  const float alpha = node().real("alpha", 0.01F);
  map(in(), make_place(out()).buffer, [alpha](Kernel& k, const std::string& x) {
    return k.call("max", {k.call("mul", {x, k.real(alpha)}), x});
  });
}

void Translator::clip() {
  const auto bound = [this](std::string_view name, std::size_t input,
                            float fallback) -> std::optional<float> {
    if (model_.graph->opset < 11) {
      return node().has(name) ? std::optional(node().real(name, fallback)) : std::nullopt;
    }
    const nn::Tensor* tensor = constant(input);
    return tensor != nullptr ? std::optional(tensor->floats[0]) : std::nullopt;
  };
  const std::optional<float> low = bound("min", 1, 0), high = bound("max", 2, 0);
  map(in(), make_place(out()).buffer, [&](Kernel& k, std::string x) {
    if (low) x = k.call("max", {x, k.real(*low)});
    if (high) x = k.call("min", {x, k.real(*high)});
    return low || high ? x : k.call("assign", {x});
  });
}

void Translator::normalisation() {
  const float epsilon = node().real("epsilon", 1e-5F);
  const auto channels = static_cast<std::size_t>(layout(in()).lanes());
  std::vector<float> scale, offset;
  for (std::size_t c = 0; c < channels; ++c) {
    scale.push_back(
        static_cast<float>(1.0 / std::sqrt(static_cast<double>(constant(4)->floats[c] + epsilon)) *
                           static_cast<double>(constant(1)->floats[c])));
    offset.push_back(constant(2)->floats[c] - constant(3)->floats[c] * scale.back());
  }
  const auto size = static_cast<std::int64_t>(channels);
  const std::string scales = make_constant(node().name + "_scale", {size}, std::move(scale));
  const std::string offsets = make_constant(node().name + "_offset", {size}, std::move(offset));
  const Place target = make_place(out());
  Kernel k = kernel();
  k.tag("eltwise");
  const std::vector<Affine> at = count(k, layout(out()).memory_shape());
  read(k, "X", in(), at);
  k.in("S", shapes_.at(scales), scales, {at.back()});
  k.in("T", shapes_.at(offsets), offsets, {at.back()});
  write(k, target.buffer, at);
  const std::string x = k.load("X"), s = k.load("S"), t = k.load("T");
  k.store("Y", k.call("add", {k.call("mul", {x, s}), t}));
  append(std::move(k));
}

}  // namespace tactus::compiler::stripe_tcu
