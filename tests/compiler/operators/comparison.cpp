#include "tests/compiler/operators/comparison.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "tests/compiler/models/outcome.h"
#include "tests/compiler/operators/optimised.h"

namespace tactus::compiler {
namespace {

/// Returns the largest error that the compiler states for a function of the program; 0 without
/// functions.
double stated_error(const Compiled& compiled) {
  double largest = 0;
  constexpr std::string_view words = "largest error ";
  for (const std::string& note : compiled.notes) {
    const std::size_t at = note.find(words);
    if (at == std::string::npos) continue;
    // The note rounds to two digits.
    largest = std::max(largest, 1.06 * std::stod(note.substr(at + words.size())));
  }
  return largest;
}

std::string difference(const Sample& sample, const Compiled& compiled, double stated,
                       const std::string& name, const nn::Tensor& actual,
                       const nn::Tensor& expected) {
  const double units = sample.units(compiled.plans != 0);
  if (actual.shape != expected.shape) {
    return fmt::format("{} has shape {}, not {}", name, nn::to_string(actual.shape),
                       nn::to_string(expected.shape));
  }
  std::size_t wrong = 0, worst = 0;
  double most = 0;
  for (std::size_t i = 0; i < expected.floats.size(); ++i) {
    const auto value = static_cast<double>(expected.floats[i]);
    const double error = std::abs(static_cast<double>(actual.floats[i]) - value);
    const double allowed =
        units * sample.unit() + sample.stated_gain() * stated * std::max(1.0, std::abs(value));
    if (error <= allowed) continue;
    ++wrong;
    if (!(error <= most)) {
      most = error;
      worst = i;
    }
  }
  if (wrong == 0) return "";
  return fmt::format("{} of {} elements of {} are wrong, element {} by {:g} units: {} is not {}",
                     wrong, expected.floats.size(), name, worst, most / sample.unit(),
                     actual.floats[worst], expected.floats[worst]);
}

}  // namespace

const std::vector<Way>& all_ways() {
  static const std::vector<Way> ways = [] {
    std::vector<Way> all;
    for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                    Strategy::local_consts, Strategy::local_vars_and_consts}) {
      Options options;
      options.strategy = strategy;
      all.push_back({std::string(to_string(strategy)), options});
    }
    Options options;
    options.optimise = true;
    options.effort = 20;
    all.push_back({"optimised", options});
    return all;
  }();
  return ways;
}

std::optional<Compiled> compiled_if_it_fits(const Sample& sample, const Way& way) {
  try {
    return compile(sample.graph(), sample.setting().architecture(), way.options);
  } catch (const UserError& error) {
    const bool on_chip = !way.options.optimise && way.options.strategy != Strategy::local_isolated;
    const std::string reason = error.what();
    const bool is_full = reason.find("strategy local-isolated ") != std::string::npos ||
                         reason.find("out of local memory ") != std::string::npos;
    if (!on_chip || !is_full) throw;
    return std::nullopt;
  }
}

std::string difference(const Sample& sample, const Compiled& compiled) {
  const nn::Values actual = finished(compiled, sample.inputs());
  const double stated = stated_error(compiled);
  for (const auto& [name, expected] : sample.expected()) {
    const std::string found = difference(sample, compiled, stated, name, actual.at(name), expected);
    if (!found.empty()) return found;
  }
  return "";
}

std::string difference(const Sample& sample, const Way& way) {
  try {
    const std::optional<Compiled> compiled = compiled_if_it_fits(sample, way);
    if (!compiled) return "";
    const std::string found = difference(sample, *compiled);
    if (!found.empty() || !way.options.optimise || compiled->plans != 0) return found;
    const std::optional<Compiled> optimised =
        optimised_alone(sample.graph(), sample.setting().architecture());
    return optimised ? difference(sample, *optimised) : "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace tactus::compiler
