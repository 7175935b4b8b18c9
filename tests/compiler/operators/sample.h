// A case of the operator suite: one operator in a small graph, with inputs, for one machine.
//
// Numbers are drawn in one of two ways. Exact numbers are small multiples of a power of two, and
// few of them are not 0, so that no sum or product of the case leaves the data type's range or
// needs rounding. Then every order of operations gives the float reference's result bit for bit.
// Free numbers have any value, including values that saturate. Then only the definition of HIR
// gives the result.
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

/// Operation that computes an operand from the graph's input.
enum class Before : std::uint8_t { nothing, relu, product, normalisation };
/// Operation that follows the operator.
enum class After : std::uint8_t { nothing, relu, negation, product };

struct Setting {
  tcu::DataType type = tcu::DataType::fp16bp8;
  std::uint32_t array_size = 8;
  std::int64_t channels = 8;
  bool tables = false;           ///< the machine has lookup tables
  bool activation_unit = false;  ///< the machine has the extension, which only the optimiser uses
  bool free = false;             ///< true: numbers are free; false: they are exact
  Before before = Before::nothing;
  After after = After::nothing;
  std::uint64_t seed = 1;

  [[nodiscard]] tcu::Architecture architecture() const;
  [[nodiscard]] std::string text() const;
};

/// Exact numbers: multiples of `step` from `low` to `high`.
struct Numbers {
  double low = -2, high = 2, step = 0.5;
  /// At most `most` elements along this dimension are not 0, so that sums stay small. -1: no limit.
  int sparse = -1;
  std::int64_t most = 3;
  bool always = false;  ///< true: these numbers are also used instead of free ones
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
  /// Adds a node and returns the name of its result.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   Attributes attributes = {});
  std::vector<std::string> nodes(const std::string& op, const std::vector<std::string>& inputs,
                                 std::size_t outputs, Attributes attributes = {});
  /// Makes the result an output of the graph, after the operation `after`.
  void output(const std::string& value);
  /// Makes a product read the results, independent of the setting.
  void before_product() { setting_.after = After::product; }
  /// Call this if the host computes the operator on machines without lookup tables. There no
  /// product may read its result.
  void host_without_tables() {
    if (!setting_.tables) on_host();
  }
  void on_host() {
    if (setting_.after == After::product) setting_.after = After::nothing;
  }

  // ---- allowed errors of exact numbers ----------------------------------------------------------

  /// Allowed error in units of the last place. The default is 0.
  void allow(double units) { units_ = units; }
  /// Allowed error, in units of the last place, of the optimiser's programs.
  void allow_optimised(double units) { optimised_units_ = units; }
  /// Allowed error: `gain` times the error that the compiler states for a function (absolute, or
  /// relative for values above 1), plus `units`. It is 0 if the host computes the function, which
  /// is exact.
  void allow_stated(double gain, double units) {
    stated_gain_ = gain;
    units_ = units;
  }
  /// Allowed error of a mean of `count` elements whose sum is at most `sum`. It is 0 if the data
  /// type can represent 1 / count and step / count; else count roundings plus the effect of the
  /// rounded factor on the sum.
  void allow_mean(std::int64_t count, double sum, double step = 0.5);
  /// Expects results beyond the data type's range to saturate.
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
  /// Returns the graph's outputs by the float reference.
  [[nodiscard]] nn::Values expected() const;

  /// Draws exact or free numbers, according to the setting.
  [[nodiscard]] nn::Tensor draw(const nn::Shape& shape, const Numbers& numbers);

 private:
  std::string name(const char* kind);
  /// Adds a product that permutes channels and changes signs; it is exact for all numbers.
  std::string product(const std::string& value, const nn::Shape& shape, bool keep_signs);

  Setting setting_;
  Random random_;
  GraphMaker maker_;
  nn::Values inputs_;
  unsigned names_ = 0;
  double units_ = 0, optimised_units_ = 0, stated_gain_ = 0;
  bool saturates_ = false;
};

/// Allowed error of a leaky ReLU by the optimiser, which computes it as two saturating products.
inline constexpr double leaky_units = 1;

/// An operator in one form of its operands and attributes.
struct Case {
  std::string op, form;
  std::function<void(Sample&)> build;
};
using Cases = std::vector<Case>;

/// Adds a case whose output is the value that `build` returns.
inline void add(Cases& cases, const std::string& op, const std::string& form,
                const std::function<std::string(Sample&)>& build) {
  cases.push_back({op, form, [=](Sample& s) { s.output(build(s)); }});
}

// Cases by family.
[[nodiscard]] Cases arithmetic_cases();   ///< two operands with broadcast
[[nodiscard]] Cases activation_cases();   ///< Relu, Clip, BatchNormalization...
[[nodiscard]] Cases product_cases();      ///< Conv, MatMul...
[[nodiscard]] Cases window_cases();       ///< pools, Resize
[[nodiscard]] Cases reduction_cases();    ///< ReduceMean..., normalisations by computed sums
[[nodiscard]] Cases arrangement_cases();  ///< Reshape, Concat...
[[nodiscard]] Cases composed_cases();     ///< Einsum, ScatterND...
[[nodiscard]] Cases function_cases();     ///< Sigmoid, Exp...
[[nodiscard]] Cases recurrent_cases();    ///< RNN, GRU, LSTM
[[nodiscard]] Cases attention_cases();    ///< Attention, RotaryEmbedding, RMSNormalization
[[nodiscard]] Cases logic_cases();        ///< comparisons, And, Not, Where

/// All cases.
[[nodiscard]] const Cases& all_cases();

[[nodiscard]] Sample made(const Case& c, const Setting& setting);

/// Picks `count` of all settings (data types x array sizes x numbers of channels below, at and
/// above the array size). The settings differ from case to case, and so do the operations around
/// the operator. TACTUS_TEST_SCALE multiplies the count, up to all settings; TACTUS_TEST_SEED
/// selects one.
[[nodiscard]] std::vector<Setting> settings_for(const Case& c, std::uint64_t count);

}  // namespace tactus::compiler
