// Arithmetic expressions over the keys of a configuration, for derived values and constraints.
//
// The language is muParser's, in doubles: + - * / ^, comparisons, && ||, ?:, min, max, sqrt, log2,
// rint ..., plus floor, ceil, mod(a, b). A key is written in full ("architecture.array_size") or,
// if no other section has a key of that name, by its last part. Keys with text values cannot be
// used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

class Expression {
 public:
  /// Throws UserError with the column for broken syntax and unknown names. `keys` gives the names
  /// that exist.
  Expression(std::string text, const Configuration& keys);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  /// Throws UserError if the result is not finite.
  [[nodiscard]] double value(const Configuration& configuration) const;
  /// Value for given values of keys(), in their order.
  [[nodiscard]] double value_of(const std::vector<double>& values) const;
  /// Keys used in the expression.
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct State;
  std::string text_;
  std::vector<std::string> keys_;
  std::unique_ptr<State> state_;
};

}  // namespace tactus::sweep
