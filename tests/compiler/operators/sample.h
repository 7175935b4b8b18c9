// One operator in a small graph, with inputs: a case of the suite on one machine.
//
// Numbers are drawn in one of two ways. Exact ones are small multiples of a power of two, so few
// that no sum and no product of a case leaves the data type or needs rounding: then every order of
// operations gives the float reference's result bit for bit. Free ones are anything, saturation
// included: then only the definition of HIR says what comes out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/tcu/arithmetic.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/support/random_program.h"

namespace tactus::compiler {

/// What computes an operand that is computed.
enum class Before : std::uint8_t { nothing, relu, product, normalisation };
/// What reads the results.
enum class After : std::uint8_t { nothing, relu, negation, product };

struct Setting {
  tcu::DataType type = tcu::DataType::fp16bp8;
  std::uint32_t array_size = 8;
  std::int64_t channels = 8;
  bool tables = false;           ///< lookup tables
  bool activation_unit = false;  ///< an extension that only the optimiser uses
  bool free = false;             ///< free numbers instead of exact ones
  Before before = Before::nothing;
  After after = After::nothing;
  std::uint64_t seed = 1;

  [[nodiscard]] tcu::Architecture architecture() const;
  [[nodiscard]] std::string text() const;
};

/// Exact numbers: multiples of step from low to high.
struct Numbers {
  double low = -2, high = 2, step = 0.5;
  /// Of the elements along this dimension all but `most` are 0, so that sums stay small. -1: none.
  int sparse = -1;
  std::int64_t most = 3;
  bool always = false;  ///< instead of free numbers, too
};

class Sample {
 public:
  explicit Sample(const Setting& setting);

  // ---- what a case depends on -------------------------------------------------------------------

  [[nodiscard]] const Setting& setting() const { return setting_; }
  [[nodiscard]] std::int64_t channels() const { return setting_.channels; }
  [[nodiscard]] double unit() const { return tcu::to_real(setting_.type, 1); }
  [[nodiscard]] nn::Shape image(std::int64_t height = 3, std::int64_t width = 3) const {
    return {1, channels(), height, width};
  }

  // ---- operands; each returns the value's name --------------------------------------------------

  std::string computed(const nn::Shape& shape, const Numbers& numbers = {});
  std::string constant(const nn::Shape& shape, const Numbers& numbers = {});
  std::string constant(nn::Tensor tensor);
  std::string scalar(float value) { return constant(floats({}, {value})); }
  std::string list(std::vector<std::int64_t> values) {
    return constant(integers(std::move(values)));
  }

  // ---- the operator -----------------------------------------------------------------------------

  void opset(std::int64_t version) { maker_.graph.opset = version; }
  /// Returns the value's name.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   Attributes attributes = {});
  std::vector<std::string> nodes(const std::string& op, const std::vector<std::string>& inputs,
                                 std::size_t outputs, Attributes attributes = {});
  /// Makes a result an output, behind what reads results.
  void output(const std::string& value);
  /// A product reads the results, whatever the setting says.
  void before_product() { setting_.after = After::product; }
  /// Without lookup tables the host computes the operator, so no product can read it.
  void host_without_tables() {
    if (!setting_.tables) on_host();
  }
  void on_host() {
    if (setting_.after == After::product) setting_.after = After::nothing;
  }

  // ---- what may be wrong, where numbers are exact -----------------------------------------------

  /// So many units in the last place. 0 unless a case says otherwise.
  void allow(double units) { units_ = units; }
  /// So many units in programs of the optimiser, where others are exact.
  void allow_optimised(double units) { optimised_units_ = units; }
  /// Some times the error that the compiler states for a function, of 1 or of the value where that
  /// is more; and units. 0 if the program has no function (the host computes it exactly).
  void allow_stated(double gain, double units) {
    stated_gain_ = gain;
    units_ = units;
  }
  /// A mean of `count` elements whose sum is at most `sum`: exact if the data type has 1 / count
  /// and step / count, else count roundings and what the rounded factor makes of the sum.
  void allow_mean(std::int64_t count, double sum, double step = 0.5);
  /// A result beyond the data type's range is its end.
  void saturates() {
    saturates_ = true;
    setting_.after = After::nothing;
  }
  [[nodiscard]] double units(bool optimised) const {
    return optimised ? std::max(units_, optimised_units_) : units_;
  }
  [[nodiscard]] double stated_gain() const { return stated_gain_; }

  [[nodiscard]] const nn::Graph& graph() const { return maker_.graph; }
  [[nodiscard]] const nn::Values& inputs() const { return inputs_; }
  /// The graph's outputs by the float reference.
  [[nodiscard]] nn::Values expected() const;

  /// Exact or free, as the setting says.
  [[nodiscard]] nn::Tensor draw(const nn::Shape& shape, const Numbers& numbers);

 private:
  std::string name(const char* kind);
  /// Channels change places and signs: a product that is exact for all numbers.
  std::string product(const std::string& value, const nn::Shape& shape, bool keep_signs);

  Setting setting_;
  Random random_;
  GraphMaker maker_;
  nn::Values inputs_;
  unsigned names_ = 0;
  double units_ = 0, optimised_units_ = 0, stated_gain_ = 0;
  bool saturates_ = false;
};

/// The optimiser computes a leaky ReLU as two saturating products, which may be off by a unit.
inline constexpr double leaky_units = 1;

/// One form of an operator.
struct Case {
  std::string op, form;
  std::function<void(Sample&)> build;
};
using Cases = std::vector<Case>;

// The families.
[[nodiscard]] Cases arithmetic_cases();   ///< of two operands, broadcast
[[nodiscard]] Cases activation_cases();   ///< Relu, Clip, BatchNormalization...
[[nodiscard]] Cases product_cases();      ///< Conv, MatMul...
[[nodiscard]] Cases window_cases();       ///< pools, Resize
[[nodiscard]] Cases reduction_cases();    ///< ReduceMean..., normalisations by computed sums
[[nodiscard]] Cases arrangement_cases();  ///< Reshape, Concat...
[[nodiscard]] Cases function_cases();     ///< Sigmoid, Exp...
[[nodiscard]] Cases recurrent_cases();    ///< RNN, GRU, LSTM
[[nodiscard]] Cases logic_cases();        ///< comparisons, And, Not, Where

/// All of them.
[[nodiscard]] const Cases& all_cases();

[[nodiscard]] Sample made(const Case& c, const Setting& setting);

/// `count` of all settings (data types x array sizes x channels below, at and beyond the array
/// size), spread differently for each case; what surrounds the operator changes from one to the
/// next. TACTUS_TEST_SCALE multiplies the count, up to all; TACTUS_TEST_SEED asks for one.
[[nodiscard]] std::vector<Setting> settings_for(const Case& c, std::uint64_t count);

}  // namespace tactus::compiler
