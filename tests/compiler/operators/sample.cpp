#include "tests/compiler/operators/sample.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tests/support/test_scale.h"

namespace tactus::compiler {

tcu::Architecture Setting::architecture() const {
  tcu::Architecture a = compiler::architecture(array_size);
  a.data_type = type;
  a.local_depth = 16384;
  if (tables) {
    a.lookup_tables = {2, 256, 4};
    a.simd_registers_depth = 3;
  }
  a.activation_unit = activation_unit;
  return a;
}

std::string Setting::text() const {
  constexpr const char* befores[] = {"nothing", "a ReLU", "a product", "a normalisation"};
  constexpr const char* afters[] = {"nothing", "a ReLU", "a negation", "a product"};
  return fmt::format(
      "{} {}x{}, {} channels, {} before, {} behind{}{}, seed {}", tcu::info(type).name, array_size,
      array_size, channels, befores[static_cast<int>(before)], afters[static_cast<int>(after)],
      tables ? ", lookup tables" : "", activation_unit ? ", activation unit" : "", seed);
}

Sample::Sample(const Setting& setting) : setting_(setting), random_(setting.seed), maker_(20) {}

std::string Sample::name(const char* kind) { return fmt::format("{}{}", kind, names_++); }

nn::Tensor Sample::draw(const nn::Shape& shape, const Numbers& numbers) {
  nn::Tensor tensor = nn::Tensor::zeros(shape);
  if (setting_.free && !numbers.always) {
    // Free numbers include values between the data type's steps and beyond its range.
    const double most = tcu::to_real(setting_.type, tcu::info(setting_.type).max());
    const double range = random_.pick({1.0, 3.0, 1.2 * most});
    for (float& value : tensor.floats) {
      value = static_cast<float>(
          (static_cast<double>(random_.below(std::uint64_t{1} << 24)) / (1 << 23) - 1) * range);
    }
    return tensor;
  }
  const auto steps = static_cast<std::uint64_t>((numbers.high - numbers.low) / numbers.step);
  for (float& value : tensor.floats) {
    value = static_cast<float>(numbers.low +
                               numbers.step * static_cast<double>(random_.range(0, steps)));
  }
  if (numbers.sparse < 0) return tensor;
  const auto along = static_cast<std::size_t>(numbers.sparse);
  std::int64_t inner = 1;
  for (std::size_t d = along + 1; d < shape.size(); ++d) inner *= shape[d];
  const std::int64_t length = shape[along];
  const std::int64_t every = (length + numbers.most - 1) / numbers.most;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const std::int64_t at = i / inner % length, line = i / (inner * length) * inner + i % inner;
    if ((at + line) % every != 0) tensor.floats[static_cast<std::size_t>(i)] = 0;
  }
  return tensor;
}

std::string Sample::product(const std::string& value, const nn::Shape& shape, bool keep_signs) {
  const bool image = shape.size() == 4;
  const std::int64_t count = image ? shape[1] : shape.back();
  nn::Tensor weights = nn::Tensor::zeros({count, count});
  for (std::int64_t to = 0; to < count; ++to) {
    const std::int64_t from = (to + count / 2) % count;
    const float sign = keep_signs || random_.chance(60) ? 1.0F : -1.0F;
    weights.floats[static_cast<std::size_t>(image ? to * count + from : from * count + to)] = sign;
  }
  if (image) weights.shape = {count, count, 1, 1};
  return node(image ? "Conv" : "MatMul", {value, constant(std::move(weights))});
}

std::string Sample::computed(const nn::Shape& shape, const Numbers& numbers) {
  const std::string x = name("x");
  maker_.input(x, shape);
  inputs_[x] = draw(shape, numbers);
  switch (setting_.before) {
    case Before::nothing:
      return x;
    case Before::relu:
      return numbers.low > 0 ? x : node("Relu", {x});
    case Before::product:
      return shape.size() < 2 || numbers.sparse >= 0 ? x : product(x, shape, numbers.low >= 0);
    case Before::normalisation:
      break;
  }
  if (shape.size() < 2) return x;
  const nn::Shape channels{shape[1]};
  const Numbers signs =
      numbers.low >= 0 ? Numbers{1, 1, 1, -1, 3, true} : Numbers{-1, 1, 2, -1, 3, true};
  const Numbers zero{0, 0, 1, -1, 3, true}, one{1, 1, 1, -1, 3, true};
  return node("BatchNormalization",
              {x, constant(channels, signs), constant(channels, zero), constant(channels, zero),
               constant(channels, one)},
              {{"epsilon", 0.0F}});
}

std::string Sample::constant(nn::Tensor tensor) {
  const std::string c = name("c");
  maker_.constant(c, std::move(tensor));
  return c;
}

std::string Sample::constant(const nn::Shape& shape, const Numbers& numbers) {
  return constant(draw(shape, numbers));
}

std::vector<std::string> Sample::nodes(const std::string& op,
                                       const std::vector<std::string>& inputs, std::size_t outputs,
                                       Attributes attributes) {
  std::vector<std::string> results;
  while (results.size() < outputs) results.push_back(name("y"));
  maker_.node(op, inputs, results, std::move(attributes));
  return results;
}

std::string Sample::node(const std::string& op, const std::vector<std::string>& inputs,
                         Attributes attributes) {
  return nodes(op, inputs, 1, std::move(attributes)).front();
}

void Sample::output(const std::string& value) {
  std::string result = value;
  if (setting_.after == After::relu) {
    result = node("Relu", {value});
  } else if (setting_.after == After::negation) {
    result = node("Neg", {value});
  } else if (setting_.after == After::product) {
    const nn::Values values = nn::run_reference(graph(), inputs_);
    const nn::Shape& shape = values.at(value).shape;
    if (shape.size() >= 2) result = product(value, shape, false);
  }
  maker_.output(result);
}

void Sample::allow_mean(std::int64_t count, double sum, double step) {
  const auto counted = static_cast<double>(count);
  const bool power = (count & (count - 1)) == 0;
  if (power && unit() * counted <= 1 && step / counted >= unit()) return;
  units_ = std::max(units_, (counted + sum) / 2 + 1);
}

nn::Values Sample::expected() const {
  const nn::Values all = nn::run_reference(graph(), inputs_);
  nn::Values outputs;
  const double low = tcu::to_real(setting_.type, tcu::info(setting_.type).min());
  const double high = tcu::to_real(setting_.type, tcu::info(setting_.type).max());
  for (const nn::ValueInfo& info : graph().outputs) {
    nn::Tensor& tensor = outputs[info.name] = all.at(info.name);
    if (!saturates_) continue;
    for (float& value : tensor.floats) {
      value = static_cast<float>(std::clamp(static_cast<double>(value), low, high));
    }
  }
  return outputs;
}

const Cases& all_cases() {
  static const Cases all = [] {
    Cases cases;
    for (const auto family : {arithmetic_cases, activation_cases, product_cases, window_cases,
                              reduction_cases, arrangement_cases, composed_cases, function_cases,
                              recurrent_cases, logic_cases, attention_cases}) {
      for (Case& c : family()) cases.push_back(std::move(c));
    }
    return cases;
  }();
  return all;
}

Sample made(const Case& c, const Setting& setting) {
  Sample sample(setting);
  c.build(sample);
  return sample;
}

std::vector<Setting> settings_for(const Case& c, std::uint64_t count) {
  constexpr tcu::DataType types[] = {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                     tcu::DataType::fp18bp10, tcu::DataType::fp32bp16};
  constexpr std::uint32_t sizes[] = {4, 8, 12, 32};
  constexpr std::uint64_t all = 4 * 4 * 3;
  // An FNV hash; std::hash may differ between libraries.
  std::uint64_t first = 14695981039346656037U;
  for (const char letter : c.op + "/" + c.form) {
    first = (first ^ static_cast<unsigned char>(letter)) * 1099511628211U;
  }
  std::vector<std::uint64_t> seeds = test_seeds(1, count);
  if (seeds.size() > all) seeds.resize(all);
  std::vector<Setting> settings;
  for (const std::uint64_t seed : seeds) {
    // 29 and 48 have no common factor, so all settings occur.
    std::uint64_t at = (first + seed * 29) % all;
    Setting s;
    s.type = types[at % 4];
    s.array_size = sizes[at / 4 % 4];
    s.channels = at / 16 == 0   ? std::max<std::int64_t>(2, s.array_size / 2 - 1)
                 : at / 16 == 1 ? s.array_size
                                : s.array_size + 3;
    const std::uint64_t around = first / all + seed;
    s.before = static_cast<Before>(around % 4);
    s.after = static_cast<After>(around / 4 % 4);
    s.tables = around % 5 == 1;
    s.activation_unit = around % 3 == 1;
    s.seed = seed;
    settings.push_back(s);
  }
  return settings;
}

}  // namespace tactus::compiler
